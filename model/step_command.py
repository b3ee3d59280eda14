"""``step``: the command, and its table for people."""

import argparse

from .columns import aligned
from .memory_command import PLAN_HELP, read_plan
from .plan import memory_report
from .remarks import about_model, asked, kept_after_forward
from .step_report import step_report
from .units import GB

DESCRIPTION = """\
The time of one training step, and what it makes of the cards: tokens per second, MFU and HFU.

Computation is priced kernel by kernel at rates that were measured, the pipeline is laid out as events, and messages
cost α · steps + bytes / β over the links that their group spans. What cannot be hidden behind computation is exposed.
MFU counts model FLOPs over the card's dense peak; "flops": {"attention": "causal"} counts half of the attention scores.

  {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64},
   "layout": {"zero": 3}, "recipe": {"preset": "fsdp2"}, "batch": {"seq": 8192, "total_tokens": 1e12}}

Under --json times are in seconds, messages in bytes that the busiest rank sends in a step, shares fractions of 1.
exposed_s is the part of a message's time that nothing hides. The bubble is the schedule's own; idle is as timed.
The fields of a plan: see memory --help.
"""


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "step", help="time of a step, tokens per second, MFU and what crosses the links", description=DESCRIPTION
    )
    command.add_argument("given", metavar="PLAN.json", help=PLAN_HELP)
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(read=read_plan, report=step_report, table=table, item="plan")


def table(report: dict) -> str:
    """The report for people: the step, then each kind of message, then each pipeline stage."""
    plan = report["plan"]
    cluster, memory = plan["cluster"], memory_report(plan)
    lines = [
        *asked(plan),
        f"links               {cluster['intra']} inside a node, {cluster['inter']} between nodes",
        f"fits {cluster['gpu']}: {memory['fits']}" + ("" if memory["fits"] == "yes" else ", see the memory command"),
        f"step                {_time(report['step_s'])} for {report['tokens_per_step']:,} tokens",
        f"tokens/s per GPU    {report['tokens_per_s_per_gpu']:,.1f}",
        (
            f"model TFLOP/s       {report['model_tflops_per_gpu']:.1f} per GPU of {report['peak_tflops']:g} dense: "
            f"MFU {_percent(report['mfu'])}, HFU {_percent(report['hfu'])} "
            f"(attention: {report['plan']['flops']['attention']})"
        ),
        (
            f"pipeline bubble     {_percent(report['bubble_of_total'])} of the total, "
            f"{_percent(report['bubble_over_ideal'])} over the ideal; idle as timed {_percent(report['idle_of_total'])}"
        ),
        f"optimizer           {_time(report['optimizer_s'])}",
    ]
    if report["days"] is not None:
        lines.append(f"whole training      {report['days']:,.1f} days, {report['gpu_hours']:,.0f} GPU hours")
    rows = [("message", "sent by a rank", "time", "not hidden")]
    for kind, cost in report["communication"].items():
        if cost["bytes"]:
            rows.append((kind, f"{cost['bytes'] / GB:.3f} GB", _time(cost["s"]), _time(cost["exposed_s"])))
    if len(rows) > 1:
        lines += ["", "a step's messages, of the busiest rank", *aligned(rows, left=1)]
    rows = [("stage", "layers", "forward", "backward")]
    for stage in report["stages"]:
        rows.append((str(stage["stage"]), str(stage["layers"]), _time(stage["forward_s"]), _time(stage["backward_s"])))
    lines += ["", "one micro-batch on each pipeline stage", *aligned(rows, left=0)]
    lines += [f"assumed: {'; '.join(report['assumed'])}", f"not modelled: {'; '.join(report['not_modelled'])}"]
    lines += [f"note: {line}" for line in kept_after_forward(plan)]
    lines += about_model(report)
    lines += [f"note: {note['message']}" for note in report["notes"]]
    return "\n".join(lines)


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _time(seconds: float) -> str:
    return f"{seconds:.4g} s" if seconds >= 1 else f"{seconds * 1000:.4g} ms"
