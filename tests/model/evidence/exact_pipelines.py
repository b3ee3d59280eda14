"""Exact figures: the orders of schedules, what they come to, and bubbles."""

import statistics
from fractions import Fraction

from model.closed_forms import quick_summary
from model.pipeline import Cost, Times, summary
from model.schedules import Shape, order

from ..measured_runs import load
from .links import PLAYBOOK, PYTORCH, ZERO_BUBBLE
from .score import Match, exact

IDLE_WITHIN = 0.03  # of the step: sending takes time, so what is measured lies a little above the events


def schedule_name(row):
    """A row of the files of schedules."""
    return "{kind} p{stages} m{micro_batches} v{virtual}".format(**row)


def _shape(row):
    return Shape.checked(row["kind"], row["stages"], row["micro_batches"], row["virtual"])


def orders():
    """The operations of every rank, in the order in which PyTorch runs them."""
    data = load("pipeline_orders")
    for row in (*data["cases"], *data["more"]):
        ours = [[str(step) for step in rank] for rank in order(_shape(row))]
        yield Match.equal(schedule_name(row), [rank.split() for rank in row["order"]], ours)


def makespans():
    """What PyTorch's orders come to: their length, and the micro-batches in flight on every rank."""
    for row in load("pipeline_orders")["cases"]:
        for backward in (2, 1):
            shape = _shape(row)
            times = Times.checked(forward=1, backward=backward, weight=backward / 2, virtual=shape.virtual)
            result = summary(shape, times.chunk)
            published = (
                Fraction(row[f"makespan_f1_b{backward}"]),
                row["peak_in_flight"],
                row["peak_until_input_gradient"],
            )
            in_flight = list(result.peak_in_flight), list(result.peak_until_input_gradient)
            name = f"{schedule_name(row)}, backward {backward}"
            yield Match.equal(name, published, (result.makespan_split * times.unit, *in_flight))


def bubbles():
    """The Playbook's bubbles over the ideal, and the ideal 1F1B column of the zero-bubble paper."""
    data = load("pipeline_bubbles")
    for row in data["ultrascale_p8"]:
        shape = Shape.checked("interleaved", 8, row["m"], row["v"])
        ours = summary(shape, Times.checked(forward=1, backward=2, weight=1, virtual=row["v"]).chunk)
        yield Match.equal(f"p8 m{row['m']} v{row['v']}", row["bubble"], float(ours.bubble_over_ideal))
    for row in data["zero_bubble_table5"]:
        ours = quick_summary(Shape.checked("1f1b", row["p"], row["m"], None), Cost(1, 1, 1))
        name = f"{row['model']} p{row['p']} m{row['m']}"
        yield Match.equal(name, row["ideal_1F1B"], round(float(ours.bubble_of_total), 4))


def idle():
    """Idle time of real pipelines whose stages sleep: never below the events, and little above."""
    for row in load("pipeline_idle")["runs"]:
        shape = _shape(row)
        times = Times.checked(
            forward=row["forward_ms"],
            backward=row["backward_ms"],
            weight=row["backward_ms"] / 2,
            virtual=shape.virtual,
        )
        ours, measured = float(summary(shape, times.chunk).bubble_of_total), statistics.median(row["idle_fraction"])
        name = f"{schedule_name(row)} {row['forward_ms']} ms"
        yield Match(name=name, published=measured, ours=ours, agrees=0 <= measured - ours <= IDLE_WITHIN)


SOURCES = (
    exact(
        "orders",
        "pipelines",
        "PyTorch's orders of GPipe, 1F1B, interleaved, zero-bubble and DualPipe-V schedules",
        "every operation of every rank",
        orders,
        (PYTORCH,),
        "pipeline_orders",
    ),
    exact(
        "makespans",
        "pipelines",
        "What PyTorch's orders come to: their length, and the micro-batches in flight",
        "exact fractions",
        makespans,
        (PYTORCH,),
        "pipeline_orders",
    ),
    exact(
        "bubbles",
        "pipelines",
        "Bubbles of the Ultra-Scale Playbook and of the zero-bubble paper",
        "to the digit printed",
        bubbles,
        (PLAYBOOK, ZERO_BUBBLE),
        "pipeline_bubbles",
    ),
    exact(
        "idle",
        "pipelines",
        "Idle time of real processes whose stages sleep",
        "never below, and at most three points above",
        idle,
        (PYTORCH,),
        "pipeline_idle",
    ),
)
