"""Whole models on one process without a GPU: what one rank of many holds, counted on tensors that have no bytes.

torch's fake process group and fake tensors run the real DDP, ZeroRedundancyOptimizer, fully_shard and tensor
parallelism; its trackers of memory count. DDP's buckets are seen from the backward pass on, when they are first written,
though they are there before.
"""

from typing import Any

from ..case import Case, case
from ..check import Check
from ..place import Place
from ..planned import memory_checks

WORLDS = (64, 8, 1)
# Seconds seen on two cores, the fastest first. FSDP2 takes two steps, the first of which makes what stays.
SECONDS = {"tp": 9, "fsdp2": 15, "fsdp2-kept": 15, "zero-1": 20, "ddp": 25}
SEVENTY = 95
RAM = 6 * 10**8  # bytes: the program itself, as fake tensors have none
ONE_STEP = ("ddp", "ddp-copy", "zero-1")  # DDP builds its buckets anew in the second, from bytes that are not there


def cases(suite: str, world: int, device: str) -> list[Case]:
    """The running example's class under every kind of data parallelism, tensor parallelism, and 70 B on 512 ranks."""
    if suite != "scale":
        return []
    common = {"transport": "fake", "ram": RAM, "seq": 1024, "micro_batch": 1, "recompute": True}
    found = [
        case("scale", 8, seconds=SECONDS["tp"], size="7.7b", strategy="tp", precision="bf16-master", **common),
        *(
            case("scale", ranks, seconds=SECONDS[name], size="7.7b", strategy=name, precision=precision, **common)
            for name in ("fsdp2", "fsdp2-kept", "zero-1", "ddp")
            for ranks in WORLDS
            for precision in ("bf16-master", "mixed")
            if precision == "bf16-master" or (name.startswith("fsdp2") and ranks == 64)
        ),
        case("scale", 512, seconds=SEVENTY, size="70b", strategy="fsdp2", precision="bf16-master", **common),
    ]
    return sorted(found, key=lambda one: one.seconds)


def run(case: Case, place: Place) -> dict[str, Any]:
    """One rank of the case, rank 0, which is the fullest: bytes at rest, by phase and at the peak."""
    import torch

    from ..fake import fake_rank
    from ..tracked import tracked_step

    asked = case.asked
    with fake_rank(asked, torch.device("cpu"), bytes_too=False) as rank:
        return {"parameters": rank.parameters, **tracked_step(rank, steps=1 if asked["strategy"] in ONE_STEP else 2)}


def checks(record: dict[str, Any]) -> list[Check]:
    """States to the byte and peaks; of tensor parallelism the states alone, as its peak follows how logits are gathered."""
    asked = record["case"]
    return memory_checks(asked, record["result"], peak=asked["strategy"] != "tp")
