"""What the model says of one rank's memory, and how far a measured one may be from it. No torch here."""

from typing import Any

from model.architecture import Architecture
from model.plan import memory_report
from model.tensors import parameters

from .check import Check
from .sizes import SIZES

# What the model calls each strategy: the preset and the ZeRO stage. FSDP2's two are "kept after forward" and resharded.
STRATEGIES = {
    "ddp": ("ddp-amp", 0),
    "ddp-view": ("ddp-amp", 0),
    "zero1": ("ddp-amp", 1),
    "fsdp2-kept": ("fsdp2", 2),
    "fsdp2": ("fsdp2", 3),
    "tp": ("ddp-amp", 0),
}
# bf16 weights and gradients with an fp32 master copy; autograd's own types elsewhere.
MASTER = {"weight_bytes": 2, "gradient_bytes": 2, "master_bytes": 4, "moment_bytes": 8}
PEAK_TOLERANCE = 0.03  # of the largest allocation: PyTorch's trackers are as near to the heap's own peak
STATES = (("weights", "weights_bytes"), ("gradients", "gradients_bytes"), ("optimizer", "optimizer_bytes"))


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
            "bucket_view": asked["strategy"] != "ddp",
            **(MASTER if master else {}),
        },
        "batch": {"seq": asked["seq"], "micro_batch": asked["micro_batch"]},
        "activation": {"recompute": "full" if asked["recompute"] else "none"},
    }


def modelled(asked: dict[str, Any]) -> dict[str, Any]:
    """The one stage of the model's report on a measured case."""
    (stage,) = memory_report(plan_of(asked))["stages"]
    return stage


def memory_checks(asked: dict[str, Any], result: dict[str, Any], *, peak: bool = True) -> list[Check]:
    """States to the byte, and the peak within ``PEAK_TOLERANCE`` unless only the states were measured.

    Step counters, which are no larger for a larger model, are not modelled.
    """
    stage, resting = modelled(asked), result["resting"]
    whole = parameters(Architecture.from_neutral(SIZES[asked["size"]].architecture()["architecture"]))
    checks = [
        Check(what="parameters", measured=result["parameters"], modelled=whole, unit=""),
        *(
            Check(what=f"{part} at rest", measured=resting[name], modelled=stage["states"][part], unit="B")
            for part, name in STATES
        ),
    ]
    if peak:
        checks.append(
            Check(
                what="peak of a step",
                measured=result["peak"]["total_bytes"],
                modelled=stage["allocated_peak"],
                unit="B",
                tolerance=PEAK_TOLERANCE,
            )
        )
    return checks
