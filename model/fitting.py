"""The bytes of a plan's fullest pipeline rank, without the report: what a search asks of thousands of plans."""

from .in_flight import checked_shape, live_sets
from .instants import rank_memory
from .overhead import COMMUNICATOR_BYTES, CONTEXT_BYTES, communicators
from .placement import Chunk
from .report import shown_bytes
from .shares import rank_states
from .training import Training
from .units import GB

# Kinds whose ranks run the same forwards and the same backwards in the same order, each rank with at least as many
# forwards ahead as the next: whatever a rank holds at a step, the one before it holds too (``flush``).
FILLED_FROM_THE_FRONT = ("gpipe", "1f1b", "interleaved")


def worst_bytes(plan: Training, *, give_up: bool = False) -> int:
    """What nvidia-smi would show of the fullest pipeline rank, as the report of ``memory`` has it.

    ``give_up``: be content with the first bound or rank that does not fit. Ranks that hold the same layers and no more
    micro-batches than one before them are not looked at. Raises ``Invalid`` for an illegal schedule.
    """
    shape = checked_shape(plan.kind, plan.layout.pp, plan.micro_batches, plan.layout.vpp)
    if give_up:
        least = least_bytes(plan)
        if least > plan.capacity_bytes:
            return least
    ordered = plan.kind in FILLED_FROM_THE_FRONT
    seen: set[tuple] = set()
    worst = 0
    for rank, chunks in enumerate(plan.ranks):
        layers = tuple([chunk.alike for chunk in chunks])
        key = layers if ordered else (layers, _in_order(chunks, live_sets(shape, rank)))
        if key not in seen:
            seen.add(key)
            worst = max(worst, shown_bytes(plan, rank_memory(plan, rank)))
            if give_up and worst > plan.capacity_bytes:
                break
    return worst


def least_bytes(plan: Training) -> int:
    """A bound from below of what ``worst_bytes`` says: the states of the first rank, whatever the batch.

    Every instant holds them, or more where what is not there yet is less than what comes with the batch.
    """
    states = rank_states(plan, plan.ranks[0]).total_bytes
    return states + CONTEXT_BYTES + communicators(plan) * COMMUNICATOR_BYTES


def levers(plan: Training) -> tuple[str, ...]:
    """The fields of a plan that fits no card which would take memory off it: none where its states alone are too large.

    More replicas and more shards are not among them: they are another layout, which a search tries.
    """
    if least_bytes(plan) > plan.capacity_bytes:
        return ()
    can = {
        "batch.seq": plan.seq > 1,
        "activation.recompute": plan.recompute != "full",
        "batch.micro_batch": plan.micro_batch > 1,
    }
    return tuple(field for field, open_ in can.items() if open_)


def told_apart(first_bytes: int, second_bytes: int, digits: int) -> tuple[str, str]:
    """Two amounts in GB with at least ``digits`` decimals, and as many more as they need to differ, unless they are equal."""
    while True:
        first, second = (f"{amount / GB:.{digits}f}" for amount in (first_bytes, second_bytes))
        if first != second or first_bytes == second_bytes:
            return first, second
        digits += 1


def _in_order(chunks: tuple[Chunk, ...], lives: tuple) -> tuple:
    """Live sets with each stage as its place on the rank."""
    place = {chunk.stage: index for index, chunk in enumerate(chunks)}
    return tuple((place[live.stage], live.forward, live.counts) for live in lives)
