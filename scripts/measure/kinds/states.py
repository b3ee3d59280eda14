"""Bytes of weights, gradients and optimizer state that each rank holds after a real step."""

from typing import Any

from model.plan import read_plan
from model.shares import rank_gathers, replica_states

from ..case import Case, case
from ..check import Check
from ..place import Place
from ..splits import STRATEGIES, batch_for, degrees, plan_of, size_for

STEPS = 2  # DDP builds its buckets anew after the first
# Strategy, precision, AdamW, and what else: each value of each, and every pair where one changes what the other holds.
CASES = (
    ("ddp", "fp32", "foreach"),
    ("ddp", "fp32", "fused"),
    ("ddp", "autocast", "foreach"),
    ("ddp", "bf16-master", "foreach"),
    ("ddp", "bf16-master", "fused"),
    ("ddp-copy", "fp32", "foreach"),
    ("ddp-copy", "autocast", "foreach"),
    ("ddp-copy", "bf16-master", "foreach"),
    ("zero-1", "fp32", "foreach"),
    ("zero-1", "fp32", "fused"),
    ("zero-1", "autocast", "foreach"),
    ("zero-1", "bf16-master", "foreach"),
    ("zero-1", "fp32", "foreach", {"size": "uneven"}),
    ("fsdp2", "fp32", "foreach"),
    ("fsdp2", "fp32", "fused"),
    ("fsdp2", "autocast", "foreach"),
    ("fsdp2", "mixed", "foreach"),
    ("fsdp2", "bf16-master", "foreach"),
    ("fsdp2", "bf16-master", "fused"),
    ("fsdp2", "fp32", "foreach", {"size": "uneven"}),
    ("fsdp2", "mixed", "foreach", {"size": "uneven"}),
    ("fsdp2-kept", "fp32", "foreach"),
    ("fsdp2-kept", "mixed", "foreach"),
    ("fsdp2-kept", "bf16-master", "foreach"),
    ("hybrid", "fp32", "foreach"),
    ("hybrid", "mixed", "foreach"),
    ("hybrid", "bf16-master", "foreach"),
    ("tp", "fp32", "foreach"),
    ("tp", "fp32", "fused"),
    ("tp", "autocast", "foreach"),
    ("tp", "bf16-master", "foreach"),
    ("tp-sp", "fp32", "foreach"),
    ("tp-sp", "bf16-master", "foreach"),
    ("tp-fsdp2", "fp32", "foreach"),
    ("tp-fsdp2", "mixed", "foreach"),
    ("tp-fsdp2", "bf16-master", "foreach"),
    ("pp", "fp32", "foreach", {"schedule": "1F1B"}),
    ("pp", "autocast", "foreach", {"schedule": "1F1B"}),
    ("pp", "bf16-master", "fused", {"schedule": "1F1B"}),
    ("pp", "fp32", "foreach", {"schedule": "Interleaved1F1B"}),
    ("pp", "fp32", "foreach", {"schedule": "ZBVZeroBubble"}),
)


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Each of ``CASES`` that so many ranks can run. Raises ``ValueError`` where they do not divide the batch."""
    if suite not in ("ci", "gpu") or world == 1:
        return []
    batch, found = batch_for(world), []
    for strategy, precision, adamw, *more in CASES:
        options: dict[str, Any] = {"batch": batch, **(more[0] if more else {})}
        size = size_for(strategy, world, options.get("schedule", ""))
        if size:
            options = {"size": size, **options, "strategy": strategy, "precision": precision, "adamw": adamw}
            found.append(case("states", world, device=device, seconds=STRATEGIES[strategy].seconds, **options))
    return found


def run(case: Case, place: Place) -> dict | None:
    """Two steps, then what every rank holds."""
    import torch.distributed as dist

    from ..precision import optimizer_tensors
    from ..sizes import SIZES
    from ..storage import storage_bytes
    from ..strategies import batch_of, trainer

    asked = case.asked
    trained = trainer(asked, place)
    batch = batch_of(SIZES[asked["size"]], asked["batch"], place.device)
    for _ in range(STEPS):
        trained.step(*batch)
    kept, scalars = optimizer_tensors(trained.optimizer)
    held = {
        "parameters_bytes": storage_bytes(trained.weights),
        "gradients_bytes": storage_bytes(weight.grad for weight in trained.weights if weight.grad is not None),
        "optimizer_bytes": storage_bytes(kept),
        "step_scalars_bytes": storage_bytes(scalars),
        "bucket_bytes": sum(trained.buckets.values()),
        "gathered_bytes": sum(trained.gathered),
    }
    ranks: list[Any] = [None] * place.world
    dist.all_gather_object(ranks, held)
    return {"ranks": ranks} if place.rank == 0 else None


def checks(record: dict) -> list[Check]:
    """Every rank's bytes, which the model knows exactly.

    ``gathered_bytes`` are the whole weights that a rank has between forward and backward: all of them where FSDP2 keeps
    them, else those outside the blocks.
    """
    asked = record["case"]
    plan, over = read_plan(plan_of(asked)), degrees(asked["strategy"], asked["world"])
    found = []
    for rank, held in enumerate(record["result"]["ranks"]):
        stage, replica = over.of_rank(rank)
        states = replica_states(plan, stage, replica)
        modelled = {
            "parameters_bytes": states.bytes_of("weights"),
            "gradients_bytes": states.bytes_of("gradients") - states.bucket_bytes,
            "optimizer_bytes": states.bytes_of("optimizer"),
            "bucket_bytes": states.bucket_bytes,
            "gathered_bytes": rank_gathers(plan, plan.ranks[stage]).loss.here,
        }
        found += [
            Check(
                what=f"rank {rank}, {name.removesuffix('_bytes')}", measured=held[name], modelled=bytes_, unit="bytes"
            )
            for name, bytes_ in modelled.items()
        ]
    return found
