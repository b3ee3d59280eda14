"""A pipeline whose stages sleep instead of compute, so that a few cores can show the idle time of many ranks.

While a stage sleeps it needs no processor: how long a step takes is then decided by the schedule and the messages alone.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import PipelineScheduleMulti, get_schedule_class

from .place import Place

WIDTH = 8  # of a message: its time is latency alone


class Log:
    """What one rank did in a step: (operation, seconds that it took) in its order, and the most that it held."""

    def __init__(self, stages: list["SleepingStage"]) -> None:
        self.stages = stages
        self.done: list[tuple[str, float]] = []
        self.end = 0.0
        self.peak = 0

    def add(self, op: str, start: float) -> None:
        """Notes an operation that began at ``start``, on this process's clock, and ends now."""
        self.end = time.perf_counter()
        self.done.append((op, self.end - start))
        self.peak = max(self.peak, sum(stage.held for stage in self.stages))


class SleepingStage(PipelineStage):
    """A stage that sleeps ``forward_s`` in a forward and in each half of a backward, and notes it in ``log``."""

    def __init__(self, index: int, stages: int, place: Place) -> None:
        super().__init__(nn.Linear(WIDTH, WIDTH, device=place.device), index, stages, place.device)
        self.log = Log([self])
        self.forward_s = 0.0

    def forward_one_chunk(self, fwd_chunk_id: int, *args: Any, **kwargs: Any) -> Any:
        """F."""
        with self._sleeping("F", fwd_chunk_id):
            return super().forward_one_chunk(fwd_chunk_id, *args, **kwargs)

    def backward_one_chunk(self, bwd_chunk_id: int, *args: Any, full_backward: bool = True, **kwargs: Any) -> Any:
        """B, or I where the schedule puts the weights' gradients off."""
        with self._sleeping("B" if full_backward else "I", bwd_chunk_id):
            return super().backward_one_chunk(bwd_chunk_id, *args, full_backward=full_backward, **kwargs)

    def backward_weight_one_chunk(self, bwd_chunk_id: int, *args: Any, **kwargs: Any) -> Any:
        """W."""
        with self._sleeping("W", bwd_chunk_id):
            return super().backward_weight_one_chunk(bwd_chunk_id, *args, **kwargs)

    @property
    def held(self) -> int:
        """Micro-batches whose forward is done and whose backward, with the weights' gradients, is not."""
        return len(self.fwd_cache) + len(self.backward_state)

    @contextmanager
    def _sleeping(self, work: str, micro_batch: int) -> Iterator[None]:
        if self.device.type == "cuda":  # NCCL lets the host run ahead of what it has received
            torch.cuda.current_stream(self.device).synchronize()
        start = time.perf_counter()
        time.sleep(self.forward_s * (2 if work == "B" else 1))
        yield
        self.log.add(f"{self.stage_index}{work}{micro_batch}", start)


class SleepingRank:
    """One rank of a pipeline: its stages, which share a log, and PyTorch's schedule over them."""

    def __init__(self, schedule: str, micro_batches: int, owned: list[int], stages: int, place: Place) -> None:
        self.stages = [SleepingStage(index, stages, place) for index in owned]
        kind = get_schedule_class(schedule)
        own: Any = self.stages if issubclass(kind, PipelineScheduleMulti) else self.stages[0]
        self.schedule = kind(own, n_microbatches=micro_batches, loss_fn=nn.functional.mse_loss)
        batch = torch.ones(micro_batches, WIDTH, device=place.device)
        self.given = (batch,) if 0 in owned else ()
        self.target = batch if stages - 1 in owned else None

    def step(self, forward_s: float) -> list[dict[str, Any]]:
        """Runs a step; what every rank did: its ``order``, the seconds ``busy`` and until its ``end``, and the ``peak``.

        Each rank counts from the barrier before the step, so that the ranks need no common clock.
        """
        log = Log(self.stages)
        for stage in self.stages:
            stage.log, stage.forward_s = log, forward_s
        dist.barrier()
        start = time.perf_counter()
        self.schedule.step(*self.given, target=self.target)
        mine = {
            "order": [op for op, _ in log.done],
            "busy": sum(seconds for _, seconds in log.done),
            "end": log.end - start,
            "peak": log.peak,
        }
        every: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(every, mine)
        return every
