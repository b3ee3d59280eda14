"""Start what a suite needs: torchrun for ranks that talk to each other, a process a case for the others. No torch here."""

import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from . import lifeline
from .asked import Asked, asked_of
from .budget import Budget, lasting
from .case import Case
from .errors import FAILED, cannot
from .provenance import backend_of, device_name, free_memory
from .records import is_recorded, key_for
from .suites import CI_WORLDS, TOGETHER, device_of, split
from .worker import begun, work

LONGEST = 20  # times its expected seconds, and two minutes, after which a process of one case is given up


def run(told: Namespace) -> int:
    """Measure what was asked for; 1 where a case failed. Raises `errors.RefusalError`."""
    if "TORCHELASTIC_RUN_ID" in os.environ:
        lifeline.tie_to_agent()
        suite = told.suite or "gpu"
        work(asked_of(told, suite, told.device or device_of(suite)))
    if told.suite in TOGETHER and told.world is not None:
        split(told.world)
    machine = look()
    suites = [(told.suite, told.device or device_of(told.suite))] if told.suite else able(machine)
    budget = Budget(told.minutes)
    runs = [Suite(asked_of(told, *one), machine, budget, told.world) for one in suites]
    ended = max(one.run() for one in runs)
    seen = sum(one.measured for one in runs)
    print(f"run: {seen} measured, {sum(one.kept for one in runs)} recorded before, into {told.out}")
    return ended


def look() -> dict[str, Any]:
    """What this machine has. Raises `errors.RefusalError` where torch is missing."""
    # Another process: this one needs neither torch's memory nor a hold on the GPU.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"{__package__}.provenance"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=lifeline.tied(),
    )
    machine = json.loads(done.stdout or "{}")
    if "torch" not in machine:
        reason = machine.get("missing", f"its process ended with {done.returncode}")
        raise cannot(
            f"torch is missing or broken here ({reason}); `make measure` sets it up, and `plan` and `compare` need none"
        )
    return machine


def able(machine: dict[str, Any]) -> list[tuple[str, str]]:
    """The suites that this machine can run, with the device of each, the cheapest first."""
    gpus = len(machine["gpus"])
    # Without a GPU one rank's tensors still have the same bytes, on the processor.
    one = ("one-gpu", "cuda" if gpus else "cpu")
    return [("ci", "cpu"), ("scale", "cpu"), one, *([("gpu", "cuda")] if gpus > 1 else [])]


