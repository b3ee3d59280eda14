"""The answer of ``schedule``: order, timeline, bubbles and what is in flight, as one JSON object."""

from .pipeline import Times, run, summary
from .schedules import KINDS, Shape, order


def schedule_report(
    *,
    kind: str,
    stages: int,
    micro_batches: int,
    virtual: int | None = None,
    forward: float = 1,
    backward: float = 2,
    weight: float = 1,
) -> dict:
    """One step of a pipeline, operation by operation.

    ``forward``, ``backward``, ``weight``: time of one stage's whole layers for a micro-batch, in any unit; backward is
    the whole backward and weight its weight part; with v chunks each costs 1/v. Times in the answer are in that unit.
    ``bubble_of_total`` lets a fused pair send when both halves are done, as PyTorch does; ``bubble_of_total_ideal``
    lets each half send on its own. ``peak_in_flight`` counts chunks from F to the end of W (or of B).
    Raises ``Invalid``, naming the argument.
    """
    shape = Shape.checked(kind, stages, micro_batches, virtual)
    times = Times.checked(forward=forward, backward=backward, weight=weight, virtual=shape.virtual)
    steps = order(shape)
    totals = summary(shape, times.chunk)
    numerator, denominator = times.unit.as_integer_ratio()
    return {
        "kind": kind,
        "pytorch": KINDS[kind].pytorch,
        "stages": stages,
        "micro_batches": micro_batches,
        "virtual": shape.virtual,
        "forward": float(forward),
        "backward": float(backward),
        "weight": float(weight),
        "order": [[str(step) for step in rank] for rank in steps],
        "timeline": [
            {
                "rank": event.rank,
                "op": str(event.step),
                "start": event.start * numerator / denominator,
                "end": event.end * numerator / denominator,
            }
            for events in run(shape, [times.chunk] * shape.chunks)
            for event in events
        ],
        "makespan": totals.makespan * numerator / denominator,
        "bubble_of_total": float(totals.bubble_of_total),
        "bubble_of_total_ideal": float(totals.bubble_of_total_split),
        "bubble_over_ideal": float(totals.bubble_over_ideal),
        "peak_in_flight": list(totals.peak_in_flight),
        "peak_in_flight_until_input_gradient": list(totals.peak_until_input_gradient),
        "notes": shape.notes(),
    }
