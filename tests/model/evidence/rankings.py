"""How well layouts of one model on one cluster are ranked by their predicted speed, and what the rankings miss."""

from collections import defaultdict
from functools import lru_cache

from ..speed_rows import spearman
from .score import Scored
from .speed import ultrascale

# Spearman's rank correlation that layouts of one model on one cluster keep, and the median over models and clusters.
RANKED, RANKED_MEDIAN = 0.8, 0.9
LAYOUT = ("model_b", "tp", "pp", "dp", "mbs", "grad_acc")
APART = 2  # times as fast: from here on, two runs of one layout are not the same


def ranking(rows):
    """(model, GPUs) -> (layouts, rank correlation of predicted and measured speed), where there are three or more."""
    groups = defaultdict(list)
    for row in rows:
        groups[row.row["model_b"], row.row["gpus"]].append((row.predicted, row.measured))
    return {
        group: (len(pairs), spearman(*zip(*pairs, strict=True)))
        for group, pairs in sorted(groups.items())
        if len(pairs) > 2
    }


@lru_cache
def rankings():
    """The same over all rows."""
    return ranking(ultrascale())


def twins() -> list[tuple[Scored, Scored]]:
    """The first two runs of every layout that ran more than once: as it was, or with ZeRO-1, which changes little."""
    ran = defaultdict(list)
    for row in ultrascale():
        ran[tuple(row.row[name] for name in LAYOUT)].append(row)
    return [tuple(runs[:2]) for runs in ran.values() if len(runs) > 1]


def ratio(one: float, other: float) -> float:
    """How many times the smaller the larger one is."""
    return max(one, other) / min(one, other)


def twin_ratios() -> list[float]:
    """How many times as fast the quicker of two runs of one layout was, as measured."""
    return [ratio(one.measured, other.measured) for one, other in twins()]
