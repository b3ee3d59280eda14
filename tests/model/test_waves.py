"""A pipeline run in waves ends when its events do, on random pipelines; and a long one takes no more ticks than a short one."""

import random

import pytest

from model import waves
from model.pipeline import Cost, run
from model.schedules import Shape
from model.waves import wave_ends


def uneven(dice, stages):
    """Stages as a model makes them: some have a layer more, the last one the head, the first one the embedding."""
    layer, larger = dice.randrange(5, 60), dice.randrange(stages)
    counts = [3 if stage < larger else 2 for stage in range(stages)]
    costs = [Cost(layer * count, layer * count, 2 * count) for count in counts]
    head = dice.randrange(3 * layer)
    costs[-1] = Cost(costs[-1][0] + head, costs[-1][1] + head, costs[-1][2])
    costs[0] = Cost(costs[0][0] + dice.randrange(3), *costs[0][1:])
    return costs


def any_costs(dice, stages):
    return [Cost(*(dice.randrange(100) for _ in range(3))) for _ in range(stages)]


def alike(dice, stages):
    return [Cost(50, 60, 40)] * stages


@pytest.mark.parametrize("virtual", [1, 2, 3, 4])
@pytest.mark.parametrize("costs_of", [uneven, any_costs, alike])
def test_waves_end_when_the_events_do(virtual, costs_of):
    dice = random.Random(f"{virtual} {costs_of.__name__}")
    for _ in range(60):
        p = dice.randrange(2, 8)
        m = p * dice.randrange(1, 9) if virtual > 1 else p + dice.randrange(8 * p)
        shape = Shape.checked("1f1b" if virtual == 1 else "interleaved", p, m, virtual)
        costs, hop = costs_of(dice, shape.chunks), dice.choice([0, 3, 10, 50, 400])
        assert wave_ends(shape, costs, hop) == tuple(rank[-1].end for rank in run(shape, costs, hop=hop))


@pytest.mark.parametrize(
    ("kind", "p", "m", "virtual"),
    [("gpipe", 4, 8, 1), ("1f1b", 4, 3, 1), ("zb-h1", 4, 8, 1), ("zb-v", 4, 8, 2), ("interleaved", 4, 6, 2)],
)
def test_other_shapes_have_no_waves(kind, p, m, virtual):
    shape = Shape.checked(kind, p, m, virtual)
    assert wave_ends(shape, [Cost(1, 1, 1)] * shape.chunks, 0) is None


@pytest.mark.parametrize(("virtual", "ticked"), [(1, (waves, "_next")), (4, (waves._Ring, "_round"))])
def test_a_long_pipeline_takes_no_more_ticks_than_a_short_one(monkeypatch, virtual, ticked):
    ticks = []
    tick = getattr(*ticked)
    monkeypatch.setattr(*ticked, lambda *args: ticks.append(0) or tick(*args))

    def taken(m):
        ticks.clear()
        shape = Shape.checked("1f1b" if virtual == 1 else "interleaved", 8, m, virtual)
        costs = [Cost(30, 40, 20)] * (shape.chunks - 1) + [Cost(33, 41, 22)]
        assert wave_ends(shape, costs, 2)
        return len(ticks)

    assert 0 < taken(8 * 1000) == taken(8 * 100)
