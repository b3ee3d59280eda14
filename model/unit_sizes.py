"""How large the units are that fully sharded training gathers one after the other: layers, and what is outside them."""

from dataclasses import dataclass
from math import prod

from .held import EMBEDDING, Held, embedding_held, head_held, layer_held
from .placement import Chunk
from .sharding import largest_share, style_of
from .training import Training

OUTWARD = ".down_proj."  # the last matrix of an MLP or an expert, by its name in ``tensors``


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSizes:
    """Sizes in numbers, not bytes, and how many ranks they are dealt over."""

    layer: int  # numbers of the largest layer
    outward: int  # of them, those of the last matrices of its MLP or experts: whose gradients come first
    layers: int  # of all layers
    root: int  # of the root
    edge: int  # of the larger of the embedding and the head
    head: int  # of the final norm and the head, or of the embedding where it is the head too
    uncut: int  # of a whole embedding beyond the rank's part of it
    ranks: int  # the fewest that a weight is dealt over: the experts' group where that is smaller


def unit_sizes(plan: Training, chunks: tuple[Chunk, ...]) -> UnitSizes:
    """The sizes for a rank with these chunks."""
    shape, layout = plan.shape, plan.layout
    kinds = {shape.is_moe(number) for chunk in chunks for number in chunk.layers}
    layers = {moe: layer_held(shape, layout, moe=moe) for moe in kinds}
    sizes = {moe: _elements(plan, held) for moe, held in layers.items()}
    largest = layers[max(sizes, key=sizes.__getitem__)] if sizes else ()
    first, last = any(chunk.first for chunk in chunks), any(chunk.last for chunk in chunks)
    before = _elements(plan, embedding_held(shape, layout)) if first else 0
    after = _elements(plan, head_held(shape, layout, beside_embedding=first)) if last else 0
    return UnitSizes(
        layer=_elements(plan, largest),
        outward=_elements(plan, tuple(held for held in largest if OUTWARD in held.name)),
        layers=sum(sizes[shape.is_moe(number)] for chunk in chunks for number in chunk.layers),
        root=before + after,
        edge=max(before, after),
        head=_elements(plan, head_held(shape, layout, beside_embedding=False)) if last else 0,
        uncut=sum(held.elements for held in embedding_held(shape, layout) if held.name == EMBEDDING) * (layout.tp - 1)
        if first
        else 0,
        ranks=min(layout.shard_ranks, layout.expert_shard_ranks) if any(kinds) else layout.shard_ranks,
    )


def _elements(plan: Training, tensors: tuple[Held, ...]) -> int:
    """Numbers of these tensors once gathered: under FSDP2 with the rows that pad them (FSDPParam, padded_sharded_size)."""
    style = style_of(plan.recipe.preset, plan.layout.zero)
    if style != "rows":
        return sum(held.elements for held in tensors)
    groups = ((False, plan.layout.shard_ranks), (True, plan.layout.expert_shard_ranks))
    return sum(
        ranks * largest_share((held for held in tensors if held.expert == expert), ranks, style, _numbers)
        for expert, ranks in groups
    )


def _numbers(_: Held, shape: tuple[int, ...]) -> int:
    return prod(shape)