class Suite:
    """One suite on this machine."""

    def __init__(self, asked: Asked, machine: dict[str, Any], budget: Budget, world: int | None) -> None:
        self.asked, self.machine, self.budget = asked, machine, budget
        self.measured = self.kept = 0
        if asked.device == "cuda" and not machine["gpus"]:
            raise cannot(
                f"no GPU that torch can use is here, and the suite {asked.suite} needs one; the suites ci and scale need "
                "none, and --device cpu rehearses this one on the processor"
            )
        self.worlds = list(self.worlds_here(world))

    def worlds_here(self, world: int | None) -> Iterator[int]:
        """The numbers of ranks to start."""
        gpus = len(self.machine["gpus"])
        if self.asked.suite not in TOGETHER:
            yield 1
        elif world is not None:
            if self.asked.device == "cuda" and world > gpus:
                raise cannot(f"{world} ranks need {world} GPUs, and {gpus} are here; give --world {gpus} or less")
            yield world
        elif self.asked.device == "cpu":
            yield from CI_WORLDS
        elif gpus < 2:
            raise cannot("one GPU is here, and ranks that talk over nccl need one each; take --suite one-gpu")
        else:
            yield from (1 << power for power in range(1, gpus.bit_length()))

    def run(self) -> int:
        """Measure it; 0, or 1 where a case failed. Raises `errors.RefusalError` where nothing of it is possible here."""
        wanted = [(world, case) for world in self.worlds for case in self.asked.cases(world)]
        if not wanted:
            print(f"run: nothing in the suite {self.asked.suite} answers to that; `plan` lists what there is")
            return 0
        todo = [(world, case) for world, case in wanted if not self.recorded(case)]
        self.kept = len(wanted) - len(todo)
        able = [(world, case) for world, case in todo if self.fits(world, case)]
        if todo and not able and not self.kept:
            least = min(self.needed(world, case) for world, case in todo)
            raise cannot(
                f"too little memory: the smallest case of {self.asked.suite} needs {least / 1e9:,.1f} GB, and "
                f"{self.free() / 1e9:,.1f} GB are free here"
            )
        print(
            f"run: suite {self.asked.suite}: {len(able)} of {len(wanted)} cases to measure, {self.kept} recorded",
            end="",
        )
        print(f"; about {self.budget.needs([case for _, case in able])}", flush=True)
        for world, case in todo:
            if (world, case) not in able:
                print(
                    f"run: left out, too little memory here: {case.name} needs {self.needed(world, case) / 1e9:,.1f} GB"
                )
        failed = []
        for world in self.worlds:
            cases = [case for other, case in able if other == world]
            failed += self.together(world, cases) if self.asked.suite in TOGETHER else self.alone(cases)
        for name in failed:
            print(f"run: failed: {name}", file=sys.stderr)
        return FAILED if failed else 0

    def key(self, case: Case) -> str:
        """The key of the case's record here."""
        device = self.asked.device
        return key_for(
            case,
            backend=backend_of(case.transport, device),
            device_name=device_name(self.machine, device),
            torch=self.machine["torch"],
        )

    def recorded(self, case: Case) -> bool:
        """Whether the case is measured already."""
        return is_recorded(self.asked.out, self.key(case))

    def free(self) -> int:
        """Bytes that the processes of a case can have: of the host, or of one GPU."""
        return self.machine["gpu_bytes"] if self.asked.device == "cuda" else free_memory()

    def needed(self, world: int, case: Case) -> int:
        """Bytes that the processes of a case need together on what they share."""
        return case.ram if self.asked.device == "cuda" else case.ram * world

    def fits(self, world: int, case: Case) -> bool:
        """Whether there is memory for the case."""
        return self.needed(world, case) <= self.free()

    def together(self, world: int, cases: list[Case]) -> list[str]:
        """Measure with ``world`` ranks that talk to each other; the names of the cases that failed.

        Ranks that lost one of them cannot go on, so that others start again without the case that failed.
        """
        every = self.asked.cases(world)
        # A rank takes every case of the suite that it is not told to skip.
        skip = [self.key(case) for case in every if case not in cases]
        failed: list[str] = []
        while any(not self.recorded(case) and self.key(case) not in skip for case in cases):
            recorded, began = sum(map(self.recorded, cases)), len(begun(self.asked.out))
            code = self.start(
                *("-m", f"{__package__}.agent", "--standalone", "--nproc-per-node", str(world), "-m", __package__),
                *self.asked.arguments(self.budget, skip),
                OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "1"),
            )
            measured = sum(map(self.recorded, cases)) - recorded
            self.measured += measured
            if not code:
                break  # all of it, or all that there was time for
            new = begun(self.asked.out)[began:]
            died = [case for case in cases if self.key(case) in new and not self.recorded(case)]
            if not died and not measured:
                return [*failed, f"{world} ranks did not come to their first case"]
            skip += map(self.key, died)
            failed += [case.name for case in died]
        return failed

    def alone(self, cases: list[Case]) -> list[str]:
        """Measure each case in a process of its own; the names of those that failed."""
        failed = []
        for number, case in enumerate(cases):
            rest = cases[number:]
            if not self.budget.fits(case):
                print(f"run: the time is used up; {len(rest)} cases are left for the next run")
                break
            print(f"run: {number + 1}/{len(cases)}  {case.name}; about {self.budget.needs(rest)} left", flush=True)
            began = time.monotonic()
            told = json.dumps(case.asked)
            code = self.start(
                *("-m", f"{__package__}.alone", told, str(self.asked.out), self.asked.suite),
                limit=LONGEST * case.seconds + 120,
            )
            self.budget.took(case, time.monotonic() - began)
            self.measured += code == 0
            failed += [case.name] if code else []
        return failed

    def start(self, *arguments: str, limit: float | None = None, **environment: str) -> int:
        """Run Python with ``arguments``, for ``limit`` seconds at most; its exit code. It dies with this process."""
        child = subprocess.Popen(
            [sys.executable, *arguments], env={**os.environ, **environment}, preexec_fn=lifeline.tied()
        )
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            print(f"run: gave up after {lasting(limit or 0)}", file=sys.stderr)
            return FAILED
        finally:
            child.kill()
            child.wait()
