"""How a sharded copy is dealt over its ranks: what the fullest gets, the emptiest, and each one, by framework.

flat    everything in one row of bytes, cut evenly (ZeRO, DeepSpeed, Megatron's distributed optimizer)
rows    each parameter by its first axis, padded to a multiple of the ranks (PyTorch, fully_shard)
whole   whole parameters, the largest first, each to the emptiest rank (PyTorch, ZeroRedundancyOptimizer)
tensor  each parameter flattened and cut evenly (nanotron, ZeroDistributedOptimizer)
"""

import heapq
from collections.abc import Callable, Iterable
from math import prod

from .held import Held

MANY = 100_000  # parameters that are dealt one by one
Cost = Callable[[Held, tuple[int, ...]], int]  # bytes of a tensor of this shape


def style_of(preset: str, zero: int) -> str:
    """How a preset deals a sharded part."""
    if preset == "fsdp2" or (preset == "pure-bf16" and zero >= 2):
        return "rows"
    if preset in ("ddp-amp", "pure-bf16"):
        return "whole"
    return "tensor" if preset == "nanotron" else "flat"


def largest_share(tensors: Iterable[Held], ranks: int, style: str, cost: Cost) -> int:
    """Bytes of the fullest of ``ranks`` ranks when they share these tensors; all of them for one rank."""
    tensors = tuple(tensors)
    if ranks == 1 or not tensors:
        return sum(cost(held, held.shape) * held.copies for held in tensors)
    if style == "rows":
        return sum(_rows(held, ranks, cost) for held in tensors)
    if style == "whole":
        return _whole(tensors, ranks, cost)
    if style == "tensor":
        return sum(-(-cost(held, held.shape) // ranks) * held.copies for held in tensors)
    return -(-sum(cost(held, held.shape) * held.copies for held in tensors) // ranks)


def smallest_share(tensors: Iterable[Held], ranks: int, style: str, cost: Cost) -> int:
    """Bytes of the emptiest rank. Where the whole is cut evenly, padding makes all alike."""
    tensors = tuple(tensors)
    if ranks == 1 or not tensors or style in ("flat", "tensor"):
        return largest_share(tensors, ranks, style, cost)
    if style == "rows":
        return sum(_rows(held, ranks, cost, rank=ranks - 1) for held in tensors)
    return _whole(tensors, ranks, cost, pick=min)


def share_of(tensors: Iterable[Held], ranks: int, style: str, cost: Cost, *, rank: int) -> int:
    """Bytes of one rank, 0 … ``ranks`` - 1. Whole parameters are dealt one by one, however many there are."""
    tensors = tuple(tensors)
    if ranks == 1 or not tensors or style in ("flat", "tensor"):
        return largest_share(tensors, ranks, style, cost)
    if style == "rows":
        return sum(_rows(held, ranks, cost, rank=rank) for held in tensors)
    return _dealt(_sizes(tensors, cost), ranks)[rank]


def _rows(held: Held, ranks: int, cost: Cost, *, rank: int = 0) -> int:
    """The part of one rank: the first ones have as much as they can, the last what is left.

    Experts lie behind one another in one tensor, so there all their rows are one axis.
    """
    rows, *rest = held.shape
    whole, copies = (rows * held.copies, 1) if held.expert else (rows, held.copies)
    most = -(-whole // ranks)
    part = min(most, max(0, whole - most * rank))
    return cost(held, (part, *rest)) * copies if part else 0


def _whole(tensors: tuple[Held, ...], ranks: int, cost: Cost, *, pick: Callable = max) -> int:
    sizes = _sizes(tensors, cost)
    # With a rank for every parameter the fullest has the largest.
    parameters = sum(copies for _, _, copies in sizes)
    if ranks >= parameters:
        return 0 if pick is min and ranks > parameters else pick(each for _, each, _ in sizes)
    if parameters > MANY:
        # Where parameters are many and small beside a rank's share, greed comes to an even cut.
        even, left = divmod(sum(each * copies for _, each, copies in sizes), ranks)
        return even if pick is min else max(even + bool(left), max(each for _, each, _ in sizes))
    return pick(_dealt(sizes, ranks))


def _sizes(tensors: tuple[Held, ...], cost: Cost) -> list[tuple[int, int, int]]:
    """Numbers, bytes and copies of each tensor, the largest first."""
    return sorted(
        ((prod(held.shape), cost(held, held.shape), held.copies) for held in tensors), key=lambda size: -size[0]
    )


def _dealt(sizes: list[tuple[int, int, int]], ranks: int) -> list[int]:
    """Bytes of each rank, in their order: a parameter goes to the emptiest, and to the first of those.

    Source: torch.distributed.optim.ZeroRedundancyOptimizer, _partition_parameters.
    """
    totals = [(0, rank, 0) for rank in range(ranks)]
    for elements, each, copies in sizes:
        for _ in range(copies):
            total, rank, amount_bytes = totals[0]
            heapq.heapreplace(totals, (total + elements, rank, amount_bytes + each))
    return [amount_bytes for _, _, amount_bytes in sorted(totals, key=lambda total: total[1])]
