"""How long work on a device takes, on the rank that takes longest. Imports torch."""

import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import torch
import torch.distributed as dist

Work = Callable[[], object]


def seconds_of(work: Work, device: torch.device, samples: int, repeats: int = 1) -> list[float]:
    """Seconds of one ``work`` in each of ``samples``, each the mean of ``repeats`` on end; the slowest rank's.

    Every rank of the default group takes part. On a GPU the marks are events on its stream: the host runs ahead, so that
    what it takes to launch work is seen only where the GPU waits for it.
    """
    mark, between = _gpu_marks(device) if device.type == "cuda" else (time.perf_counter, float.__rsub__)
    dist.barrier()
    marks = [mark()]
    for _ in range(samples):
        for _ in range(repeats):
            work()
        marks.append(mark())
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    spent = [between(start, end) / repeats for start, end in pairwise(marks)]
    slowest = torch.tensor(spent, dtype=torch.float64, device=device)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.tolist()


def _gpu_marks(device: torch.device) -> tuple[Callable, Callable]:
    torch.cuda.synchronize(device)

    def mark() -> torch.cuda.Event:
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    return mark, lambda start, end: start.elapsed_time(end) / 1000


def spread(values: list[float]) -> dict[str, float]:
    """The 10th, 50th and 90th percentile, and of how many."""
    p10, p50, p90 = np.percentile(values, (10, 50, 90)).tolist()
    return {"p10": p10, "p50": p50, "p90": p90, "n": len(values)}
