"""What one rank sends in a step, by kind: which collective, over which group, how large and how often.

tp    tensor parallelism, with or without sequence parallelism: an all-reduce, or a pair of as many bytes
cp    context parallelism: keys and values of the other parts of the sequence
ep    expert parallelism: tokens to their experts and back
pp    activations and their gradients between pipeline stages
dp    gradients between replicas
zero  weights gathered from the ranks that share them
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from .gathers import DEEPSPEED_BUCKET, gathers_a_step, waits_for_last
from .groups import Groups, price
from .held import key_heads
from .layer_time import computed_alike, recomputed
from .placement import Chunk
from .recipe import FP32
from .shares import rank_tensors
from .training import Training

KINDS = ("tp", "cp", "ep", "pp", "dp", "zero")
# Parameters in one bucket of gradients. DDP: 25 MiB; Megatron-LM: 40 million, or a million for each replica.
DDP_BUCKET = 25 * 2**20 // FP32
MEGATRON_BUCKET = 40_000_000
MEGATRON_BUCKET_EACH = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One collective. ``forward`` and ``backward``: how often a micro-batch runs it; ``step``: how often a step does."""

    kind: str
    what: str
    op: str
    size_bytes: int
    ranks: int
    nodes: int
    sent_bytes: int  # by the busiest rank, each time
    time_s: float  # each time
    forward: int = 0
    backward: int = 0
    step: int = 0

    def count(self, micro_batches: int) -> int:
        """How often it runs in a step."""
        return (self.forward + self.backward) * micro_batches + self.step


def chunk_messages(plan: Training, groups: Groups, chunk: Chunk) -> tuple[Message, ...]:
    """What a chunk sends for one micro-batch to compute its layers."""
    return plan.memo.once(("sent", *computed_alike(plan, chunk)), lambda: tuple(_sent(plan, groups, chunk)))


def _sent(plan: Training, groups: Groups, chunk: Chunk) -> Iterator[Message]:
    shape, layout = plan.shape, plan.layout
    layers = len(chunk.layers)
    experts = sum(shape.is_moe(layer) for layer in chunk.layers)
    again = [layer for layer in chunk.layers if recomputed(plan, layer, chunk)] if plan.recompute == "full" else []
    experts_again = sum(shape.is_moe(layer) for layer in again)
    hidden_bytes = plan.tokens * shape.hidden_size * plan.activation_bytes
    # Shoeybi et al. 2019, section 3 (arXiv:1909.08053): two a layer forward, two backward; recomputed: two more.
    # Experts that tensor parallelism does not cut leave only attention's.
    whole = layout.etp > 1 or shape.shared_intermediate_size > 0
    cut, cut_again = (
        2 * count - (0 if whole else moe) for count, moe in ((layers, experts), (len(again), experts_again))
    )
    # Cut along the sequence, each is gathered before a matrix and scattered after one: as many bytes, but never a tree
    # (Korthikanti et al. 2022, section 4.2.2, arXiv:2205.05198).
    for op in ("all-gather", "reduce-scatter") if layout.sequence_parallel else ("all-reduce",):
        yield from _message("tp", "activations", op, hidden_bytes, groups.tensor, cut, cut + cut_again)
    # Llama Team 2024, section 3.3.2 (arXiv:2407.21783): keys and values are gathered, and their gradients added up.
    width = key_heads(shape, layout.tp) * (shape.head_dim + shape.v_head_dim)
    keys_bytes = layout.cp * plan.tokens * width * plan.activation_bytes
    yield from _message("cp", "keys and values", "all-gather", keys_bytes, groups.context, layers, layers + len(again))
    yield from _message("cp", "their gradients", "reduce-scatter", keys_bytes, groups.context, 0, layers)
    # Lepikhin et al. 2020, GShard, section 3 (arXiv:2006.16668): to the experts and back, forward and backward.
    visits = plan.tokens * shape.num_experts_per_tok * plan.expert_balance * layout.etp / layout.tp
    visits_bytes = math.ceil(visits) * shape.hidden_size * plan.activation_bytes
    yield from _message(
        "ep", "tokens", "all-to-all", visits_bytes, groups.expert, 2 * experts, 2 * (experts + experts_again)
    )


