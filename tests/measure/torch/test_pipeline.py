"""Sleeping stages: what PyTorch executes, holds and idles on two real ranks is what the model says."""

import time
from types import SimpleNamespace

import pytest
import torch
from torch import distributed

from scripts.measure import sleeping
from scripts.measure.kinds.pipeline import cases, checks
from scripts.measure.place import Place
from tests.measure.torch.ranks import records_of

# A single stage; several on a rank; backwards in halves; and fused pairs along a V.
SOME = [("1F1B", 1), ("LoopedBFS", 2), ("InterleavedZeroBubble", 1), ("DualPipeV", 2)]


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    known = {(one.asked["schedule"], one.asked["virtual"]): one for one in cases("ci", 2, "cpu")}
    found = records_of([known[each] for each in SOME], tmp_path_factory.mktemp("pipeline"))
    return dict(zip(SOME, found, strict=True))


@pytest.mark.parametrize("schedule", SOME, ids=lambda schedule: schedule[0])
def test_two_ranks_run_what_the_model_says(schedule, records):
    record = records[schedule]
    # A busy machine can delay any step, and only delay it: here the best of them counts.
    record["result"]["idle"] = min(record["result"]["idle_of_steps"])
    assert [check for check in checks(record) if not check.holds and not check.why] == []


@pytest.fixture
def place():
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield Place(rank=0, world=1, device=torch.device("cpu"), backend="gloo")
    distributed.destroy_process_group()


@pytest.mark.parametrize(
    ("schedule", "sleeps"), [("GPipe", [1, 1, 2, 2]), ("InterleavedZeroBubble", [1, 1, 1, 1, 1, 1])]
)
def test_a_whole_backward_sleeps_as_long_as_its_two_halves(schedule, sleeps, place, monkeypatch):
    slept = []
    monkeypatch.setattr(sleeping, "time", SimpleNamespace(sleep=slept.append, perf_counter=time.perf_counter))
    sleeping.SleepingRank(schedule, 2, [0], 1, place).step(1)
    assert slept == sleeps
