"""How long a pipeline of unequal stages takes, from its events; long ones by the pace of their steady state."""

from dataclasses import dataclass
from functools import lru_cache

from .compiled import ends_of, fuses
from .pipeline import Cost, run
from .schedules import Shape
from .waves import wave_ends

# Stages x micro-batches that are always laid out in full; beyond, once the pace is steady, it is carried on.
LAID_OUT = 2**11
WARM_UP = 3  # rounds of p micro-batches after which the pace is tried first


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineTime:
    """When each rank has done its last work, and how long it worked, in the unit of the costs."""

    ends: tuple[int, ...]
    work: tuple[int, ...]

    @property
    def makespan(self) -> int:
        """From the first operation to the last."""
        return max(self.ends)

    @property
    def idle_of_total(self) -> float:
        """Idle time over all time of all ranks, whatever its reason: the bubble, uneven stages, waiting for messages."""
        whole = len(self.ends) * self.makespan
        return (whole - sum(self.work)) / whole if whole else 0.0


@lru_cache(maxsize=4096)
def pipeline_time(shape: Shape, costs: tuple[Cost, ...], hop: int = 0) -> PipelineTime:
    """Runs a schedule with one cost for each of its p·v stages and ``hop`` between ranks, all whole numbers.

    By formula or by waves where the kind has them. Elsewhere, where more micro-batches than ``LAID_OUT`` allows add the
    same time for every p of them, twice in a row, they are taken to go on like that; the tests compare.
    Raises ``Invalid`` as ``pipeline.run`` does.
    """
    work = [0] * shape.stages
    for stage, cost in enumerate(costs):
        work[shape.rank_of(stage)] += shape.micro_batches * sum(cost)
    if shape.stages == 1:
        return PipelineTime(ends=(work[0],), work=tuple(work))
    known = _formula(shape, costs, hop) or wave_ends(shape, costs, hop)
    if known is not None:
        return PipelineTime(ends=known, work=tuple(work))
    p, m = shape.stages, shape.micro_batches
    rounds, rest = divmod(m, p)
    warm = WARM_UP
    while shape.chunks * m > LAID_OUT and shape.kind != "interleaved" and rounds > 2 * warm + 3:
        ends, later, latest = (_ends(shape, costs, hop, (warm + more) * p + rest) for more in (0, 1, 2))
        pace = [after - before for before, after in zip(ends, later, strict=True)]
        steady = pace == [after - before for before, after in zip(later, latest, strict=True)]
        # No rank can fall behind the others for ever, nor keep a pace above that of the busiest.
        if steady and min(pace) == max(pace) and pace[0] * m >= max(work) * p:
            carried = (end + each * (rounds - warm) for end, each in zip(ends, pace, strict=True))
            return PipelineTime(ends=tuple(carried), work=tuple(work))
        warm *= 2
    return PipelineTime(ends=_ends(shape, costs, hop, m), work=tuple(work))


def _formula(shape: Shape, costs: tuple[Cost, ...], hop: int) -> tuple[int, ...] | None:
    """When each rank ends, by formula, where it equals the events; else None. The tests compare on random pipelines.

    GPipe is two flow shops of equal jobs: the sum over the stages, and the slowest stage once more for each further
    job (Johnson 1954, Naval Research Logistics Quarterly 1). 1F1B keeps the pace of its last stage where that is the
    slowest in both directions, with time to spare for the messages of the others, as the head and the loss make it.
    """
    p, m = shape.stages, shape.micro_batches
    forward = [cost.forward for cost in costs]
    backward = [cost.input_gradient + cost.weight_gradient for cost in costs]
    if shape.kind == "gpipe":
        filled = sum(forward) + hop * (p - 1) + (m - 1) * max(forward)
        return tuple(
            filled + sum(backward[rank:]) + hop * (p - 1 - rank) + (m - 1) * max(backward[rank:]) for rank in range(p)
        )
    pace = forward[-1] + backward[-1]
    others = zip(forward[:-1], backward[:-1], strict=True)
    if (
        shape.kind == "1f1b"
        and forward[-1] == max(forward)
        and backward[-1] == max(backward)
        and all(ahead + back + 2 * hop <= pace for ahead, back in others)
    ):
        whole = sum(forward) + sum(backward) + 2 * hop * (p - 1) + (m - 1) * pace
        return tuple(whole - sum(backward[:rank]) - hop * rank for rank in range(p))
    return None


def _ends(shape: Shape, costs: tuple[Cost, ...], hop: int, micro_batches: int) -> tuple[int, ...]:
    part = Shape(kind=shape.kind, stages=shape.stages, micro_batches=micro_batches, virtual=shape.virtual)
    if fuses(part):
        return tuple(events[-1].end for events in run(part, costs, hop=hop))
    return ends_of(part, costs, hop)
