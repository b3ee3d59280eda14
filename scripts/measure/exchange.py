"""One collective over buffers of a given size, ready to run again and again. Imports torch."""

from collections.abc import Callable

import torch
import torch.distributed as dist

from .place import Place

NUMBER = torch.float32


def exchange(op: str, size_bytes: int, place: Place, group: dist.ProcessGroup) -> Callable[[], object]:
    """What runs ``op`` once over an array of ``size_bytes``: of S as `model.collectives` means it.

    A "send" goes from rank 0 to rank 1 and back, which takes twice the time of one; the other ranks look on.
    """
    count = size_bytes // NUMBER.itemsize
    # Zeros stay zeros, however often they are summed.
    whole = torch.zeros(count, dtype=NUMBER, device=place.device)
    part = whole.new_zeros(count // place.world)
    if op == "all-reduce":
        return lambda: dist.all_reduce(whole, group=group)
    if op == "reduce-scatter":
        scatter = _named("reduce_scatter_single", "reduce_scatter_tensor")
        return lambda: scatter(part, whole, group=group)
    if op == "all-gather":
        gather = _named("all_gather_single", "all_gather_into_tensor")
        return lambda: gather(whole, part, group=group)
    if op == "all-to-all":
        received = torch.empty_like(whole)
        return lambda: dist.all_to_all_single(received, whole, group=group)
    if op == "broadcast":
        return lambda: dist.broadcast(whole, src=0, group=group)
    return lambda: _there_and_back(whole, place.rank, group)


def _named(name: str, before: str) -> Callable:
    """A collective by its name of today, or as torch up to 2.12 has it."""
    return getattr(dist, name, None) or getattr(dist, before)


def _there_and_back(whole: torch.Tensor, rank: int, group: dist.ProcessGroup) -> None:
    if rank == 0:
        dist.send(whole, 1, group=group)
        dist.recv(whole, 1, group=group)
    elif rank == 1:
        dist.recv(whole, 0, group=group)
        dist.send(whole, 0, group=group)
