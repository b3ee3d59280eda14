"""One rank to measure: one of real ones, or one process that plays rank 0 of any number in torch's fake process group."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed.fake_pg import FakeStore

from .one_rank import OneRank, one_rank


@contextmanager
def real_rank(asked: dict[str, Any], device: torch.device) -> Iterator[OneRank]:
    """This rank of the default process group, which is that of the case's world."""
    yield one_rank(asked, device, _mesh(device.type, asked["world"]))


@cache
def _mesh(device_type: str, world: int) -> Any:
    # Every new one would start process groups of its own.
    return init_device_mesh(device_type, (world,))


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
