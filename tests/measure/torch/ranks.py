"""Run work on real ranks over gloo, as `run` runs cases, and give back what rank 0 found."""

import importlib
import json
import os
from functools import partial
from pathlib import Path

import torch
from torch import distributed, multiprocessing

from scripts.measure.place import Place


def on_ranks(world, work, folder):
    """What ``work(place)`` returns on rank 0, as JSON keeps it. ``folder`` must be new."""
    multiprocessing.spawn(_rank, args=(world, work, folder), nprocs=world)
    return json.loads((folder / "found.json").read_text("utf-8"))


def records_of(cases, folder):
    """The records of cases of one world, as far as checks look at them."""
    source = {"backend": "gloo", "device": "cpu", "nodes": 1}
    results = on_ranks(cases[0].world, partial(_results, cases), folder)
    return [
        {"case": case.asked, "result": result, "provenance": source}
        for case, result in zip(cases, results, strict=True)
    ]


def _results(cases, place):
    return [importlib.import_module(f"scripts.measure.kinds.{case.kind}").run(case, place) for case in cases]


def _rank(rank, world, work, folder):
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/ranks", rank=rank, world_size=world)
    found = work(Place(rank=rank, world=world, device=torch.device("cpu"), backend="gloo"))
    if rank == 0:
        Path(folder, "found.json").write_text(json.dumps(found), "utf-8")
    distributed.barrier()
    # Leaving as usual aborts now and then after DDP: "terminate called without an active exception".
    os._exit(0)
