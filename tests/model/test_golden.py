"""The golden table is what the model says now, and its plans reach every choice that a plan has."""

import pytest

from model.overhead import CONTEXT_BYTES
from model.plan import memory_report
from model.recipe import PRESETS
from model.schema import SECTIONS

from .golden.table import TABLE, block, moved, plans, text

PLANS = plans()
UNDERSTOOD = [memory_report(plan)["plan"] for plan in PLANS.values()]
TOKENS = [
    (section, name, token)
    for section, fields in SECTIONS.items()
    for name, field in fields.items()
    for token in field.allowed
]


def test_no_figure_moved():
    found = moved(TABLE.read_text("utf-8"), text())
    if found:
        advice = "figures moved; if they should, run `make golden` and say why in the commit"
        pytest.fail("\n".join([advice, *found]), pytrace=False)
    whole = TABLE.read_text("utf-8") == text()
    assert whole, "no figure moved, but the table would be written otherwise: run `make golden`"


@pytest.mark.parametrize(("section", "name", "token"), TOKENS, ids="-".join)
def test_every_token_of_a_plan_has_a_row(section, name, token):
    assert any(plan[section].get(name) == token for plan in UNDERSTOOD)


@pytest.mark.parametrize(("section", "name"), [(section, name) for section in SECTIONS for name in SECTIONS[section]])
def test_every_field_of_a_plan_is_given_by_a_row(section, name):
    derived = {"dp"}  # the others say it
    assert name in derived or any(name in plan.get(section, {}) for plan in PLANS.values())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_stage_that_a_preset_runs_has_a_row(preset):
    own = {plan["layout"]["zero"] for plan in UNDERSTOOD if plan["recipe"]["preset"] == preset}
    assert own == set(PRESETS[preset].stages)


def test_a_change_of_a_constant_shows_as_the_figures_that_it_moves(monkeypatch):
    plan = PLANS["fsdp-llama-8b"]
    before = block("plan", plan)
    monkeypatch.setattr("model.report.CONTEXT_BYTES", 2 * CONTEXT_BYTES)
    (line,) = moved(before, block("plan", plan))
    name, title, change = line.split(": ")
    assert (name, title) == ("plan", "nvidia_smi")
    old, new = (int(number.replace(",", "")) for number in change.partition(" (")[0].split(" -> "))
    assert new - old == CONTEXT_BYTES
    assert f"({100 * (new / old - 1):+.3g} %)" in change


def test_a_row_that_comes_or_goes_is_named():
    one, two = block("one", PLANS["count-zero-1"]), block("two", PLANS["count-zero-1"])
    assert {line.split(": ")[0] for line in moved(one, two)} == {"one", "two"}
    assert all("none" in line for line in moved(one, two))


def test_a_plan_that_cannot_be_timed_says_why():
    assert "  recipe.offload: " in block("plan", PLANS["deepspeed-offload-optimizer"])
