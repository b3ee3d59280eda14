"""Buffers that come and go in a step: gathered weights, gradients on their way, and the optimizer's temporaries.

unit    what fully sharded training gathers at once: a layer, or the root, which is what stands outside the layers
"""

import math
from dataclasses import dataclass

from .placement import Chunk
from .recipe import FP32
from .training import Training
from .unit_sizes import UnitSizes, unit_sizes

PYTORCH = ("ddp-amp", "fsdp2", "pure-bf16")
# DeepSpeed's defaults, in numbers: zero_optimization.reduce_bucket_size, stage3_prefetch_bucket_size,
# stage3_max_live_parameters (deepspeed.ai, Configuration JSON).
DEEPSPEED_BUCKET = 500_000_000
DEEPSPEED_PREFETCH = 50_000_000
DEEPSPEED_LIVE = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffers:
    """Bytes at one instant, and those of them that live in memory pools of the communication streams."""

    here: int  # bytes on the rank, those in pools too
    pooled: int = 0  # bytes of them in pools


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathers:
    """The buffers of one rank, by the instant they are there.

    ``pools``  the most bytes that the communication streams' own pools hold. PyTorch's allocator never gives a block of
               one stream to another (torch.cuda.CUDACachingAllocator), so reserved memory has both peaks.
    ``later``  bytes of a layer's gradients that are not there yet at its largest moment, when its activation function goes
               back: ``backward`` and ``end`` count them all, ``first`` none; None where they all come together
    """

    forward: Buffers  # gathered weights while a layer's forward runs
    loss: Buffers  # while the loss is computed
    first: Buffers  # while the backward of the first layer to go back runs: gathered weights
    backward: Buffers  # while that of a later layer runs: also its gradients, and those being reduced
    end: Buffers  # while that of the last layer to go back runs, when the others have given their weights back
    reduce: Buffers  # when the last unit's gradients are reduced
    step: Buffers  # the optimizer's temporary
    pools: int = 0
    later: int | None = None


def gathers_of(plan: Training, chunks: tuple[Chunk, ...], optimizer_elements: int) -> Gathers:
    """The buffers of a rank with these chunks. ``optimizer_elements``: numbers that its optimizer updates."""
    step, buckets = Buffers(here=_step(plan, optimizer_elements)), _buckets(plan)
    if not _gathered(plan):
        nothing, moving = Buffers(here=0), Buffers(here=buckets)
        return Gathers(
            forward=nothing, loss=nothing, first=moving, backward=moving, end=moving, reduce=moving, step=step
        )
    sizes = unit_sizes(plan, chunks)
    whole = not plan.recipe.shards("weights", plan.layout.zero)  # from host memory alone: one unit, and the next
    if plan.recipe.preset == "deepspeed" or whole:
        each = plan.recipe.weight_bytes
        live = (2 * sizes.layer if whole else min(2 * sizes.layer, DEEPSPEED_LIVE) + DEEPSPEED_PREFETCH) * each
        return Gathers(
            forward=Buffers(here=live),
            loss=Buffers(here=sizes.root * each),
            first=Buffers(here=live + buckets),
            backward=Buffers(here=live + buckets),
            end=Buffers(here=live + buckets),
            reduce=Buffers(here=buckets),
            step=step,
        )
    return _sharded(plan, sizes, step)


def _gathered(plan: Training) -> bool:
    """Whether weights come to the rank unit by unit: from other ranks, or from host memory, which needs no other."""
    if "weights" in plan.in_host_memory:
        return True
    return plan.layout.shard_ranks > 1 and plan.recipe.shards("weights", plan.layout.zero)


