"""Speeds beside the model's, and what follows from the times of a step. No time here was measured."""

import pytest

from model.step_report import step_report
from scripts.measure.kinds.throughput import cases, checks, exposed_s, overlap, plan_of, scaling, traffic

H100 = "NVIDIA H100 80GB HBM3"
ASKED = {"strategy": "fsdp2", "size": "1.3b", "sequences": 4, "world": 8}


def record(strategy="fsdp2", *, faster=1.0, backend="nccl", device=H100, nodes=1):
    asked = {**ASKED, "strategy": strategy}
    modelled = step_report(plan_of(asked, "h100-sxm-80gb"))
    step = modelled["step_s"] / faster
    exposed = sum(modelled["communication"][kind]["exposed_s"] for kind in ("dp", "zero"))
    result = {
        "step_s": {"p50": step},
        "passes_s": {"p50": 0.9 * step},
        "compute_s": {"p50": 0.9 * step - exposed},
        "communication_s": {"p50": 0.3 * step},
        "tokens_per_s": modelled["tokens_per_step"] / step,
    }
    return {"case": asked, "result": result, "provenance": {"backend": backend, "device": device, "nodes": nodes}}


def failed(told):
    return [check.what for check in checks(told) if not check.holds]


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_a_speed_that_is_the_models_agrees(strategy):
    assert len(checks(record(strategy))) == 2
    assert failed(record(strategy)) == []


@pytest.mark.parametrize(("faster", "found"), [(0.69, 1), (0.71, 0), (1.29, 0), (1.31, 1)])
def test_a_speed_may_be_off_by_three_tenths(faster, found):
    assert len(failed(record(faster=faster))) == found


def test_communication_that_is_not_hidden_is_found():
    told = record()
    told["result"]["compute_s"]["p50"] -= 0.15 * told["result"]["step_s"]["p50"]
    assert failed(told) == ["scaling: speed over that of ranks that send nothing"]


@pytest.mark.parametrize("where", [{"backend": "gloo"}, {"nodes": 2}, {"device": "a card that nobody knows"}])
def test_nothing_is_compared_where_the_link_is_not_known(where):
    assert checks(record(faster=9, **where)) == []


@pytest.mark.parametrize(
    ("passes", "compute", "exposed", "hidden", "speed"),
    [
        (0.9, 0.9, 0, 1, 1),
        (0.9, 0.8, 0.1, 0.5, 0.9),
        (0.9, 0.7, 0.2, 0, 0.8),
        (0.8, 0.9, 0, 1, 1),
        (0.9, 0.5, 0.4, 0, 0.6),
    ],
)
def test_overlap_and_scaling_follow_from_the_times(passes, compute, exposed, hidden, speed):
    times = {"step_s": 1.0, "passes_s": passes, "compute_s": compute, "communication_s": 0.2}
    result = {name: {"p50": seconds} for name, seconds in times.items()}
    found = (exposed_s(result), overlap(result), scaling(result))
    assert found == pytest.approx((exposed, hidden, speed))


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_gradients_that_are_sent_are_those_of_the_model(strategy):
    block, root = 12 * 2048**2 + 13 * 2048, 2 * 50304 * 2048 + 1024 * 2048 + 2 * 2048
    sent = traffic(strategy, [root] + [block] * 24, 8)
    reduced = sum(size for op, size in sent if op != "all-gather")
    twice = 2 if strategy == "ddp" else 1
    modelled = step_report(plan_of({**ASKED, "strategy": strategy}, "h100-sxm-80gb"))["communication"]["dp"]["bytes"]
    assert reduced * 7 // 8 * twice == modelled
    gathered = sum(size for op, size in sent if op == "all-gather")
    assert gathered == (0 if strategy == "ddp" else 2 * (root + 2 * 24 * block))


def test_messages_divide_among_ranks():
    for strategy in ("ddp", "fsdp2"):
        assert {size % 12 for _, size in traffic(strategy, [10_000_001, 77, 78], 3)} == {0}


def test_only_gpus_are_timed():
    assert len(cases("gpu", 8, "cuda")) == 2
    assert cases("gpu", 8, "cpu") == cases("ci", 2, "cpu") == cases("one-gpu", 1, "cuda") == []
