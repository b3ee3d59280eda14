"""A compiled schedule ends when its events do."""

import random

import pytest

from model.compiled import ends_of, fuses
from model.pipeline import Cost, run
from model.schedules import KINDS, Shape


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "dualpipe-v"])
def test_a_compiled_schedule_ends_when_its_events_do(kind):
    dice = random.Random(kind)
    for _ in range(40):
        p = dice.randrange(1, 7)
        m = p * dice.randrange(1, 6) if kind == "interleaved" else dice.randrange(1, 25)
        shape = Shape.checked(kind, p, m, dice.choice([1, 2, 3]) if kind == "interleaved" else None)
        costs = [Cost(*(dice.randrange(100) for _ in range(3))) for _ in range(shape.chunks)]
        hop = dice.choice([0, 7, 120])
        events = run(shape, costs, hop=hop)
        assert ends_of(shape, costs, hop) == tuple(rank[-1].end for rank in events)


def test_what_fuses_steps_is_known():
    assert [kind for kind in KINDS if fuses(Shape.checked(kind, 2, 4, None))] == ["dualpipe-v"]
