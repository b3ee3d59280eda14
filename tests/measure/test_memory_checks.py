"""What `compare` says of one rank's memory: states to the byte, peaks within their tolerance. No torch here."""

import pytest

from model.architecture import Architecture
from model.plan import memory_report, read_plan
from model.shares import replica_states
from model.tensors import parameters
from scripts.measure.kinds import peaks, scale
from scripts.measure.planned import PEAK_TOLERANCE, plan_of
from scripts.measure.sizes import SIZES

SCALE = {case.name: case for case in scale.cases("scale", 1, "cpu")}
SMALL = {case.name: case for suite in ("ci", "one-gpu") for case in peaks.cases(suite, 8, "cpu")}
STEPS = {name: case for name, case in SMALL.items() if case.asked["what"] == "step"}
PARTS = ("weights", "gradients", "optimizer")


def record(case):
    """What a rank would be seen to hold that does what the model says."""
    asked = case.asked
    states = replica_states(read_plan(plan_of(asked)), 0, 0)
    (stage,) = memory_report(plan_of(asked))["stages"]
    peak = stage["allocated_peak"] - sum(stage["states"].values()) + states.total_bytes
    return {
        "case": asked,
        "result": {
            "parameters": parameters(Architecture.from_neutral(SIZES[asked["size"]].architecture()["architecture"])),
            "resting": {f"{part}_bytes": states.bytes_of(part) for part in PARTS} | {"buckets_bytes": 0},
            "peak": {"total_bytes": peak},
        },
    }


def held(kind, told):
    """What is out of its tolerance."""
    return [check.what for check in kind.checks(told) if not check.holds]


@pytest.mark.parametrize("name", SCALE)
def test_one_rank_of_a_whole_model_is_held_to_the_byte(name):
    told = record(SCALE[name])
    assert held(scale, told) == []
    for part in PARTS:
        told["result"]["resting"][f"{part}_bytes"] += 1
        assert held(scale, told) == [f"{part} at rest"]
        told["result"]["resting"][f"{part}_bytes"] -= 1
    told["result"]["parameters"] -= 1
    assert held(scale, told) == ["parameters"]


def test_the_running_example_s_class_rests_at_sixteen_bytes_a_parameter_over_64_ranks():
    (case,) = (
        case
        for case in SCALE.values()
        if (case.asked["strategy"], case.world, case.asked["precision"]) == ("fsdp2", 64, "bf16-master")
    )
    result = record(case)["result"]
    assert result["parameters"] == 7_665_967_104
    assert sum(result["resting"].values()) == 16 * 7_665_967_104 // 64


@pytest.mark.parametrize("name", STEPS)
def test_a_peak_may_be_off_by_three_percent(name):
    told = record(STEPS[name])
    peak = told["result"]["peak"]["total_bytes"]
    for share, out in ((0.99 * PEAK_TOLERANCE, []), (1.1 * PEAK_TOLERANCE, ["peak of a step"])):
        for sign in (-1, 1):
            told["result"]["peak"]["total_bytes"] = round(peak * (1 + sign * share))
            assert held(peaks, told) == out


@pytest.mark.parametrize(("largest", "agrees"), [(6, False), (7, True), (8, False)])
def test_a_border_lies_between_the_model_s_peaks_on_either_side(largest, agrees):
    (case,) = (case for case in SMALL.values() if case.asked["what"] == "border")
    result = {"largest_micro_batch": largest, "limit_bytes": case.asked["limit_bytes"]}
    (check,) = peaks.checks({"case": case.asked, "result": result})
    assert check.holds is agrees
