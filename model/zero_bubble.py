"""Schedules that split each backward, and fill the bubble with the half that nobody waits for: ZB-H1 and ZB-V."""

from .operations import Program, Step


def zb_h1(rank: int, stages: int, micro_batches: int) -> list[Step]:
    """1F1B with split backwards: rank i runs each weight gradient i micro-batches after its input gradient.

    That delay gives every rank the memory of the first, and leaves a third of 1F1B's bubble when F = I = W.
    Source: Qi et al. 2023, Zero Bubble Pipeline Parallelism, section 2.3 (arXiv:2401.10241), ZB-H1; DeepSeek's ZB1P.
    PyTorch runs it as ScheduleInterleavedZeroBubble with one stage a rank.
    """
    program = Program()
    for _ in range(min(micro_batches, stages - 1 - rank)):
        program.add(rank, "F")
    for index in range(micro_batches):
        if program.done(rank, "F") < micro_batches:
            program.add(rank, "F")
        program.add(rank, "IW" if index >= rank else "I")
    program.add(rank, "W" * min(rank, micro_batches))
    return program.steps


def zb_v(rank: int, stages: int, micro_batches: int) -> list[Step]:
    """Two chunks a rank in a V, so that the first rank also holds the loss and no rank waits in the steady state.

    Rank i holds stage i on the way down and stage 2p − 1 − i on the way up.
    Source: Qi et al. 2024, Pipeline Parallelism with Controllable Memory (arXiv:2405.15362), V-ZB, here with the fixed
    order that PyTorch runs (ScheduleZBVZeroBubble); the paper also searches for orders when F, I and W differ.
    Published as "no bubble": from a rank's own first operation to its last, at F = I = W. Over the makespan, as
    elsewhere in this package, the last rank's wait for its first input remains.
    The order is made for at least 2p − 1 micro-batches, which fill the V; with fewer, the others are left out.
    """
    down, up = rank, 2 * stages - 1 - rank
    filled = max(micro_batches, 2 * stages - 1)
    program = Program()
    program.add(down, "F" * (2 * (stages - rank) - 1))
    for _ in range(rank):
        program.add(up, "F")
        program.add(down, "F")
    for _ in range(stages - rank):
        program.add(up, "FIW")
    for _ in range(filled - stages):
        program.add(down, "FIW" if program.done(down, "F") < filled else "IW")
        program.add(up, "FIW")
    for _ in range(rank):
        program.add(down, "I")
        program.add(up, "I")
    for _ in range(stages - rank):
        program.add(down, "IW")
    program.add(up, "W" * rank)
    program.add(down, "W" * rank)
    return [step for step in program.steps if step.micro_batch < micro_batches]
