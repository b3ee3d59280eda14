"""The suites of a machine without a GPU, as `make measure` runs them: the model is held to what torch does. Needs torch."""

import os
import subprocess
import sys

import pytest

from scripts.measure.__main__ import COLLECTED
from scripts.measure.provenance import ROOT
from scripts.measure.records import load_all, path_of, title
from scripts.measure.suites import kind_of

# The running example's class on 64 ranks.
EXAMPLE = "bf16-master recompute seq 1024 7.7b fsdp2, one of 64 ranks"

BY_THE_CLOCK = ("pipeline", "collectives")


def measure(*arguments):
    """A command of scripts.measure: exit code and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.measure", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def disturbed(folder):
    """Records of what a clock told, in which other work on the machine may have been too: those outside their tolerance."""
    clocked = [record for record in load_all(folder) if record["case"]["kind"] in BY_THE_CLOCK]
    return [
        record
        for record in clocked
        if not all(check.holds or check.why for check in kind_of(record["case"]["kind"]).checks(record))
    ]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Records of the ci suite, and of one true size. What a clock told and is off is measured anew, three times at most."""
    folder = tmp_path_factory.mktemp("measured")
    for suite in (["scale", "--match", EXAMPLE], *[["ci"]] * 4):
        for record in disturbed(folder):
            path_of(folder, record["key"]).unlink()
        code, told = measure("run", "--out", folder, "--suite", *suite)
        assert code == 0, told
    return folder


def test_the_model_agrees_with_what_torch_does(out):
    code, told = measure("compare", "--records", out)
    assert code == 0, told
    assert {"states", "maths", "pipeline", "scale"} <= {record["case"]["kind"] for record in load_all(out)}


def test_what_is_collected_agrees_and_is_honest(out, tmp_path):
    code, told = measure("collect", out, "--into", tmp_path)
    assert code == 0, told
    assert "left out of collectives" in told
    code, told = measure("compare", "--records", tmp_path)
    assert code == 0, told


def sizes(value, name=""):
    """Every figure in bytes, with where it stands.

    What is left after a phase is none of them: other threads let go of a message a moment sooner or later.
    """
    if isinstance(value, dict):
        fields = {field: inner for field, inner in value.items() if field != "phases"}
        return {key: found for field, inner in fields.items() for key, found in sizes(inner, f"{name}.{field}").items()}
    if isinstance(value, list):
        return {
            key: found for index, inner in enumerate(value) for key, found in sizes(inner, f"{name}[{index}]").items()
        }
    return {name: value} if "_bytes" in name else {}


def test_bytes_are_those_of_the_committed_records(out):
    def by_case(records):
        return {(title(record).rpartition(" (")[0], record["provenance"]["torch"]): record for record in records}

    now, committed = by_case(load_all(out)), by_case(load_all(ROOT / COLLECTED))
    both = now.keys() & committed.keys()
    assert both
    for key in both:
        kept = sizes(committed[key]["result"])
        assert {field: sizes(now[key]["result"])[field] for field in kept} == kept, key
