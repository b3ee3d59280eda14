"""What a rank holds in a step, by category and phase, as PyTorch's own trackers of memory count it."""

from typing import Any

from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker

from .one_rank import OneRank

# The two trackers' names for what they count, and ours. DDP's buckets are what touches them first: activations, or
# temporaries of the backward pass.
CATEGORIES = {
    "Parameter": "weights",
    "Sharded Param": "weights",
    "Unsharded Param": "gathered",
    "All Gather": "gathering",
    "Gradient": "gradients",
    "Sharded Grad": "gradients",
    "Unsharded Grad": "whole_gradients",
    "Reduce Scatter": "reducing",
    "Optstate": "optimizer",
    "OptState": "optimizer",
    "Activation": "activations",
    "Temp": "temporaries",
    "Buffer": "buffers",
    "Inputs": "inputs",
    "Other": "inputs",
    "Total": "total",
}


class Tracked:
    """A tracker around a rank. Steps run inside ``with``; the first of two makes what stays, and is not counted."""

    def __init__(self, rank: OneRank) -> None:
        self.rank = rank
        if rank.sharded:
            self.tracker = FSDPMemTracker(rank.network, rank.optimizer)
            self.tracker.track_inputs((rank.tokens, rank.wanted))
        else:
            self.tracker = MemTracker()
            self.tracker.track_external(rank.network, rank.stateful, rank.tokens, rank.wanted)

    def step(self) -> dict[str, Any]:
        """One step: what is there after each phase, and at its peak; ``resting`` counts the tensors before zero_grad."""
        self.tracker.reset_mod_stats()
        phases, resting = {}, {}
        for name, act in self.rank.phases():
            self._forget_peak()
            if name == "zero_grad":
                resting = self.rank.resting()
            act()
            phases[name] = {"after": self._read("current"), "peak": self._read("peak")}
        return {"phases": phases, "resting": resting}

    def _forget_peak(self) -> None:
        # The trackers have no call for it.
        self.tracker._peak_mem_snap = self.tracker.get_tracker_snapshot("current")
        self.tracker._peak_mem = {device: held["Total"] for device, held in self.tracker._peak_mem_snap.items()}

    def _read(self, when: str) -> dict[str, int]:
        """Bytes by category on the one device that matters; what nothing is held of is left out."""
        (held,) = self.tracker.get_tracker_snapshot(when).values()
        found: dict[str, int] = {}
        for theirs, amount in held.items():
            name = CATEGORIES[getattr(theirs, "value", theirs)] + "_bytes"
            if amount:
                found[name] = found.get(name, 0) + amount
        return found


def tracked_step(rank: OneRank, *, steps: int) -> dict[str, Any]:
    """The last of ``steps`` steps, and its peak: the largest of its phases'."""
    tracked = Tracked(rank)
    with tracked.tracker:
        for _ in range(steps):
            found = tracked.step()
    phase = max(found["phases"], key=lambda name: found["phases"][name]["peak"]["total_bytes"])
    return {**found, "peak": {"phase": phase, **found["phases"][phase]["peak"]}}
