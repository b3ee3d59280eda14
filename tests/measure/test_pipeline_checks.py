"""What `compare` says of a record of a pipeline schedule, from orders that PyTorch printed and idle times it once had."""

import json
import re
from pathlib import Path

import pytest

from model.schedules import KINDS
from scripts.measure.kinds.pipeline import SCHEDULES, cases, checks, stages_of, undisturbed

DATA = Path(__file__).parents[1] / "model" / "data"
ORDERS = json.loads((DATA / "pipeline_orders.json").read_text("utf-8"))["cases"]
IDLE = json.loads((DATA / "pipeline_idle.json").read_text("utf-8"))["runs"]
NAMES = {kind: asked for asked, kind in SCHEDULES.items() if kind}


def record(row, idle):
    """The record of a run that executed the order that PyTorch printed."""
    schedule, virtual = NAMES[row["kind"]]
    asked = {"schedule": schedule, "virtual": virtual, "micro_batches": row["micro_batches"], "world": row["stages"]}
    orders = [re.findall(r"\d+[FBIW]\d+", rank) for rank in row["order"]]
    return {"case": asked, "result": {"orders": orders, "in_flight": list(row["peak_in_flight"]), "idle": idle}}


def printed(kind, stages, micro_batches):
    wanted = {"kind": kind, "stages": stages, "micro_batches": micro_batches}
    return next(row for row in ORDERS if wanted.items() <= row.items() and row["virtual"] == NAMES[kind][1])


def failed(record):
    return [check.what for check in checks(record) if not check.holds and not check.why]


def test_every_schedule_of_the_model_is_measured():
    assert set(NAMES) == set(KINDS)


@pytest.mark.parametrize(
    "run",
    [run for run in IDLE if run["micro_batches"] < 16],
    ids=lambda run: f"{run['kind']}-{run['stages']}-{run['micro_batches']}",
)
def test_what_pytorch_ran_before_agrees(run):
    row = printed(run["kind"], run["stages"], run["micro_batches"])
    assert failed(record(row, sorted(run["idle_fraction"])[1])) == []


def test_two_operations_in_each_others_place_are_found_on_their_rank():
    told = record(printed("1f1b", 4, 8), 0.2727)
    ops = told["result"]["orders"][2]
    ops[3], ops[4] = ops[4], ops[3]
    assert failed(told) == ["order, rank 2: operations in the model's place"]


def test_a_missing_operation_is_found():
    told = record(printed("zb-v", 4, 8), 0.06)
    told["result"]["orders"][1].pop()
    assert failed(told) == ["order, rank 1: operations in the model's place"]


def test_one_micro_batch_more_in_flight_is_found():
    told = record(printed("gpipe", 2, 4), 0.2)
    told["result"]["in_flight"][1] += 1
    assert failed(told) == ["in flight, rank 1"]


@pytest.mark.parametrize(("idle", "found"), [(0.2727 - 0.031, 1), (0.2727 - 0.029, 0), (0.3017, 0), (0.3037, 1)])
def test_idle_time_may_be_off_by_three_hundredths_of_all_time(idle, found):
    assert len(failed(record(printed("1f1b", 4, 8), idle))) == found


def test_the_fused_pairs_of_pytorch_are_shown_beside_the_ideal_overlap():
    found = [check for check in checks(record(printed("dualpipe-v", 4, 8), 0.117)) if check.unit == "of all time"]
    assert [round(check.modelled, 3) for check in found] == [0.111, 0.059]
    assert [check.holds for check in found] == [True, False]
    assert [bool(check.why) for check in found] == [False, True]


@pytest.mark.parametrize(
    ("orders", "holds"),
    [
        ([["0F0", "2F0", "2B0", "0I0", "0W0"], ["1F0", "3F0", "3B0", "1B0"]], True),
        ([["0F0", "2F0", "2B0", "0I0"], ["1F0", "3F0", "3B0", "1B0"]], False),
        ([["0F0", "2F0", "2B0", "0I0", "0W0", "0W0"], ["1F0", "3F0", "3B0", "1B0"]], False),
    ],
)
def test_a_schedule_that_the_model_lacks_still_has_to_do_all_the_work_once(orders, holds):
    asked = {"schedule": "LoopedBFS", "virtual": 2, "micro_batches": 1, "world": 2}
    told = {"case": asked, "result": {"orders": orders, "in_flight": [2, 2], "idle": 0.2}}
    assert [check.holds for check in checks(told)] == [holds]


def test_stages_are_dealt_as_pytorch_deals_them():
    assert [stages_of("Interleaved1F1B", 2, rank, 2) for rank in (0, 1)] == [[0, 2], [1, 3]]
    assert [stages_of("DualPipeV", 2, rank, 2) for rank in (0, 1)] == [[0, 3], [1, 2]]


def test_steps_that_something_delayed_do_not_count():
    assert undisturbed([0.31, 0.278, 0.45, 0.28, 0.279]) == [0.278, 0.279, 0.28]


def test_every_suite_has_its_cases():
    assert len(cases("ci", 2, "cpu")) == len(SCHEDULES)
    assert len(cases("ci", 4, "cpu")) == len(cases("gpu", 8, "cuda")) == len(SCHEDULES) + 1
    assert cases("scale", 1, "cpu") == cases("one-gpu", 1, "cuda") == cases("gpu", 1, "cuda") == []
    assert {one.asked["device"] for one in cases("gpu", 8, "cuda")} == {"cuda"}
