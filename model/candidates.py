"""The layouts that a search tries: every way to divide the GPUs, where the plan leaves one open.

given     a field of the plan's ``layout`` that is there, and ``batch.micro_batch``, are kept as they are
degrees   tp, pp, cp, ep: divisors of the GPUs whose product divides them (ep, of dp x cp x tp; dp is what is left)
vpp       1; and, where the schedule interleaves, the divisors of the layers of the fullest rank, up to 8
zero      the stages that the preset runs
micro_batch  divisors of the sequences that a replica has in a step
sequence_parallel  off, and on where tp > 1
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from .architecture import Architecture
from .recipe import preset_named
from .schedules import KINDS

SEARCHED = ("tp", "pp", "cp", "ep", "vpp", "zero", "sequence_parallel")
# Each virtual stage sends every micro-batch once more; more than these are timed where a plan asks for them.
MOST_VIRTUAL = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What a plan leaves open: for each axis the one value that it gives, or None. ``kind``: the schedule, if given."""

    shape: Architecture
    gpus: int
    global_batch: int
    preset: str
    kind: str | None
    stage_layers: tuple[int, ...] | None
    etp: int
    tp: int | None
    pp: int | None
    cp: int | None
    ep: int | None
    vpp: int | None
    zero: int | None
    sequence_parallel: bool | None
    micro_batch: int | None

    def candidates(self) -> Iterator[dict]:
        """Every candidate, as the fields it sets: those of ``SEARCHED`` and ``micro_batch``. The simplest come first."""
        for pp, cp, tp in self._degrees():
            split = tp * pp * cp
            # A degree that does not divide the GPUs is one that was given; it is tried once, to be told so.
            dp = self.gpus // split if self.gpus % split == 0 else None
            for ep in self._eps(pp, dp):
                for vpp in self._vpps(pp):
                    for zero in self._zeros():
                        for cut in self._cuts(tp):
                            for micro_batch in self._micro_batches(dp):
                                yield {
                                    "tp": tp,
                                    "pp": pp,
                                    "cp": cp,
                                    "ep": ep,
                                    "vpp": vpp,
                                    "zero": zero,
                                    "sequence_parallel": cut,
                                    "micro_batch": micro_batch,
                                }

    def count(self, most: int) -> int:
        """How many candidates there are; counting ends beyond ``most``."""
        total = 0
        for pp, cp, tp in self._degrees():
            split = tp * pp * cp
            dp = self.gpus // split if self.gpus % split == 0 else None
            some = len(self._eps(pp, dp)) * len(self._vpps(pp)) * len(self._zeros())
            total += some * len(self._cuts(tp)) * len(self._micro_batches(dp))
            if total > most:
                break
        return total

    def _degrees(self) -> Iterator[tuple[int, int, int]]:
        # Those that are open divide what the given ones leave.
        left = _left(self.gpus, (self.pp or 1) * (self.cp or 1) * (self.tp or 1))
        for pp in _values(self.pp, left):
            own = left if self.pp else left // pp
            for cp in _values(self.cp, own):
                for tp in _values(self.tp, own if self.cp else own // cp):
                    yield pp, cp, tp

    def _eps(self, pp: int, dp: int | None) -> tuple[int, ...]:
        if self.ep is not None:
            return (self.ep,)
        if not self.shape.num_experts or dp is None:
            return (1,)
        return divisors(_left(self.gpus // pp, self.etp))

    def _vpps(self, pp: int) -> tuple[int, ...]:
        if self.vpp is not None:
            return (self.vpp,)
        if self.stage_layers is not None:
            return (max(1, len(self.stage_layers) // pp),)
        if self.kind is not None and KINDS[self.kind].virtual is not None:
            return (KINDS[self.kind].virtual,)
        if pp == 1:
            return (1,)
        fullest = -(-self.shape.num_hidden_layers // pp)
        return tuple(virtual for virtual in divisors(fullest) if virtual <= MOST_VIRTUAL)

    def _zeros(self) -> tuple[int, ...]:
        return preset_named(self.preset).stages if self.zero is None else (self.zero,)

    def _cuts(self, tp: int) -> tuple[bool, ...]:
        if self.sequence_parallel is not None:
            return (self.sequence_parallel,)
        return (False,) if tp == 1 else (False, True)

    def _micro_batches(self, dp: int | None) -> tuple[int, ...]:
        if self.micro_batch is not None:
            return (self.micro_batch,)
        if dp is None or self.global_batch % dp:
            return (1,)
        return divisors(self.global_batch // dp)


@lru_cache(maxsize=4096)
def divisors(number: int) -> tuple[int, ...]:
    """All divisors of a whole number from 1, ascending."""
    small = [part for part in range(1, isqrt(number) + 1) if number % part == 0]
    return tuple(sorted({*small, *(number // part for part in small)}))


def _values(given: int | None, whole: int) -> tuple[int, ...]:
    return divisors(whole) if given is None else (given,)


def _left(whole: int, part: int) -> int:
    """What is left to divide; 1 where it does not come out even, so that one candidate says so."""
    return 1 if whole % part else whole // part
