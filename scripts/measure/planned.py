"""What the model says of one rank's memory, and how far a measured one may be from it. No torch here."""

from typing import Any

from model.architecture import Architecture
from model.plan import memory_report, read_plan
from model.shares import replica_states
from model.speeds import SPEEDS
from model.tensors import parameters

from .check import Check
from .sizes import SIZES

# What the model calls each strategy: the preset and the ZeRO stage. DDP's gradients are views of its buckets, or beside
# them; FSDP2 keeps gathered weights after the forward pass, or shards them again.
STRATEGIES = {
    "ddp": ("ddp-amp", 0),
    "ddp-copy": ("ddp-amp", 0),
    "zero-1": ("ddp-amp", 1),
    "fsdp2-kept": ("fsdp2", 2),
    "fsdp2": ("fsdp2", 3),
    "tp": ("ddp-amp", 0),
}
# bf16 weights and gradients with an fp32 master copy; autograd's own types elsewhere.
MASTER = {"weight_bytes": 2, "gradient_bytes": 2, "master_bytes": 4, "moment_bytes": 8}
PEAK_TOLERANCE = 0.03  # of the largest allocation: PyTorch's trackers are as near to the heap's own peak
PARTS = ("weights", "gradients", "optimizer")


def plan_of(asked: dict[str, Any], *, gpu: str = "card-80gb") -> dict[str, Any]:
    """The plan of a measured case: ``asked`` is ``Case.asked``, ``gpu`` a card of the model's catalogue."""
    preset, zero = STRATEGIES[asked["strategy"]]
    master = asked["precision"] == "bf16-master"
    return {
        "model": SIZES[asked["size"]].architecture(),
        "cluster": {"gpu": gpu, "gpus": asked["world"]},
        "layout": {"tp": asked["world"]} if asked["strategy"] == "tp" else {"zero": zero},
        "recipe": {
            "preset": preset,
            "step": "fused",
            "compute": "fp32" if asked["precision"] == "fp32" else "bf16",
            "bucket_view": asked["strategy"] != "ddp-copy",
            **(MASTER if master else {}),
        },
        "batch": {"seq": asked["seq"], "micro_batch": asked["micro_batch"]},
        "activation": {"recompute": "full" if asked["recompute"] else "none"},
    }


def modelled(asked: dict[str, Any]) -> dict[str, Any]:
    """The one stage of the model's report on a measured case."""
    (stage,) = memory_report(plan_of(asked))["stages"]
    return stage


def peak_of(asked: dict[str, Any], states_bytes: int) -> int:
    """Bytes allocated at most on a rank with these states. The model's report is of the fullest rank."""
    stage = modelled(asked)
    return stage["allocated_peak"] - sum(stage["states"].values()) + states_bytes


def architecture_of(asked: dict[str, Any]) -> Architecture:
    """The network of a measured case."""
    return Architecture.from_neutral(SIZES[asked["size"]].architecture()["architecture"])


def peak_flops(card: str, precision: str) -> float | None:
    """FLOP/s that a card of the catalogue does at most in the precision's matrix products; None where none is published."""
    return SPEEDS[card].peak_flops("fp32" if precision == "fp32" else "bf16") if card in SPEEDS else None


def memory_checks(
    asked: dict[str, Any], result: dict[str, Any], *, states: bool = True, peak: bool = True
) -> list[Check]:
    """The parameters and rank 0's ``states`` to the byte, and its ``peak`` within ``PEAK_TOLERANCE``, where measured.

    Step counters, which are no larger for a larger model, are not modelled.
    """
    plan = read_plan(plan_of(asked))
    held = replica_states(plan, 0, 0)
    whole = parameters(architecture_of(asked))
    checks = [Check(what="parameters", measured=result["parameters"], modelled=whole, unit="")]
    if states:
        resting = dict(result["resting"])
        resting["gradients_bytes"] += resting["buckets_bytes"]
        checks += [
            Check(what=f"{part} at rest", measured=resting[f"{part}_bytes"], modelled=held.bytes_of(part), unit="B")
            for part in PARTS
        ]
    if peak:
        checks.append(peak_check("peak of a step", result["peak"]["total_bytes"], peak_of(asked, held.total_bytes)))
    return checks


def peak_check(what: str, measured: int, modelled: int, tolerance: float = PEAK_TOLERANCE) -> Check:
    """A largest number of bytes beside the model's."""
    return Check(what=what, measured=measured, modelled=modelled, unit="B", tolerance=tolerance)
