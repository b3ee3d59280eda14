"""The instants of a step on one rank, and what is held at each; the largest is the peak.

forward   a chunk's forward pass ends with all it keeps
loss      the logits and the loss of the last chunk
backward  the last layer of a chunk goes back: everything else is still kept
end       the first layer of a chunk goes back: its gradients are the last to come
reduce    the last gradients are reduced
step      the optimizer updates the weights
"""

from dataclasses import dataclass
from operator import mul

from .engine_buffers import engine_buffers, sent_gradient, stage_inputs
from .gathers import PYTORCH, Buffers, Gathers
from .in_flight import Live, checked_shape, live_sets
from .kept import total
from .layer_kept import LayerKept, edge_kept, layer_kept
from .logits import logits_of
from .memory import PARTS
from .model_states import States
from .placement import Chunk
from .shares import rank_gathers, rank_states, rank_tensors
from .training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """What one rank holds at one instant. Bytes; the states are weights, gradients and optimizer.

    ``to_come``  gradients that are counted in the states but are allocated only later, in what the backward pass gives
                 back: transient, logits and activations, in this order, are net of them
    """

    name: str
    states: tuple[int, int, int]  # bytes of weights, gradients, optimizer
    activations: int  # bytes kept for the backward pass
    logits: int  # bytes of logits and what the loss makes of them
    transient: int  # bytes of buffers and temporaries
    to_come: int
    taken: tuple[int, int, int]  # bytes of ``to_come`` that activations, logits and transient are net of
    reserved: int  # allocated but for what lives in the pools of other streams, and what was freed but cannot be reused

    @property
    def allocated(self) -> int:
        """All of it."""
        return sum(self.states) + self.activations + self.logits + self.transient

    @property
    def residents(self) -> list[tuple[str, int]]:
        """What is really there, the largest first: gradients only as far as they have come, the rest in full."""
        weights, gradients, optimizer = self.states
        parts = {
            "weights": weights,
            "gradients": gradients - self.to_come,
            "optimizer": optimizer,
            "activations": self.activations + self.taken[0],
            "logits": self.logits + self.taken[1],
            "transient": self.transient + self.taken[2],
        }
        return sorted(parts.items(), key=lambda part: -part[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkKept:
    """What one micro-batch keeps in a chunk, and what its layers need while they go back."""

    chunk: Chunk
    amount_bytes: int
    first: LayerKept | None  # the layer that goes back last
    last: LayerKept | None  # the one that goes back first
    working: int  # of the layer that needs most
    ending: int  # of a layer that goes back, net of what it kept: see LayerKept; may be negative
    head: int  # of what it keeps, what stands after the last layer, and so is gone when a layer goes back


@dataclass(frozen=True, slots=True, kw_only=True)
class RankMemory:
    """One pipeline rank: its states, its instants, the largest of them, and what each chunk keeps."""

    states: States
    resident: int  # buffers of the framework that stay from the first step on
    left: int  # of the activations, what still stays when the step is over
    pools: int  # the most in the pools of the communication streams, gradients included; 0 where there are none
    instants: tuple[Instant, ...]
    chunks: tuple[ChunkKept, ...]
    in_flight: tuple[int, ...]  # the most micro-batches that each chunk holds at once
    peak: Instant  # the first of the largest instants

    @property
    def resting(self) -> int:
        """Bytes between two steps."""
        return self.states.total_bytes - self.states.freed_bytes + self.resident + self.left


def rank_memory(plan: Training, rank: int) -> RankMemory:
    """Everything the largest rank of a pipeline stage holds in a step. Raises ``Invalid`` for an illegal schedule."""
    chunks = plan.ranks[rank]
    layout, alike = plan.layout, tuple([chunk.alike for chunk in chunks])
    states, gathers = rank_states(plan, chunks), rank_gathers(plan, chunks)
    resident = plan.memo.once(
        ("resident", layout.tp, layout.ep, layout.cp, layout.sequence_parallel, plan.micro_batch, alike),
        lambda: engine_buffers(plan, rank_tensors(plan, chunks), chunks),
    )
    left = stage_inputs(plan, chunks)
    kept = tuple(_chunk_kept(plan, chunk) for chunk in chunks)
    shape = checked_shape(plan.kind, plan.layout.pp, plan.micro_batches, plan.layout.vpp)
    lives = live_sets(shape, rank)
    instants = tuple(_instants(plan, lives, states, gathers, kept, resident, left, sent_gradient(plan, chunks)))
    return RankMemory(
        states=states,
        resident=resident,
        left=left,
        pools=gathers.pools and gathers.pools + states.bytes_of("gradients"),
        instants=instants,
        chunks=kept,
        in_flight=tuple(map(max, *(live.counts for live in lives), (0,) * len(chunks))),
        peak=max(instants, key=lambda instant: instant.allocated),
    )


def _chunk_kept(plan: Training, chunk: Chunk) -> ChunkKept:
    layout = plan.layout
    # What a pipeline changes follows from ``alike``: without one, and only then, a chunk is the first and the last.
    key = ("kept", layout.tp, layout.cp, layout.sequence_parallel, plan.micro_batch, chunk.alike)
    return ChunkKept(chunk=chunk, **plan.memo.once(key, lambda: _amounts(plan, chunk)))


def _amounts(plan: Training, chunk: Chunk) -> dict:
    some = len(chunk.layers) if plan.recompute_layers is None else plan.recompute_layers
    keys = [(plan.shape.is_moe(number), place < some) for place, number in enumerate(chunk.layers)]
    kinds = {key: layer_kept(plan, moe=key[0], recomputed=key[1]) for key in set(keys)}
    amounts = {key: layer.amount_bytes for key, layer in kinds.items()}
    edges, head = (total(edge_kept(plan, first=first, last=chunk.last)) for first in (chunk.first, False))
    return {
        "amount_bytes": sum([amounts[key] for key in keys]) + edges,
        "head": head if chunk.last else 0,
        "first": kinds[keys[0]] if keys else None,
        "last": kinds[keys[-1]] if keys else None,
        "working": max((layer.working for layer in kinds.values()), default=0),
        "ending": max((layer.ending - layer.amount_bytes for layer in kinds.values()), default=0),
    }


def _instants(
    plan: Training,
    lives: tuple[Live, ...],
    states: States,
    gathers: Gathers,
    kept: tuple[ChunkKept, ...],
    resident: int,
    left: int,
    sent: int,
) -> list[Instant]:
    whole = tuple(states.bytes_of(part) for part in PARTS)
    resting = sum(whole)
    # PyTorch has no gradients before the first backward pass of a step, unless they are views of DDP's buckets.
    late = plan.recipe.preset in PYTORCH and not _gradients_stay(plan)
    absent = whole[1] - states.bucket_bytes if late else 0
    logits = logits_of(plan)
    passing = resident + sent
    found: dict[Instant, None] = {}

    def add(name: str, activations: int, loss: int, buffers: Buffers, *, working: int = 0, to_come: int = 0) -> None:
        transient = (resident if name == "step" else passing) + buffers.here + working
        dynamic = activations + loss + transient
        to_come = min(to_come, dynamic)
        elsewhere = buffers.pooled + (whole[1] - to_come if gathers.pools else 0)
        freed = logits.freed if name == "loss" else 0
        from_transient = min(to_come, transient)
        from_loss = min(to_come - from_transient, loss)
        from_kept = to_come - from_transient - from_loss
        instant = Instant(
            name=name,
            states=whole,
            activations=activations - from_kept,
            logits=loss - from_loss,
            transient=transient - from_transient,
            to_come=to_come,
            taken=(from_kept, from_loss, from_transient),
            reserved=resting + dynamic - to_come - elsewhere + freed,
        )
        found[instant] = None

    amounts = [chunk.amount_bytes for chunk in kept]
    place = {chunk.chunk.stage: index for index, chunk in enumerate(kept)}
    alike = [_alike(chunk) for chunk in kept]
    last = next((index for index, chunk in enumerate(kept) if chunk.chunk.last), None)
    most: dict[tuple, tuple[int, int]] = {}
    for live in lives:
        here = place[live.stage]
        activations = sum(map(mul, amounts, live.counts))
        waiting = 0 if last is None else live.counts[last] * logits.waiting
        # A long schedule comes to few instants: chunks that are alike count alike, and more kept is never less.
        key = (alike[here], live.forward, waiting)
        if key not in most or activations > most[key][1]:
            most[key] = (here, activations)
    for (_, forward, waiting), (here, activations) in most.items():
        runs = kept[here]
        if forward:
            add("forward", activations, 0 if runs.chunk.last else waiting, gathers.forward, to_come=absent)
            continue
        gone = 0
        if runs.chunk.last:
            add("loss", activations, waiting - logits.waiting + logits.peak, gathers.loss, to_come=absent)
            waiting -= logits.waiting
            # Measured runs of compiled layers, and of Megatron's, hold as much as if it stayed.
            gone = 0 if gathers.later is None else runs.head
            activations -= gone
        if runs.last is not None:
            add("backward", activations, waiting, gathers.first, working=runs.working, to_come=absent)
            done = activations - runs.last.amount_bytes
            # A layer's gradients come one by one, and all are there only when nothing else is.
            working = runs.working if gathers.later is None else max(runs.working - gathers.later, runs.ending)
            if len(runs.chunk.layers) > 1:
                add("backward", done, waiting, gathers.backward, working=working, to_come=absent)
            left = activations + gone - runs.amount_bytes + runs.first.amount_bytes
            add("end", left, waiting, gathers.end, working=working)
        add("reduce", activations + gone - runs.amount_bytes, waiting, gathers.reduce)
    add("step", left, 0, gathers.step)
    return list(found)


def _alike(chunk: ChunkKept) -> tuple:
    """All of a chunk that decides what is held while it runs."""
    edges = tuple(layer and layer.amount_bytes for layer in (chunk.first, chunk.last))
    return chunk.chunk.last, len(chunk.chunk.layers) > 1, chunk.amount_bytes, chunk.working, chunk.ending, edges


def _gradients_stay(plan: Training) -> bool:
    """Gradients stay from one micro-batch to the next; in a pipeline fully sharded training sums them whole instead.

    DDP's buckets outlive zero_grad, and gradients that are views of them with it.
    """
    if plan.recipe.preset == "fsdp2":
        return plan.micro_batches > 1 and plan.layout.pp == 1
    buckets = plan.layout.zero <= 1 and plan.layout.replicas > 1 and plan.bucket_view
    return plan.micro_batches > 1 or buckets
