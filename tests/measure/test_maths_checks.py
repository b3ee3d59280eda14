"""Losses beside those of one process: within the tolerance of the precision, and no further. No torch here."""

import pytest

from scripts.measure.kinds import maths
from scripts.measure.splits import SCHEDULES, STRATEGIES, stages_of

LOSSES = [7.1, 6.5, 6.0, 5.5]


def record(precision, *, step=0, off=0.0, squares_off=0.0):
    """A record whose loss of one step, and whose squares, are off by these shares."""
    losses = [loss * (1 + off) if number == step else loss for number, loss in enumerate(LOSSES)]
    return {
        "case": {"kind": "maths", "precision": precision},
        "result": {
            "losses": losses,
            "alone_losses": LOSSES,
            "weights_squared": 2e5 * (1 + squares_off),
            "alone_weights_squared": 2e5,
        },
    }


def wrong(made):
    """What does not agree with one process."""
    return [check.what for check in maths.checks(made) if not check.holds]


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("fp32", 1e-5), ("autocast", 2e-3), ("mixed", 2e-3), ("bf16-master", 2e-3)]
)
def test_a_loss_may_be_off_by_the_tolerance_of_its_precision(precision, tolerance):
    for sign in (-1, 1):
        assert wrong(record(precision, step=3, off=sign * 0.99 * tolerance)) == []
        assert wrong(record(precision, step=3, off=sign * 1.01 * tolerance)) == ["loss of step 4"]
        assert wrong(record(precision, squares_off=sign * 1.01 * tolerance)) == ["squares of all weights"]


def test_a_loss_that_is_missing_is_noticed():
    made = record("fp32")
    made["result"]["losses"].pop()
    with pytest.raises(ValueError, match="zip"):
        maths.checks(made)


def test_every_strategy_and_schedule_is_run_in_fp32_and_in_bf16():
    found = [case.asked for case in maths.cases("ci", 4, "cpu")]
    for bf16 in (False, True):
        ran = [asked for asked in found if (asked["precision"] != "fp32") == bf16]
        assert {asked["strategy"] for asked in ran} == set(STRATEGIES)
        assert {asked["schedule"] for asked in ran if asked["strategy"] == "pp"} == set(SCHEDULES)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_the_stages_of_all_ranks_are_the_pipeline(schedule, ranks):
    dealt = [stages_of(schedule, ranks, rank) for rank in range(ranks)]
    chunks = SCHEDULES[schedule][1]
    assert sorted(stage for own in dealt for stage in own) == list(range(ranks * chunks))
    assert {len(own) for own in dealt} == {chunks}