def _sharded(plan: Training, sizes: UnitSizes, step: Buffers) -> Gathers:
    """Fully sharded training, unit by unit.

    Forward: the root, the layer that runs and the gather of the next. Backward: the same, the layer's gradients, and
    those of the layer before on their way: one input of a reduce-scatter is kept until the next (PyTorch,
    FSDPParamGroup). The head's are the first to come; as the head is part of the root, which is reduced when all of it
    has gone back, they stay from the first layer to the last (PyTorch, FSDPParamGroup.post_backward). In a pipeline
    gradients stay whole, in the type they are reduced in, until the last micro-batch.

    The gradient of an embedding that tensor parallelism cuts is a whole tensor on every rank until it is reduced
    (PyTorch, DTensor, embedding_dense_backward_strategy, which has no cut by rows; FSDPParam,
    to_accumulated_grad_if_needed, which sums it as it is).
    """
    each, reduced = unit_bytes(plan), reduced_bytes(plan)
    trained = plan.recipe.trainable  # a frozen weight has no gradient
    layer, everything = sizes.layer, sizes.layers + sizes.root
    pipelined = waits_for_last(plan) and plan.micro_batches > 1
    kept = gathers_a_step(plan) < 2 * plan.micro_batches
    biggest = max(sizes.edge if plan.wrap == "layer+root-apart" else sizes.root, layer)
    if plan.wrap == "whole":
        biggest = everything
    held = root = 0 if plan.wrap == "layer+root-apart" else sizes.root * each
    flight = 2 * layer * each
    if kept or plan.wrap == "whole":
        held, flight = everything * each, 0
    unit = biggest if plan.wrap == "whole" else layer
    summed = math.ceil((everything + sizes.uncut) * reduced * trained) if pipelined else 0
    early = sizes.head if plan.wrap == "layer" and not pipelined else 0
    gradients = math.ceil((unit + early) * each * trained)
    # A compiled layer gives its gradients back together; eager attention's largest moment is after the MLP's.
    one_by_one = plan.wrap != "whole" and plan.attention == "flash" and not plan.compile
    moving = 0 if pipelined else math.ceil(unit * reduced * trained)
    last = math.ceil(biggest * reduced * trained)
    if "gradients" in plan.in_host_memory:
        # What comes out of a reduction is on the card until it is copied.
        moving, last = moving + -(-moving // sizes.ranks), last + -(-last // sizes.ranks)
    pooled = flight // 2
    left = held if pipelined or plan.wrap == "whole" else root + layer * each
    edge = sizes.edge * each if plan.wrap == "layer+root-apart" else 0
    return Gathers(
        forward=Buffers(here=held + flight + summed, pooled=pooled),
        loss=Buffers(here=max(held, edge) + summed),
        first=Buffers(here=held + flight + math.ceil(early * each * trained) + summed, pooled=pooled),
        backward=Buffers(here=held + flight + gradients + moving + summed, pooled=pooled + moving),
        end=Buffers(here=left + gradients + moving + summed, pooled=moving),
        reduce=Buffers(
            here=biggest * each + math.ceil((biggest + sizes.uncut) * each * trained) + last + summed, pooled=last
        ),
        step=step,
        pools=biggest * each + last,
        later=math.ceil((layer - sizes.outward) * each * trained) if one_by_one else None,
    )


def waits_for_last(plan: Training) -> bool:
    """Whether weights stay gathered, and gradients whole, through all micro-batches: fsdp2 in a pipeline.

    Source: torchtitan, get_fsdp_reshard_after_forward_policy, which gives back nothing after a forward in a pipeline by
    default; torch.distributed.pipelining, stage.py, backward_maybe_with_nosync, which does after the last backward.
    """
    return plan.recipe.preset == "fsdp2" and plan.layout.pp > 1


def gathers_a_step(plan: Training) -> int:
    """How often a step gathers each sharded weight: for each pass of a micro-batch, fewer where it stays meanwhile.

    Before ZeRO-3 once, when the update is done; fsdp2's ZeRO-2 keeps them from a forward to its backward.
    """
    if waits_for_last(plan):
        return 1
    if plan.layout.zero == 3:
        return 2 * plan.micro_batches
    return plan.micro_batches if plan.recipe.preset == "fsdp2" else 1


def unit_bytes(plan: Training) -> int:
    """Bytes of a gathered number: that of the computation, where the shards are wider."""
    own = plan.recipe.weight_bytes
    return min(own, plan.activation_bytes) if plan.recipe.preset == "fsdp2" else own


def reduced_bytes(plan: Training) -> int:
    """Bytes of a gradient as it is reduced: fp32 for fsdp2's mixed precision, else as it is."""
    if plan.reduce_bytes is not None:
        return plan.reduce_bytes
    return FP32 if plan.recipe.preset == "fsdp2" and plan.recipe.weight_bytes == FP32 else plan.recipe.gradient_bytes


def _step(plan: Training, elements: int) -> int:
    """PyTorch's multi-tensor Adam makes one temporary as large as a moment (torch.optim.adamw, _multi_tensor_adamw).

    Megatron, DeepSpeed and nanotron bring fused optimizers, which make none.
    """
    if plan.step == "fused" or plan.recipe.preset not in PYTORCH or plan.recipe.optimizer != "adamw":
        return 0
    if plan.offload != "none":
        return 0
    return elements * plan.recipe.moment_unit_bytes


def _buckets(plan: Training) -> int:
    """DeepSpeed reduces gradients through a bucket, and with overlap fills the next one meanwhile."""
    if plan.recipe.preset != "deepspeed" or plan.layout.zero == 0:
        return 0
    size = DEEPSPEED_BUCKET if plan.bucket is None else plan.bucket
    each = plan.recipe.gradient_bytes if plan.reduce_bytes is None else plan.reduce_bytes
    return size * each * (2 if plan.overlap else 1)
