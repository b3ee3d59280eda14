"""PyTorch's pipeline schedules: the order that each rank executes, how long it idles and how much it holds.

The stages sleep, so the idle share and what is held do not depend on the processors: they are ratios and counts, which may
be published whatever carries the messages.
"""

from fractions import Fraction
from itertools import chain
from statistics import median
from typing import Any

from model.operations import Fused
from model.pipeline import Cost, summary
from model.schedules import Shape, order

from ..case import Case, case
from ..check import Check
from ..place import Place

# PyTorch's name of a schedule and its chunks on each rank -> the model's name, or None where the model has none.
SCHEDULES = {
    ("GPipe", 1): "gpipe",
    ("1F1B", 1): "1f1b",
    ("Interleaved1F1B", 2): "interleaved",
    ("LoopedBFS", 2): None,
    ("InterleavedZeroBubble", 1): "zb-h1",
    ("InterleavedZeroBubble", 2): None,
    ("ZBVZeroBubble", 2): "zb-v",
    ("DualPipeV", 2): "dualpipe-v",
}
FORWARD_MS = 40  # F, which is I and W as well: long beside a message, so that what is measured is the schedule
STEPS = 3  # that have to agree; their median counts
MOST_STEPS = 12  # tried for it: a burst of other work on the machine lasts longer than a few steps
AGREE = 0.01  # of all time
IDLE_TOLERANCE = 0.03  # of all time: a message, and a sleep that a busy machine ends late
FUSED_PAIR = (
    "PyTorch runs a fused pair one half after the other and sends when both are done "
    "(torch.distributed.pipelining, _PipelineScheduleRuntime, OVERLAP_F_B)"
)


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Every schedule on ``world`` ranks with two micro-batches for each, and 1F1B with four."""
    if world < 2 or not (suite == "gpu" or (suite == "ci" and world in (2, 4))):
        return []
    asked = [(*schedule, 2 * world) for schedule in SCHEDULES]
    if world > 2:
        asked.append(("1F1B", 1, 4 * world))
    found = [_case(world, device, *each) for each in asked]
    return sorted(found, key=lambda one: one.seconds)


def _case(world: int, device: str, schedule: str, virtual: int, micro_batches: int) -> Case:
    steps = 3 * (micro_batches * virtual + world - 1)  # as long as GPipe, which none is slower than
    return case(
        "pipeline",
        world,
        device=device,
        seconds=1 + STEPS * steps * FORWARD_MS / 1000,
        ram=400 * 10**6,
        schedule=schedule,
        virtual=virtual,
        micro_batches=micro_batches,
        forward_ms=FORWARD_MS,
    )


def stages_of(schedule: str, virtual: int, rank: int, world: int) -> list[int]:
    """The stages that a rank owns: dealt round-robin, or down a V and up again."""
    if schedule in ("ZBVZeroBubble", "DualPipeV"):
        return [rank, 2 * world - 1 - rank]
    return [rank + chunk * world for chunk in range(virtual)]


def run(case: Case, place: Place) -> dict[str, Any] | None:
    """Runs steps until the three with the least idle time agree.

    ``orders`` and ``in_flight`` of each rank; ``idle``: 1 − busy/(p·makespan), the median of those three.
    """
    from ..sleeping import SleepingRank

    asked = case.asked
    schedule, virtual, world = asked["schedule"], asked["virtual"], place.world
    owned = stages_of(schedule, virtual, place.rank, world)
    rank = SleepingRank(schedule, asked["micro_batches"], owned, virtual * world, place)
    rank.step(0)  # connects the ranks, and tells the stages the shapes of their inputs
    idle: list[float] = []
    while len(idle) < STEPS or (len(idle) < MOST_STEPS and max(undisturbed(idle)) - min(idle) > AGREE):
        ranks = rank.step(asked["forward_ms"] / 1000)
        makespan = max(one["end"] for one in ranks)
        idle.append(1 - sum(one["busy"] for one in ranks) / (world * makespan))
    if place.rank:
        return None
    return {
        "orders": [one["order"] for one in ranks],
        "in_flight": [one["peak"] for one in ranks],
        "idle": median(undisturbed(idle)),
        "idle_of_steps": idle,
    }


def undisturbed(idle: list[float]) -> list[float]:
    """The ``STEPS`` least: what else a machine does can only delay a step."""
    return sorted(idle)[:STEPS]


def checks(record: dict[str, Any]) -> list[Check]:
    """The order operation by operation, what each rank holds, and the idle share, where the model has the schedule."""
    asked, result = record["case"], record["result"]
    kind = SCHEDULES[asked["schedule"], asked["virtual"]]
    if kind is None:
        return [_each_once(asked, result["orders"])]
    shape = Shape.checked(kind, asked["world"], asked["micro_batches"], asked["virtual"])
    totals = summary(shape, Cost(1, 1, 1))
    found = [_in_order(rank, ops, order(shape)[rank]) for rank, ops in enumerate(result["orders"])]
    for rank, (held, modelled) in enumerate(zip(result["in_flight"], totals.peak_in_flight, strict=True)):
        found.append(
            Check(what=f"in flight, rank {rank}", measured=held, modelled=modelled, unit="micro-batches of a stage")
        )
    found.append(_idle("idle", result["idle"], totals.bubble_of_total))
    if totals.bubble_of_total_split != totals.bubble_of_total:
        ideal = "idle, were each half of a fused pair sent when it is done"
        found.append(_idle(ideal, result["idle"], totals.bubble_of_total_split, why=FUSED_PAIR))
    return found


def _idle(what: str, measured: float, modelled: Fraction, why: str = "") -> Check:
    return Check(
        what=what,
        measured=measured,
        modelled=float(modelled),
        unit="of all time",
        tolerance=IDLE_TOLERANCE,
        relative=False,
        why=why,
    )


def _in_order(rank: int, executed: list[str], steps: tuple) -> Check:
    """How many places of a rank's order hold another operation than the model's; the halves of a pair count singly."""
    wanted = [str(op) for step in steps for op in (step if isinstance(step, Fused) else (step,))]
    same = sum(map(str.__eq__, executed, wanted))
    return Check(
        what=f"order, rank {rank}: operations in the model's place",
        measured=same if len(executed) == len(wanted) else 0,
        modelled=len(wanted),
        unit="operations",
    )


def _each_once(asked: dict[str, Any], orders: list[list[str]]) -> Check:
    """A schedule that the model lacks: every stage runs F once for each micro-batch, and B, or I and W, once."""
    chunks = asked["world"] * asked["virtual"] * asked["micro_batches"]
    done = list(chain.from_iterable(orders))
    halves = [half for op in done for half in ([op.replace("B", "I"), op.replace("B", "W")] if "B" in op else [op])]
    return Check(
        what="forwards and both halves of each backward, each run once (the model has no such schedule)",
        measured=len(set(halves)) - (len(halves) - len(set(halves))),
        modelled=3 * chunks,
        unit="operations",
    )
