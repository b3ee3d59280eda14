"""``collective``: the command, its report, and its table for people."""

import argparse

from .arguments import read
from .catalog import NCCL_TALKS
from .collectives import ALGORITHMS, OPS, Cost, Group, collective
from .errors import Invalid, unknown_value
from .links import LINKS, link_named
from .schema import Field

DESCRIPTION = """\
What a collective sends and how long it takes: α · steps + bytes / β, over the slowest tier that the group spans.

S is the whole array as in nccl-tests. A link is a name or "GB/s:µs", its rate one way per GPU and its latency a step.
Where NVIDIA published what all-reduce reaches on the links, the answer says what that makes of the time.
Algorithm bandwidth is S / time, bus bandwidth as nccl-tests define it, both in GB/s of 1e9 bytes.

  collective all-reduce --bytes 1e9 --ranks 8 --link nvlink4
  collective all-gather --bytes 1e9 --ranks 32 --link nvlink4 --ranks-per-node 8 --inter-link ib-400
"""
COUNT = Field(kind="int", least=1, most=10**9)
BYTES = Field(kind="int", least=1, most=2**53)
DIGITS = 12  # of a float in the answer, so that every engine prints the same


def add(commands: argparse._SubParsersAction) -> None:
    """Adds the command to the command line."""
    command = commands.add_parser(
        "collective", help="bytes and time of a collective over the links it spans", description=DESCRIPTION
    )
    command.add_argument("op", metavar="OP", help=f"one of: {', '.join(OPS)}")
    command.add_argument("--bytes", required=True, metavar="S", help="bytes of the whole array")
    command.add_argument("--ranks", required=True, metavar="N", help="ranks that take part")
    command.add_argument("--link", required=True, metavar="NAME", help=f'"GB/s:µs", or one of: {", ".join(LINKS)}')
    command.add_argument("--ranks-per-node", metavar="G", help="of the ranks, how many are on each node")
    command.add_argument("--inter-link", metavar="NAME", help="the link between nodes")
    command.add_argument(
        "--algorithm", default="ring", metavar="A", help=f"one of: {', '.join(ALGORITHMS)} (default: ring)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object to standard output")
    command.set_defaults(answer=answer, table=table)


def answer(options: argparse.Namespace) -> dict:
    """The report that the flags ask for; raises ``Invalid`` naming the flag."""
    op = options.op.replace("_", "-")
    if op not in OPS:
        raise unknown_value("op", options.op, OPS)
    size_bytes = read("bytes", BYTES, options.bytes)
    group = Group.checked(
        ranks=read("ranks", COUNT, options.ranks),
        per_node=None if options.ranks_per_node is None else read("ranks_per_node", COUNT, options.ranks_per_node),
        link=link_named(options.link, "link"),
        inter=None if options.inter_link is None else link_named(options.inter_link, "inter_link"),
    )
    cost = collective(op, size_bytes, group, options.algorithm)
    return {
        "op": op,
        "algorithm": options.algorithm,
        "bytes": size_bytes,
        "ranks": group.ranks,
        "ranks_per_node": group.per_node,
        "nodes": group.nodes,
        "bytes_sent_per_rank": cost.sent_bytes,
        **_speed(cost),
        "tiers": [
            {
                "tier": tier.name,
                "link": tier.link.name,
                "rate_GBps": tier.link.rate_gb_per_s,
                "step_us": tier.link.step_us(options.algorithm),
                "steps": tier.steps,
                "bytes_sent_per_rank": tier.sent_bytes,
                "latency_s": _round(tier.latency_s),
                "transfer_s": _round(tier.transfer_s),
                "source": None if tier.link.rate_source is None else tier.link.rate_source.title,
            }
            for tier in cost.tiers
        ],
        "achieved": _achieved(op, size_bytes, group, options.algorithm),
    }


def _speed(cost: Cost) -> dict:
    return {
        "time_s": _round(cost.time_s),
        "algbw_GBps": _round(cost.algbw_gb_per_s),
        "busbw_GBps": _round(cost.busbw_gb_per_s),
    }


def _achieved(op: str, size_bytes: int, group: Group, algorithm: str) -> dict | None:
    """The speed at measured rates, or None where one of the links has no published measurement."""
    try:
        cost = collective(op, size_bytes, group, algorithm, achieved=True)
    except Invalid:
        return None
    return {**_speed(cost), "source": NCCL_TALKS.title}


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def table(report: dict) -> str:
    """The report for people."""
    rows = [
        ("", "sent by a rank", "steps", "latency", "transfer"),
        *(
            (
                f"{tier['tier']} {tier['link']}",
                f"{tier['bytes_sent_per_rank']:,} bytes",
                str(tier["steps"]),
                _time(tier["latency_s"]),
                _time(tier["transfer_s"]),
            )
            for tier in report["tiers"]
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        (
            f"{report['op']} of {report['bytes']:,} bytes by {report['algorithm']} over {report['ranks']} {'rank' if report['ranks'] == 1 else 'ranks'} "
            f"on {report['nodes']} node{'s' if report['nodes'] > 1 else ''}"
        ),
        *("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows),
        f"sent by the busiest rank  {report['bytes_sent_per_rank']:,} bytes",
        f"time                      {_time(report['time_s'])}",
        f"algorithm bandwidth       {_rate(report['algbw_GBps'])}",
        f"bus bandwidth             {_rate(report['busbw_GBps'])}",
    ]
    if report["achieved"]:
        achieved = report["achieved"]
        lines.append(
            f"at rates NVIDIA measured  {_time(achieved['time_s'])}, bus bandwidth {_rate(achieved['busbw_GBps'])}"
        )
    return "\n".join(lines)


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e6:.4g} µs"


def _rate(value: float | None) -> str:
    return "nothing is sent" if value is None else f"{value:.4g} GB/s"
