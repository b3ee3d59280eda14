"""What each rank of a plan holds; for ranks, and plans of one search, that hold the same, worked out once."""

from fractions import Fraction

from .gathers import Gathers, gathers_of
from .held import Held, rank_held
from .model_states import States, model_states
from .placement import Chunk
from .training import Training


def rank_tensors(plan: Training, chunks: tuple[Chunk, ...]) -> tuple[Held, ...]:
    """The tensors of a rank with these chunks; see ``held.rank_held``."""
    layout = plan.layout
    key = ("tensors", layout.tp, layout.ep, tuple([chunk.alike for chunk in chunks]))
    return plan.memo.once(key, lambda: rank_held(plan.shape, layout, chunks))


def rank_elements(plan: Training, chunks: tuple[Chunk, ...]) -> int:
    """The numbers in the weights of a rank with these chunks."""
    layout = plan.layout
    key = ("elements", layout.tp, layout.ep, tuple([chunk.alike for chunk in chunks]))
    return plan.memo.once(key, lambda: sum(one.elements for one in rank_tensors(plan, chunks)))


def rank_shard(plan: Training, chunks: tuple[Chunk, ...]) -> Fraction:
    """The numbers in a rank's part of these chunks' weights, dealt over its replicas: experts have fewer of them."""
    layout = plan.layout

    def share() -> Fraction:
        tensors = rank_tensors(plan, chunks)
        dense, experts = (sum(one.elements for one in tensors if one.expert == expert) for expert in (False, True))
        return Fraction(dense, layout.shard_ranks) + Fraction(experts, layout.expert_shard_ranks)

    return plan.memo.once(("shard", *_sharded(plan, chunks)), share)


def rank_states(plan: Training, chunks: tuple[Chunk, ...]) -> States:
    """The weights, gradients and optimizer state of the largest rank with these chunks."""
    return plan.memo.once(
        ("states", *_sharded(plan, chunks)),
        lambda: model_states(
            rank_tensors(plan, chunks), plan.recipe, plan.layout, offload=plan.offload, bucket_view=plan.bucket_view
        ),
    )


def replica_states(plan: Training, rank: int, replica: int) -> States:
    """The states of one rank, not of the largest: pipeline rank ``rank``, and ``replica`` of those that share a copy."""
    return model_states(
        rank_tensors(plan, plan.ranks[rank]),
        plan.recipe,
        plan.layout,
        offload=plan.offload,
        bucket_view=plan.bucket_view,
        replica=replica,
    )


def rank_gathers(plan: Training, chunks: tuple[Chunk, ...]) -> Gathers:
    """The buffers of weights and gradients on their way."""
    each = plan.recipe.master_bytes + (plan.recipe.moment_bytes or 0)
    return plan.memo.once(
        ("gathers", plan.layout.pp > 1, plan.micro_batches > 1, *_sharded(plan, chunks)),
        lambda: gathers_of(plan, chunks, rank_states(plan, chunks).bytes_of("optimizer") // each if each else 0),
    )


def _sharded(plan: Training, chunks: tuple[Chunk, ...]) -> tuple:
    """All of a layout that says what of these chunks' states a rank holds."""
    layout = plan.layout
    return layout.tp, layout.ep, layout.zero, layout.replicas, tuple([chunk.alike for chunk in chunks])
