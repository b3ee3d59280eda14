"""``solve``: the command, and its answer for people."""

import argparse

from .memory_command import PLAN_HELP, read_plan
from .remarks import kept_after_forward, sequence, to_change
from .solve import SECTION_OF, solve_report
from .units import GB

DESCRIPTION = """\
The largest micro-batch, the longest sequence or the fewest GPUs with which a plan fits its card.

Only the number asked for changes; the plan may leave it out. A global batch that is given stays, and is divided.
The next number, which does not fit, is printed with its reason, so that you see how sharp the edge is.
micro_batch counts sequences, seq tokens. --json adds the whole plan with the number in it; see memory --help.

  solve plan.json --for gpus      with plan.json:
  {"model": {"params": 46702792704}, "cluster": {"gpu": "card-80gb"}, "layout": {"zero": 3}}
"""
NONE = {
    "micro_batch": "no micro-batch fits",
    "seq": "no length of a sequence fits",
    "gpus": "no number of GPUs fits",
}


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "solve", help="largest micro-batch or sequence, or fewest GPUs, that fit", description=DESCRIPTION
    )
    command.add_argument("given", metavar="PLAN.json", help=PLAN_HELP)
    command.add_argument("--for", dest="question", required=True, choices=tuple(SECTION_OF), help="what to find")
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(read=read_plan, report=None, asks=solve_report, table=table, item="plan")


def table(answer: dict) -> str:
    """The answer for people: the number, what it takes, and the next one's reason."""
    name = answer["for"]
    if answer["value"] is None:
        lines = [NONE[name], f"at {answer['next']['value']:,}: {answer['next']['reason']}", *_sequence(answer)]
        return "\n".join(lines if answer["change"] is None else [*lines, to_change(answer["change"])])
    word = "fewest" if name == "gpus" else "largest"
    lines = [
        f"{word} {name}  {answer['value']:,}",
        f"fullest stage  {answer['worst_stage_bytes'] / GB:.2f} GB, fits: {answer['fits']}",
    ]
    lines += _sequence(answer)
    if answer["next"] is None:
        lines.append("the plan can have no number beyond")
    else:
        lines.append(f"at {answer['next']['value']:,}: {answer['next']['reason']}")
    lines += [f"note: {line}" for line in kept_after_forward(answer["plan"])]
    return "\n".join(lines)


def _sequence(answer: dict) -> list[str]:
    if answer["seq"] is None or answer["for"] == "seq":
        return []
    return [sequence(answer["seq"], own=answer["seq_is_own_context"])]
