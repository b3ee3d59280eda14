"""Malformed plans and sizes without sense, through every command: one line that names the field, or a finite answer."""

import io
import itertools
import json
import random

import pytest

from model.__main__ import main
from model.catalog import GPUS
from model.errors import Invalid
from model.plan import memory_report
from model.schedule_report import schedule_report
from model.schema import SECTIONS
from model.solve import solve_report
from model.step_report import step_report
from tests.model.random_plans import legal_plan

CONFIG = {
    "model_type": "llama",
    "hidden_size": 512,
    "intermediate_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "vocab_size": 1000,
    "max_position_embeddings": 256,
}
PLAN = {"model": CONFIG, "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}}
COMMANDS = (
    ("memory",),
    ("step",),
    ("search",),
    *(("solve", "--for", question) for question in ("micro_batch", "seq", "gpus")),
)
# "Infinity" here is written as 1e400, which is legal JSON.
JUNK = (
    *(None, True, False, -1, 0, 1.5, -0.0, 1e-320, 10**399, -(10**399), 2**53, float("inf"), float("-inf")),
    *("", "x", "nan", "8", "none", "é\n", "\u0000", "\ud800", [], {}, [1], [[]], [[[[1]]]], [None], {"a": {"b": 1}}),
    *(3, 7, 64, 10**6, 10**9, 10**12),
)


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a command on a plan; returns its exit code, its answer, and what it said on standard error."""

    def call(command, given):
        text = json.dumps(given).replace("Infinity", "1e400")
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        code = main([*command, "-", "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out, parse_constant=pytest.fail), err

    return call


def mangled(seed):
    """A legal plan with a few fields removed or filled with junk."""
    draw = random.Random(seed)
    given = legal_plan(seed % 300)
    if draw.random() < 0.7:  # so that a step can be timed
        given["recipe"]["offload"], given["cluster"]["gpu"] = "none", draw.choice(list(GPUS))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        section = draw.choice(list(given) or ["model"])
        target = given.get(section)
        if not isinstance(target, dict) or draw.random() < 0.04:
            given[section] = draw.choice(JUNK)
            continue
        if section == "model" and isinstance(target.get("architecture"), dict):
            target = target["architecture"]
        key = draw.choice([*target, *SECTIONS.get(section, ()), "unknown", ""])
        if draw.random() < 0.1:
            target.pop(key, None)
        else:
            target[key] = draw.choice(JUNK)
    return given


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_malformed_plans_are_refused_by_field_in_one_line_or_answered(run, command):
    refused = 0
    for seed in range(60 if command == ("search",) else 700):
        code, answer, err = run(command, mangled(seed))
        if code == 0:
            assert (err, "error" in answer) == ("", False)
            continue
        refused += 1
        assert (code, err.count("\n"), list(answer)) == (2, 1, ["error"]), seed
        assert list(answer["error"]) == ["field", "code", "values", "message"]
        assert answer["error"]["field"], (seed, err)
        assert answer["error"]["field"] in err
    assert refused > 30


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("given", [None, True, 5, float("inf"), "x", {}, {"": 1}], ids=str)
def test_what_is_no_plan_is_still_refused_by_a_field(run, command, given):
    code, answer, err = run(command, given)
    assert (code, err.count("\n")) == (2, 1)
    assert answer["error"]["field"]


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ({"rope_theta": float("inf")}, "model.rope_theta"),
        ({"rope_theta": 10**399}, "model.rope_theta"),
        ({"rope_scaling": {"factors": [1, float("-inf")]}}, "model.rope_scaling.factors[1]"),
    ],
)
def test_an_ignored_field_that_json_cannot_carry_back_is_named(run, extra, field):
    code, answer, _ = run(("memory",), {**PLAN, "model": CONFIG | extra})
    assert (code, answer["error"]["field"], answer["error"]["code"]) == (2, field, "out_of_range")


def test_a_config_nested_without_end_is_refused_before_it_breaks_the_answer(run):
    nested = []
    for _ in range(200):
        nested = [nested]
    code, answer, _ = run(("memory",), {**PLAN, "model": CONFIG | {"x": nested}})
    assert (code, answer["error"]["code"]) == (2, "out_of_range")
    assert answer["error"]["field"].startswith("model.x[0]")


def test_a_training_run_of_trillions_of_tokens_has_days():
    # Llama 3 was trained on 15.6 trillion tokens (arXiv:2407.21783, section 1).
    report = step_report({**PLAN, "batch": {"total_tokens": 15.6e12}})
    assert report["days"] == pytest.approx(15.6e12 / report["tokens_per_step"] * report["step_s"] / 86_400)
    assert report["plan"]["batch"]["total_tokens"] == 15_600_000_000_000


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ({"layout": {"pp": 2, "vpp": 4096}}, "layout.vpp"),
        ({"layout": {"vocab_multiple": 10**12}}, "layout.vocab_multiple"),
        ({"cluster": {"gpu": "h100-sxm-80gb", "gpus": 10**9}}, "cluster.gpus"),
        ({"model": {**CONFIG, "num_hidden_layers": 10**6}}, "model.num_hidden_layers"),
    ],
)
@pytest.mark.parametrize("report", [memory_report, step_report])
def test_sizes_that_would_take_for_ever_are_refused_at_once(report, sections, field):
    with pytest.raises(Invalid) as caught:
        report({**PLAN, **sections})
    assert (caught.value.field, caught.value.code) == (field, "out_of_range")


@pytest.mark.parametrize("kind", ["gpipe", "1f1b", "zb-h1", "zb-v", "dualpipe-v"])
def test_a_thousand_million_micro_batches_are_answered_or_refused(kind):
    given = {
        **PLAN,
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 2},
        "layout": {"pp": 2},
        "batch": {"seq": 8, "global_batch": 10**9},
        "schedule": {"kind": kind},
    }
    try:
        assert step_report(given)["tokens_per_step"] == 8 * 10**9
    except Invalid as error:  # no steady pace was found, and so many events are not laid out
        assert (kind, error.field) in (("zb-v", "batch.global_batch"), ("dualpipe-v", "batch.global_batch"))
    if kind != "gpipe":  # which keeps them all
        assert memory_report(given)["stages"][0]["allocated_peak"] < 10**9


@pytest.mark.parametrize("micro_batches", [1, 5, 2 * 300 - 2])
def test_an_order_that_is_made_for_more_micro_batches_than_there_are_counts_as_large(micro_batches):
    with pytest.raises(Invalid) as caught:
        schedule_report(kind="zb-v", stages=300, micro_batches=micro_batches)
    assert (caught.value.field, caught.value.code) == ("micro_batches", "out_of_range")


def test_more_splits_than_gpus_can_be_asked_for_is_an_error_of_solve():
    given = {**PLAN, "layout": {"tp": 8, "pp": 4, "cp": 10**6}, "batch": {"seq": 8, "global_batch": 64}}
    with pytest.raises(Invalid) as caught:
        solve_report(given, "gpus")
    assert (caught.value.field, caught.value.code) == ("cluster.gpus", "out_of_range")


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_config_that_breaks_off_is_refused_by_what_is_missing_or_not_json(run, monkeypatch, capsys, cut):
    text = json.dumps({"model": CONFIG, "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}})
    monkeypatch.setattr("sys.stdin", io.StringIO(text[: len(text) * cut // 9]))
    assert main(["memory", "-", "--json"]) == 2
    assert json.loads(capsys.readouterr()[0])["error"]["code"] == "not_json"
    kept = dict(itertools.islice(CONFIG.items(), cut - 1))
    code, answer, _ = run(("memory",), {**PLAN, "model": kept})
    missing = [name for name in CONFIG if name not in kept]
    if code:
        assert answer["error"]["field"].removeprefix("model.") in missing
