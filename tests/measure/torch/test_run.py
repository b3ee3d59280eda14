"""`run` end to end over gloo: records, resumption, budgets, failures and refusals. Needs torch."""

import json
import os
import socket
import subprocess
import sys

import pytest

from scripts.measure.records import load_all

pytestmark = pytest.mark.usefixtures("toy_kinds")

RUN = (sys.executable, "-m", "scripts.measure", "run")


def run(out, *arguments, **environment):
    """`run` in a process of its own: exit code, output and complaints."""
    return subprocess.run(
        [*RUN, "--out", str(out), *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def done(out):
    """What is recorded, by name."""
    return sorted(record["case"]["does"] for record in load_all(out))


def test_ranks_measure_and_a_rerun_skips_what_is_recorded(tmp_path):
    first = run(tmp_path, "--suite", "ci", "--world", "2")
    assert (first.returncode, first.stderr) == (0, "")
    assert "1/2  toy: second, 2 ranks; about 3 s left" in first.stdout
    assert "2 measured, 0 recorded before" in first.stdout
    assert done(tmp_path) == ["plain", "second"]
    (record, _) = load_all(tmp_path)
    assert record["result"]["of_ranks"] == 2
    assert record["provenance"]["command"] == (
        "torchrun --nnodes 1 --nproc-per-node 2 -m scripts.measure run --suite ci"
    )
    assert str(tmp_path) not in json.dumps(record)

    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.json")}
    broken = sorted(kept)[0]
    broken.write_text(broken.read_text("utf-8")[:40], "utf-8")
    again = run(tmp_path, "--suite", "ci", "--world", "2")
    assert again.returncode == 0
    assert "1 measured, 1 recorded before" in again.stdout
    assert done(tmp_path) == ["plain", "second"]
    assert [path for path, when in kept.items() if path.stat().st_mtime_ns == when] == sorted(kept)[1:]


def test_one_process_a_case_plays_one_rank_of_many(tmp_path):
    told = run(tmp_path, "--suite", "scale")
    assert told.returncode == 0
    assert [record["result"]["of_ranks"] for record in load_all(tmp_path)].count(64) == 1
    assert {record["provenance"]["backend"] for record in load_all(tmp_path)} == {"fake"}


@pytest.mark.parametrize("fails", ["raises", "killed", "floats"])
def test_a_case_that_fails_on_one_rank_leaves_the_others_their_turn(tmp_path, fails):
    told = run(tmp_path, "--suite", "ci", "--world", "2", TOY=f"plain,{fails},last")
    assert told.returncode == 1
    assert f"run: failed: toy: {fails}, 2 ranks" in told.stderr
    assert "Traceback" not in told.stderr
    assert done(tmp_path) == ["last", "plain"]
    if fails == "raises":
        assert "rank 1: toy: raises, 2 ranks: RuntimeError: the toy broke (in full: " in told.stderr
        notes = [path.read_text("utf-8") for path in (tmp_path / "failed").iterdir()]
        assert any("and says so at length" in note for note in notes)
    if fails == "floats":
        assert "result.state_bytes: is 1.5: bytes are whole numbers" in told.stderr


def test_the_time_budget_ends_a_run_before_a_case_that_would_not_end(tmp_path):
    told = run(tmp_path, "--suite", "ci", "--world", "2", "--minutes", "0")
    assert told.returncode == 0
    assert "the time is used up; 2 cases are left for the next run" in told.stdout
    assert load_all(tmp_path) == []
    alone = run(tmp_path, "--suite", "scale", "--minutes", "0")
    assert "the time is used up; 2 cases are left for the next run" in alone.stdout


@pytest.mark.parametrize("suite", ["gpu", "one-gpu"])
def test_without_a_gpu_a_suite_for_gpus_says_so(tmp_path, suite):
    told = run(tmp_path, "--suite", suite, CUDA_VISIBLE_DEVICES="")
    assert told.returncode == 3
    assert told.stderr.startswith("run: no GPU that torch can use is here")
    assert told.stderr.count("\n") == 1


def test_without_a_gpu_a_suite_for_one_can_be_rehearsed(tmp_path):
    assert run(tmp_path, "--suite", "one-gpu", "--device", "cpu").returncode == 0
    assert {record["case"]["device"] for record in load_all(tmp_path)} == {"cpu"}


def test_too_little_memory_is_told_in_a_sentence(tmp_path):
    told = run(tmp_path, "--suite", "scale", TOY_RAM=str(10**15))
    assert told.returncode == 3
    assert told.stderr.startswith("run: too little memory: the smallest case of scale needs 1,000,000.0 GB, and ")
    assert told.stderr.count("\n") == 1


def test_a_number_of_ranks_that_does_not_divide_starts_none(tmp_path):
    told = run(tmp_path, "--suite", "ci", "--world", "5")
    assert told.returncode == 2
    assert "5 = 5" in told.stderr
    assert told.stderr.count("\n") == 1


def agent(out, *arguments, **environment):
    """torchrun as a person starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "torch.distributed.run", *arguments, *RUN[1:], "--suite", "ci", "--out", str(out)],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_agents_on_one_machine_measure_as_two_nodes_do(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ("--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "rehearsal")
    agents = [agent(tmp_path, "--nnodes", "2", "--nproc-per-node", "1", *where) for _ in range(2)]
    told = [one.communicate() for one in agents]
    assert [one.returncode for one in agents] == [0, 0], told
    assert done(tmp_path) == ["plain", "second"]
    source = load_all(tmp_path)[0]["provenance"]
    assert source["command"].startswith("torchrun --nnodes 2 --nproc-per-node 1 ")
    assert source["nodes"] == 1  # that is what the two agents ran on


def test_under_torchrun_a_number_of_ranks_that_does_not_divide_is_told_once(tmp_path):
    one = agent(tmp_path, "--standalone", "--nproc-per-node", "5")
    _, err = one.communicate()
    assert one.returncode == 1
    assert err.count("run: 5 ranks do not divide") == 1


def test_under_torchrun_a_case_that_fails_comes_last_the_next_time(tmp_path):
    def again():
        one = agent(tmp_path, "--standalone", "--nproc-per-node", "2", TOY="last,raises")
        told, _ = one.communicate()
        return one.returncode, told

    assert again() == (1, "run: 1/2  toy: raises, 2 ranks; about 3 s left\n")
    assert done(tmp_path) == []
    code, told = again()
    assert code == 1
    assert "1/2  toy: last, 2 ranks" in told
    assert done(tmp_path) == ["last"]
