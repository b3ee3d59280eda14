"""Sleeping stages on two real ranks: what PyTorch executes, holds and idles is what the model says."""

import pytest

from scripts.measure.kinds.pipeline import cases, checks
from tests.measure.torch.ranks import records_of

NAMES = ("1F1B", "LoopedBFS", "DualPipeV")  # a single stage, several, and fused pairs along a V


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    some = [one for one in cases("ci", 2, "cpu") if one.asked["schedule"] in NAMES]
    found = records_of(some, tmp_path_factory.mktemp("pipeline"))
    return {record["case"]["schedule"]: record for record in found}


@pytest.mark.parametrize("name", NAMES)
def test_two_ranks_run_what_the_model_says(name, records):
    record = records[name]
    # A busy machine can delay any step, and only delay it: here the best of them counts.
    record["result"]["idle"] = min(record["result"]["idle_of_steps"])
    assert [check for check in checks(record) if not check.holds and not check.why] == []
