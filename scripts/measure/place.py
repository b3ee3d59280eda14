"""Where a case runs: the rank, its device and what carries bytes between ranks. Made by whoever starts the case."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a measurement needs to know of the process that it runs in.

    ``rank`` is 0 … world - 1; ``device`` a ``torch.device``; ``backend`` is gloo, nccl or fake. The default process group is
    initialised already where ``backend`` is gloo or nccl. Under "fake" the measurement sets up the fake group itself, as
    the device mesh has to be made outside of FakeTensorMode.
    """

    rank: int
    world: int
    device: Any
    backend: str
