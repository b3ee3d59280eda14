"""The code that times training on GPUs, rehearsed on two ranks without one. No second is asserted."""

from collections import Counter
from functools import partial

import pytest

from scripts.measure.case import case
from scripts.measure.kinds.throughput import PRESETS, run, traffic
from tests.measure.torch.ranks import on_ranks

SENT = {"c10d::_allgather_base_": "all-gather", "c10d::_reduce_scatter_base_": "reduce-scatter"}


def messages(place):
    """Names of the collectives of a step, and of one that is alone; and the units; of each strategy."""
    import torch

    from scripts.measure.training import Training

    def profiled(training):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
            training.passes()
        return [event.name for event in seen.events() if event.name.startswith("c10d::")]

    found = {}
    for strategy in PRESETS:
        training = Training(strategy, "tiny", 1, place)
        training.step()
        together = profiled(training)
        training.stay_alone()
        found[strategy] = {"together": together, "alone": profiled(training), "units": training.units}
    return found


def rehearsed(cases, place):
    return {"results": [run(case, place) for case in cases], "messages": messages(place)}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    cases = [case("throughput", 2, strategy=strategy, size="tiny", sequences=1) for strategy in PRESETS]
    return on_ranks(2, partial(rehearsed, cases), tmp_path_factory.mktemp("throughput"))


@pytest.mark.parametrize("strategy", PRESETS)
def test_every_time_of_a_step_is_told(strategy, found):
    result = found["results"][list(PRESETS).index(strategy)]
    assert {name for name in result if name.endswith("_s")} == {
        *("step_s", "passes_s", "compute_s", "communication_s", "tokens_per_s")
    }
    for name in ("step_s", "passes_s", "compute_s", "communication_s"):
        assert 0 < result[name]["p10"] <= result[name]["p50"] <= result[name]["p90"]
    assert result["tokens_per_s"] == pytest.approx(2 * 64 / result["step_s"]["p50"])
    assert result["mfu"] is None


def test_ranks_that_stay_alone_send_nothing_and_others_what_is_timed_alone(found):
    found = found["messages"]
    assert [bool(each["together"]) for each in found.values()] == [True, True]
    assert [each["alone"] for each in found.values()] == [[], []]
    sent = Counter(SENT[name] for name in found["fsdp2"]["together"])
    assert sent == Counter(op for op, _ in traffic("fsdp2", found["fsdp2"]["units"], 2))
