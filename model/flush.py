"""Schedules that run each backward whole and empty the pipeline once a step: GPipe, 1F1B, interleaved 1F1B."""

from .operations import Op, Step


def gpipe(rank: int, stages: int, micro_batches: int) -> list[Step]:
    """All forwards, then all backwards, so that every micro-batch is in flight at once.

    Source: Huang et al. 2019, GPipe, section 2.3 (arXiv:1811.06965). The paper draws the backwards last in, first
    out; PyTorch runs them in the order of the forwards, and so does this: neither bubble nor memory depends on it.
    """
    return [Op(rank, work, index) for work in "FB" for index in range(micro_batches)]


def one_forward_one_backward(rank: int, stages: int, micro_batches: int) -> list[Step]:
    """Enough forwards to fill the pipeline below this rank, then one forward and one backward in turn.

    Source: Narayanan et al. 2021, section 2.2.1 (arXiv:2104.04473), PipeDream-Flush. PyTorch (2.11 to 2.13) prints the
    last rank's forwards as 1 … m; it runs 0 … m − 1, which is what this returns. PyTorch refuses m < p, where the
    algorithm is well defined: a rank fills with at most m forwards.
    """
    forwards = [Op(rank, "F", index) for index in range(micro_batches)]
    backwards = [Op(rank, "B", index) for index in range(micro_batches)]
    return _alternate(forwards, backwards, min(micro_batches, stages - rank) - 1)


def interleaved(rank: int, stages: int, micro_batches: int, virtual: int) -> list[Step]:
    """1F1B over ``virtual`` chunks a rank, chunk c of rank i being stage c·p + i; one chunk is plain 1F1B.

    The micro-batches go through in rounds: a round passes the rank's first chunk, then its second, and so on. The
    round is p micro-batches in the paper, which asks for a multiple of p (Narayanan et al. 2021, section 2.2.2,
    arXiv:2104.04473; Megatron-LM does too). PyTorch makes max(1, ⌊m/p⌋) rounds of equal length instead, so a round
    may be longer than p; this follows PyTorch, and where p divides m the two are the same.
    """
    if virtual == 1:
        return one_forward_one_backward(rank, stages, micro_batches)
    length = micro_batches // rounds(stages, micro_batches)
    passes = [
        (chunk, start + offset)
        for start in range(0, micro_batches, length)
        for chunk in range(virtual)
        for offset in range(length)
    ]
    forwards = [Op(chunk * stages + rank, "F", index) for chunk, index in passes]
    # Gradients come back through the chunks the other way round.
    backwards = [Op((virtual - 1 - chunk) * stages + rank, "B", index) for chunk, index in passes]
    # The last rank sees the first gradient after all but one pass of a round; each rank before it two hops later.
    warm_up = (virtual - 1) * length + 2 * (stages - 1 - rank)
    return _alternate(forwards, backwards, min(warm_up, len(forwards)))


def rounds(stages: int, micro_batches: int) -> int:
    """Rounds in which interleaved 1F1B takes its micro-batches; they must divide the micro-batches."""
    return max(1, micro_batches // stages)


def _alternate(forwards: list[Op], backwards: list[Op], warm_up: int) -> list[Step]:
    """``warm_up`` forwards, then a forward and a backward in turn, then the backwards that are left."""
    steps: list[Step] = forwards[:warm_up]
    for forward, backward in zip(forwards[warm_up:], backwards, strict=False):
        steps += (forward, backward)
    return steps + backwards[len(forwards) - warm_up :]
