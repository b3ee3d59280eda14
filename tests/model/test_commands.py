"""``schedule`` and ``collective`` as people and tools call them, and how the command line refuses nonsense."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from model.__main__ import main
from model.schedules import KINDS

ROOT = Path(__file__).resolve().parents[2]
SCHEDULE = ("schedule", "--kind", "1f1b", "--stages", "4", "--micro-batches", "8")
COLLECTIVE = ("collective", "all-reduce", "--bytes", "1e9", "--ranks", "8", "--link", "450:0")


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_schedule_prints_the_contract(run):
    code, out, err = run(*SCHEDULE, "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert report["order"][3] == [f"3{work}{k}" for k in range(8) for work in "FB"]
    assert report["timeline"][0] == {"rank": 0, "op": "0F0", "start": 0.0, "end": 1.0}
    assert report["makespan"] == 33.0
    assert report["bubble_of_total"] == report["bubble_of_total_ideal"] == 3 / 11
    assert report["bubble_over_ideal"] == 3 / 8
    assert report["peak_in_flight"] == [4, 3, 2, 1]


def test_schedule_takes_every_flag(run):
    _, out, _ = run(
        *("schedule", "--kind", "interleaved", "--stages", 2, "--micro-batches", 4, "--virtual", 3),
        *("--forward", "0.3", "--backward", "6e-1", "--weight", "0.3", "--json"),
    )
    report = json.loads(out)
    assert (report["virtual"], report["forward"], report["makespan"]) == (3, 0.3, 3.9)


@pytest.mark.parametrize("kind", KINDS)
def test_schedule_draws_a_timeline_for_people(run, kind):
    code, out, _ = run("schedule", "--kind", kind, "--stages", 3, "--micro-batches", 6)
    rows = [line for line in out.splitlines() if line.startswith("rank ")]
    assert code == 0
    assert len(rows) == 3
    assert max(map(len, out.splitlines())) <= 140
    assert "bubble of the total" in out


def test_the_drawing_is_the_timeline(run):
    _, out, _ = run("schedule", "--kind", "1f1b", "--stages", 2, "--micro-batches", 2, "--forward", 1, "--backward", 1)
    assert [line[8:] for line in out.splitlines() if line.startswith("rank ")] == [
        "F0--F1--....B0--....B1--",
        "....F0--B0--F1--B1--",
    ]


@pytest.mark.parametrize("sizes", [(1, 1), (100, 3), (70, 200)])
def test_any_size_can_be_drawn(run, sizes):
    code, out, _ = run("schedule", "--kind", "zb-h1", "--stages", sizes[0], "--micro-batches", sizes[1])
    assert code == 0
    assert "makespan" in out


def test_collective_prints_the_contract(run):
    code, out, err = run(*COLLECTIVE, "--algorithm", "nvls", "--json")
    report = json.loads(out)
    assert (code, err) == (0, "")
    assert report["bytes_sent_per_rank"] == 1_125_000_000
    assert (report["time_s"], report["algbw_GBps"], report["busbw_GBps"]) == (0.0025, 400.0, 700.0)
    assert report["achieved"] is None


def test_collective_takes_underscores_and_tiers(run):
    where = ("--ranks-per-node", 8, "--inter-link", "ib-400")
    _, out, _ = run("collective", "all_gather", "--bytes", 32000, "--ranks", 32, "--link", "nvlink4", *where, "--json")
    report = json.loads(out)
    assert (report["op"], report["nodes"], report["bytes_sent_per_rank"]) == ("all-gather", 4, 31000)
    assert [tier["link"] for tier in report["tiers"]] == ["nvlink4", "ib-400"]
    assert report["achieved"]["time_s"] > report["time_s"]


def test_collective_prints_a_table_for_people(run):
    code, out, _ = run("collective", "send", "--bytes", 10**9, "--ranks", 2, "--link", "nvlink4")
    assert code == 0
    assert "1,000,000,000 bytes" in out
    assert "2.225 ms" in out
    assert "nothing is sent" in run("collective", "send", "--bytes", 8, "--ranks", 1, "--link", "nvlink4")[1]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((), "COMMAND"),
        (("schedul",), "COMMAND"),
        (("schedule",), "kind"),
        ((*SCHEDULE, "--stages"), "stages"),
        ((*SCHEDULE, "--stage", "4"), "stage"),
        ((*SCHEDULE, "--colour", "red"), "colour"),
        ((*SCHEDULE, "--json=yes"), "json"),
        ((*SCHEDULE, "--kind", "2f2b"), "kind"),
        ((*SCHEDULE, "--kind", "2f\n2b"), "kind"),
        ((*SCHEDULE, "--kind", "\udcff"), "kind"),
        ((*SCHEDULE, "--stages", "4.5"), "stages"),
        ((*SCHEDULE, "--stages", "four"), "stages"),
        ((*SCHEDULE, "--stages", "٤"), "stages"),
        ((*SCHEDULE, "--stages", "1_000"), "stages"),
        ((*SCHEDULE, "--stages", ""), "stages"),
        ((*SCHEDULE, "--stages", "9" * 5000), "stages"),
        ((*SCHEDULE, "--micro-batches", "1e999"), "micro_batches"),
        ((*SCHEDULE, "--micro-batches", "-8"), "micro_batches"),
        ((*SCHEDULE, "--micro-batches", "1e12"), "micro_batches"),
        ((*SCHEDULE, "--virtual", "2"), "virtual"),
        ((*SCHEDULE, "--forward", "nan"), "forward"),
        ((*SCHEDULE, "--forward", "inf"), "forward"),
        ((*SCHEDULE, "--forward", "-1"), "forward"),
        ((*SCHEDULE, "--weight", "3"), "weight"),
        ((*SCHEDULE, "extra"), "extra"),
        (("collective",), "OP"),
        (("collective", "all-reduze", *COLLECTIVE[2:]), "op"),
        ((*COLLECTIVE, "--bytes", "0"), "bytes"),
        ((*COLLECTIVE, "--bytes", "1.5"), "bytes"),
        ((*COLLECTIVE, "--ranks", "x"), "ranks"),
        ((*COLLECTIVE, "--link", "usb"), "link"),
        ((*COLLECTIVE, "--ranks-per-node", "4"), "inter_link"),
        ((*COLLECTIVE, "--inter-link", "ib-400"), "ranks_per_node"),
        ((*COLLECTIVE, "--inter-link", "ib"), "inter_link"),
        ((*COLLECTIVE, "--algorithm", "star"), "algorithm"),
    ],
)
def test_bad_input_exits_2_with_one_line_that_names_the_field(run, arguments, field):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f": {field}: " in err
    code, out, err = run(*arguments, "--json")
    assert code == 2
    error = json.loads(out)["error"]
    assert set(error) == {"field", "code", "values", "message"}
    assert error["field"] == field


def test_random_words_are_answered_or_refused_and_nothing_else(run):
    chance = random.Random(7)
    words = [
        "0",
        "1",
        "2",
        "3",
        "4",
        "7",
        "8",
        "-1",
        "1e3",
        "0.5",
        "nan",
        "x",
        "",
        "9" * 40,
        "--",
        "--json",
        "\x00",
        "é",
    ]
    flags = ["--kind", "--stages", "--micro-batches", "--virtual", "--forward", "--backward", "--weight", "--json"]
    for _ in range(400):
        kind = chance.choice([*KINDS, *words])
        arguments = [
            "schedule",
            "--kind",
            kind,
            "--stages",
            chance.choice(words),
            "--micro-batches",
            chance.choice(words),
        ]
        for _ in range(chance.randrange(4)):
            arguments += [chance.choice(flags), chance.choice(words)]
        code, out, err = run(*arguments, "--json")
        assert code in (0, 2)
        answer = json.loads(out)
        assert ("error" in answer) == (code == 2)
        assert err.count("\n") == (1 if code else 0)


@pytest.mark.parametrize("command", ["schedule", "collective"])
def test_help_teaches(command):
    done = subprocess.run(
        [sys.executable, "-m", "model", command, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert f"  {command} " in done.stdout
    assert "--json" in done.stdout
