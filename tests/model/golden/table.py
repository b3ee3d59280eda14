"""The golden table: what the model says of some fifty plans, one figure a line, so that a diff shows what a change moved.

Bytes are whole numbers; floats have nine significant digits, which every Python prints alike.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from model.errors import Invalid
from model.plan import memory_report
from model.step_report import step_report

HERE = Path(__file__).parent
PLANS = HERE / "plans.json"
TABLE = HERE / "table.txt"
DIGITS = 9
WIDTH = 36
HEAD = """\
# What the model says of the plans in plans.json. Written by `make golden`: never edit it, read its diff.
# Bytes and counts are whole numbers, times are in seconds, shares are fractions of 1, all of one step.
"""
STEP = (
    *("step_s", "optimizer_s", "tokens_per_step", "tokens_per_s_per_gpu", "model_flops_per_token"),
    *("hardware_flops_per_token", "peak_tflops", "mfu", "hfu", "bubble_of_total", "bubble_over_ideal", "idle_of_total"),
    *("days", "gpu_hours"),
)


def plans() -> dict[str, dict]:
    """The plans by name."""
    return json.loads(PLANS.read_text("utf-8"))


def text() -> str:
    """The whole table."""
    return HEAD + "".join(f"\n{block(name, plan)}" for name, plan in plans().items())


def block(name: str, plan: dict) -> str:
    """One plan: its name at the margin, where git finds the heading of a change, then a line for each figure."""
    return "\n".join([name, *(f"  {title:<{WIDTH}} {shown(value)}" for title, value in figures(plan))]) + "\n"


def figures(plan: dict) -> Iterator[tuple[str, object]]:
    """Every figure that a plan has: memory of the fullest stage, then of each, then the step."""
    found = [*memory(memory_report(plan)), *timed(plan)]
    return ((title, value) for title, value in found if value is not None)


def timed(plan: dict) -> Iterator[tuple[str, object]]:
    """The step's figures, or why the plan has none."""
    try:
        yield from step(step_report(plan))
    except Invalid as error:
        yield "step", str(error)


def memory(report: dict) -> Iterator[tuple[str, object]]:
    """Bytes of the stage that nvidia-smi shows the most of, at its peak, and two totals of every stage."""
    stage = report["stages"][report["worst_stage"]]
    yield "fits", report["fits"]
    yield "peak stage", report["worst_stage"]
    yield "peak instant", stage["peak_instant"]
    for part, amount in stage["states"].items():
        yield f"states, {part}", amount
    for part in ("activations", "logits", "transient", "allocated_peak", "reserved_peak", "nvidia_smi", "resting"):
        yield part, stage[part]
    if len(report["stages"]) > 1:
        for each in report["stages"]:
            yield f"stage {each['stage']}, allocated_peak", each["allocated_peak"]
            yield f"stage {each['stage']}, nvidia_smi", each["nvidia_smi"]


def step(report: dict) -> Iterator[tuple[str, object]]:
    """The step, what it is made of, and what the busiest rank sends of each kind of message."""
    for name in STEP:
        yield name, report[name]
    slowest = max(report["stages"], key=lambda stage: stage["forward_s"] + stage["backward_s"])
    yield "slowest stage", slowest["stage"]
    yield "slowest stage, forward_s", slowest["forward_s"]
    yield "slowest stage, backward_s", slowest["backward_s"]
    for kind, cost in report["communication"].items():
        if cost["bytes"]:
            for part, amount in cost.items():
                yield f"{kind}, {part}", amount


def shown(value: object) -> str:
    """A figure as the table prints it."""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def read(table: str) -> dict[tuple[str, str], str]:
    """A table's figures as they are printed, by plan and title, in their order."""
    found, name = {}, ""
    for line in table.splitlines():
        if line.startswith("  "):
            found[name, line[2 : 2 + WIDTH].strip()] = line[2 + WIDTH :].strip()
        else:
            name = line
    return found


def moved(before: str, after: str) -> list[str]:
    """What is not the same in two tables, a line each: the plan, the figure, its two values and by how much it moved."""
    old, new = read(before), read(after)
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return [
        f"{name}: {title}: {old.get((name, title), 'none')} -> {new.get((name, title), 'none')}{_by(old.get((name, title)), new.get((name, title)))}"
        for name, title in keys
    ]


def _by(before: str | None, after: str | None) -> str:
    try:
        first, second = (float((text or "").replace(",", "")) for text in (before, after))
        return f" ({100 * (second / first - 1):+.3g} %)"
    except (ValueError, ZeroDivisionError):
        return ""
