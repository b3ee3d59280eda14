"""When each rank of a pipeline ends, all ranks at a time: the same whole numbers as the events', in far fewer steps.

tick      every rank runs one forward and one backward; a result made in one tick is used in the next
wave      the ends of all ranks after a tick; they alone decide the ticks to come
carried   rounds of ticks that are known to go like those before them are added up instead of run: all of them, once a
          wave is an earlier one plus the same time on every rank, for nothing else is remembered; or, while ranks
          still differ in pace, as many as keep every rank's

The order of steps is that of ``flush``. The tests compare with the events of ``pipeline.run`` on random pipelines.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import add, sub

from .pipeline import Cost
from .schedules import Shape


def wave_ends(shape: Shape, costs: Sequence[Cost], hop: int) -> tuple[int, ...] | None:
    """When each rank ends: the last ends of ``pipeline.run``, for whole numbers; None for a shape without waves.

    There are waves for 1F1B with m >= p, and for interleaved 1F1B where p divides m, on two ranks or more.
    """
    p, m, v = shape.stages, shape.micro_batches, shape.virtual
    if p == 1 or m < p or shape.kind not in ("1f1b", "interleaved"):
        return None
    forward = [cost.forward for cost in costs]
    backward = [cost.input_gradient + cost.weight_gradient for cost in costs]
    if v == 1:
        return _alternating(m, forward, backward, hop)
    return None if m % p else _Ring(p, m, v, forward, backward, hop).ends()


def _alternating(m: int, forward: list[int], backward: list[int], hop: int) -> tuple[int, ...]:
    """1F1B. Tick s of rank r: the forward of micro-batch s + p − 1 − r and the backward of s.

    A backward can start when its rank's forward has ended, or that of any later rank and all backwards between. So with
    X(r) the end of the forward plus all backwards and hops from here down to the first rank,
    X(r) of the next tick = forward + backward + max(largest X of the ranks from r on, X(r − 1) + 2 hops).
    """
    p, both = len(forward), list(map(int.__add__, forward, backward))
    below = [0, *accumulate(own + hop for own in backward)]  # backwards and hops of the ranks before
    # Filling is a flow shop: each rank once, and the slowest once more for every further micro-batch.
    filled, slowest = accumulate(forward), accumulate(forward, max)
    wave = [
        start + rank * hop + (p - 1 - rank) * most + own + down
        for rank, (start, most, own, down) in enumerate(zip(filled, slowest, backward, below, strict=False))
    ]
    twice, last = 2 * hop, m - p
    seen: dict[tuple[int, ...], int] = {}
    starts: list[int] = []
    tick = carried = 0
    while tick < last:
        if not carried:
            base = wave[0]
            key = tuple([end - base for end in wave])
            since = seen.setdefault(key, tick)
            starts.append(base)
            if since < tick:
                rounds = (last - tick) // (tick - since)
                carried = rounds * (base - starts[since])
                tick += rounds * (tick - since)
                if tick == last:
                    break
        wave = _next(wave, both, twice)
        tick += 1
    for done in range(1, p):  # ranks before this one have no forward left
        later = _later(wave)
        ahead = [
            own + (most if most > (came := before + twice) else came)
            for own, most, before in zip(both[done:], later[done:], wave[done - 1 :], strict=False)
        ]
        wave = [own + most for own, most in zip(backward[:done], later, strict=False)] + ahead
    return tuple(end - down + carried for end, down in zip(_later(wave), below, strict=False))


def _next(wave: list[int], both: list[int], twice: int) -> list[int]:
    later = _later(wave)
    first = both[0] + later[0]
    return [
        first,
        *(
            own + (most if most > (came := before + twice) else came)
            for own, most, before in zip(both[1:], later[1:], wave, strict=False)
        ),
    ]


def _later(wave: list[int]) -> list[int]:
    """For each rank the largest of its own and all later ones."""
    return list(accumulate(reversed(wave), max))[::-1]


TRIES = 4  # to carry a wave on; each is a round


class _Ring:
    """Interleaved 1F1B: the ranks in a ring, forwards going one way round, backwards the other.

    Tick t of rank r: forward pass t + W − r and backward pass t + r, with W = (v − 1)·p + 2(p − 1); each chunk is
    passed p times in a row. A rank that has no such pass (yet, or any more) leaves it out. A round is p·v ticks.
    """

    def __init__(self, p: int, m: int, v: int, forward: list[int], backward: list[int], hop: int) -> None:
        self.p, self.v, self.hop, self.passes = p, v, hop, m * v
        self.warm = (v - 1) * p + 2 * (p - 1)
        # Backwards come through the chunks the other way round.
        chunks = [slice(chunk * p, chunk * p + p) for chunk in range(v)]
        ahead, back = [forward[one] for one in chunks], [backward[one] for one in reversed(chunks)]
        places = range(p * v)
        self.ahead_s = [_costs(ahead, place + self.warm, p) for place in places]
        self.back_s = [_costs(back, place + p - 1, p, down=True) for place in places]
        self.free = [0] * p  # when each rank has done all it was asked so far
        self.onward = [0] * p  # when its last forward ended
        self.back = [0] * p

    def ends(self) -> tuple[int, ...]:
        """When each rank ends."""
        period, tick = self.p * self.v, -self.warm
        full = self.passes - self.warm  # from tick 0 until here every rank has both a forward and a backward
        while tick < min(0, self.passes):
            self._run(tick)
            tick += 1
        wave, paces = [*self.free, *self.onward], []  # paces: what a round added to the wave
        while tick + period <= full:
            self._round(wave)
            tick += period
            before, steady, wave = wave, paces, [*self.free, *self.onward]
            paces = list(map(sub, wave, before))
            if paces == steady:
                rounds, wave = self._carried(wave, paces, (full - tick) // period)
                tick += rounds * period
        while tick < self.passes:
            self._run(tick)
            tick += 1
        return tuple(self.free)

    def _carried(self, wave: list[int], paces: list[int], most: int) -> tuple[int, list[int]]:
        """Rounds, at most ``most``, that add the same ``paces`` as the two before did, and the wave after them.

        The wave after a round is made of sums and maxima of the one before, so along a line of waves it is convex. The
        last two rounds stayed on the line; if one far ahead on the line stays on it too, all between do. If not, those
        that left it keep the pace of the quickest from where they left, and the next try is before that.
        """
        quickest, rounds = max(paces), most
        for _ in range(TRIES):
            if rounds < 1:
                break
            self._round([end + (rounds - 1) * pace for end, pace in zip(wave, paces, strict=True)])
            there = [end + rounds * pace for end, pace in zip(wave, paces, strict=True)]
            off = [
                (found - end, quickest - pace)
                for found, end, pace in zip([*self.free, *self.onward], there, paces, strict=True)
                if found != end
            ]
            if not off:
                return rounds, there
            rounds -= max(-(-by // slower) if slower else rounds for by, slower in off)
        self.free, self.onward = wave[: self.p], wave[self.p :]
        self.back = self.free
        return 0, wave

    def _round(self, wave: list[int]) -> None:
        """A round from a wave, in which every rank runs both in each tick."""
        p, v, hop = self.p, self.v, self.hop
        free, onward = wave[:p], wave[p:]
        back = free
        for place, (ahead_s, back_s) in enumerate(zip(self.ahead_s, self.back_s, strict=True)):
            there = [end + hop for end in onward]
            # Nobody waits for the batch itself, nor the last chunk for another rank's loss.
            there = [0, *there[:-1]] if (place + self.warm) // p % v == 0 else there[-1:] + there[:-1]
            onward = [
                (own if own > came else came) + cost for own, came, cost in zip(free, there, ahead_s, strict=True)
            ]
            there = [end + hop for end in back]
            there = [*there[1:], 0] if (place + p - 1) // p % v == 0 else there[1:] + there[:1]
            free = back = [
                (own if own > came else came) + cost for own, came, cost in zip(onward, there, back_s, strict=True)
            ]
        self.free, self.onward, self.back = free, onward, back

    def _run(self, tick: int) -> None:
        """A tick in which some ranks have nothing to do."""
        p, hop, place = self.p, self.hop, tick % (self.p * self.v)
        low, high = max(0, tick + self.warm - self.passes + 1), min(p, tick + self.warm + 1)
        if low < high:
            came = [self.onward[-1] + hop, *[end + hop for end in self.onward[:-1]]]
            if (tick + self.warm) // p % self.v == 0:
                came[0] = 0
            ran = map(add, map(max, self.free[low:high], came[low:high]), self.ahead_s[place][low:high])
            self.onward = [*self.onward[:low], *ran, *self.onward[high:]]
            self.free = [*self.free[:low], *self.onward[low:high], *self.free[high:]]
        low, high = max(0, -tick), min(p, self.passes - tick)
        if low < high:
            came = [*[end + hop for end in self.back[1:]], self.back[0] + hop]
            if (tick + p - 1) // p % self.v == 0:
                came[-1] = 0
            ran = map(add, map(max, self.free[low:high], came[low:high]), self.back_s[place][low:high])
            self.back = [*self.back[:low], *ran, *self.back[high:]]
            self.free = [*self.free[:low], *self.back[low:high], *self.free[high:]]


def _costs(chunks: list[list[int]], number: int, p: int, *, down: bool = False) -> list[int]:
    """Each rank's cost in a tick in which the rank at the head of the wave runs pass ``number``, each next one less."""
    chunk, place = divmod(number, p)
    own, before = chunks[chunk % len(chunks)], chunks[(chunk - 1) % len(chunks)]
    cut = p - 1 - place if down else place + 1
    return before[:cut] + own[cut:] if down else own[:cut] + before[cut:]
