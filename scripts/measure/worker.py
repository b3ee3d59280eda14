"""One rank under torchrun: measure case after case with the others. Rank 0 decides, tells and records."""

import gc
import os
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path
from typing import Any

from .asked import Asked
from .budget import Budget
from .case import Case
from .errors import FAILED, RefusalError, cannot, wrong
from .place import Place
from .provenance import backend_of, device_name, has, hosts, provenance
from .records import is_recorded, key_for, made, save, write
from .suites import TOGETHER, kind_of

# A rank that waits so long for another one gives up. The longest case takes less on two cores.
PATIENCE = timedelta(minutes=5)
BEGUN = "begun.txt"  # the keys of cases in the order in which ranks began them


class CaseError(Exception):
    """A case failed, and that was told."""


def first_line(error: Exception) -> str:
    """What went wrong, in a line."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


def work(asked: Asked) -> None:
    """Be this rank to the end; the process ends here, with 0 where every case was measured."""
    rank = int(os.environ["RANK"])
    try:
        _work(asked, rank)
        code = 0
    except RefusalError as stop:
        if rank == 0:
            print(f"run: {stop}", file=sys.stderr)
        code = stop.code
    except CaseError:
        code = FAILED
    except Exception as error:
        print(f"run: rank {rank}: {first_line(error)}", file=sys.stderr)
        code = FAILED
    sys.stdout.flush()
    sys.stderr.flush()
    # Leaving as usual aborts now and then after DDP: "terminate called without an active exception".
    os._exit(code)


def _work(asked: Asked, rank: int) -> None:
    world, local = int(os.environ["WORLD_SIZE"]), int(os.environ["LOCAL_RANK"])
    if asked.suite not in TOGETHER:
        raise wrong(f"one process at a time measures the suite {asked.suite}: start it without torchrun")
    cases = asked.cases(world)
    import torch
    from torch import distributed

    machine = has()
    if asked.device == "cuda" and local >= len(machine["gpus"]):
        raise cannot(f"rank {rank} finds {len(machine['gpus'])} GPUs here, and needs one of its own; start fewer ranks")
    device = torch.device(asked.device, local) if asked.device == "cuda" else torch.device("cpu")
    if asked.device == "cuda":
        torch.cuda.set_device(device)
    backend = backend_of("real", asked.device)
    distributed.init_process_group(backend, timeout=PATIENCE)
    nodes = hosts(world)
    place = Place(rank=rank, world=world, device=device, backend=backend)
    here = Here(asked, machine, cases, nodes) if rank == 0 else None
    while True:
        told = [here.decide() if here else None]
        distributed.broadcast_object_list(told, src=0, device=device)
        if told[0] is None:
            break
        result = measure(cases[told[0]], place, asked.out)
        # No record of a case that failed on some rank.
        distributed.barrier()
        if here:
            here.keep(cases[told[0]], result)
    distributed.barrier()


def measure(case: Case, place: Place, out: Path) -> Any:
    """The case's result on this rank. Where it raises, the sentence is printed and the traceback kept in ``out``."""
    import torch

    try:
        return kind_of(case.kind).run(case, place)
    except Exception as error:
        note = out / "failed" / f"{case.kind}-{os.getpid()}-rank{place.rank}.txt"
        write(note, f"{case.name}\n{traceback.format_exc()}")
        told = f"{first_line(error)} (in full: {note.name} in failed/)"
        print(f"run: rank {place.rank}: {case.name}: {told}", file=sys.stderr)
        raise CaseError from None
    finally:
        gc.collect()
        if place.device.type == "cuda":
            torch.cuda.empty_cache()


def record(out: Path, case: Case, result: Any, source: dict[str, Any]) -> None:
    """Write the case's record, where its result is as it must be."""
    try:
        save(out, made(case, result, source))
    except RefusalError as stop:
        print(f"run: {stop}", file=sys.stderr)
        raise CaseError from None


def begun(out: Path) -> list[str]:
    """The keys of cases that ranks began, in that order; one that has no record failed, or its ranks were killed."""
    path = out / BEGUN
    return path.read_text("utf-8").split() if path.exists() else []


class Here:
    """What rank 0 knows: the cases to do, the time that is left, and where records go."""

    def __init__(self, asked: Asked, machine: dict[str, Any], cases: list[Case], nodes: int) -> None:
        self.out, self.machine, self.nodes, self.device = asked.out, machine, nodes, asked.device
        self.cases, self.budget = cases, Budget(asked.minutes)
        world = int(os.environ["WORLD_SIZE"])
        local = int(os.environ.get("LOCAL_WORLD_SIZE", world))
        # What started this, however it was typed: no path, and nothing of this machine.
        self.command = f"torchrun --nnodes {world // local} --nproc-per-node {local}"
        self.command += f" -m scripts.measure run --suite {asked.suite}"
        keys = [self.key(case) for case in cases]
        done = {key for key in keys if is_recorded(self.out, key)}
        left = [
            index for index, key in enumerate(keys) if key not in done and key not in asked.skip and self.fits(index)
        ]
        # What was begun and never recorded may end this run too, so that it is last.
        before = begun(self.out)
        self.left = sorted(left, key=lambda index: keys[index] in before)
        self.total, self.kept, self.began = len(left), len(done), time.monotonic()

    def key(self, case: Case) -> str:
        """The key of the case's record here."""
        backend = backend_of(case.transport, self.device)
        name = device_name(self.machine, self.device)
        return key_for(case, backend=backend, device_name=name, torch=self.machine["torch"])

    def fits(self, index: int) -> bool:
        """Whether a GPU has the memory of the case; `run` looks after the processor's before it starts ranks."""
        case = self.cases[index]
        if self.device != "cuda" or case.ram <= self.machine["gpu_bytes"]:
            return True
        print(f"run: left out, too little memory on the GPU: {case.name} needs {case.ram / 1e9:,.1f} GB")
        return False

    def decide(self) -> int | None:
        """The number of the next case; None at the end, or where the time that is left is too short for it."""
        if not self.left or not self.budget.fits(self.cases[self.left[0]]):
            if self.left:
                print(f"run: the time is used up; {len(self.left)} cases are left for the next run")
            print(f"run: {self.total - len(self.left)} measured on these ranks, {self.kept} recorded before")
            return None
        index = self.left.pop(0)
        case, rest = self.cases[index], [self.cases[other] for other in (index, *self.left)]
        done = self.total - len(self.left)
        print(f"run: {done}/{self.total}  {case.name}; about {self.budget.needs(rest)} left", flush=True)
        self.out.mkdir(parents=True, exist_ok=True)
        with (self.out / BEGUN).open("a", encoding="utf-8") as file:
            file.write(f"{self.key(case)}\n")
        self.began = time.monotonic()
        return index

    def keep(self, case: Case, result: Any) -> None:
        """Record the case."""
        self.budget.took(case, time.monotonic() - self.began)
        source = provenance(
            self.machine,
            transport=case.transport,
            device=self.device,
            world=case.world,
            nodes=self.nodes,
            index=0,
            command=self.command,
        )
        record(self.out, case, result, source)
