"""Help teaches: every field of a plan has its unit and meaning, every command an example that runs, every status its word."""

import json
import re
import shlex
from pathlib import Path

import pytest

from model.__main__ import COMMANDS, EXITS, main
from model.contract import MEANING, contract, field_list
from model.plan import memory_report
from model.schema import REQUIRED, SECTIONS

NAMES = [command.__name__.rpartition(".")[2].removesuffix("_command") for command in COMMANDS]
SMALL = {"model": {"params": 7.5e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}}
# Fields that count something say in what; these are words, switches, or a number that names a stage.
UNITLESS = {"layout.zero"}


@pytest.fixture
def help_of(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def printed(*command):
        with pytest.raises(SystemExit) as left:
            main([*command, "--help"])
        assert left.value.code == 0
        return capsys.readouterr().out

    return printed


def test_the_contract_has_every_field_of_the_schema_and_no_other():
    paths = [row["path"] for row in contract()]
    assert paths == ["model", *(f"{section}.{name}" for section in SECTIONS for name in SECTIONS[section])]
    assert {section: set(fields) for section, fields in MEANING.items()} == {
        section: set(fields) for section, fields in SECTIONS.items()
    }


@pytest.mark.parametrize("row", contract(), ids=lambda row: row["path"])
def test_every_field_has_a_meaning_and_what_counts_has_a_unit(row):
    assert len(row["meaning"]) > 5
    counts = row["type"] in ("whole number", "number", "list of whole numbers") and row["path"] not in UNITLESS
    assert bool(row["unit"]) == counts


def test_the_defaults_are_those_that_a_plan_is_read_with():
    plan = memory_report(SMALL)["plan"]
    for row in contract()[1:]:
        section, name = row["path"].split(".")
        default = SECTIONS[section][name].default
        if default is REQUIRED:
            assert row["default"] == "required"
        elif default is None:
            assert re.fullmatch(r"null: .{3,}", row["default"])
        else:
            shown = json.dumps(plan[section][name])
            assert json.dumps(default) == shown
            assert row["default"] == shown.strip('"')


@pytest.mark.parametrize("name", NAMES)
def test_help_has_an_example_a_unit_and_how_to_get_json(help_of, name):
    text = help_of(name)
    assert "--json" in text
    assert re.search(rf'^  ({name} |{{"model")', text, re.MULTILINE)
    assert re.search(r"bytes|seconds|tokens|elements|times of", text)
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_every_example_of_the_help_is_answered(help_of, capsys, monkeypatch, tmp_path, name):
    text = help_of(name)
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text('{"model_type": "gpt2"}', "utf-8")
    plans = re.findall(r'^  (\{"model".*?\}\}(?=\n\n|\n?\Z|\n[A-Z]))', text, re.MULTILINE | re.DOTALL)
    calls = [shlex.split(line) for line in re.findall(rf"^  ({name} .*?)(?: {{3,}}.*)?$", text, re.MULTILINE)]
    for plan in plans:
        Path("plan.json").write_text(plan, "utf-8")
        if not calls:
            calls = [[name, "plan.json"]]
    assert calls
    for call in calls:
        assert main(call) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", [None, *NAMES])
def test_an_example_of_fsdp2_says_its_stage(help_of, name):
    for plan in re.findall(r'\{"model".*?\}\}', help_of(*([name] if name else [])), re.DOTALL):
        if '"fsdp2"' in plan:
            assert '"zero"' in plan


def test_the_help_of_memory_lists_every_field(help_of):
    text = help_of("memory")
    assert field_list() in text
    assert "layout.shard_group (whole number, ranks; default null: all replicas)" in text


def test_the_help_of_all_names_every_command_and_status(help_of):
    text = help_of()
    for name in NAMES:
        assert re.search(rf"^    {name}\s", text, re.MULTILINE)
    for status, meaning in EXITS.items():
        assert f"  {status}  {meaning}" in text


@pytest.mark.parametrize("plan", [SMALL, [SMALL, {}], {}], ids=["answered", "in part", "refused"])
def test_each_status_is_the_one_that_the_help_names(plan, monkeypatch, capsys, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan), "utf-8")
    status = main(["memory", str(path)])
    assert status == [SMALL, [SMALL, {}], {}].index(plan)
    assert status in EXITS
    capsys.readouterr()
