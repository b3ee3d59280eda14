"""The ways to split training that are measured, and the plan that asks the model the same. No torch here.

A case says ``strategy``, ``precision``, ``adamw`` ("foreach" or "fused"), ``size``, ``batch`` (sequences of one step, over
all ranks) and, for a pipeline, ``schedule`` by PyTorch's name.
"""

from dataclasses import dataclass
from typing import Any

from model.schedules import KINDS

from .sizes import SIZES

BATCHES = (16, 24)  # sequences: the first that up to 8 ranks divide; more ranks have 2 each
MICRO_BATCHES = 8  # of a pipeline; more where it has more than 4 stages
# What one number costs in bf16 with a master copy: weight and gradient 2 bytes, master 4, two moments 8.
BF16_MASTER = {"weight_bytes": 2, "gradient_bytes": 2, "master_bytes": 4, "moment_bytes": 8}
PRECISIONS = {
    "fp32": "fp32",
    "autocast": "autocast to bf16",
    "mixed": "bf16 by MixedPrecisionPolicy",
    "bf16-master": "bf16 with fp32 master weights",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A strategy: its name for a person, how a plan says it, and what two steps take on two cores."""

    title: str
    preset: str
    zero: int
    seconds: int
    in_two: bool = False  # it splits the ranks both ways


STRATEGIES = {
    "ddp": Split(title="DDP", preset="ddp-amp", zero=0, seconds=1),
    "ddp-copy": Split(title="DDP, gradients beside its buckets", preset="ddp-amp", zero=0, seconds=1),
    "zero-1": Split(title="ZeRO-1 (ZeroRedundancyOptimizer)", preset="ddp-amp", zero=1, seconds=1),
    "fsdp2": Split(title="FSDP2", preset="fsdp2", zero=3, seconds=2),
    "fsdp2-kept": Split(title="FSDP2, kept after forward", preset="fsdp2", zero=2, seconds=2),
    "hybrid": Split(title="FSDP2, hybrid sharding", preset="fsdp2", zero=3, seconds=2, in_two=True),
    "tp": Split(title="Tensor parallel", preset="ddp-amp", zero=0, seconds=3),
    "tp-sp": Split(title="Tensor and sequence parallel", preset="ddp-amp", zero=0, seconds=4),
    "tp-fsdp2": Split(title="Tensor parallel × FSDP2", preset="fsdp2", zero=3, seconds=3, in_two=True),
    "pp": Split(title="Pipeline", preset="ddp-amp", zero=0, seconds=2),
}
# PyTorch's schedules, the kind of the model that deals the stages alike, and the stages of each rank.
SCHEDULES = {
    "GPipe": ("gpipe", 1),
    "1F1B": ("1f1b", 1),
    "Interleaved1F1B": ("interleaved", 2),
    "LoopedBFS": ("interleaved", 2),
    "InterleavedZeroBubble": ("interleaved", 2),
    "ZBVZeroBubble": ("zb-v", 2),
    "DualPipeV": ("dualpipe-v", 2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Degrees:
    """How many ranks share what. ``shard`` of the ``data`` replicas share one sharded copy."""

    data: int
    shard: int
    tensor: int
    pipeline: int

    def of_rank(self, rank: int) -> tuple[int, int]:
        """The pipeline rank, and the place among those that share a copy. Tensor-parallel ranks are neighbours."""
        if self.pipeline > 1:
            return rank, 0
        return 0, rank // self.tensor % self.shard


def fits(strategy: str, world: int) -> bool:
    """Whether a strategy can split so many ranks: one that splits them both ways needs an even number, at least 4."""
    return world >= 4 and world % 2 == 0 if STRATEGIES[strategy].in_two else world >= 2


def degrees(strategy: str, world: int) -> Degrees:
    """How a strategy divides the ranks. Raises ``ValueError`` for a world that it does not divide."""
    if not fits(strategy, world):
        least = "an even number of processes, at least 4" if STRATEGIES[strategy].in_two else "2 processes or more"
        raise ValueError(f"{strategy} needs {least}; there are {world}")
    if strategy == "pp":
        return Degrees(data=1, shard=1, tensor=1, pipeline=world)
    tensor = {"tp": world, "tp-sp": world, "tp-fsdp2": 2}.get(strategy, 1)
    data = world // tensor
    return Degrees(data=data, shard=data // 2 if strategy == "hybrid" else data, tensor=tensor, pipeline=1)


def batch_for(world: int) -> int:
    """Sequences of one step. Raises ``ValueError`` for up to 8 ranks that divide none of ``BATCHES``."""
    if world > 8:
        return 2 * world
    for batch in BATCHES:
        if batch % world == 0:
            return batch
    known = " or ".join(map(str, BATCHES))
    fit = ", ".join(str(ranks) for ranks in range(2, 9) if any(batch % ranks == 0 for batch in BATCHES))
    raise ValueError(f"{world} processes do not divide a batch of {known} sequences; start {fit}, or more than 8")


def micro_batches(stages: int) -> int:
    """Micro-batches of a pipeline on so many ranks: DualPipe-V needs two for each."""
    return max(MICRO_BATCHES, 2 * stages)


def size_for(strategy: str, world: int, schedule: str = "") -> str | None:
    """The smallest network that so many ranks can split like this; None where none here can be."""
    if not fits(strategy, world):
        return None
    wanted = degrees(strategy, world)
    stages = wanted.pipeline * (SCHEDULES[schedule][1] if schedule else 1)
    for name in ("tiny", "tiny-12", "tiny-24"):
        size = SIZES[name]
        if size.heads % wanted.tensor == size.vocab % wanted.tensor == 0 and size.layers >= stages:
            return name
    return None


def plan_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The plan of a case. Raises ``ValueError`` where the ranks do not divide."""
    strategy, precision, world = asked["strategy"], asked["precision"], asked["world"]
    split, size, over = STRATEGIES[strategy], SIZES[asked["size"]], degrees(strategy, world)
    kind, chunks = SCHEDULES[asked["schedule"]] if strategy == "pp" else ("1f1b", 1)
    count = micro_batches(over.pipeline) if over.pipeline > 1 else 1
    # The model's fsdp2 computes in bf16 by MixedPrecisionPolicy; under autocast it gathers fp32, as in fp32.
    wide = precision == "fp32" or (precision == "autocast" and split.preset == "fsdp2")
    return {
        "model": size.architecture(),
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": world},
        "layout": {
            "tp": over.tensor,
            "pp": over.pipeline,
            "vpp": chunks,
            "zero": split.zero,
            "shard_group": over.shard,
            "sequence_parallel": strategy == "tp-sp",
        },
        "recipe": {
            "preset": split.preset,
            "step": asked["adamw"],
            "compute": "fp32" if wide else "bf16",
            "bucket_view": strategy != "ddp-copy",
            **(BF16_MASTER if precision == "bf16-master" else {}),
        },
        "batch": {
            "seq": size.positions,
            "micro_batch": asked["batch"] // (over.data * count),
            "global_batch": asked["batch"],
        },
        "schedule": {"kind": kind},
    }


def stages_of(schedule: str, ranks: int, rank: int) -> list[int]:
    """The stages of one rank, in the order of the layers."""
    kind, chunks = SCHEDULES[schedule]
    if KINDS[kind].in_v:
        return [rank, 2 * ranks - 1 - rank]
    return [rank + chunk * ranks for chunk in range(chunks)]
