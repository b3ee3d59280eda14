"""``memory``: the command, and its table for people."""

import argparse

from .columns import aligned
from .contract import field_list
from .documents import read_json
from .plan import memory_report
from .remarks import about_model, asked, kept_after_forward
from .report import TOO_LOW
from .units import convert, half_up

STATES = ("weights", "gradients", "optimizer")
PARTS = (*STATES, "activations", "logits", "transient")
UNKNOWN = "-"
LARGEST = 3  # residents that are named at the peak
PLAN_HELP = "file with a plan in JSON, or - to read it from standard input"
DESCRIPTION = """\
What each pipeline stage keeps on its largest rank at its largest instant of a step, and whether it fits the card.

  {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
   "layout": {"zero": 3}, "recipe": {"preset": "fsdp2"}, "batch": {"seq": 8192}}

The columns, in GB (1e9 bytes); under --json they are bytes, as whole numbers:
  weights, gradients, optimizer  the states, as this rank holds its shard of them at that instant
  activations, logits            kept from the forward pass for the backward pass
  transient                      buffers: gathered weights, messages, temporaries of the optimizer step
  allocated                      the sum of the above: what the framework asked for
  reserved                       allocated, and what the allocator keeps beside it
  nvidia-smi                     reserved, the CUDA context and the communicators: what must fit the card
  peak                           the instant: forward, loss, backward, end (of the backward pass), reduce or step
Gradients are counted whole, so that the columns add up: those not yet allocated at the peak are taken off transient,
then logits, then activations. The line "at the peak" names the three largest parts of the fullest stage as they are.
--json adds resting, what is held between steps, and every instant and tensor with its formula. What a plan cannot
say is null, and named in not_modelled. Fits is yes, no, or tight where the error of measured runs would decide.
"""
FIELDS = f"the fields of a plan, JSON objects in one object; null means what stands behind it:\n{field_list()}"


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "memory",
        help="memory of every pipeline stage against the card",
        description=DESCRIPTION,
        epilog=FIELDS,
    )
    command.add_argument("given", metavar="PLAN.json", help=PLAN_HELP)
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(read=read_plan, report=memory_report, table=table, item="plan")


def read_plan(path: str) -> object:
    """The plan, or the list of plans, that a file holds."""
    return read_json(path, "PLAN.json")


def table(report: dict) -> str:
    """The report for people: a line for each stage, then what it was asked about."""
    rows = [("stage", *PARTS, "allocated", "reserved", "nvidia-smi", "peak")]
    for stage in report["stages"]:
        amounts = (*(stage["states"][part] for part in STATES), *(stage[part] for part in PARTS[len(STATES) :]))
        totals = (stage["allocated_peak"], stage["reserved_peak"], stage["nvidia_smi"])
        rows.append((str(stage["stage"]), *map(_gb, (*amounts, *totals)), str(stage["peak_instant"] or UNKNOWN)))
    layout, gpu, preset = (report["plan"][part] for part in ("layout", "cluster", "recipe"))
    degrees = " x ".join(f"{name} {layout[name]}" for name in ("dp", "tp", "pp", "cp"))
    lines = [
        "GB (1e9 bytes) on the largest rank of each pipeline stage, at its peak",
        *aligned(rows, left=0),
        *_at_peak(report),
        f"{degrees}, ZeRO stage {layout['zero']}, preset {preset['preset']}",
        *kept_after_forward(report["plan"]),
        *asked(report["plan"]),
        f"fits {gpu['gpu']} ({_gb(report['capacity_bytes'])} GB): {report['fits']} ({report['basis']})",
    ]
    if report["fits"] == "tight" or (preset["preset"] in TOO_LOW and report["tight_band_from"]):
        band = _gb(report["tight_band_bytes"])
        lines.append(f"tight is {band} GB to either side: {report['tight_band_from']}")
    if report["not_counted"]:
        lines.append(f"given, but not counted: {', '.join(report['not_counted'])}")
    lines += about_model(report)
    lines += [f"note: {note['message']}" for note in report["notes"]]
    return "\n".join(lines)


def _at_peak(report: dict) -> list[str]:
    """The largest residents of the fullest stage at its peak, and what its columns were made net of."""
    stage = report["stages"][report["worst_stage"]]
    if stage["at_peak"] is None:
        return []
    largest = ", ".join(f"{part['what']} {_gb(part['bytes'])} GB" for part in stage["at_peak"][:LARGEST])
    where = f"stage {stage['stage']}, {stage['peak_instant']}"
    come = next(part["bytes"] for part in stage["at_peak"] if part["what"] == "gradients")
    missing = stage["states"]["gradients"] - come
    late = f"; {_gb(missing)} GB of its gradients are yet to come, and are taken off other columns" if missing else ""
    return [f"at the peak ({where}): {largest}{late}"]


def _gb(amount_bytes: int | None) -> str:
    return UNKNOWN if amount_bytes is None else f"{float(half_up(convert(amount_bytes, 'GB'), 3)):.3f}"
