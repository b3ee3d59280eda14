"""One case in one process with fresh memory: `python -m scripts.measure.alone CASE OUT`, CASE being `Case.asked` as JSON."""

import json
import os
import sys
from pathlib import Path

from .case import Case, case
from .errors import FAILED
from .place import Place
from .provenance import backend_of, has, provenance
from .worker import CaseError, measure, record


def case_of(told: str) -> Case:
    """The case that `Case.asked` as JSON names."""
    return case(**json.loads(told))


def main(told: str, out: Path, suite: str) -> int:
    """Measure and record one case; 1 where it fails."""
    import torch
    from torch import distributed

    one = case_of(told)
    backend = backend_of(one.transport, one.device)
    if backend != "fake":
        distributed.init_process_group(backend, store=distributed.HashStore(), rank=0, world_size=1)
    device = torch.device(one.device, 0) if one.device == "cuda" else torch.device("cpu")
    place = Place(rank=0, world=one.world, device=device, backend=backend)
    command = f"python -m scripts.measure run --suite {suite}"
    source = provenance(
        has(), transport=one.transport, device=one.device, world=one.world, nodes=1, index=0, command=command
    )
    try:
        record(out, one, measure(one, place, out), source)
    except CaseError:
        return FAILED
    return 0


if __name__ == "__main__":
    ended = main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended)  # as ranks leave
