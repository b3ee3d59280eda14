"""DualPipe-V: a V of two chunks a rank where forwards and backwards of different micro-batches run as fused pairs."""

from collections import deque

from .operations import Program, Step


def dualpipe_v(rank: int, stages: int, micro_batches: int) -> list[Step]:
    """Two chunks a rank in a V; in the steady state a forward of one is fused with a backward of the other.

    Fusing hides communication behind computation; a fused pair sends when both halves are done.
    Source: DeepSeek-AI, DualPipe (github.com/deepseek-ai/DualPipe, README), the "cut in half" form of DeepSeek-V3's
    DualPipe (arXiv:2412.19437, section 3.2.1); PyTorch runs it as ScheduleDualPipeV. Needs m >= 2p.
    """
    down, up = rank, 2 * stages - 1 - rank
    below = stages - 1 - rank  # ranks between this one and the turn of the V
    program = Program()
    waiting: deque[int] = deque()  # stages whose weight gradients were put off, oldest first

    def backward(stage: int, *, split: bool) -> None:
        program.add(stage, "I" if split else "B")
        if split:
            waiting.append(stage)

    program.add(down, "F" * (2 * below))
    for _ in range(rank + 1):
        program.add(down, "F")
        program.add(up, "F")
    for _ in range(below):
        program.add(up, "IWF")
    for index in range(micro_batches - stages - below):
        if index == 0 and below == 0:  # at the turn of the V there is nothing to hide yet
            program.add(down, "F")
            program.add(up, "B")
        else:
            program.fuse(down, up)
        program.fuse(up, down)
    for _ in range(below):
        program.add(up, "B")
        program.fuse(up, down)
    # The second half of the drain splits its backwards, so that the weight gradients fill the bubble.
    for index in range(2 * (rank + 1)):
        backward(down if index % 2 else up, split=index > rank)
    for _ in range(below):
        program.add(waiting.popleft(), "W")
        backward(down, split=True)
    for stage in waiting:
        program.add(stage, "W")
    return program.steps
