"""What a card holds beyond the tensors: the allocator's slack, the CUDA context, the communicators' buffers."""

from fractions import Fraction

from .instants import RankMemory
from .training import Training
from .units import MIB

# What the caching allocator keeps beyond the peak of what is allocated: a part of that peak, and of what comes and goes.
# Megatron: median of the published pairs of both (SimuMax, docs/b200, 19 configurations of Megatron-LM on 8 B200: 3 to
# 9 %). nanotron: the lower end of that, and what its 705 rows leave together: tensors of other sizes do not fit the
# blocks that were freed. PyTorch's fully sharded training: none, its pools are counted one by one.
PART_OF_PEAK = Fraction(5, 100)
NANOTRON_PART_OF_PEAK = Fraction(3, 100)
NANOTRON_PART_OF_DYNAMIC = Fraction(25, 100)
# Besides, the cuBLAS workspaces of the forward and of the backward pass: at rest its runs hold 71 and 74 MiB more than
# their states (nanotron, 1.04 B parameters on 24 GPUs, with and without ZeRO-1).
NANOTRON_WORKSPACES_BYTES = 64 * MIB
# A process's CUDA context with the kernels of PyTorch: 0.3 GB where kernels are loaded when they are first used, which
# they are since CUDA 11.7, to 1 GB where all are (PyTorch's developers, github.com/pytorch/pytorch/issues/107667 and
# 28394). Training uses many of them: set here between the two, on no row.
CONTEXT_BYTES = 700 * MIB
# One NCCL communicator's buffers: 544 MiB with two ranks and 688 with more, on a node of A100
# (github.com/NVIDIA/nccl/issues/964); channels and algorithms change it (issues/986). Set here between the two, on no
# row: of the measured runs BigScience's alone show what nvidia-smi did, and their pipelines hold more than is modelled.
COMMUNICATOR_BYTES = 600 * MIB


def reserved_peak(plan: Training, memory: RankMemory) -> int:
    """Bytes that PyTorch's allocator holds at most: never less than what is allocated at the peak."""
    allocated = memory.peak.allocated
    if memory.pools:
        return max(allocated, memory.pools + max(instant.reserved for instant in memory.instants))
    freed = max(instant.reserved for instant in memory.instants) - allocated
    slack = PART_OF_PEAK * allocated
    if plan.implementation == "nanotron":
        dynamic = allocated - sum(memory.peak.states) - memory.resident
        slack = NANOTRON_PART_OF_PEAK * allocated + NANOTRON_PART_OF_DYNAMIC * dynamic + NANOTRON_WORKSPACES_BYTES
        slack += min(_still_on_their_way(plan), max(0, plan.capacity_bytes - _beside(plan) - allocated - int(slack)))
    return allocated + max(0, freed) + int(slack)


def _still_on_their_way(plan: Training) -> int:
    """Outputs of row-cut matrices, whole until they are reduced and scattered, that cannot be given back yet.

    In bytes. A block that another stream uses is free when that stream is done (PyTorch, CUDACachingAllocator,
    recordStream), and the host runs ahead of the card: in nanotron nothing makes it wait until the forward pass is over,
    unless a pipeline does, whose messages' shapes are read on the host (nanotron, p2p.py, first and second metadata).
    Two matrices a layer; where the card has no room for them the allocator waits.
    """
    if plan.layout.pp > 1 or plan.layout.sequence_cut == 1:
        return 0
    elsewhere = plan.tokens - plan.tokens // plan.layout.sequence_cut
    return 2 * plan.shape.num_hidden_layers * elsewhere * plan.shape.hidden_size * plan.activation_bytes


def _beside(plan: Training) -> int:
    """Bytes of a card that the allocator cannot have."""
    return CONTEXT_BYTES + communicators(plan) * COMMUNICATOR_BYTES


def communicators(plan: Training) -> int:
    """Groups of more than one rank that a rank talks in: one communicator each.

    They are those that ``groups`` lays out: shards and their copies apart, and experts' replicas where they are not
    those of the dense weights.
    """
    layout, experts = plan.layout, plan.layout.ep * plan.layout.etp
    shard, expert_shard = layout.shard_ranks, layout.expert_shard_ranks
    sizes = [layout.tp, layout.cp, layout.pp, layout.ep, layout.etp, shard, layout.replicas // shard]
    if plan.shape.num_experts and experts != layout.tp:
        sizes += [expert_shard, layout.replicas * layout.tp // (experts * expert_shard)]
    return sum(size > 1 for size in sizes)
