"""The time of one training step: what each stage computes and waits for, laid out as events, and what comes after.

step = the pipeline's events, of (computation + what communication it cannot hide) a micro-batch
       + what is left of the gradients' reduction and the weights' gathering
       + the optimizer
Hidden behind computation, where the plan's ``overlap`` allows it: gradients behind the backward, gathered weights behind
the computation of the unit before, keys and values behind attention, and, by Transformer Engine with sequence
parallelism, tensor-parallel messages behind their products. Never hidden: expert parallelism.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import Invalid
from .groups import Groups, Wires
from .kernels import pass_s
from .layer_time import Pricer
from .pipeline import Times
from .pipeline_time import PipelineTime, pipeline_time
from .schedules import Shape
from .shares import rank_elements, rank_shard
from .speeds import Speed
from .stage_time import Stage, gathers_each_micro_batch, stage_time, time_left
from .traffic import (
    KINDS,
    Message,
    chunk_messages,
    pipeline_messages,
    reduces_each_micro_batch,
    replica_messages,
    units,
)
from .training import Training
from .units import NS_PER_S

PLAN_FIELDS = {
    "kind": "schedule.kind",
    "stages": "layout.pp",
    "micro_batches": "batch.global_batch",
    "virtual": "layout.vpp",
    "forward": "schedule.forward",
    "backward": "schedule.backward",
    "weight": "schedule.weight",
}
GATHERS_BEHIND_FORWARD = ("megatron", "fsdp2")  # Megatron-LM --overlap-param-gather; FSDP2 prefetches
# One step of Adam with foreach reads and writes 16 arrays of states where the fused kernel does 7 (torch.optim, adamw).
FOREACH = 16 / 7


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTime:
    """A step in seconds, and what it is made of. ``exposed`` is by kind, of the pipeline rank that ends last."""

    step_s: float
    pipeline: PipelineTime
    stages: tuple[Stage, ...]
    messages: tuple[tuple[Message, ...], ...]  # of each pipeline rank
    exposed: dict[str, float]
    optimizer_s: float


def step_time(plan: Training, speed: Speed, *, whole: bool = True) -> StepTime:
    """Times one step. Without ``whole``, what the messages between stages cost is not told apart, in half the time.

    Raises ``Invalid`` for a schedule that the numbers do not allow, and for what has no time yet."""
    check_offload(plan.offload)
    shape = schedule_shape(plan)
    groups = plan.memo.once(("groups", plan.layout), lambda: Groups.of(plan.layout, _wires(plan)))
    priced = _Ranks(plan, groups, Pricer(plan, speed)).all()
    stages: dict[int, Stage] = {}
    for chunks, own in zip(plan.ranks, priced, strict=True):
        stages.update((chunk.stage, stage) for chunk, stage in zip(chunks, own.stages, strict=True))
    ordered = tuple([stages[number] for number in range(len(stages))])
    costs = tuple([stage.cost for stage in ordered])
    hop = round(max(own.hop_s for own in priced) * NS_PER_S)
    with plan_words():
        pipeline = pipeline_time(shape, costs, hop)
        unhindered = pipeline_time(shape, costs) if hop and whole else pipeline
    ends = [end / NS_PER_S + own.tail_s for end, own in zip(pipeline.ends, priced, strict=True)]
    last = ends.index(max(ends))
    optimizer_s = max(own.optimizer_s for own in priced)
    exposed = _exposed(plan, ordered, last, priced[last].tail)
    exposed["pp"] = (pipeline.makespan - unhindered.makespan) / NS_PER_S
    return StepTime(
        step_s=ends[last] + optimizer_s,
        pipeline=pipeline,
        stages=ordered,
        messages=tuple([own.messages for own in priced]),
        exposed=exposed,
        optimizer_s=optimizer_s,
    )


def check_offload(offload: str) -> None:
    """Raises ``Invalid`` for states in host memory, whose way there and back is not timed."""
    if offload != "none":
        message = 'moving states to host memory has no time here; make it "none"'
        raise Invalid("recipe.offload", "not_supported", {"value": offload}, message)


def schedule_shape(plan: Training) -> Shape:
    """The plan's schedule; raises ``Invalid`` with the plan's name of the field that does not fit."""
    with plan_words():
        return Shape.checked(plan.kind, plan.layout.pp, plan.micro_batches, plan.layout.vpp)


def plan_times(schedule: dict, virtual: int) -> Times:
    """The times that a plan's schedule is drawn with; raises ``Invalid`` with the plan's name of the wrong one."""
    with plan_words():
        return Times.checked(
            forward=schedule["forward"],
            backward=schedule["backward"],
            weight=schedule["weight"],
            virtual=virtual,
        )


@contextmanager
def plan_words() -> Iterator[None]:
    """Raises an ``Invalid`` of the schedule again, with the path that the plan has for its field."""
    try:
        yield
    except Invalid as error:
        field = PLAN_FIELDS.get(error.field, error.field)
        raise Invalid(field, error.code, error.values, error.message) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rank:
    """What one pipeline rank takes: its chunks, what they send, what it exchanges with its replicas, and its step."""

    stages: tuple[Stage, ...]
    messages: tuple[Message, ...]  # of its chunks, to its neighbours, and with its replicas
    hop_s: float  # the longest message to a neighbour
    tail: dict[str, float]
    tail_s: float
    optimizer_s: float


class _Ranks:
    """Prices each pipeline rank; ranks that hold and send as much take the same, and are priced once."""

    def __init__(self, plan: Training, groups: Groups, pricer: Pricer) -> None:
        self.plan, self.groups, self.pricer = plan, groups, pricer

    def all(self) -> list[_Rank]:
        """Every rank, in the order of the pipeline."""
        found: dict[tuple, _Rank] = {}
        ranks = []
        for rank, key in enumerate(self.plan.memo.once(("twins", *self._pipeline()), self._keys)):
            if key not in found:
                found[key] = self._price(rank, *key[1:])
            ranks.append(found[key])
        return ranks

    def _pipeline(self) -> tuple:
        return self.plan.kind, self.plan.layout.pp, self.plan.layout.vpp

    def _keys(self) -> list[tuple]:
        """For each rank what it holds, and how many activations and gradients it sends to other ranks."""
        return [
            (
                tuple([chunk.alike for chunk in chunks]),
                sum(chunk.onward for chunk in chunks),
                sum(chunk.back for chunk in chunks),
            )
            for chunks in self.plan.ranks
        ]

    def _price(self, rank: int, onward: int, back: int) -> _Rank:
        plan, groups, chunks = self.plan, self.groups, self.plan.ranks[rank]
        replicas = replica_messages(plan, groups, rank)
        own = [chunk_messages(plan, groups, chunk) for chunk in chunks]
        neighbours = tuple(pipeline_messages(plan, groups, onward, back))
        found = {
            chunk.alike: stage_time(plan, groups, self.pricer, rank, chunk, sent, replicas)
            for chunk, sent in {chunk.alike: (chunk, sent) for chunk, sent in zip(chunks, own, strict=True)}.values()
        }
        stages = tuple([found[chunk.alike] for chunk in chunks])
        tail = _tail(plan, stages, rank, replicas)
        layout = plan.layout
        key = (
            "optimizer",
            layout.tp,
            layout.ep,
            layout.zero,
            layout.replicas,
            tuple([chunk.alike for chunk in chunks]),
        )
        return _Rank(
            stages=stages,
            messages=(*(message for sent in own for message in sent), *neighbours, *replicas),
            hop_s=max((message.time_s for message in neighbours), default=0.0),
            tail=tail,
            tail_s=math.fsum(tail.values()),
            optimizer_s=plan.memo.once(key, lambda: _optimizer_s(plan, self.pricer.speed, rank)),
        )


def _wires(plan: Training) -> Wires:
    return plan.memo.once("wires", lambda: Wires.from_plan(plan.fields["cluster"]))


def _tail(plan: Training, own: tuple[Stage, ...], rank: int, replicas: tuple[Message, ...]) -> dict[str, float]:
    """Seconds by kind that a rank still waits, once in a step, for what all its micro-batches share."""
    forward = sum(stage.cost.forward for stage in own) / NS_PER_S
    backward = sum(stage.cost.input_gradient + stage.cost.weight_gradient for stage in own) / NS_PER_S
    # Interleaved, the last p micro-batches go back through one chunk after the other (Narayanan et al. 2021, figure 4,
    # arXiv:2104.04473): from the last backward of the first chunk that is done to the end, p·(v − 1) + 1 of a chunk's,
    # of which v are one micro-batch. Counted from the order, set on no row.
    v = plan.layout.vpp
    wider = 1 + (plan.layout.pp - 1) * (v - 1) / v if plan.kind == "interleaved" else 1.0
    forward, backward = forward * wider, backward * wider
    tail = dict.fromkeys(KINDS, 0.0)
    pieces = units(plan, rank)
    if not reduces_each_micro_batch(plan):
        reduced = math.fsum(message.time_s for message in replicas if message.kind == "dp")
        tail["dp"] = time_left(plan, reduced, backward, pieces)
    once = [message.time_s for message in replicas if message.kind == "zero" and not gathers_each_micro_batch(plan)]
    gathered = math.fsum(once)
    tail["zero"] = (
        time_left(plan, gathered, forward, pieces) if plan.recipe.preset in GATHERS_BEHIND_FORWARD else gathered
    )
    return tail


def _optimizer_s(plan: Training, speed: Speed, rank: int) -> float:
    """Seconds of the optimizer on a rank's shard: every state read and written, and gradients clipped before."""
    recipe = plan.recipe
    moments = recipe.moment_unit_bytes if recipe.moment_bytes is None else recipe.moment_bytes
    gradient = min(recipe.gradient_bytes, 4)
    states = 2 * (moments + (recipe.master_bytes or recipe.weight_bytes)) + gradient
    moved = states * (1.0 if plan.step == "fused" else FOREACH) + (recipe.weight_bytes if recipe.master_bytes else 0)
    moved += 3 * gradient  # clipping reads them for their norm, then reads and writes them
    share = rank_shard if recipe.shards("optimizer", plan.layout.zero) else rank_elements
    elements = share(plan, plan.ranks[rank])
    return pass_s(moved * float(elements * recipe.trainable), speed)


def _exposed(plan: Training, stages: tuple[Stage, ...], rank: int, tail: dict[str, float]) -> dict[str, float]:
    own = [stages[chunk.stage] for chunk in plan.ranks[rank]]
    m = plan.micro_batches
    return {
        kind: math.fsum([m * (stage.forward_wait[kind] + stage.backward_wait[kind]) for stage in own] + [tail[kind]])
        for kind in KINDS
    }
