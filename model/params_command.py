"""``params``: the command, and its table for people."""

import argparse
import textwrap

from .columns import aligned
from .documents import read_json
from .errors import Invalid
from .models import ALIASES, MODELS, described_model
from .parameters import parameter_report
from .remarks import about_model

MODEL_HELP = (
    "name of the catalogue, file with a config.json (such as ./config.json), or - to read it from standard input"
)
DESCRIPTION = """\
Counts a model's parameters tensor by tensor: the shape of each, how many there are of it, and their elements together.

  total                     every parameter; a tied head counts once, buffers not at all
  active                    those that one token passes through
  active_without_embedding  active without the input embedding, which is looked up and not multiplied

A config.json is read as its model_type says; what does not change the shape is listed as ignored. A size that it leaves
out is the family's default, and listed too.
{"architecture": {...}} gives a shape that no family has. A file that holds a list gives a list of reports.

  params llama-3.1-8b
  params ./config.json --json
"""


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "params",
        help="parameters of a model, tensor by tensor",
        description=DESCRIPTION,
        epilog=textwrap.fill(f"the catalogue: {', '.join(sorted([*MODELS, *ALIASES]))}", 100, break_on_hyphens=False),
    )
    command.add_argument("given", metavar="MODEL", help=MODEL_HELP)
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(read=read_model, report=report, table=table, item="config")


def read_model(name: str) -> object:
    """A catalogue name as it is; anything else is a file, unless nothing about it says so."""
    if name in MODELS or name in ALIASES:
        return name
    try:
        return read_json(name, "MODEL")
    except Invalid as error:
        if error.code == "not_found" and not name.endswith(".json"):
            return name
        raise


def report(given: object) -> dict:
    """The report of one model; raises ``Invalid``."""
    model = described_model(given, "MODEL" if isinstance(given, str) else "")
    return parameter_report(model.architecture, model.ignored, model.defaulted)


def table(report: dict) -> str:
    """The report for people: tensors, then the sums."""
    rows = [("tensor", "shape", "count", "parameters")]
    for name, line in report["by_tensor"].items():
        shape = " x ".join(map(str, line["shape"]))
        rows.append((name, shape, f"{line['count']:,}", f"{line['parameters']:,}"))
    sums = [(name, f"{count:,}") for name, count in report["components"].items() if count]
    sums += [(name, f"{report[name]:,}") for name in ("total", "active", "active_without_embedding")]
    lines = [*aligned(rows, left=1), "", *aligned(sums, left=1)]
    about = about_model(report)
    return "\n".join([*lines, "", *about] if about else lines)
