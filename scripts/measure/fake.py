"""One process that plays one rank of any number: torch's fake process group, with fake tensors where none fit."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore

from .one_rank import OneRank, one_rank


@contextmanager
def fake_rank(asked: dict[str, Any], device: torch.device, *, bytes_too: bool) -> Iterator[OneRank]:
    """Rank 0 of the case's world, in a process group that sends nothing: results are wrong by design, memory is right.

    ``bytes_too``: whether tensors have bytes; if not they have shapes and types alone, and any size fits.
    """
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=asked["world"])
    try:
        # The mesh reads its own tensors, so it is made before tensors are fake.
        mesh = init_device_mesh(device.type, (asked["world"],))
        with nullcontext() if bytes_too else FakeTensorMode():
            yield one_rank(asked, device, mesh)
    finally:
        dist.destroy_process_group()
