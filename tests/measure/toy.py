"""A kind for the tests of the commands: what it does is in its options. Its figures need no network."""

import os
import signal

from scripts.measure.case import case
from scripts.measure.check import Check


def cases(suite, world, device):
    """Cheapest last, so that the order in which they run is the suite's doing."""
    if suite in ("ci", "gpu"):
        names = os.environ.get("TOY", "plain,second").split(",")
        return [
            case("toy", world, device=device, seconds=len(names) - index, does=name) for index, name in enumerate(names)
        ]
    ram = int(os.environ.get("TOY_RAM", 10**8))
    return [case("toy", ranks, transport="fake", device=device, seconds=1, ram=ram, does="fake") for ranks in (8, 64)]


def run(case, place):
    """What each kind of case does to the ranks."""
    does = dict(case.options)["does"]
    if does == "killed" and place.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if does == "forever":
        signal.pause()
    if place.backend != "fake":
        import torch
        from torch import distributed

        total = torch.ones(1, device=place.device)
        distributed.all_reduce(total)
        assert total.item() == place.world
    if does == "raises" and place.rank == 1:  # when rank 0 has its result already
        raise RuntimeError("the toy broke\nand says so at length")
    if place.rank:
        return None
    if does == "floats":
        return {"state_bytes": 1.5}
    return {
        "state_bytes": 16 * case.world,
        "step_s": {"p10": 0.1, "p50": 0.2, "p90": 0.3, "n": 3},
        "of_ranks": place.world,
    }


def checks(record):
    """Sixteen bytes a rank, and nothing else is known."""
    asked, told = record["case"], record["result"]["state_bytes"]
    return [Check(what="state", measured=told, modelled=16 * asked["world"], unit="bytes")]
