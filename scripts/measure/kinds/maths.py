"""That every way to split training computes the same: losses and weights of four steps, beside those of one process."""

from functools import cache
from typing import Any

from ..case import Case, case
from ..check import Check
from ..place import Place
from ..splits import SCHEDULES, STRATEGIES, batch_for, size_for

STEPS = 4
TOLERANCES = {"fp32": 1e-5, "autocast": 2e-3, "mixed": 2e-3, "bf16-master": 2e-3}  # of the figure of one process
# One process has no MixedPrecisionPolicy. Autocast too keeps fp32 weights and computes in bf16; a master copy of bf16
# weights starts from rounded ones, and so differs from both by as much as the tolerance.
ALONE = {"mixed": "autocast"}
PRECISIONS = {
    "ddp": ("fp32", "autocast", "bf16-master"),
    "ddp-copy": ("fp32", "bf16-master"),
    "zero-1": ("fp32", "autocast", "bf16-master"),
    "fsdp2": ("fp32", "autocast", "mixed", "bf16-master"),
    "fsdp2-kept": ("fp32", "mixed"),
    "hybrid": ("fp32", "mixed"),
    "tp": ("fp32", "autocast", "bf16-master"),
    "tp-sp": ("fp32", "bf16-master"),
    "tp-fsdp2": ("fp32", "mixed", "bf16-master"),
}


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Every strategy and schedule that so many ranks can run, in fp32 and in bf16.

    Raises ``ValueError`` where the ranks do not divide the batch.
    """
    if suite not in ("ci", "gpu") or world == 1:
        return []
    batch, found = batch_for(world), []
    wanted: list[dict[str, Any]] = [
        {"strategy": strategy, "precision": precision}
        for strategy, precisions in PRECISIONS.items()
        for precision in precisions
    ]
    wanted += [
        {"strategy": "pp", "schedule": schedule, "precision": precision}
        for schedule in SCHEDULES
        for precision in ("fp32", "bf16-master")
    ]
    for options in wanted:
        size = size_for(options["strategy"], world, options.get("schedule", ""))
        if size:
            options |= {"size": size, "batch": batch, "adamw": "foreach"}
            seconds = 2 * STRATEGIES[options["strategy"]].seconds
            found.append(case("maths", world, device=device, seconds=seconds, **options))
    return found


def run(case: Case, place: Place) -> dict | None:
    """Four steps on the same batch, split over the ranks, and on rank 0 alone."""
    import torch.distributed as dist

    from ..sizes import SIZES
    from ..strategies import batch_of, squares, trainer

    asked = case.asked
    trained = trainer(asked, place)
    batch = batch_of(SIZES[asked["size"]], asked["batch"], place.device)
    losses = [trained.step(*batch) for _ in range(STEPS)]
    squared = squares(trained.weights, 1 if asked["strategy"] == "pp" else place.world)
    dist.all_reduce(squared)
    if place.rank:
        return None
    precision = ALONE.get(asked["precision"], asked["precision"])
    alone_losses, alone_squared = _alone(asked["size"], precision, asked["adamw"], asked["batch"], place.device)
    return {
        "losses": losses,
        "weights_squared": squared.item(),
        "alone_losses": list(alone_losses),
        "alone_weights_squared": alone_squared,
    }


def checks(record: dict) -> list[Check]:
    """Each loss, and the sum of the squares of all weights, beside one process's; here "modelled" is that one."""
    asked, result = record["case"], record["result"]
    tolerance = TOLERANCES[asked["precision"]]
    pairs = zip(result["losses"], result["alone_losses"], strict=True)
    found = [
        Check(what=f"loss of step {step}", measured=split, modelled=alone, unit="nats", tolerance=tolerance)
        for step, (split, alone) in enumerate(pairs, 1)
    ]
    return [
        *found,
        Check(
            what="squares of all weights",
            measured=result["weights_squared"],
            modelled=result["alone_weights_squared"],
            unit="",
            tolerance=tolerance,
        ),
    ]


@cache
def _alone(size: str, precision: str, adamw: str, batch: int, device: Any) -> tuple[tuple[float, ...], float]:
    """Losses of one process, and the sum of the squares of its weights at the end."""
    from ..sizes import SIZES
    from ..strategies import alone, batch_of, squares

    trained = alone({"strategy": "alone", "size": size, "precision": precision, "adamw": adamw}, device)
    given = batch_of(SIZES[size], batch, device)
    return tuple(trained.step(*given) for _ in range(STEPS)), squares(trained.weights, 1).item()
