"""``schedule``: the command, and its table and timeline for people."""

import argparse

from .arguments import read
from .schedule_report import schedule_report
from .schedules import KINDS
from .schema import SECTIONS, Field

DESCRIPTION = """\
The order, timeline, bubble and activations in flight of a pipeline schedule.

F, B and W are the times of one stage's whole layers for one micro-batch, in any unit: the forward, the whole
backward, and the part of the backward that makes the weight gradients. With v virtual stages each chunk costs 1/v.
The bubble is given twice: of the total (idle over all time) and over the ideal (idle over work).
In flight: chunks whose activations a rank holds at most, from their forward to the end of their weight gradients.
--json has each rank's operations in PyTorch's order, such as 0F3: stage 0, forward, micro-batch 3; and the timeline.

  schedule --kind 1f1b --stages 4 --micro-batches 8
  schedule --kind interleaved --stages 4 --micro-batches 8 --virtual 2
"""
COUNT = Field(kind="int", least=1, most=10**12)
COLUMNS = 120
MOST_ROWS = 64


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "schedule", help="order, bubble and activations in flight of a pipeline schedule", description=DESCRIPTION
    )
    command.add_argument("--kind", required=True, metavar="K", help=f"one of: {', '.join(KINDS)}")
    command.add_argument("--stages", required=True, metavar="P", help="pipeline ranks")
    command.add_argument("--micro-batches", required=True, metavar="M", help="micro-batches in one step")
    command.add_argument("--virtual", metavar="V", help="chunks on each rank (default: the kind's own; interleaved: 2)")
    command.add_argument("--forward", metavar="F", help="time of the forward (default: 1)")
    command.add_argument("--backward", metavar="B", help="time of the whole backward (default: 2)")
    command.add_argument("--weight", metavar="W", help="the part of it for the weight gradients (default: 1)")
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(answer=answer, table=table)


def answer(options: argparse.Namespace) -> dict:
    """The report that the flags ask for; raises ``Invalid`` naming the flag."""
    times = SECTIONS["schedule"]
    return schedule_report(
        kind=options.kind,
        stages=read("stages", COUNT, options.stages),
        micro_batches=read("micro_batches", COUNT, options.micro_batches),
        virtual=None if options.virtual is None else read("virtual", COUNT, options.virtual),
        **{name: read(name, times[name], getattr(options, name)) for name in ("forward", "backward", "weight")},
    )


def table(report: dict) -> str:
    """The report for people: a line for each rank, time from left to right, then the figures."""
    p, rows = report["stages"], min(report["stages"], MOST_ROWS)
    width = len(str(rows - 1))
    shown: list[list[dict]] = [[] for _ in range(rows)]
    for event in report["timeline"]:
        if event["rank"] < rows:
            shown[event["rank"]].append(event)
    steps = len(report["order"][0])
    scale = _scale(report)
    lines = [
        (
            f"{report['kind']} ({report['pytorch']} in PyTorch): {p} stages, {report['micro_batches']} micro-batches, "
            f"{report['virtual']} chunk{'s' if report['virtual'] > 1 else ''} a rank, {steps} operations on rank 0"
        ),
        "",
        *(f"rank {rank:>{width}}  {_draw(events, scale)}" for rank, events in enumerate(shown)),
    ]
    if rows < p:
        lines.append(f"… and {p - rows} ranks more")
    lines += [
        "F forward, B whole backward, I its input half, W its weight half, & fused pair, . idle",
        "",
        f"makespan                 {report['makespan']:.6g}",
        f"bubble of the total      {100 * report['bubble_of_total']:.4g} %",
    ]
    if report["bubble_of_total_ideal"] != report["bubble_of_total"]:
        lines.append(f"  if halves sent early   {100 * report['bubble_of_total_ideal']:.4g} %")
    lines += [
        f"bubble over the ideal    {100 * report['bubble_over_ideal']:.4g} %",
        f"chunks in flight         {_runs(report['peak_in_flight'])}",
        *(f"note: {note['message']}" for note in report["notes"]),
    ]
    return "\n".join(lines)


def _scale(report: dict) -> float:
    """Columns for one unit of time: a few whole ones for the shortest step where the line is wide enough."""
    lengths = [event["end"] - event["start"] for event in report["timeline"] if event["end"] > event["start"]]
    for columns in (4, 3, 2, 1):
        if columns * report["makespan"] <= COLUMNS * min(lengths):
            return columns / min(lengths)
    return COLUMNS / report["makespan"]


def _draw(events: list[dict], scale: float) -> str:
    """One rank's time as text: what runs at the middle of each column, with the micro-batch where there is room."""
    row = ["."] * max(1, round(events[-1]["end"] * scale))
    for event in events:
        first, end = round(event["start"] * scale), round(event["end"] * scale)
        op = event["op"]
        letter = "&" if op.startswith("(") else op.lstrip("0123456789")[0]
        label = letter if letter == "&" else op.lstrip("0123456789")
        for column in range(first, min(end, len(row))):
            row[column] = label[column - first] if end - first >= len(label) > column - first else letter
        if end - first > len(label):
            row[first + len(label) : end] = "-" * (end - first - len(label))
    return "".join(row)


def _runs(counts: list[int]) -> str:
    """Counts of consecutive ranks, equal ones taken together: ``rank 0: 4, ranks 1–3: 2``."""
    parts, start = [], 0
    for rank in range(1, len(counts) + 1):
        if rank == len(counts) or counts[rank] != counts[start]:
            name = f"rank {start}" if rank - start == 1 else f"ranks {start}–{rank - 1}"
            parts.append(f"{name}: {counts[start]}")
            start = rank
    return ", ".join(parts)
