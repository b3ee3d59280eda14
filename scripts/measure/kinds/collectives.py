"""How long a collective takes by size, and the α and β that explain it.

time = α · steps + bytes / β: steps and bytes are those of a ring (`model.collectives`), α and β are fitted. What NCCL does
inside may be another algorithm; its times are then told in the terms of a ring.
"""

import math
from typing import Any

from model.collectives import OPS, Group, bus_factor, collective
from model.errors import Invalid
from model.links import LINKS, link_named
from model.speeds import SPEEDS

from ..cards import card_of
from ..case import Case, case
from ..check import Check
from ..place import Place

LEAST_BYTES = 2**10
MOST_BYTES = {"cuda": 2**28, "cpu": 2**24}
TIMES_LARGER = 4  # each size
LAUNCHES = {"cuda": 5, "cpu": 2}  # fresh process groups: each may place its rings and buffers in another way
SAMPLES = 20  # of each size and launch: on a processor fewer would fit between two turns of another process
SAMPLE_S = 1e-3  # a sample repeats what is shorter, so that the clock's steps do not count
MOST_REPEATS = 50
TIME_TOLERANCE = 0.25  # of the model's time for large arrays: NCCL's releases and the published figures differ so much
FIT_TOLERANCE = 0.6  # of a time, root mean square: protocols change with the size, and each has its own α and β
LAUNCHED = "α holds the launch of one collective from Python too; the model's is one step on the link alone"


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Every operation on ``world`` ranks, from 1 KiB to the largest size of the device."""
    # On the processor two ranks rehearse it: more of them on a few cores would show how these take turns.
    if not (world == 2 and suite == "ci") and not (world > 1 and suite == "gpu"):
        return []
    seconds = 15 if device == "cuda" else 2
    return [
        case(
            "collectives",
            world,
            device=device,
            seconds=seconds,
            ram=4 * MOST_BYTES[device] + 400 * 10**6,
            op=op,
            most_bytes=MOST_BYTES[device],
        )
        for op in OPS
    ]


def sizes(most_bytes: int, world: int) -> list[int]:
    """The sizes, each rounded up so that every rank has an equal part of whole 4-byte numbers."""
    even = 4 * world
    count = 1 + round(math.log(most_bytes / LEAST_BYTES, TIMES_LARGER))
    return [-(-LEAST_BYTES * TIMES_LARGER**power // even) * even for power in range(count)]


def run(case: Case, place: Place) -> dict[str, Any] | None:
    """Times of every size over all launches, and α and β fitted to each launch's medians.

    Lists go by size. ``algbw`` and ``busbw`` are the bandwidths of nccl-tests at the median time; ``residual`` is the root
    mean square of what a fit over all launches is off, as a share of each time: of the 10th percentiles, as what other
    processes delay is no matter of α and β.
    """
    import torch.distributed as dist

    from ..clock import spread

    op, found = case.asked["op"], sizes(case.asked["most_bytes"], place.world)
    launches = []
    for _ in range(LAUNCHES[place.device.type]):
        group = dist.new_group()
        launches.append([_seconds(op, size, place, group) for size in found])
        dist.destroy_process_group(group)
    if place.rank:
        return None
    priced = [_ring(op, size, place.world) for size in found]
    spreads = [spread([second for launch in launches for second in launch[index]]) for index in range(len(found))]
    fits = [fit(priced, [spread(samples)["p50"] for samples in launch])[:2] for launch in launches]
    alphas, betas = (list(each) for each in zip(*fits, strict=True))
    algbw = [size / times["p50"] for size, times in zip(found, spreads, strict=True)]
    return {
        "size_bytes": found,
        "sent_bytes": [sent for _, sent in priced],
        "time_s": spreads,
        "algbw_bytes_per_s": algbw,
        "busbw_bytes_per_s": [each * bus_factor(op, place.world) for each in algbw],
        "alpha_s": spread(alphas),
        "beta_bytes_per_s": spread(betas),
        "residual": fit(priced, [times["p10"] for times in spreads])[2],
    }


def _seconds(op: str, size: int, place: Place, group: Any) -> list[float]:
    """Seconds of one operation, in every sample."""
    from ..clock import seconds_of
    from ..exchange import exchange

    work = exchange(op, size, place, group)
    seconds_of(work, place.device, 1)  # connects the ranks
    once = seconds_of(work, place.device, 1, repeats=2)[0]
    repeats = min(MOST_REPEATS, max(1, math.ceil(SAMPLE_S / once)))
    found = seconds_of(work, place.device, SAMPLES, repeats)
    return [second / 2 for second in found] if op == "send" else found


def _ring(op: str, size: int, world: int) -> tuple[int, int]:
    """Steps of a ring, and the bytes that its busiest rank sends."""
    group = Group.checked(ranks=world, per_node=None, link=link_named("1:1", "link"), inter=None)
    cost = collective(op, size, group)
    return cost.tiers[0].steps, cost.sent_bytes


def fit(priced: list[tuple[int, int]], seconds: list[float]) -> tuple[float, float, float]:
    """α in seconds, β in bytes/s, and the residual: least squares of each size's relative error.

    ``priced``: steps and bytes of each size. Small sizes count as much as large ones, else α would be lost in the noise of
    the largest.
    """
    import numpy as np

    rows, wanted = np.array(priced, dtype=float), np.array(seconds)
    scale = rows.max(axis=0)  # bytes are many more than steps
    shares = np.linalg.lstsq(rows / scale / wanted[:, None], np.ones(len(wanted)), rcond=None)[0] / scale
    off = rows @ shares / wanted - 1
    return float(shares[0]), float(1 / shares[1]), float(np.sqrt(np.mean(off**2)))


def checks(record: dict[str, Any]) -> list[Check]:
    """The shape of the curve; over NCCL in one node of a known card also the time of the largest array, and α."""
    asked, result, source = record["case"], record["result"], record["provenance"]
    times = [each["p10"] for each in result["time_s"]]  # what other processes delay is not in it
    quicker = sum(time < max(times[:index], default=0) / 2 for index, time in enumerate(times))
    found = [
        Check(what="sizes in half the time of a smaller one", measured=quicker, modelled=0, unit="sizes"),
        Check(
            what="what α · steps + bytes / β is off",
            measured=result["residual"],
            modelled=0,
            unit="of each time",
            tolerance=FIT_TOLERANCE,
            relative=False,
        ),
    ]
    card = card_of(source["device"])
    link = card and SPEEDS[card].intra
    if source["backend"] != "nccl" or source["nodes"] > 1 or not link:
        return found
    largest = result["size_bytes"][-1]
    return [
        *found,
        Check(
            what=f"time of {largest >> 20} MiB, over {link}",
            measured=result["time_s"][-1]["p50"],
            modelled=_modelled_s(asked["op"], largest, asked["world"], link),
            unit="s",
            tolerance=TIME_TOLERANCE,
        ),
        Check(
            what=f"α, over {link}",
            measured=result["alpha_s"]["p50"],
            modelled=LINKS[link].latency_us / 1e6,
            unit="s",
            tolerance=1,
            why=LAUNCHED,
        ),
    ]


def _modelled_s(op: str, size: int, world: int, link: str) -> float:
    """The model's time at the published rate of the link, by the better algorithm, as NCCL chooses it."""
    group = Group.checked(ranks=world, per_node=None, link=LINKS[link], inter=None)
    found = []
    for algorithm in ("ring", "nvls"):
        try:
            found.append(collective(op, size, group, algorithm, achieved=True).time_s)
        except Invalid:  # no switch that adds up, or nothing published
            continue
    return min(found)
