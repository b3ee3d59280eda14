"""Whether one rank's step fits: `python -m scripts.measure.probe CASE`, CASE being `Case.asked` as JSON. Prints JSON.

A process of its own, since memory that ran out leaves an allocator in pieces. On a GPU the card decides, or as much of
it as ``limit_bytes`` allows; on the processor PyTorch's tracker and ``limit_bytes`` do.
"""

import json
import os
import sys
from typing import Any

import torch

from . import lifeline
from .fake import fake_rank

STEPS = 2  # the first makes what stays


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """``fits``; ``peak_bytes`` of the step where it ran; ``limit_bytes``, what the allocator could have had."""
    return _on_card(asked) if asked["device"] == "cuda" else _on_processor(asked)


def _on_processor(asked: dict[str, Any]) -> dict[str, Any]:
    from .tracked import tracked_step

    with fake_rank(asked, torch.device("cpu"), bytes_too=True) as rank:
        peak = tracked_step(rank, steps=STEPS)["peak"]["total_bytes"]
    return {"fits": peak <= asked["limit_bytes"], "peak_bytes": peak, "limit_bytes": asked["limit_bytes"]}


def _on_card(asked: dict[str, Any]) -> dict[str, Any]:
    from .counted import beside, counted_step

    device = torch.device("cuda", 0)
    torch.cuda.init()
    total = torch.cuda.get_device_properties(device).total_memory
    room = total - beside(device)
    if asked["limit_bytes"]:
        room = min(room, asked["limit_bytes"])
        torch.cuda.set_per_process_memory_fraction(room / total, device)
    try:
        with fake_rank(asked, device, bytes_too=True) as rank:
            peak = counted_step(rank, device, steps=STEPS)["peak"]["reserved_bytes"]
    except torch.OutOfMemoryError:
        return {"fits": False, "peak_bytes": None, "limit_bytes": room}
    return {"fits": True, "peak_bytes": peak, "limit_bytes": room}


if __name__ == "__main__":
    lifeline.tie(int(sys.argv[2]))
    print(json.dumps(answer(json.loads(sys.argv[1]))), flush=True)
    os._exit(0)  # as ranks leave
