"""``search``: the command, and its table for people."""

import argparse

from .columns import aligned
from .memory_command import PLAN_HELP, read_plan
from .remarks import sequence, to_change
from .search import Progress, search_report, searching
from .units import GB

DESCRIPTION = """\
All legal ways to divide the GPUs for a model and a batch, the quickest first, and why each other one is out.

Leave the layout out, or fix a part of it: what is given stays, what is absent is searched. Give the batch of a step,
so that all are timed at the same work; leave micro_batch out to search it too.

  {"model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64},
   "layout": {"tp": 8}, "recipe": {"preset": "megatron"}, "batch": {"seq": 8192, "global_batch": 256}}

A plan marked * is on the front of memory against time: no other is as quick and smaller, or as small and quicker.
One that fits tightly would fit or not within the error of measured runs; see memory, which also lists a plan's fields.

On a terminal, standard error tells how far a search is; Ctrl-C ends it. A plan without batch.seq takes the model's own
context, which may be long: where nothing fits, the answer says what to change.

Columns: the degrees, the time of a step, tokens per second of one GPU, MFU of the dense peak, and GB (1e9 bytes) that
nvidia-smi would show on the fullest stage. Below them, each reason to reject: how many, and one of them.
"""
SHOWN = ("dp", "tp", "pp", "cp", "ep", "vpp", "zero")
TOP = 20


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "search", help="all legal layouts, ranked, and why the others are out", description=DESCRIPTION
    )
    command.add_argument("given", metavar="PLAN.json", help=PLAN_HELP)
    command.add_argument("--json", action="store_true", help="print one JSON object, of all plans, to standard output")
    command.set_defaults(steps=searching, so_far=so_far)
    command.set_defaults(read=read_plan, report=search_report, table=table, item="plan")


def table(report: dict) -> str:
    """The report for people: the quickest plans and those on the front, then what was rejected."""
    plans = report["plans"]
    listed = [(number, plan) for number, plan in enumerate(plans, 1) if number <= TOP or plan["on_front"]]
    counts = f"{report['count']:,} of {report['candidates']:,} candidates are legal and fit"
    lines = [
        f"{counts}, at {report['global_batch']:,} sequences a step",
        sequence(report["seq"], own=report["seq_is_own_context"]),
    ]
    if report["change"] is not None:
        lines.append(to_change(report["change"]))
    if listed:
        head = ("", *SHOWN, "seq. par.", "micro-batch", "step", "tokens/s/GPU", "MFU", "GB", "fits", "front")
        lines += ["", *aligned([head, *(_row(number, plan) for number, plan in listed)], left=0)]
    if len(listed) < len(plans):
        lines.append(f"{len(plans) - len(listed):,} more with --json: all but the first {TOP} and the front")
    for code, found in report["rejected"].items():
        lines += ["", f"rejected, {code}: {found['count']:,}, such as {_named(found['example'])}", found["message"]]
    return "\n".join(lines)


def so_far(progress: Progress) -> str:
    """How far a search is, for the line on a terminal."""
    return f"{progress.done:,} of {progress.total:,} candidates looked at, {progress.found:,} fit"


def _row(number: int, plan: dict) -> tuple[str, ...]:
    layout, batch = plan["plan"]["layout"], plan["plan"]["batch"]
    return (
        str(number),
        *(str(layout[name]) for name in SHOWN),
        "yes" if layout["sequence_parallel"] else "no",
        str(batch["micro_batch"]),
        f"{plan['step_s']:.4g} s",
        f"{plan['tokens_per_s_per_gpu']:,.1f}",
        f"{plan['mfu']:.1%}",
        f"{plan['worst_stage_bytes'] / GB:.1f}",
        plan["fits"],
        "*" if plan["on_front"] else "",
    )


def _named(example: dict) -> str:
    layout = {name: example["layout"][name] for name in SHOWN if name in example["layout"]}
    degrees = ", ".join(f"{name} {value}" for name, value in layout.items())
    return f"{degrees}, micro-batch {example['batch']['micro_batch']}:"
