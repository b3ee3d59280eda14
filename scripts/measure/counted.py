"""What the CUDA allocator's own counters say of a rank's step: allocated, reserved and requested bytes by phase."""

from typing import Any

import torch

from .one_rank import OneRank

# What tensors have, what the allocator took from the driver for them, and what they asked for before it was rounded up.
COUNTERS = ("allocated", "reserved", "requested")


def counted_step(rank: OneRank, device: torch.device, *, steps: int) -> dict[str, Any]:
    """The last of ``steps`` steps: each counter after each phase and at its peak, and the peaks of the whole step.

    ``beside_bytes`` is what the card holds outside the allocator: the context, the communicators, other processes.
    """
    phases: dict[str, Any] = {}
    for _ in range(steps):
        for name, act in rank.phases():
            torch.cuda.reset_peak_memory_stats(device)
            act()
            torch.cuda.synchronize(device)
            phases[name] = {"after": _read(device, "current"), "peak": _read(device, "peak")}
    largest = {name: max(phase["peak"][name] for phase in phases.values()) for name in _read(device, "peak")}
    return {"phases": phases, "peak": largest, "beside_bytes": beside(device)}


def beside(device: torch.device) -> int:
    """Bytes of the card that are in use, and not by this process's allocator."""
    free, total = torch.cuda.mem_get_info(device)
    return total - free - torch.cuda.memory_reserved(device)


def _read(device: torch.device, when: str) -> dict[str, int]:
    told = torch.cuda.memory_stats(device)
    return {f"{name}_bytes": told[f"{name}_bytes.all.{when}"] for name in COUNTERS}
