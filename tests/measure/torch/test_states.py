"""A few cases of the kinds states and maths on two real ranks. Needs torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.measure.kinds import maths, states

ROOT = Path(__file__).parents[3]


def measured(kind, *wanted):
    """Records of the cases that ask one of these, among other things, on two ranks."""
    told = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
            *("-m", "tests.measure.torch.splits_worker", kind, json.dumps(wanted)),
        ],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-2000:]
    return json.loads(told.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def held():
    """Records of one case of each strategy."""
    return measured(
        "states",
        {"strategy": "ddp-copy", "precision": "fp32"},
        {"strategy": "zero-1", "precision": "bf16-master"},
        {"strategy": "zero-1", "size": "uneven"},
        {"strategy": "fsdp2", "size": "uneven", "precision": "fp32"},
        {"strategy": "fsdp2-kept", "precision": "bf16-master"},
        {"strategy": "tp", "adamw": "fused"},
        {"strategy": "pp", "schedule": "ZBVZeroBubble"},
    )


def test_what_ranks_hold_is_the_model_s_to_the_byte(held):
    assert [record["case"]["strategy"] for record in held] == [
        "ddp-copy",
        "zero-1",
        "zero-1",
        "fsdp2",
        "fsdp2-kept",
        "tp",
        "pp",
    ]
    found = [check for record in held for check in states.checks(record)]
    assert [check for check in found if not check.holds] == []
    assert all(check.tolerance == 0 for check in found)


def test_counters_of_steps_are_told_apart(held):
    # A number in fp32 for each parameter of the network: sixteen a block, and five beside.
    assert held[0]["result"]["ranks"][0]["step_scalars_bytes"] == 4 * (8 * 16 + 5)


def test_two_ranks_compute_what_one_process_does():
    found = measured(
        "maths",
        {"strategy": "ddp", "precision": "fp32"},
        {"strategy": "fsdp2", "precision": "mixed"},
        {"schedule": "DualPipeV", "precision": "fp32"},
    )
    assert [record["case"]["strategy"] for record in found] == ["ddp", "fsdp2", "pp"]
    assert [check for record in found for check in maths.checks(record) if not check.holds] == []
    for record in found:
        # It learns: four losses that all differ, each lower than the one before.
        assert record["result"]["losses"] == sorted(set(record["result"]["losses"]), reverse=True)
