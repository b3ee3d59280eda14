"""One rank of `test_states.py`: run the cases that the arguments name, and print records from rank 0.

torchrun --nproc-per-node 2 splits_worker.py KIND "part of a case's name" …
"""

import importlib
import json
import os
import sys

import torch
import torch.distributed as dist

from scripts.measure.place import Place


def main(kind, wanted):
    """Cases are run in this process one after the other, as `run` does."""
    dist.init_process_group("gloo")
    place = Place(rank=dist.get_rank(), world=dist.get_world_size(), device=torch.device("cpu"), backend="gloo")
    module = importlib.import_module(f"scripts.measure.kinds.{kind}")
    parts = [part.items() for part in json.loads(wanted)]
    planned = module.cases("ci", place.world, "cpu")
    cases = [case for case in planned if any(part <= case.asked.items() for part in parts)]
    records = [{"case": case.asked, "result": module.run(case, place)} for case in cases]
    if place.rank == 0:
        print(json.dumps(records))
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # leaving as usual aborts now and then after DDP


if __name__ == "__main__":
    main(*sys.argv[1:])
