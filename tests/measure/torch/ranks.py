"""Run cases on real ranks over gloo, as `run` does, and give them back as records."""

import importlib
import json
from pathlib import Path

import torch
from torch import distributed, multiprocessing

from scripts.measure.place import Place


def records_of(cases, folder):
    """The records of cases of one world, as far as checks look at them. ``folder`` must be new."""
    multiprocessing.spawn(_rank, args=(cases, folder), nprocs=cases[0].world)
    results = json.loads((folder / "results.json").read_text("utf-8"))
    source = {"backend": "gloo", "device": "cpu", "nodes": 1}
    return [
        {"case": case.asked, "result": result, "provenance": source}
        for case, result in zip(cases, results, strict=True)
    ]


def _rank(rank, cases, folder):
    torch.set_num_threads(1)
    world = cases[0].world
    distributed.init_process_group("gloo", init_method=f"file://{folder}/ranks", rank=rank, world_size=world)
    place = Place(rank=rank, world=world, device=torch.device("cpu"), backend="gloo")
    results = [importlib.import_module(f"scripts.measure.kinds.{case.kind}").run(case, place) for case in cases]
    if rank == 0:
        Path(folder, "results.json").write_text(json.dumps(results), "utf-8")
    distributed.barrier()
    distributed.destroy_process_group()
