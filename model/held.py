"""The tensors that one rank holds, each with the shape it has there: the cut of tensor and expert parallelism.

Norms, biases after a matrix cut along its input, positions and routers are whole on every tensor-parallel rank.
Source: Shoeybi et al. 2019, Megatron-LM, section 3 (arXiv:1909.08053), and what PyTorch's tensor parallelism holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from .architecture import Architecture
from .errors import Invalid
from .layout import Layout
from .placement import Chunk
from .tensors import Tensor, embedding_tensors, head_tensors, layer_tensors

EMBEDDING = "model.embed_tokens.weight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A tensor as one rank holds it: ``shape`` after all cuts but that of ZeRO, ``copies`` of it on the rank."""

    name: str
    component: str
    shape: tuple[int, ...]
    copies: int
    expert: bool  # one of the routed experts, whose replicas are another group of ranks
    cut: bool  # whether tensor parallelism cuts it

    @property
    def elements(self) -> int:
        """Numbers in all copies on the rank."""
        return prod(self.shape) * self.copies


def check_cuts(shape: Architecture, layout: Layout) -> None:
    """Raises ``Invalid`` where heads, experts or replicas do not divide among the ranks that share them."""
    _divides("layout.tp", "attention heads", shape.num_attention_heads, "tp", layout.tp)
    keys = shape.num_key_value_heads
    if keys % layout.tp and layout.tp % keys:
        message = f"tp = {layout.tp} neither divides the {keys} key/value heads nor is a multiple of them"
        raise Invalid("layout.tp", "not_divisible", {"tp": layout.tp, "kv_heads": keys}, message)
    if not shape.num_experts:
        for name in ("ep", "etp"):
            if getattr(layout, name) > 1:
                message = "the model has no experts; make it 1"
                raise Invalid(f"layout.{name}", "contradiction", {"value": getattr(layout, name)}, message)
    else:
        _divides("layout.ep", "experts", shape.num_experts, "ep", layout.ep)
        ranks, cut = layout.replicas * layout.tp, layout.ep * layout.etp
        _divides("layout.ep", "ranks in dp x cp x tp", ranks, "ep x etp", cut)
        _divides("layout.shard_group", "ranks in shard_group x tp", layout.shard_ranks * layout.tp, "ep x etp", cut)
    _divides("layout.shard_group", "replicas in dp x cp", layout.replicas, "shard_group", layout.shard_ranks)


def padded_vocabulary(shape: Architecture, layout: Layout) -> int:
    """Rows of the embedding and the head, a multiple of vocab_multiple x tp.

    Source: Megatron-LM, --make-vocab-size-divisible-by.
    """
    multiple = layout.vocab_multiple * layout.tp
    return -(-shape.vocab_size // multiple) * multiple


def key_heads(shape: Architecture, ranks: int) -> int:
    """Heads of keys and values on each of so many tensor-parallel ranks: whole ones, and at least one."""
    return -(-shape.num_key_value_heads // ranks)


@lru_cache(maxsize=256)
def layer_held(shape: Architecture, layout: Layout, *, moe: bool) -> tuple[Held, ...]:
    """One layer as a rank holds it."""
    return tuple(_held(tensor, shape, layout) for tensor in layer_tensors(shape, moe=moe))


def embedding_held(shape: Architecture, layout: Layout) -> tuple[Held, ...]:
    """What stands before the first layer, as a rank holds it."""
    return tuple(_held(tensor, shape, layout) for tensor in embedding_tensors(shape))


def head_held(shape: Architecture, layout: Layout, *, beside_embedding: bool) -> tuple[Held, ...]:
    """What stands after the last layer; a tied head is a second copy of the embedding unless it stands beside it."""
    own = tuple(_held(tensor, shape, layout) for tensor in head_tensors(shape))
    if shape.tie_word_embeddings and not beside_embedding:
        own += tuple(held for held in embedding_held(shape, layout) if held.name == EMBEDDING)
    return own


def rank_held(shape: Architecture, layout: Layout, chunks: Iterable[Chunk]) -> tuple[Held, ...]:
    """Everything that a rank with these chunks holds; equal layers are one entry with more copies."""
    chunks = tuple(chunks)
    layers = [layer for chunk in chunks for layer in chunk.layers]
    experts = sum(shape.is_moe(layer) for layer in layers)
    first = any(chunk.first for chunk in chunks)
    found: list[Held] = [*embedding_held(shape, layout)] if first else []
    for moe, count in ((False, len(layers) - experts), (True, experts)):
        if count:
            found += [_times(held, count) for held in layer_held(shape, layout, moe=moe)]
    if any(chunk.last for chunk in chunks):
        found += head_held(shape, layout, beside_embedding=first)
    return tuple(found)


def _held(tensor: Tensor, shape: Architecture, layout: Layout) -> Held:
    expert = tensor.copies > 1 or ".experts." in tensor.name
    local, ranks = list(tensor.shape), layout.etp if expert else layout.tp
    if tensor.component in ("embedding", "head"):
        local[0] = padded_vocabulary(shape, layout)
    if tensor.tp_dim is not None:
        local[tensor.tp_dim] = _cut(tensor, local[tensor.tp_dim], shape, ranks)
    return Held(
        name=tensor.name,
        component=tensor.component,
        shape=tuple(local),
        copies=tensor.copies // layout.ep if expert else 1,
        expert=expert,
        cut=tensor.tp_dim is not None,
    )


def _cut(tensor: Tensor, size: int, shape: Architecture, ranks: int) -> int:
    """The largest part of an axis. Keys and values are cut by whole heads."""
    if not shape.mla and (".k_proj." in tensor.name or ".v_proj." in tensor.name):
        return key_heads(shape, ranks) * shape.head_dim
    return -(-size // ranks)


def _times(held: Held, count: int) -> Held:
    return Held(
        name=held.name,
        component=held.component,
        shape=held.shape,
        copies=held.copies * count,
        expert=held.expert,
        cut=held.cut,
    )


def _divides(field: str, what: str, whole: int, name: str, part: int) -> None:
    if whole % part:
        message = f"{name} = {part} does not divide the {whole} {what}; make it a divisor"
        raise Invalid(field, "not_divisible", {"whole": whole, "part": part}, message)
