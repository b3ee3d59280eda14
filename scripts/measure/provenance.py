"""Where a record comes from. `python -m scripts.measure.provenance` prints what this machine has, as JSON."""

import json
import os
import platform
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def said(*command: str) -> str | None:
    """What a command prints, or None where it is missing or fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def cpu_name() -> str:
    """The processor's own name."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def commit() -> tuple[str | None, bool | None]:
    """The commit of these files, and whether something of them is changed; None without git. Records are no code."""
    told = said("git", "rev-parse", "HEAD")
    changed = said("git", "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/measured")
    return (told, bool(changed)) if told else (None, None)


def has() -> dict[str, Any]:
    """What this machine has: releases, processor, GPUs and the bytes of the smallest. Imports torch."""
    import torch

    cuda = torch.cuda.is_available()
    count = torch.cuda.device_count() if cuda else 0
    nccl = torch.cuda.nccl.version() if cuda else None
    driver = said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader") if cuda else None
    return {
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda if cuda else None,
        "nccl": ".".join(map(str, nccl)) if isinstance(nccl, tuple) else nccl and str(nccl),
        "driver": driver.splitlines()[0] if driver else None,
        "python": platform.python_version(),
        "cpu": cpu_name(),
        "gpus": [torch.cuda.get_device_name(index) for index in range(count)],
        "gpu_bytes": min((torch.cuda.get_device_properties(index).total_memory for index in range(count)), default=0),
    }


def backend_of(transport: str, device: str) -> str:
    """What carries the bytes of such a case."""
    return "fake" if transport == "fake" else {"cuda": "nccl", "cpu": "gloo"}[device]


def device_name(machine: dict[str, Any], device: str, index: int = 0) -> str:
    """The name of the device that measures: a GPU's, or the processor's."""
    return machine["gpus"][index] if device == "cuda" else machine["cpu"]


def provenance(
    machine: dict[str, Any], *, transport: str, device: str, world: int, nodes: int, index: int, command: str
) -> dict[str, Any]:
    """The source of a record made now. ``command`` names no path, and no field names the machine or a person."""
    told, dirty = commit()
    return {
        **{field: machine[field] for field in ("torch", "cuda", "nccl", "driver", "python", "cpu")},
        "device": device_name(machine, device, index),
        "backend": backend_of(transport, device),
        "transport": transport,
        "world": world,
        "nodes": nodes,
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": told,
        "dirty": dirty,
        "command": command,
    }


def hosts(world: int) -> int:
    """How many machines the ranks of the default process group run on. Imports torch."""
    from torch import distributed

    names: list[Any] = [None] * world
    distributed.all_gather_object(names, socket.gethostname())
    return len(set(names))


def free_memory() -> int:
    """Bytes that this machine can still give to processes: what is available, inside the container's limit."""
    try:
        told = Path("/proc/meminfo").read_text("utf-8")
        free = int(re.findall(r"^MemAvailable:\s*(\d+) kB$", told, re.MULTILINE)[0]) * 1024
    except (OSError, IndexError):
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text("utf-8"))
        # What files left in the cache is given up when it is needed.
        used = int(re.findall(r"^anon (\d+)$", (group / "memory.stat").read_text("utf-8"), re.MULTILINE)[0])
    except (OSError, ValueError, IndexError):
        return free  # no container, or "max": no limit
    return min(free, limit - used)


def main() -> None:
    """Print what this machine has, or what is missing."""
    try:
        told = has()
    except Exception as error:  # a broken torch raises whatever it likes
        told = {"missing": f"{type(error).__name__}: {error}".splitlines()[0]}
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
