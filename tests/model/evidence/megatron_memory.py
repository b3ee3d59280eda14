"""Measured bytes of Megatron-LM beside the model's."""

from functools import lru_cache

from model.plan import read_plan

from .. import measured_runs as runs
from .constants import KEPT, RESERVED, SHARED_EXPERTS
from .links import MEGATRON_LM, SIMUMAX
from .score import Held, Measured, Scored

GIB = "GiB"


def megatron_complete():
    """Peaks of the rows of which a plan can say everything."""
    return [row for row in runs.megatron() if runs.complete(row.row)]


def megatron_dynamic():
    """The same without the states."""
    return [row.without_floor() for row in megatron_complete()]


def megatron_incomplete():
    """Peaks of the rows of which it cannot."""
    return [row for row in runs.megatron() if not runs.complete(row.row)]


def megatron_resting():
    """What rests between steps, in the rows of which a plan can say everything."""
    return [row for row in runs.megatron(resting=True) if runs.complete(row.row)]


def megatron_resting_release():
    """The same in the rows whose settings had to be inferred."""
    rows = runs.megatron(resting=True)
    return [row for row in rows if row.row["quality"] == "B" and not row.row["model"]["mtp_layers"]]


@lru_cache
def megatron_reserved():
    """What the allocator reserved on the fullest rank, where a run prints it."""
    scored = []
    for row in runs.load("measured_memory")["rows"]:
        measured = row["measured"].get("reserved_bytes")
        if measured is not None:
            predicted, floor = runs.fullest_reserved(read_plan(runs.megatron_plan(row)))
            scored.append(Scored(name=row["id"], measured=measured, predicted=predicted, floor=floor, row=row))
    return tuple(scored)


SOURCES = (
    Measured(
        key="megatron-peak",
        chapter="memory",
        title="Megatron-LM, largest allocation",
        what="Megatron-LM's own test runs on A100, H100 and GB200, of the last pipeline stage, and SimuMax's on 8 B200, "
        "of the first and the last. Runs that differ in the number of micro-batches alone count once.",
        unit=GIB,
        links=(MEGATRON_LM, SIMUMAX),
        files=("measured_memory",),
        score=megatron_complete,
        held=Held(median=0.003, at_90=0.015),
        set_here=(KEPT,),
    ),
    Measured(
        key="megatron-dynamic",
        chapter="memory",
        title="Megatron-LM, without the states",
        what="The same peaks less the weights, gradients and optimizer states, which are easy to count. What is left is "
        "the hard part: activations, logits, buffers.",
        unit=GIB,
        links=(MEGATRON_LM, SIMUMAX),
        files=("measured_memory",),
        score=megatron_dynamic,
        held=Held(median=0.01, at_90=0.045),
        set_here=(KEPT,),
    ),
    Measured(
        key="megatron-reserved",
        chapter="memory",
        title="Megatron-LM, largest reservation",
        what="What PyTorch's allocator reserved at most in SimuMax's runs on 8 B200. It is what a card must have room for.",
        unit=GIB,
        links=(SIMUMAX,),
        files=("measured_memory",),
        score=megatron_reserved,
        held=Held(median=0.02, at_90=0.04),
        set_here=(RESERVED, KEPT),
    ),
    Measured(
        key="megatron-resting",
        chapter="memory",
        title="Megatron-LM, at rest",
        what="What is allocated between two steps, where the runs print it.",
        unit=GIB,
        links=(MEGATRON_LM,),
        files=("measured_memory",),
        score=megatron_resting,
        held=Held(median=0.0005, each=0.011),
        set_here=(KEPT,),
    ),
    Measured(
        key="megatron-resting-release",
        chapter="memory",
        title="Megatron-LM, release runs at rest",
        what="The same of release runs, whose settings had to be inferred.",
        unit=GIB,
        links=(MEGATRON_LM,),
        files=("measured_memory",),
        score=megatron_resting_release,
        held=Held(each=0.04),
        set_here=(KEPT,),
    ),
    Measured(
        key="megatron-incomplete",
        chapter="memory",
        title="Megatron-LM, what a plan cannot say",
        what="Runs that predict several tokens at once, which is not a field of a plan, and runs whose settings had to be "
        "inferred. They are here so that nothing is left out; the tests hold no bound.",
        unit=GIB,
        links=(MEGATRON_LM,),
        files=("measured_memory",),
        score=megatron_incomplete,
        set_here=(KEPT,),
    ),
    Measured(
        key="megatron-small-peak",
        chapter="memory",
        title="Megatron-LM, small models, largest allocation",
        what="Megatron-LM's functional tests on H100 and A100: models of a few hundred megabytes. Most of those on A100 were "
        "found after the buffers that stay had been counted on the others. Left out is what a plan cannot say: losses that "
        "Megatron-LM fuses itself, deferred or replicated optimizers, its own fully sharded training, layers without "
        "Transformer Engine, experts one after the other, and, on A100, runs that leave PyTorch's matrix products at their "
        "own smaller workspaces. How many those are is not in the data.",
        unit=GIB,
        links=(MEGATRON_LM,),
        files=("megatron_small_memory",),
        score=runs.megatron_small,
        held=Held(median=0.01, at_90=0.025),
        set_here=(KEPT, SHARED_EXPERTS),
    ),
    Measured(
        key="megatron-small-resting",
        chapter="memory",
        title="Megatron-LM, small models, at rest",
        what="The same runs between two steps.",
        unit=GIB,
        links=(MEGATRON_LM,),
        files=("megatron_small_memory",),
        score=lambda: runs.megatron_small(resting=True),
        held=Held(median=0.006, at_90=0.012),
        set_here=(KEPT,),
    ),
)
