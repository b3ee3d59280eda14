"""A schedule laid out once and timed many times: its steps in an order in which each one's input is already known.

program   the steps of all ranks in one list: the rank, the place of its cost, and the place of the time it waits for
"""

from array import array
from collections.abc import Sequence
from functools import lru_cache

from .pipeline import Cost
from .schedules import KINDS, Shape, check_laid_out, rank_order

WORKS = {"F": 0, "I": 1, "W": 2, "B": 3}
KEPT = 128  # programs; the longest takes 3 MB


def ends_of(shape: Shape, costs: Sequence[Cost], hop: int) -> tuple[int, ...]:
    """When each rank ends: the last ends of ``pipeline.run``, for whole numbers, of a kind that fuses nothing.

    Raises ``Invalid`` where the schedule is too large to lay out.
    """
    durations = [time for forward, back, late in costs for time in (forward, back, late, back + late)]
    free = [0] * shape.stages
    times = [0]  # the batch is there at once; then of each line when it is done, here and on another rank
    for rank, place, source in zip(*program(shape), strict=True):
        start, ready = free[rank], times[source]
        end = (ready if ready > start else start) + durations[place]
        free[rank] = end
        times += (end, end + hop)
    return tuple(free)


def fuses(shape: Shape) -> bool:
    """Whether the kind runs two steps as one, which a program cannot say."""
    return KINDS[shape.kind].least_per_stage > 0


@lru_cache(maxsize=KEPT)
def program(shape: Shape) -> tuple[array, array, array]:
    """The schedule's program, as columns: for each line rank, place among the durations, place among the times."""
    check_laid_out(shape)
    m = shape.micro_batches
    everything = shape.chunks * m
    rank_of = [shape.rank_of(stage) for stage in range(shape.chunks)]
    todo = [iter(_codes(shape, rank)) for rank in range(shape.stages)]
    held = [next(codes, -1) for codes in todo]
    # A result is known by its stage and micro-batch and whether it goes forward; here is the line that makes it.
    made = [-1] * (2 * everything)
    waiting: dict[int, int] = {}  # a result that is missing -> the rank that waits for it
    ranks, places, sources = array("i"), array("i"), array("i")
    runnable = list(range(shape.stages))
    while runnable:
        rank = runnable.pop()
        code, more = held[rank], todo[rank]
        while code >= 0:
            own, work = code >> 2, code & 3
            source = 0
            if work != WORKS["W"]:
                forward = work == WORKS["F"]
                before = own - m if forward else own + m
                if 0 <= before < everything:
                    line = made[2 * before + forward]
                    if line < 0:
                        waiting[2 * before + forward] = rank
                        break
                    source = 1 + 2 * line + (rank_of[before // m] != rank)
                made[2 * own + forward] = len(ranks)
                if 2 * own + forward in waiting:
                    runnable.append(waiting.pop(2 * own + forward))
            ranks.append(rank)
            places.append(4 * (own // m) + work)
            sources.append(source)
            code = next(more, -1)
        held[rank] = code
    if waiting:
        raise AssertionError(f"the order of {shape} waits for itself")
    return ranks, places, sources


def _codes(shape: Shape, rank: int) -> array:
    """A rank's steps as numbers, which the garbage collector need not look at."""
    m = shape.micro_batches
    return array("i", [4 * (stage * m + number) + WORKS[work] for stage, work, number in rank_order(shape, rank)])
