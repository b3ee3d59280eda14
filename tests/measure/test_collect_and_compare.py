"""`collect` merges honestly and in a stable form; `compare` says what is outside, and exits accordingly."""

import json

import pytest

from scripts.measure.records import load_all, save
from tests.measure.made import record

pytestmark = pytest.mark.usefixtures("toy_kinds")

TIME = {"p10": 0.1, "p50": 0.2, "p90": 0.3, "n": 5}


@pytest.fixture
def out(tmp_path):
    """Where `run` wrote, and where `collect` writes."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def collected(command, out):
    into = out.parent / "measured"
    code, told, err = command("collect", out, "--into", into)
    return code, told, err, into


def test_records_are_merged_in_the_same_form_whatever_the_order(command, out):
    worlds = [2, 3, 4, 6, 8, 12]
    for world in reversed(worlds):
        save(out, record(world=world))
        _, _, _, into = collected(command, out)
    first = (into / "toy.json").read_text("utf-8")
    assert [one["case"]["world"] for one in load_all(into)] == worlds
    (into / "toy.json").unlink()
    code, told, _, _ = collected(command, out)
    assert code == 0
    assert (into / "toy.json").read_text("utf-8") == first
    assert "6 records of 1 kinds" in told
    assert json.loads(first)["kind"] == "toy"


def test_the_newest_record_of_a_case_wins_and_machines_stand_side_by_side(command, out):
    save(out, record({"state_bytes": 7}, date="2026-03-01T00:00:00Z"))
    collected(command, out)
    save(out, record({"state_bytes": 9}, date="2026-02-01T00:00:00Z"))
    save(out, record(machine="Another processor"))
    _, _, _, into = collected(command, out)
    assert [one["result"]["state_bytes"] for one in load_all(into)] == [7, 32]


def test_a_time_over_gloo_is_left_out_and_told_by_record_and_field(command, out):
    save(out, record({"state_bytes": 32, "step_s": TIME, "inner": {"x_per_s": 3}, "none": {}}))
    code, told, _, into = collected(command, out)
    assert code == 0
    assert load_all(into)[0]["result"] == {"state_bytes": 32, "none": {}}
    assert "left out of toy: plain, 2 ranks" in told
    assert "result.step_s is a time or a rate" in told
    assert "result.inner.x_per_s is a time or a rate" in told


def test_a_record_that_holds_nothing_else_is_left_out_wholly(command, out):
    save(out, record({"step_s": TIME, "sizes": [1, 2]}))
    code, told, _, into = collected(command, out)
    assert code == 0
    assert not into.exists()
    assert "left out wholly: toy: plain, 2 ranks" in told


def test_a_time_over_nccl_is_kept(command, out):
    save(out, record({"state_bytes": 32, "step_s": TIME}, backend="nccl"))
    _, _, _, into = collected(command, out)
    assert load_all(into)[0]["result"]["step_s"] == TIME


@pytest.mark.parametrize("name", ["collect", "compare"])
def test_bad_input_is_named_in_a_line(command, out, name):
    (out / "bad.json").write_text('{"schema": 1}', "utf-8")
    where = [out, "--into", out.parent / "measured"] if name == "collect" else ["--records", out]
    code, _, err = command(name, *where)
    assert (code, err) == (2, f"{name}: bad.json: key: is missing\n")


@pytest.mark.parametrize("name", ["collect", "compare"])
def test_a_directory_that_is_not_there_is_named(command, tmp_path, name):
    where = [tmp_path / "none"] if name == "collect" else ["--records", tmp_path / "none"]
    code, _, err = command(name, *where)
    assert code == 2
    assert err.startswith(f"{name}: {tmp_path / 'none'} is no directory")


def test_records_without_any_are_told(command, out):
    code, _, err = command("compare", "--records", out)
    assert code == 2
    assert "holds no record" in err


def test_figures_that_agree_are_fine(command, out):
    save(out, record())
    code, told, err = command("compare", "--records", out)
    assert (code, err) == (0, "")
    assert "1 figures of 1 records: 1 agree" in told


def test_a_figure_outside_its_tolerance_stands_first_and_fails(command, out):
    save(out, record(world=4))
    for world, more in ((2, 1), (3, 24), (6, 2)):
        save(out, record({"state_bytes": 16 * world + more}, world=world))
    code, told, _ = command("compare", "--records", out)
    rows = [line.split() for line in told.splitlines()[1:5]]
    assert code == 1
    assert [row[0] for row in rows] == ["OUTSIDE", "OUTSIDE", "OUTSIDE", "agrees"]
    assert [row[3] for row in rows] == ["+50%", "+3.125%", "+2.083%", "+0%"]
    assert "1 agree, 0 differ as explained, 3 are outside" in told


def test_a_difference_that_is_explained_does_not_fail_and_says_why(command, out, monkeypatch):
    from scripts.measure.check import Check
    from tests.measure import toy

    check = Check(what="state", measured=2, modelled=1, unit="bytes", why="PyTorch pads; see its documentation.")
    monkeypatch.setattr(toy, "checks", lambda record: [check])
    save(out, record())
    code, told, _ = command("compare", "--records", out)
    assert code == 0
    assert "PyTorch pads" in told
    assert "1 differ as explained" in told


def test_a_record_that_cannot_be_compared_fails_in_a_sentence(command, out):
    save(out, record({"other": 3}))
    code, _, err = command("compare", "--records", out)
    assert code == 1
    assert "cannot be compared (KeyError: 'state_bytes'); measure it again" in err


def test_collected_times_over_gloo_fail_the_comparison(command, tmp_path):
    told = {"records": [record({"state_bytes": 32, "step_s": TIME})]}
    (tmp_path / "toy.json").write_text(json.dumps(told), "utf-8")
    code, _, err = command("compare", "--records", tmp_path)
    assert code == 1
    assert "result.step_s is a time or a rate" in err
