"""Records for the tests, as `run` would write them."""

from scripts.measure.case import case
from scripts.measure.records import made

SOURCE = {
    "date": "2026-01-02T03:04:05Z",
    "torch": "2.13.0",
    "python": "3.11.7",
    "device": "A processor",
    "cpu": "A processor",
    "backend": "gloo",
    "transport": "real",
    "command": "python -m scripts.measure run",
    "cuda": None,
    "nccl": None,
    "driver": None,
    "commit": None,
    "dirty": None,
    "world": 2,
    "nodes": 1,
}


def record(result=None, *, world=2, does="plain", transport="real", device="cpu", machine="A processor", **source):
    """A sound record of the toy kind; ``source`` changes its provenance."""
    one = case("toy", world, transport=transport, device=device, does=does)
    told = {**SOURCE, "world": world, "transport": transport, "device": machine, **source}
    return made(one, {"state_bytes": 16 * world} if result is None else result, told)
