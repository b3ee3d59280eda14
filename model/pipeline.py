"""A pipeline schedule as events: when each operation runs, what is idle, and what each rank holds; all read off them.

A rank runs its steps one after the other, in the schedule's order; a step starts when its rank is free and its input
has arrived. Nothing else decides anything, so a bubble is simply the time in which a rank has no event.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .errors import Invalid
from .operations import Fused, Op, Step
from .schedules import Shape, order

LONGEST = 10**9  # of a time, in whatever unit


class Cost(NamedTuple):
    """Time of one chunk for one micro-batch, in any one unit: forward, and the two halves of the backward."""

    forward: int  # F
    input_gradient: int  # I, the half that the stage before waits for
    weight_gradient: int  # W, the half that nobody waits for


class Event(NamedTuple):
    """One step on one rank, from ``start`` to ``end``, in the unit of the costs. A fused pair is one event."""

    rank: int
    step: Step
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Time of one stage's whole layers for a micro-batch, as whole multiples of ``unit``, cut into v chunks.

    Ratios alone decide a schedule, so equal ratios give equal ``chunk`` costs, whatever the unit.
    """

    chunk: Cost
    unit: Fraction

    @classmethod
    def checked(cls, *, forward: float, backward: float, weight: float, virtual: int) -> "Times":
        """Exact times. ``backward`` is the whole backward and ``weight`` its weight part; each chunk costs 1/v.

        Raises ``Invalid`` for ``forward``, ``backward`` or ``weight``: one that is negative, not finite or above
        ``LONGEST``, a weight part larger than the whole, and times that are all zero.
        """
        given = {"forward": forward, "backward": backward, "weight": weight}
        for field, value in given.items():
            if not 0 <= value <= LONGEST:
                values = {"value": repr(value), "least": 0, "most": LONGEST}
                raise Invalid(field, "out_of_range", values, f"it must be from 0 to {LONGEST}; it is {value}")
        if weight > backward:
            message = f"the weight part, {weight}, is larger than the whole backward, {backward}; make it at most that"
            raise Invalid("weight", "contradiction", given, message)
        if forward + backward == 0:
            raise Invalid("forward", "out_of_range", given, "forward and backward must not both take no time")
        # As written: 0.1 is one tenth, not the nearest binary fraction.
        whole, back, late = (Fraction(str(value)) for value in given.values())
        parts = [part / virtual for part in (whole, back - late, late)]
        scale = math.lcm(*(part.denominator for part in parts))
        counts = [int(part * scale) for part in parts]
        common = math.gcd(*counts)
        return cls(chunk=Cost(*(count // common for count in counts)), unit=Fraction(common, scale))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a schedule comes to, in whole units of its ``Times``; ``of_total`` and the like are exact fractions."""

    stages: int
    work: int  # time of one rank's operations
    makespan: int  # time from the first operation to the end of the last
    makespan_split: int  # the same where each half of a fused pair sends when it is done
    peak_in_flight: tuple[int, ...]  # chunks of each rank, from forward to the end of the weight gradient
    peak_until_input_gradient: tuple[int, ...]

    @property
    def bubble_of_total(self) -> Fraction:
        """Idle time over all time, 1 − work/(p·makespan) with the work of all p ranks."""
        return 1 - Fraction(self.work, self.makespan)

    @property
    def bubble_of_total_split(self) -> Fraction:
        """The same where each half of a fused pair sends when it is done; equal for kinds that fuse nothing."""
        return 1 - Fraction(self.work, self.makespan_split)

    @property
    def bubble_over_ideal(self) -> Fraction:
        """Idle time over the work, the ideal time: (p − 1)/m for GPipe and 1F1B."""
        return Fraction(self.makespan, self.work) - 1


def run(shape: Shape, costs: Sequence[Cost], *, split_pairs: bool = False, hop: int = 0) -> list[list[Event]]:
    """Runs a schedule: the events of each rank, in order. Takes time in proportion to the number of operations.

    ``costs``: one for each of the p·v stages. A fused pair starts when both inputs are there, takes the sum of its
    halves, and sends when both are done, as PyTorch does; with ``split_pairs`` its halves are two events that send
    each on its own. ``hop``: time from the end of a step until another rank has its result. Any number type will do;
    whole numbers are exact. Raises ``Invalid`` for a schedule that is too large to lay out.
    """
    steps = order(shape)
    if split_pairs:
        steps = tuple(
            tuple(op for step in rank for op in (step if isinstance(step, Fused) else (step,))) for rank in steps
        )
    duration = {
        (stage, work): time
        for stage, (forward, for_input, for_weight) in enumerate(costs)
        for work, time in (("F", forward), ("I", for_input), ("W", for_weight), ("B", for_input + for_weight))
    }
    inputs = _Inputs(shape, hop)
    events: list[list[Event]] = [[] for _ in steps]
    runnable = list(range(len(steps)))
    while runnable:
        rank = runnable.pop()
        own, todo = events[rank], steps[rank]
        free = own[-1].end if own else 0
        while len(own) < len(todo):
            step = todo[len(own)]
            ops = step if isinstance(step, Fused) else (step,)
            start = inputs.ready(ops, rank, free)
            if start is None:
                break
            free = start + sum([duration[stage, work] for stage, work, _ in ops])
            own.append(Event(rank, step, start, free))
            runnable += inputs.send(ops, free)
    if any(len(done) < len(asked) for done, asked in zip(events, steps, strict=True)):
        raise AssertionError(f"the order of {shape} waits for itself")
    return events


class _Inputs:
    """What has been sent so far, and which rank waits for what is still missing."""

    def __init__(self, shape: Shape, hop: int) -> None:
        self.rank_of = [shape.rank_of(stage) for stage in range(shape.chunks)]
        self.hop = hop
        self.sent: dict[tuple[int, bool, int], int] = {}  # (stage, forward?, micro-batch) -> when its result was there
        self.waiting: dict[tuple[int, bool, int], int] = {}  # the same -> the rank that waits for it

    def ready(self, ops: Sequence[Op], rank: int, free: int) -> int | None:
        """When all inputs are there and the rank is free; None, and the rank is noted, while one is missing."""
        for stage, work, micro_batch in ops:
            source = stage - 1 if work == "F" else stage + 1
            if work == "W" or not 0 <= source < len(self.rank_of):
                continue  # its input is its own rank's, from an earlier step, or the batch itself
            key = (source, work == "F", micro_batch)
            if key not in self.sent:
                self.waiting[key] = rank
                return None
            free = max(free, self.sent[key] + (self.hop if self.rank_of[source] != rank else 0))
        return free

    def send(self, ops: Sequence[Op], time: int) -> list[int]:
        """Notes results as sent; returns the ranks that waited for them."""
        woken = []
        for stage, work, micro_batch in ops:
            if work != "W":
                key = (stage, work == "F", micro_batch)
                self.sent[key] = time
                if key in self.waiting:
                    woken.append(self.waiting.pop(key))
        return woken


def peak_in_flight(events: Sequence[Event], until: str = "W") -> int:
    """Most chunks that one rank holds at once, each from the start of its forward to the end of ``until``: I or W."""
    ends = {"B", until}
    held = peak = 0
    for event in events:
        ops: Sequence[Op] = event.step if isinstance(event.step, Fused) else (event.step,)
        held += sum(work == "F" for _, work, _ in ops)
        peak = max(peak, held)
        held -= sum(work in ends for _, work, _ in ops)
    return peak


@lru_cache(maxsize=4096)
def summary(shape: Shape, chunk: Cost) -> Summary:
    """What a schedule with equal stages comes to. Kept for each (kind, p, m, v, F:B:W), so ask with ``Times.chunk``."""
    ranks = run(shape, [chunk] * shape.chunks)
    fuses = any(isinstance(event.step, Fused) for event in ranks[0])
    halves = run(shape, [chunk] * shape.chunks, split_pairs=True) if fuses else ranks
    return Summary(
        stages=shape.stages,
        work=sum(chunk) * shape.virtual * shape.micro_batches,
        makespan=max(events[-1].end for events in ranks),
        makespan_split=max(events[-1].end for events in halves),
        peak_in_flight=tuple(peak_in_flight(events) for events in ranks),
        peak_until_input_gradient=tuple(peak_in_flight(events, until="I") for events in ranks),
    )
