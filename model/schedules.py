"""The pipeline schedules one can ask for, which shapes each one is legal for, and the order of steps on each rank."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from .dualpipe import dualpipe_v
from .errors import Invalid, unknown_value
from .flush import gpipe, interleaved, one_forward_one_backward, rounds
from .operations import Step
from .zero_bubble import zb_h1, zb_v

# Stages x micro-batches that one schedule may have: a few seconds of events, and less than a browser tab can hold.
MOST_CHUNKS = 2**17


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A schedule. ``virtual`` is its number of chunks a rank, or None where it is the reader's choice."""

    name: str
    pytorch: str
    virtual: int | None
    in_v: bool = False  # chunk 1 of rank i is stage 2p − 1 − i, not p + i
    least_per_stage: int = 0  # micro-batches it needs for each rank
    filled_per_stage: int = 0  # micro-batches for each rank that its order is made for, however few there are
    in_rounds: bool = False  # micro-batches must divide into rounds
    make: Callable[..., list[Step]]


KINDS = {
    kind.name: kind
    for kind in (
        Kind(name="gpipe", pytorch="GPipe", virtual=1, make=gpipe),
        Kind(name="1f1b", pytorch="1F1B", virtual=1, make=one_forward_one_backward),
        Kind(name="interleaved", pytorch="Interleaved1F1B", virtual=None, in_rounds=True, make=interleaved),
        Kind(name="zb-h1", pytorch="ZeroBubble_v1", virtual=1, make=zb_h1),
        Kind(name="zb-v", pytorch="ZBVZeroBubble", virtual=2, in_v=True, filled_per_stage=2, make=zb_v),
        Kind(name="dualpipe-v", pytorch="DualPipeV", virtual=2, in_v=True, least_per_stage=2, make=dualpipe_v),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind of schedule with its sizes, known to be legal: p ranks, m micro-batches, v chunks on each rank."""

    kind: str
    stages: int
    micro_batches: int
    virtual: int  # chunks on each rank

    @classmethod
    def checked(cls, kind: str, stages: int, micro_batches: int, virtual: int | None) -> "Shape":
        """A legal shape; ``virtual`` None is the kind's own, and 2 for interleaved.

        Raises ``Invalid`` for ``kind``, ``stages``, ``micro_batches`` or ``virtual``, with both numbers that clash
        and the nearest that would do.
        """
        if kind not in KINDS:
            raise unknown_value("kind", kind, KINDS)
        for field, value in (("stages", stages), ("micro_batches", micro_batches), ("virtual", virtual)):
            if value is not None and value < 1:
                message = f"it must be at least 1; it is {value}"
                raise Invalid(field, "out_of_range", {"value": value, "least": 1}, message)
        shape = cls(kind=kind, stages=stages, micro_batches=micro_batches, virtual=_virtual(KINDS[kind], virtual))
        _check_micro_batches(KINDS[kind], stages, micro_batches)
        return shape

    @property
    def chunks(self) -> int:
        """Stages of the whole pipeline, p·v."""
        return self.stages * self.virtual

    @property
    def laid_out(self) -> int:
        """Stages times the micro-batches that the order is made for: what laying it out costs."""
        return self.chunks * max(self.micro_batches, KINDS[self.kind].filled_per_stage * self.stages)

    def rank_of(self, stage: int) -> int:
        """The rank that holds a stage: dealt round-robin, or along a V and back."""
        if KINDS[self.kind].in_v:
            return min(stage, 2 * self.stages - 1 - stage)
        return stage % self.stages

    def notes(self) -> list[dict]:
        """Where frameworks refuse this shape, as ``{code, values, message}``."""
        p, m = self.stages, self.micro_batches
        values = {"stages": p, "micro_batches": m}
        found = []
        if self.kind == "1f1b" and m < p:
            message = f"PyTorch refuses 1F1B with fewer micro-batches ({m}) than stages ({p})"
            found.append({"code": "pytorch_refuses", "values": values, "message": message})
        if self.kind == "zb-h1" and m % rounds(p, m):
            message = f"PyTorch refuses {m} micro-batches: not a multiple of max(1, ⌊{m}/{p}⌋) = {rounds(p, m)}"
            found.append({"code": "pytorch_refuses", "values": values, "message": message})
        if self.kind == "interleaved" and self.virtual > 1 and m % p:
            message = f"Megatron-LM refuses {m} micro-batches: not a multiple of {p} stages"
            found.append({"code": "megatron_refuses", "values": values, "message": message})
        return found


@lru_cache(maxsize=8)
def order(shape: Shape) -> tuple[tuple[Step, ...], ...]:
    """The steps of each rank in the order in which PyTorch executes them; no idle slots, no communication.

    Raises ``Invalid`` where the schedule would have more than ``MOST_CHUNKS`` stages times micro-batches.
    """
    check_laid_out(shape)
    return tuple(tuple(rank_order(shape, rank)) for rank in range(shape.stages))


def rank_order(shape: Shape, rank: int) -> list[Step]:
    """The steps of one rank of a schedule that can be laid out."""
    kind = KINDS[shape.kind]
    return kind.make(rank, shape.stages, shape.micro_batches, *((shape.virtual,) if kind.virtual is None else ()))


def check_laid_out(shape: Shape) -> None:
    """Raises ``Invalid`` for more than ``MOST_CHUNKS`` stages times micro-batches."""
    size = shape.laid_out
    if size > MOST_CHUNKS:
        message = (
            f"stages x virtual x micro-batches = {shape.stages} x {shape.virtual} x {size // shape.chunks} = {size} "
            f"is too large to lay out; keep it to {MOST_CHUNKS}"
        )
        raise Invalid("micro_batches", "out_of_range", {"value": size, "most": MOST_CHUNKS}, message)


def _virtual(kind: Kind, virtual: int | None) -> int:
    if virtual is None:
        return kind.virtual or 2  # the fewest chunks that interleave
    if kind.virtual not in (None, virtual):
        message = f"{kind.name} has {kind.virtual} on each rank, not {virtual}; leave it out, or choose interleaved"
        raise Invalid("virtual", "contradiction", {"value": virtual, "allowed": kind.virtual}, message)
    return virtual


def _check_micro_batches(kind: Kind, stages: int, micro_batches: int) -> None:
    values = {"stages": stages, "micro_batches": micro_batches}
    least = kind.least_per_stage * stages
    if micro_batches < least:
        message = (
            f"{kind.name} needs at least {kind.least_per_stage} x {stages} stages = {least}; it is {micro_batches}; "
            f"the nearest that works is {least}"
        )
        raise Invalid("micro_batches", "out_of_range", {**values, "nearest": [least]}, message)
    if kind.in_rounds and micro_batches % rounds(stages, micro_batches):
        nearest = _nearest_in_rounds(stages, micro_batches)
        message = (
            f"{kind.name} needs a multiple of max(1, ⌊{micro_batches}/{stages} stages⌋) = "
            f"{rounds(stages, micro_batches)}; it is {micro_batches}; "
            f"the nearest that works is {' or '.join(map(str, nearest))}"
        )
        raise Invalid("micro_batches", "not_divisible", {**values, "nearest": nearest}, message)


def _nearest_in_rounds(stages: int, micro_batches: int) -> list[int]:
    """The closest legal numbers of micro-batches, both where two are equally close. Multiples of p always work."""
    for distance in range(1, stages + 1):
        found = [
            number
            for number in (micro_batches - distance, micro_batches + distance)
            if number % rounds(stages, number) == 0
        ]
        if found:
            return found
    raise AssertionError("a multiple of the stages is never more than that away")
