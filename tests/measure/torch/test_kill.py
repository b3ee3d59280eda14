"""Killing any process of a run at any moment leaves no broken record and no orphan; the next run completes."""

import contextlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.measure.records import load_all

pytestmark = pytest.mark.usefixtures("toy_kinds")

AGENT = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
TIMES = 10
LONGEST = 6.0  # seconds after which the latest kill comes; by then ranks measure
NAMES = [f"case-{number}" for number in range(24)]
PATIENCE = 120  # for what has to end by itself


def family(mark):
    """The processes of one run, by id: those with its mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def start(out, mark):
    """A run with two ranks. All of its processes hold the pipe: it ends when the last of them has ended."""
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.measure", "run", "--suite", "ci", "--world", "2", "--out", str(out)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOY": ",".join(NAMES), "MEASURE_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_one(running, mark, moment, chance):
    """SIGKILL to one of the run's processes after ``moment`` seconds; its role, or None where the run was quicker."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(moment)
        return None
    victim = chance.choice(family(mark))
    with contextlib.suppress(OSError):
        words = (Path("/proc") / str(victim) / "cmdline").read_text("utf-8").split("\0")
        os.kill(victim, signal.SIGKILL)
        return "run" if victim == running.pid else words[2] if len(words) > 2 else "starting"
    return None


def test_a_process_killed_at_a_random_moment_ten_times_over(tmp_path):
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    killed = []
    while len(killed) < TIMES:
        mark = f"{tmp_path.name}-{len(killed)}-{chance.random()}"
        running = start(tmp_path, mark)
        role = kill_one(running, mark, chance.uniform(0, LONGEST), chance)
        told, _ = running.communicate(timeout=PATIENCE)
        killed += [role] if role else []
        about = f"seed {seed}, killed {killed}:\n{told}"
        assert family(mark) == [], about
        assert {record["case"]["does"] for record in load_all(tmp_path)} <= set(NAMES), about
        # Half of them again, so that the next one has something to do.
        for path in tmp_path.glob("*.json"):
            if chance.random() < 0.5:
                path.unlink()
    last = start(tmp_path, "last")
    told, _ = last.communicate(timeout=PATIENCE)
    assert last.returncode == 0, told
    assert sorted(record["case"]["does"] for record in load_all(tmp_path)) == sorted(NAMES)


def test_a_run_that_is_killed_takes_every_process_with_it(tmp_path):
    running = start(tmp_path, "whole")
    assert any("case-23" in line for line in running.stdout)  # ranks are at work
    running.kill()
    running.communicate(timeout=PATIENCE)
    assert family("MEASURE_MARK=whole") == []


def test_an_agent_that_is_killed_takes_its_ranks_with_it(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOY": "plain,forever", "MEASURE_MARK": "agent"}
    agent = subprocess.Popen(
        [*AGENT, "-m", "scripts.measure", "run", "--suite", "ci", "--out", str(tmp_path)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert any("forever" in line for line in agent.stdout)
    agent.kill()
    agent.communicate(timeout=PATIENCE)
    assert family("MEASURE_MARK=agent") == []
