"""Predicted against measured, as a drawing: both axes alike, the diagonal, and the band that holds nine of ten rows."""

import math
from collections.abc import Sequence
from html import escape
from itertools import count

from tests.model.evidence.score import Scored, Summary
from widgets.format import number
from widgets.messages import Messages

SIZE, LEFT, TOP, BOTTOM = 300, 58, 22, 40  # of the plot, and the room around it
MARGIN = 0.04  # of the range, kept free around the rows
MANY = 150  # from here on, marks are small
TICKS = (3, 6)  # at least and at most, where that can be


class Scale:
    """Values to places along an axis: logarithmic where all are above zero, else linear."""

    def __init__(self, values: Sequence[float]) -> None:
        """Takes every value that must find room."""
        self.log = min(values) > 0
        low, high = self._of(min(values)), self._of(max(values))
        pad = MARGIN * (high - low) or 0.1
        self.low, self.high = low - pad, high + pad

    def _of(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def place(self, value: float) -> float:
        """From 0 at the least to 1 at the most; beyond them for values outside."""
        return (self._of(value) - self.low) / (self.high - self.low)

    def ends(self) -> tuple[float, float]:
        """The values at both ends."""
        return (10**self.low, 10**self.high) if self.log else (self.low, self.high)

    def ticks(self) -> list[float]:
        """Round values inside: the coarsest choice with enough of them."""
        low, high = self.ends()
        best: list[float] = []
        for choice in self._choices(low, high):
            inside = [value for value in choice if low <= value <= high]
            if TICKS[0] <= len(inside) <= TICKS[1]:
                return inside
            best = inside if len(inside) > len(best) and len(inside) <= TICKS[1] else best
        return best

    def _choices(self, low: float, high: float):
        if self.log:
            decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for heads in ((1,), (1, 3), (1, 2, 5)):
                yield [head * 10.0**decade for decade in decades for head in heads]
        exponent = math.floor(math.log10(high - low))
        for step in (head * 10.0**power for power in (exponent, exponent - 1) for head in (5, 2, 1)):
            first = math.ceil(low / step)
            yield [round(place * step, 12) for place in range(first, math.floor(high / step) + 1)]


def scatter(rows: Sequence[Scored], *, name: str, unit: str, title: str, in_sample: bool, language: Messages) -> str:
    """The drawing, with a title and a description for who cannot see it. ``name`` keeps its ids apart from others'."""
    found = Summary.of(rows)
    scale = Scale([value for row in rows for value in (row.measured, row.predicted)])
    t = language.t
    parts = [
        f'<title id="{name}-t">{escape(t("{title}: predicted against measured", title=title))}</title>',
        f'<desc id="{name}-d">{escape(_described(rows, found, unit, language))}</desc>',
        *_grid(scale, language),
        _band(scale, found.at_90, name),
        f'<path class="ev-equal" d="M0 {SIZE}L{SIZE} 0"/>',
        _marks(scale, rows, in_sample),
        _worst(scale, found.worst, language),
        f'<text class="t-2" x="{SIZE}" y="{SIZE + 34}" text-anchor="end">{escape(t("measured, {unit}", unit=unit))}</text>',
        f'<text class="t-2" x="0" y="-9" text-anchor="start">{escape(t("predicted, {unit}", unit=unit))}</text>',
    ]
    box = f"{-LEFT} {-TOP} {LEFT + SIZE + 24} {TOP + SIZE + BOTTOM}"
    return (
        f'<svg viewBox="{box}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<clipPath id="{name}-c"><path d="M0 0H{SIZE}V{SIZE}H0Z"/></clipPath>{"".join(parts)}</svg>'
    )


def _described(rows: Sequence[Scored], found: Summary, unit: str, language: Messages) -> str:
    return language.t(
        "{rows} rows, measured from {least} to {most} {unit}. Half are off by at most {median}, nine of ten by at most "
        "{at_90}. The worst, {worst}, is off by {error}.",
        rows=number(found.rows, language),
        least=figure(min(row.measured for row in rows), language),
        most=figure(max(row.measured for row in rows), language),
        unit=unit,
        median=percent(found.median, language),
        at_90=percent(found.at_90, language),
        worst=found.worst.name,
        error=percent(found.worst.error, language, signed=True),
    )


def _grid(scale: Scale, language: Messages):
    for value in scale.ticks():
        at, label = scale.place(value) * SIZE, escape(figure(value, language))
        yield f'<path class="ev-grid" d="M{at:.1f} 0V{SIZE}M0 {SIZE - at:.1f}H{SIZE}"/>'
        yield f'<text class="t-m t-2" x="{at:.1f}" y="{SIZE + 16}" text-anchor="middle">{label}</text>'
        yield f'<text class="t-m t-2" x="-7" y="{SIZE - at + 4:.1f}" text-anchor="end">{label}</text>'
    yield f'<path class="d-hair" d="M0 0V{SIZE}H{SIZE}"/>'


def _band(scale: Scale, share: float, name: str) -> str:
    """Predictions off by at most ``share`` of what was measured; from nothing on where that is all of it."""
    ends = list(scale.ends())
    if not scale.log and ends[0] < 0 < ends[1]:
        ends.insert(1, 0.0)

    def edge(factor: float) -> list[str]:
        points = []
        for value in ends:
            predicted = value * factor
            at = scale.place(predicted) if predicted > 0 or not scale.log else -1.0
            points.append(f"{scale.place(value) * SIZE:.1f} {SIZE - at * SIZE:.1f}")
        return points

    outline = "L".join((*edge(1 + share), *reversed(edge(1 - share))))
    return f'<path class="ev-band" clip-path="url(#{name}-c)" d="M{outline}Z"/>'


def _marks(scale: Scale, rows: Sequence[Scored], in_sample: bool) -> str:
    """All rows as one path of points: the ends of its lines are the marks."""
    places = (
        f"M{scale.place(row.measured) * SIZE:.1f} {SIZE - scale.place(row.predicted) * SIZE:.1f}h0" for row in rows
    )
    kinds = ["ev-marks", "ev-set" if in_sample else "ev-held", *(["ev-many"] if len(rows) >= MANY else [])]
    return f'<path class="{" ".join(kinds)}" d="{"".join(places)}"/>'


def _worst(scale: Scale, row: Scored, language: Messages) -> str:
    """A ring, and the error on the side that is away from the diagonal, where there are fewer marks."""
    x, y = scale.place(row.measured) * SIZE, SIZE - scale.place(row.predicted) * SIZE
    level = y - 12 if row.predicted > row.measured else y + 21
    if 10 < level < SIZE - 4:
        at, anchor = x, "start" if x < 40 else "end" if x > SIZE - 40 else "middle"
    else:  # no room there: beside the ring
        level, right = y + 4, x < SIZE / 2
        at, anchor = (x + 12, "start") if right else (x - 12, "end")
    text = escape(percent(row.error, language, signed=True))
    return (
        f'<circle class="ev-worst" cx="{x:.1f}" cy="{y:.1f}" r="7"/>'
        f'<text class="t-n t-m ev-halo" x="{at:.1f}" y="{level:.1f}" text-anchor="{anchor}">{text}</text>'
    )


def percent(share: float, language: Messages, *, signed: bool = False) -> str:
    """Two digits or a little more: 0.23 %, 7.6 %, 38 %, 4,356 %; signed with a plus or a minus."""
    value = abs(share) * 100
    digits = next(place for place in count() if value >= 10 ** (1 - place) or place == 2)
    text = number(round(value, digits) if digits else round(value), language)
    sign = ("−" if share < 0 else "+") if signed and text != "0" else ""
    return f"{sign}{text}\u00a0%"


def figure(value: float, language: Messages) -> str:
    """A measured or a predicted value, to four digits."""
    rounded = float(f"{value:.4g}")
    text = number(int(rounded) if rounded == int(rounded) else rounded, language)
    return text.replace("-", "−")
