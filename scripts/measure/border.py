"""Where memory runs out: bisection over the micro-batch, a process for each probe. No torch here."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

PATIENCE = 600  # seconds of one probe
MOST = 4096  # sequences; no card is as large


def border(fits: Callable[[int], bool]) -> int:
    """The largest number that fits, found by doubling and bisecting; 0 where one does not, ``MOST`` where that does."""
    low, high = 0, 1
    while high <= MOST and fits(high):
        low, high = high, 2 * high
    if high > MOST:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def found(asked: dict[str, Any]) -> dict[str, Any]:
    """The border of a case over ``micro_batch``, and every probe on the way to it.

    ``limit_bytes`` is the least that a probe's allocator could have had. Raises ``RuntimeError`` with the last line of a
    probe that broke, ``subprocess.TimeoutExpired`` for one that hung; either way its process has ended.
    """
    probes: list[dict[str, Any]] = []

    def fits(micro_batch: int) -> bool:
        probes.append({"micro_batch": micro_batch, **_asked_of_a_process({**asked, "micro_batch": micro_batch})})
        return probes[-1]["fits"]

    largest = border(fits)
    return {
        "largest_micro_batch": largest,
        "limit_bytes": min(probe["limit_bytes"] for probe in probes),
        "probes": [{name: value for name, value in probe.items() if value is not None} for probe in probes],
    }


def _asked_of_a_process(asked: dict[str, Any]) -> dict[str, Any]:
    command = (sys.executable, "-m", f"{__package__}.probe", json.dumps(asked), str(os.getpid()))
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise RuntimeError(f"a probe broke: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])
