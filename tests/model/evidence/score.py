"""What a comparison with others' figures is made of. The tests hold these scores to their bounds, and the page prints them.

match     one exact figure: what was published, and what the model says
scored    one measured value beside the model's
source    where the rows are from, what was set on them, and the bounds that the tests hold
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

PART = 0.9  # the percentile that is reported beside the median
FAR = 1.0  # an error from which on rows are counted apart: more than twice what was measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One measured value and the model's, in the same unit. ``floor``: the states alone, where it is memory.

    ``row``: the fields of the row that errors are broken down by, and more.
    """

    name: str
    measured: float
    predicted: float
    floor: float = 0
    row: dict = field(default_factory=dict)

    @property
    def error(self) -> float:
        """Relative error of the whole."""
        return self.predicted / self.measured - 1

    def without_floor(self) -> "Scored":
        """The part that is not states."""
        return Scored(
            name=self.name,
            measured=self.measured - self.floor,
            predicted=self.predicted - self.floor,
            row=self.row,
        )


def percentile(values: Iterable[float], part: float) -> float:
    """The value below which that part of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How far the rows of a source are off, all as shares: 0.05 is 5 %. ``lean`` is the median with its sign."""

    rows: int
    median: float
    at_90: float
    lean: float
    far: int  # rows that are off by more than ``FAR``
    worst: Scored

    @classmethod
    def of(cls, scored: Sequence[Scored]) -> "Summary":
        """Of one row or more."""
        errors = [abs(row.error) for row in scored]
        return cls(
            rows=len(scored),
            median=statistics.median(errors),
            at_90=percentile(errors, PART),
            lean=statistics.median(row.error for row in scored),
            far=sum(error > FAR for error in errors),
            worst=max(scored, key=lambda row: abs(row.error)),
        )

    def bounded(self) -> dict[str, float]:
        """The shares that a bound can be set on, by its name."""
        return {"median": self.median, "at_90": self.at_90, "each": abs(self.worst.error)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Bounds that the tests hold; None where they hold none."""

    median: float | None = None
    at_90: float | None = None
    each: float | None = None

    def broken(self, summary: Summary) -> list[str]:
        """The bounds that a summary does not keep, in words."""
        found = summary.bounded()
        bounds = {name: getattr(self, name) for name in found}
        return [
            f"{name} is {found[name]:.4f}, held under {bound}"
            for name, bound in bounds.items()
            if bound is not None and found[name] >= bound
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A publication: its name and its address."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """What of the model was set on a source's own runs, a number or a rule: in words, and where the code has it."""

    what: str
    path: str  # module and name, as in kernels.SUSTAINED_FRAC


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Rows of a source that have a worst row, and a reason, of their own: those with one value in one of its fields."""

    title: str
    field: str
    value: object

    def of(self, rows: Sequence[Scored]) -> list[Scored]:
        """Those of the rows."""
        return [row for row in rows if row.row[self.field] == self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A source of measured values. ``set_here`` is empty where nothing of the model was set on its rows, nor on the same
    runs.

    ``unit``      GiB for bytes, or what the values are in
    ``files``     of tests/model/data
    ``by``        fields of the rows to break the errors down by
    ``apart``     parts, by those fields, whose worst row is named too
    """

    key: str
    chapter: str  # memory, speed or messages
    title: str
    what: str
    unit: str
    links: tuple[Link, ...]
    files: tuple[str, ...]
    score: Callable[[], Sequence[Scored]]
    held: Held = Held()
    set_here: tuple[Constant, ...] = ()
    by: tuple[str, ...] = ()
    apart: tuple[Apart, ...] = ()

    def rows(self) -> tuple[Scored, ...]:
        """Every scored row; of those that share a name the later ones are numbered, so that a name means one row."""
        seen: Counter[str] = Counter()
        found = []
        for row in self.score():
            seen[row.name] += 1
            found.append(row if seen[row.name] == 1 else replace(row, name=f"{row.name} ({seen[row.name]})"))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One figure that must be met: as published, and the model's, rounded or not as its source prints it."""

    name: str
    published: object
    ours: object
    agrees: bool

    @classmethod
    def equal(cls, name: str, published: object, ours: object) -> "Match":
        """Agrees only if both are the same."""
        return cls(name=name, published=published, ours=ours, agrees=published == ours)

    @classmethod
    def near(cls, name: str, published: float, ours: float, within: float) -> "Match":
        """Agrees if the difference is at most ``within``."""
        return cls(name=name, published=published, ours=ours, agrees=abs(ours - published) <= within)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """A source of exact figures. ``rule``: how exact, in words."""

    key: str
    chapter: str  # parameters, states, activations, pipelines or constants
    title: str
    rule: str
    links: tuple[Link, ...]
    files: tuple[str, ...]
    matches: Callable[[], Sequence[Match]]


def exact(
    key: str, chapter: str, title: str, rule: str, matches: Callable, links: tuple[Link, ...], *files: str
) -> Exact:
    """A source of exact figures, in one line."""
    return Exact(key=key, chapter=chapter, title=title, rule=rule, links=links, files=files, matches=matches)
