"""Records: whole or not there, checked in every field, and honest about what carried the bytes."""

import json
import os
from copy import deepcopy
from pathlib import Path

import pytest

from scripts.measure import records
from scripts.measure.errors import RefusalError
from tests.measure.made import record

TIME = {"p10": 0.1, "p50": 0.2, "p90": 0.3, "n": 5}


def changed(path, value):
    """A sound record with one field changed; ``del`` removes it."""
    told = deepcopy(record())
    *way, last = path.split(".")
    inner = told
    for step in way:
        inner = inner[step]
    if value is del_:
        del inner[last]
    else:
        inner[last] = value
    return told


del_ = object()


def test_a_record_is_read_as_it_was_written(tmp_path):
    told = record({"state_bytes": [32, 32], "step_s": TIME, "idle": 0.27, "orders": [["F0", "B0"]]})
    records.save(tmp_path, told)
    assert records.load_all(tmp_path) == [told]
    assert records.is_recorded(tmp_path, told["key"])
    assert [path.name for path in tmp_path.iterdir()] == [f"{told['key']}.json"]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("schema", 0, "schema: is 0, and this reads 1"),
        ("key", del_, "key: is missing"),
        ("key", "0" * 16, "key: is not that of this case"),
        ("extra", 1, "extra: is not a field of a record"),
        ("case", [], "case: must be an object"),
        ("case.world", "2", "case.world: must be a whole number"),
        ("case.world", True, "case.world: must be a whole number"),
        ("case.transport", "radio", "case.transport: must be one of ('real', 'fake')"),
        ("case.does", ["a"], "case.does: must be a text, a number, true or false"),
        ("case.does", "other", "key: is not that of this case"),
        ("provenance.date", del_, "provenance.date: is missing"),
        ("provenance.date", 5, "provenance.date: must be a text"),
        ("provenance.cuda", 12, "provenance.cuda: must be a text or null"),
        ("provenance.backend", "mpi", "provenance.backend: must be one of"),
        ("provenance.transport", "fake", "provenance.transport: must be the case's"),
        ("provenance.host", "box-7", "provenance: has unknown fields: {'host'}"),
        ("result", {}, "result: must be an object with a figure"),
        ("result.state_bytes", 32.0, "result.state_bytes: is 32.0: bytes are whole numbers"),
        ("result.state_bytes", True, "result.state_bytes: is True: bytes are whole numbers"),
        ("result.state_bytes", [1, {"rank 1": 0.5}], "result.state_bytes[1].rank 1: is 0.5: bytes are whole numbers"),
        ("result.idle", float("nan"), "result.idle: is nan, and no figure"),
        ("result.idle", {1, 2}, "result.idle: is a set, which JSON does not know"),
    ],
)
def test_a_wrong_field_is_named(path, value, sentence):
    with pytest.raises(RefusalError) as refused:
        records.checked(changed(path, value), "a.json")
    assert str(refused.value).startswith(f"a.json: {sentence}")
    assert "\n" not in str(refused.value)
    assert refused.value.code == 2


@pytest.mark.parametrize("text", ["", '{"schema": 1', "[]", "3", '{"records": 4}', "\x00"])
def test_a_file_that_is_no_record_is_named_and_measured_again(tmp_path, text):
    (tmp_path / "a.json").write_text(text, "utf-8")
    with pytest.raises(RefusalError, match=r"^a\.json: "):
        records.load_all(tmp_path)
    assert not records.is_recorded(tmp_path, "a")


def test_a_write_that_is_cut_off_leaves_the_old_record(tmp_path, monkeypatch):
    old, new = record(), record({"state_bytes": 7})
    records.save(tmp_path, old)

    def cut_off(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", cut_off)
    with pytest.raises(OSError, match="no space"):
        records.save(tmp_path, new)
    assert records.load_all(tmp_path) == [old]


def test_a_record_reaches_the_disk_before_its_name_does(tmp_path, monkeypatch):
    steps = []
    sync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: steps.append("sync") or sync(descriptor))
    monkeypatch.setattr(Path, "replace", lambda path, target: steps.append("name") or replace(path, target))
    records.save(tmp_path, record())
    assert steps == ["sync", "name", "sync"]


@pytest.mark.parametrize(
    ("transport", "backend", "device", "honest"),
    [("real", "nccl", "cuda", True), ("real", "gloo", "cpu", False), ("fake", "fake", "cuda", False)],
)
def test_only_nccl_between_real_ranks_gives_times_and_rates(transport, backend, device, honest):
    result = {
        "state_bytes": 1,
        "mfu": 0.4,
        "inner": [{"tokens_per_s": 3, "hfu": 1, "busbw_bytes_per_s": 9}],
        "step_s": TIME,
        "peaks": 3,
    }
    told = record(result, transport=transport, backend=backend, device=device)
    wanted = [
        "result.mfu",
        "result.inner[0].tokens_per_s",
        "result.inner[0].hfu",
        "result.inner[0].busbw_bytes_per_s",
        "result.step_s",
    ]
    assert records.dishonest(told) == ([] if honest else wanted)


def test_collected_times_that_nothing_carried_are_a_fault_by_name(tmp_path):
    told = record({"state_bytes": 32, "step_s": TIME})
    records.save(tmp_path, told)
    assert records.faults(tmp_path) == []  # what `run` wrote; `collect` leaves the time out
    (tmp_path / "toy.json").write_text(json.dumps({"records": [told]}), "utf-8")
    (fault,) = records.faults(tmp_path)
    assert fault.startswith("toy.json: toy: plain, 2 ranks")
    assert "result.step_s is a time or a rate, and gloo carried the bytes" in fault