def pipeline_messages(plan: Training, groups: Groups, onward: int, back: int) -> Iterator[Message]:
    """What a pipeline rank sends for one micro-batch: so many activations on, so many of their gradients back."""
    # Narayanan et al. 2021, section 4.1 (arXiv:2104.04473): each tensor-parallel rank sends its part of the sequence.
    size = -(-plan.tokens * plan.shape.hidden_size * plan.activation_bytes // plan.layout.sequence_cut)
    yield from _message("pp", "activations", "send", size, groups.pipeline, onward, 0)
    yield from _message("pp", "their gradients", "send", size, groups.pipeline, 0, back)


def replica_messages(plan: Training, groups: Groups, rank: int) -> tuple[Message, ...]:
    """What a pipeline rank exchanges with its replicas, dense weights and experts apart.

    Volumes: Rajbhandari et al. 2020, section 7 (arXiv:1910.02054), each in the bytes of its own format.
    """
    layout, chunks = plan.layout, plan.ranks[rank]
    degrees = (layout.tp, layout.cp, layout.ep, layout.dp, layout.zero, layout.pp > 1)
    key = ("exchanged", *degrees, plan.micro_batches, tuple([chunk.alike for chunk in chunks]))
    return plan.memo.once(key, lambda: tuple(_exchanged(plan, groups, rank)))


def _exchanged(plan: Training, groups: Groups, rank: int) -> Iterator[Message]:
    held = rank_tensors(plan, plan.ranks[rank])
    for expert, shard, copies in (
        (False, groups.shard, groups.copies),
        (True, groups.expert_shard, groups.expert_copies),
    ):
        elements = sum(one.elements for one in held if one.expert == expert)
        if elements:
            yield from _replicas(
                plan, elements, _pieces(plan, elements, rank), shard, copies, ", experts" if expert else ""
            )


def reduces_each_micro_batch(plan: Training) -> bool:
    """Whether gradients are reduced for every micro-batch: sharded ones are, but PyTorch's pipelines wait for the last.

    Source: DeepSpeed ZeRO-2; PyTorch, fully_shard.
    """
    return plan.layout.zero >= 2 and not waits_for_last(plan)


def units(plan: Training, rank: int) -> int:
    """Pieces in which a rank's weights are gathered and its gradients reduced: its layers, and what is outside them."""
    if plan.wrap == "whole":
        return 1
    chunks = plan.ranks[rank]
    return max(1, sum(len(chunk.layers) for chunk in chunks) + any(chunk.first or chunk.last for chunk in chunks))


def _replicas(
    plan: Training, elements: int, pieces: int, shard: object, copies: object, suffix: str
) -> Iterator[Message]:
    trained = math.ceil(elements * plan.recipe.trainable)
    each = plan.reduce_bytes or min(plan.recipe.gradient_bytes, FP32)  # nanotron reduces its fp32 sums alone
    weight = plan.activation_bytes if plan.recipe.preset == "fsdp2" else plan.recipe.weight_bytes
    reduces = plan.micro_batches if reduces_each_micro_batch(plan) else 1
    if plan.layout.zero == 0 or shard.ranks == 1:
        yield from _many("dp", "gradients" + suffix, "all-reduce", trained * each, shard, 1, pieces)
        yield from _many("dp", "gradients of copies" + suffix, "all-reduce", trained * each, copies, 1, pieces)
        return
    yield from _many("dp", "gradients" + suffix, "reduce-scatter", trained * each, shard, reduces, pieces)
    part = -(-trained * each // shard.ranks)
    yield from _many("dp", "gradients of copies" + suffix, "all-reduce", part, copies, reduces, pieces)
    if plan.recipe.preset == "nanotron":
        pieces = 1  # ZeroDistributedOptimizer gathers all parameters in one call
    yield from _many("zero", "weights" + suffix, "all-gather", elements * weight, shard, gathers_a_step(plan), pieces)


def _pieces(plan: Training, elements: int, rank: int) -> int:
    """In how many collectives a rank's weights or gradients travel; each pays the latency of its group."""
    if plan.layout.zero >= 2 or plan.recipe.preset == "zero-paper":
        return units(plan, rank)
    replicas = plan.layout.replicas
    default = {
        "deepspeed": DEEPSPEED_BUCKET,
        "megatron": max(MEGATRON_BUCKET, MEGATRON_BUCKET_EACH * replicas),
    }.get(plan.recipe.preset, DDP_BUCKET)
    return max(1, -(-elements // (plan.bucket or default)))


def _many(kind: str, what: str, op: str, size: int, group: object, step: int, pieces: int) -> Iterator[Message]:
    """An array that travels in pieces: the bytes of the whole, the time of every piece."""
    sent, _ = price(op, size, group)
    if sent:
        _, each_s = price(op, -(-size // pieces), group)
        yield Message(
            kind=kind,
            what=what,
            op=op,
            size_bytes=size,
            ranks=group.ranks,
            nodes=group.nodes,
            sent_bytes=sent,
            time_s=each_s * pieces,
            step=step,
        )


def _message(kind: str, what: str, op: str, size: int, group: object, forward: int, backward: int) -> Iterator[Message]:
    sent, time_s = price(op, size, group)
    if sent and forward + backward:
        yield Message(
            kind=kind,
            what=what,
            op=op,
            size_bytes=size,
            ranks=group.ranks,
            nodes=group.nodes,
            sent_bytes=sent,
            time_s=time_s,
            forward=forward,
            backward=backward,
        )
