"""What a pipeline rank holds of the batch at once: micro-batches of each of its chunks, read off the schedule's order.

live set   at one step of a rank: the chunk that runs, whether forward, and how many micro-batches each chunk holds,
           the running one included: from its forward until the end of its backward, or of its weight gradient
"""

from collections.abc import Iterable
from functools import lru_cache
from operator import le
from typing import NamedTuple

from .errors import Invalid
from .flush import rounds
from .operations import Fused
from .schedules import KINDS, MOST_CHUNKS, Shape

# Beyond this many micro-batches for each rank a schedule that fills and drains only repeats its middle.
STEADY = 2
FIELDS = {
    "kind": "schedule.kind",
    "stages": "layout.pp",
    "micro_batches": "batch.global_batch",
    "virtual": "layout.vpp",
}


class Live(NamedTuple):
    """One live set. ``counts`` are of the rank's chunks, in the order of the layers."""

    stage: int
    forward: bool
    counts: tuple[int, ...]


def checked_shape(kind: str, stages: int, micro_batches: int, virtual: int) -> Shape:
    """The schedule of a plan; raises ``Invalid`` in the plan's own words where it is not legal."""
    try:
        return Shape.checked(kind, stages, micro_batches, virtual)
    except Invalid as error:
        raise Invalid(FIELDS[error.field], error.code, error.values, error.message) from None


def live_sets(shape: Shape, rank: int) -> tuple[Live, ...]:
    """The largest live sets of a rank.

    GPipe holds all m micro-batches, 1F1B min(m, p − rank) of them (Narayanan et al. 2021, section 2.2, arXiv:2104.04473);
    the other kinds are read off their order, at most ``STEADY`` micro-batches for each rank.
    Raises ``Invalid`` for a schedule that is too large to lay out.
    """
    p, m = shape.stages, shape.micro_batches
    if shape.virtual == 1 and shape.kind != "zb-h1":
        held = m if shape.kind == "gpipe" else min(m, p - rank)
        return (Live(rank, True, (held,)), Live(rank, False, (held,)))
    if m > STEADY * p:
        # Rounds as long as they were, which may be a little more than p.
        m = STEADY * (m // rounds(p, m) if KINDS[shape.kind].in_rounds else p)
    if Shape(kind=shape.kind, stages=p, micro_batches=m, virtual=shape.virtual).laid_out > MOST_CHUNKS:
        message = f"pp x vpp = {p} x {shape.virtual} with {m} micro-batches is too large to lay out"
        raise Invalid("layout.pp", "out_of_range", {"pp": p, "vpp": shape.virtual, "micro_batches": m}, message)
    return _read_off(shape.kind, p, m, shape.virtual, rank)


@lru_cache(maxsize=4096)
def _read_off(name: str, stages: int, micro_batches: int, virtual: int, rank: int) -> tuple[Live, ...]:
    """The live sets of a rank, read off its order: once for each schedule."""
    kind = KINDS[name]
    steps = kind.make(rank, stages, micro_batches, *((virtual,) if kind.virtual is None else ()))
    chunks = sorted({op.stage for step in steps for op in _ops(step)})
    place = {stage: index for index, stage in enumerate(chunks)}
    counts = [0] * len(chunks)
    found: dict[Live, None] = {}
    for step in steps:
        ops = _ops(step)
        for op in ops:
            if op.work == "F":
                counts[place[op.stage]] += 1
        for op in ops:
            found[Live(op.stage, op.work == "F", tuple(counts))] = None
        for op in ops:
            if op.work in ("B", "W"):
                counts[place[op.stage]] -= 1
    return _largest(found, place.get(stages * virtual - 1))


def _largest(lives: Iterable[Live], last: int | None) -> tuple[Live, ...]:
    """Without the sets that hold no more of any chunk than another one while the same chunk runs.

    Those with another number of micro-batches of the ``last`` chunk, which wait for their loss, are kept apart.
    """
    groups: dict[tuple, list[Live]] = {}
    for live in lives:
        group = groups.setdefault((live.stage, live.forward, None if last is None else live.counts[last]), [])
        if not any(all(map(le, live.counts, other.counts)) for other in group):
            group[:] = [other for other in group if not all(map(le, other.counts, live.counts))]
            group.append(live)
    return tuple(live for group in groups.values() for live in group)


def _ops(step: object) -> tuple:
    return tuple(step) if isinstance(step, Fused) else (step,)
