"""The ledger of a real model's states: weights, gradients and optimizer state of every tensor a stage holds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from .held import EMBEDDING, Held
from .layout import Layout
from .memory import PARTS, Entry
from .offload import in_host_memory
from .recipe import Recipe
from .sharding import largest_share, share_of, smallest_share, style_of

ZERO = "Rajbhandari et al. 2020, ZeRO, section 5 (arXiv:1910.02054)"
SOURCES = {
    "flat": ZERO,
    "rows": "PyTorch, fully_shard: each parameter padded to a multiple of the ranks along its first axis",
    "whole": "PyTorch, ZeroRedundancyOptimizer: whole parameters, the largest first",
    "tensor": "nanotron, ZeroDistributedOptimizer: each parameter cut evenly",
}
DIVISION = {"flat": "ΣP · {} / {}", "rows": "Σ ⌈rows / {1}⌉ · row · {0}", "whole": "max over {1} ranks of Σ P · {0}"}
DIVISION["tensor"] = "Σ ⌈P · {} / {}⌉"
# Adam keeps two moments; Muon one for the matrices of the layers and leaves the rest to Adam (Jordan et al. 2024,
# github.com/KellerJordan/Muon). Adafactor keeps a row and a column of each matrix (Shazeer & Stern 2018,
# arXiv:1804.04235), without a first moment.
MUON_LEAVES = ("embedding", "position", "head")
DDP_PRESETS = ("ddp-amp", "pure-bf16")


@dataclass(frozen=True, slots=True, kw_only=True)
class States:
    """What the largest rank of one pipeline stage keeps for its parameters."""

    parameters: int  # on the rank
    entries: tuple[Entry, ...]
    freed_bytes: int  # held at the peak, given back between steps
    spread_bytes: int  # what the emptiest rank has less than the fullest
    bucket_bytes: int  # of the gradients, those in DDP's buckets, which stay between steps

    def bytes_of(self, part: str) -> int:
        """Bytes of weights, gradients or optimizer."""
        return sum(entry.amount_bytes for entry in self.entries if entry.what == part)

    @property
    def total_bytes(self) -> int:
        """All three."""
        return sum(entry.amount_bytes for entry in self.entries)


def moment_elements(optimizer: str, component: str, shape: tuple[int, ...]) -> int:
    """Numbers in the moments of one tensor, for the optimizers whose state depends on it."""
    elements = math.prod(shape)
    if optimizer == "adafactor":
        return elements if len(shape) < 2 else elements // shape[-1] + elements // shape[-2]
    return elements if len(shape) == 2 and component not in MUON_LEAVES else 2 * elements


def model_states(
    tensors: Iterable[Held],
    recipe: Recipe,
    layout: Layout,
    *,
    offload: str = "none",
    bucket_view: bool = True,
    replica: int | None = None,
) -> States:
    """States of a rank that holds these tensors. Bytes are of the fullest rank of each group of replicas.

    ``offload``      what rests in host memory, and so is not here: see ``offload.in_host_memory``
    ``bucket_view``  whether gradients are views of DDP's buckets; if not, the buckets are a copy of them
    ``replica``      one of the replicas that share a sharded copy, 0 … ``shard_ranks`` - 1, instead of the fullest. Of
                     routed experts, which other ranks share, it is still the fullest's part
    """
    tensors = tuple(tensors)
    groups = [(False, layout.shard_ranks, "dp · cp"), (True, layout.expert_shard_ranks, "dp · cp · tp / (ep · etp)")]
    bucket = None if bucket_view else _buckets(tensors, recipe, layout)
    away = in_host_memory(recipe, layout.zero, offload)
    entries, spread = [], 0
    for part in PARTS:
        if part in away:
            continue
        for expert, ranks, symbols in groups:
            mine = tuple(held for held in tensors if held.expert == expert)
            if mine:
                entries.append(_entry(part, mine, recipe, layout, ranks, symbols, None if expert else replica))
                spread += _spread(part, mine, recipe, layout, ranks)
        if part == "gradients":
            entries += _gradient_copies(tensors, recipe, layout)
            entries += [bucket] if bucket else []
    freed = sum(held.elements for held in tensors) * recipe.trainable * recipe.freed_bytes(layout.zero)
    return States(
        parameters=sum(held.elements for held in tensors),
        entries=tuple(entries),
        freed_bytes=math.ceil(freed),
        spread_bytes=spread,
        bucket_bytes=bucket.amount_bytes if bucket else 0,
    )


def _entry(
    part: str,
    tensors: tuple[Held, ...],
    recipe: Recipe,
    layout: Layout,
    ranks: int,
    symbols: str,
    replica: int | None,
) -> Entry:
    ranks = ranks if recipe.shards(part, layout.zero) else 1
    style = style_of(recipe.preset, layout.zero)
    share = largest_share if replica is None or _padded(part, style) else partial(share_of, rank=replica)
    total = share(tensors, ranks, style, lambda held, shape: cost(part, recipe, held, shape))
    trained = 1 if part == "weights" else recipe.trainable
    each = _each(part, recipe)
    parameters = sum(held.elements for held in tensors)
    names = "P_experts" if tensors[0].expert else "P_rank"
    formula = f"{names} · {each}" if ranks == 1 else DIVISION[style].format(each, symbols).replace("P", names)
    numbers = f"{parameters} · {each}" if ranks == 1 else DIVISION[style].format(each, ranks).replace("P", "p")
    return Entry(
        what=part,
        amount_bytes=math.ceil(total * trained),
        formula=formula + ("" if trained == 1 else " · trainable"),
        numbers=(numbers if ranks == 1 else f"{numbers}, {parameters} in all")
        + ("" if trained == 1 else f" · {float(trained)}"),
        source=ZERO if ranks == 1 else SOURCES[style],
    )


def _spread(part: str, tensors: tuple[Held, ...], recipe: Recipe, layout: Layout, ranks: int) -> int:
    """How much less of a part the emptiest rank has."""
    style = style_of(recipe.preset, layout.zero)
    if not recipe.shards(part, layout.zero) or _padded(part, style):
        return 0
    shares = [
        share(tensors, ranks, style, lambda held, shape: cost(part, recipe, held, shape))
        for share in (largest_share, smallest_share)
    ]
    return math.ceil((shares[0] - shares[1]) * (1 if part == "weights" else recipe.trainable))


def _padded(part: str, style: str) -> bool:
    """Whether padding makes this part alike on every rank.

    FSDP2's weights are views of padded storage, and its gradients of the padded output of a reduce-scatter (PyTorch,
    FSDPParam, padded_sharded_param_size; foreach_reduce). The optimizer's moments are as large as the rank's rows.
    """
    return style == "rows" and part in ("weights", "gradients")


def cost(part: str, recipe: Recipe, held: Held, shape: tuple[int, ...]) -> int:
    """Bytes of one part of a tensor of this shape."""
    elements = math.prod(shape)
    if part == "weights":
        return elements * recipe.weight_bytes
    if part == "gradients":
        return elements * recipe.gradient_bytes
    if recipe.moment_bytes is None:
        moments = moment_elements(recipe.optimizer, held.component, shape) * recipe.moment_unit_bytes
    else:
        moments = elements * recipe.moment_bytes
    return elements * recipe.master_bytes + moments


def _each(part: str, recipe: Recipe) -> str:
    if part == "optimizer" and recipe.moment_bytes is None:
        return f"({recipe.master_bytes} + {recipe.optimizer} by shape)"
    fixed = {"weights": recipe.weight_bytes, "gradients": recipe.gradient_bytes}
    return str(fixed[part] if part in fixed else _optimizer(recipe))


def _optimizer(recipe: Recipe) -> int:
    return recipe.master_bytes + (recipe.moment_bytes or 0)


def _gradient_copies(tensors: tuple[Held, ...], recipe: Recipe, layout: Layout) -> list[Entry]:
    """A vocabulary cut by PyTorch's tensor parallelism has its gradient whole on every rank, unless it is sharded."""
    if layout.tp == 1 or recipe.preset not in DDP_PRESETS or recipe.shards("gradients", layout.zero):
        return []
    own = [held for held in tensors if held.name == EMBEDDING]
    extra = sum(held.elements for held in own) * (layout.tp - 1) * recipe.gradient_bytes
    if not extra:
        return []
    return [
        Entry(
            what="gradients",
            amount_bytes=math.ceil(extra * recipe.trainable),
            formula=f"V · h · {recipe.gradient_bytes} · (1 − 1/tp)",
            numbers=f"{extra}",
            source="PyTorch, a row-cut embedding under tensor parallelism: its gradient is a whole tensor on every rank",
        )
    ]


def _buckets(tensors: tuple[Held, ...], recipe: Recipe, layout: Layout) -> Entry | None:
    """DDP reduces gradients in buckets that together are as large as the gradients, and keeps them between steps."""
    if recipe.preset not in DDP_PRESETS or recipe.shards("gradients", layout.zero) or layout.replicas == 1:
        return None
    amount = sum(held.elements for held in tensors) * recipe.gradient_bytes
    return Entry(
        what="gradients",
        amount_bytes=math.ceil(amount * recipe.trainable),
        formula=f"P_rank · {recipe.gradient_bytes}, the buckets",
        numbers=f"{amount}",
        source="PyTorch, DistributedDataParallel, gradient_as_bucket_view",
    )
