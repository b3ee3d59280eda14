"""What one chunk of a pipeline takes for one micro-batch: computation, and the communication that it cannot hide."""

import math
from dataclasses import dataclass

from .gathers import waits_for_last
from .groups import Groups
from .host import host_wait
from .kernels import IMPLEMENTATIONS, pass_s
from .layer_time import Pricer, Work
from .pipeline import Cost
from .placement import Chunk
from .shares import rank_elements, rank_shard
from .speeds import Speed
from .traffic import KINDS, Message, reduces_each_micro_batch, units
from .training import Training
from .units import NS_PER_S

FSDP_GATHER_BYTES = 4  # a parameter gathered in bf16 is copied out once: read 2, write 2
FSDP_REDUCE_BYTES = 6  # its gradient is copied in, and cast to fp32


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One chunk for one micro-batch: its computation, and the communication that it waits for, by kind, in seconds."""

    work: Work
    forward_wait: dict[str, float]
    backward_wait: dict[str, float]
    passes_s: tuple[float, float]  # moving weights and gradients about: in the forward, in the backward
    host_s: tuple[float, float]  # waiting for the host, in the forward, in the backward
    cost: Cost  # all of it together, in nanoseconds


def stage_time(
    plan: Training,
    groups: Groups,
    pricer: Pricer,
    rank: int,
    chunk: Chunk,
    sent: tuple[Message, ...],
    replicas: tuple[Message, ...],
) -> Stage:
    """Times a chunk of a pipeline rank. ``sent``: its own messages; ``replicas``: those of the rank with its replicas."""
    work = pricer.chunk(chunk)
    layers = sum(len(other.layers) for other in plan.ranks[rank])
    share = len(chunk.layers) / layers if layers else 1 / len(plan.ranks[rank])
    forward, backward = dict.fromkeys(KINDS, 0.0), dict.fromkeys(KINDS, 0.0)
    for message in sent:
        forward[message.kind] += message.forward * message.time_s
        backward[message.kind] += message.backward * message.time_s
    if plan.overlap:
        forward["cp"] = max(0.0, forward["cp"] - work.attention)
        backward["cp"] = max(0.0, backward["cp"] - 2 * work.attention)
        if hides_tensor_messages(plan):
            # Cut in tp pieces, each computed while the next travels; the first or the last has nothing to hide behind.
            products = work.forward - work.attention
            forward["tp"] = time_left(plan, forward["tp"], products, plan.layout.tp)
            backward["tp"] = time_left(plan, backward["tp"], 2 * products, plan.layout.tp)
    # Every micro-batch of a fully sharded plan gathers its weights, and reduces its gradients unless they wait.
    m, pieces = plan.micro_batches, units(plan, rank)
    gathered = [
        message
        for message in replicas
        if message.kind == "zero" and message.step >= m and gathers_each_micro_batch(plan)
    ]
    each = math.fsum(message.time_s for message in gathered) * share
    again = each if any(message.step > m for message in gathered) else 0.0
    reduced = 0.0
    if reduces_each_micro_batch(plan):
        reduced = math.fsum(message.time_s for message in replicas if message.kind == "dp") * share
    busy_forward = math.fsum((work.forward, *forward.values()))
    busy_backward = math.fsum((work.for_input, work.for_weight, *backward.values()))
    passes_s = _passes(plan, pricer.speed, chunk)
    busy = (busy_forward + passes_s[0], busy_backward + passes_s[1])
    host_s = host_wait(plan, groups, len(chunk.layers), busy)
    # Messages travel while the card computes, and while it waits for its host.
    forward["zero"] = time_left(plan, each, busy_forward + host_s[0], pieces)
    left = time_left(plan, again + reduced, busy_backward + host_s[1], pieces)
    if again + reduced:
        backward["zero"], backward["dp"] = (left * part / (again + reduced) for part in (again, reduced))
    seconds = (
        math.fsum((work.forward, passes_s[0], host_s[0], *forward.values())),
        math.fsum((work.for_input, host_s[1], *backward.values())),
        math.fsum((work.for_weight, passes_s[1])),
    )
    return Stage(
        work=work,
        forward_wait=forward,
        backward_wait=backward,
        passes_s=passes_s,
        host_s=host_s,
        cost=Cost(*(round(part * NS_PER_S) for part in seconds)),
    )


def hides_tensor_messages(plan: Training) -> bool:
    """Whether messages between tensor-parallel ranks travel beside the product that needs or makes them.

    Source: Megatron-LM --tp-comm-overlap, which needs Transformer Engine and sequence parallelism.
    """
    return plan.overlap and plan.implementation == "megatron-te" and plan.layout.sequence_parallel


def gathers_each_micro_batch(plan: Training) -> bool:
    """Whether every micro-batch gathers the weights: fully sharded ones, unless they stay until the last."""
    return (plan.layout.zero == 3 or plan.recipe.preset == "fsdp2") and not waits_for_last(plan)


def time_left(plan: Training, time_s: float, window_s: float, pieces: int) -> float:
    """Seconds of ``time_s`` that cannot be hidden behind ``window_s``.

    At least the first or last of ``pieces`` stays, and everything without overlap.
    """
    if not plan.overlap:
        return time_s
    return max(time_s / pieces, time_s - window_s * (pieces - 1) / pieces)


def _passes(plan: Training, speed: Speed, chunk: Chunk) -> tuple[float, float]:
    """Seconds to copy gathered weights out and gradients in, and to add gradients up over micro-batches.

    Gradients that every micro-batch reduces are added up as shards.
    """
    elements = rank_elements(plan, (chunk,))
    if plan.recipe.preset == "fsdp2" and plan.layout.replicas > 1:
        each = 0 if not gathers_each_micro_batch(plan) else FSDP_GATHER_BYTES
        reduce = FSDP_REDUCE_BYTES if reduces_each_micro_batch(plan) else 0
        again = each if plan.layout.zero == 3 else 0
        return pass_s(each * elements, speed), pass_s((again + reduce) * elements, speed)
    own = IMPLEMENTATIONS[plan.implementation].accumulate_bytes or 3 * min(plan.recipe.gradient_bytes, 4)
    kept = rank_shard(plan, (chunk,)) if reduces_each_micro_batch(plan) else elements
    return 0.0, pass_s(float(own * kept), speed) * float(plan.recipe.trainable) if plan.micro_batches > 1 else 0.0
