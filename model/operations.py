"""One piece of work on one stage of a pipeline, and how it is written: ``2F0`` is stage 2, forward, micro-batch 0.

Glossary of the schedule files:

F        forward of one stage for one micro-batch
B        its whole backward, I and W in one go
I, W     the two halves of a backward: the gradient of the input, which the stage before waits for, and the
         gradient of the weights, which nobody waits for
chunk    the layers of one stage; a rank with v virtual stages holds v chunks
fused    a forward and a backward that one rank runs as one, written ``(0F3;3B1)OVERLAP_F_B``
"""

from typing import NamedTuple


class Op(NamedTuple):
    """One operation. ``work`` is one of F, B, I, W."""

    stage: int
    work: str
    micro_batch: int

    def __str__(self) -> str:
        """The operation as PyTorch writes it (torch.distributed.pipelining, the notation of a schedule's CSV)."""
        return f"{self.stage}{self.work}{self.micro_batch}"


class Fused(NamedTuple):
    """A forward and a backward of two chunks of one rank, run as one operation."""

    forward: Op
    backward: Op

    def __str__(self) -> str:
        """The pair as PyTorch writes it."""
        return f"({self.forward};{self.backward})OVERLAP_F_B"


Step = Op | Fused


class Program:
    """The steps of one rank, in order. Each kind of work on a stage takes its micro-batches in order: 0, 1, 2 …"""

    def __init__(self) -> None:
        """Starts empty."""
        self.steps: list[Step] = []
        self._next: dict[tuple[int, str], int] = {}

    def add(self, stage: int, works: str) -> None:
        """Appends the stage's next operation of each kind of ``works``: ``add(3, "FIW")`` appends three."""
        self.steps += [self._take(stage, work) for work in works]

    def fuse(self, forward_stage: int, backward_stage: int) -> None:
        """Appends the next forward of one stage fused with the next whole backward of another."""
        self.steps.append(Fused(self._take(forward_stage, "F"), self._take(backward_stage, "B")))

    def done(self, stage: int, work: str) -> int:
        """How many operations of this kind the stage has so far; a whole backward counts as an I and a W."""
        return self._next.get((stage, work), 0)

    def _take(self, stage: int, work: str) -> Op:
        micro_batch = self.done(stage, "I" if work == "B" else work)
        for half in "IW" if work == "B" else work:
            self._next[stage, half] = micro_batch + 1
        return Op(stage, work, micro_batch)
