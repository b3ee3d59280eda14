"""The inverse questions: the value fits, the next one does not, and nothing in between was missed."""

import json

import pytest

from model.__main__ import main
from model.errors import Invalid
from model.fitting import told_apart
from model.plan import memory_report
from model.solve import solve_report

MIXTRAL = {"model": {"params": 46_702_792_704}, "cluster": {"gpu": "card-80gb"}, "layout": {"zero": 3}}
LLAMA = {
    "model": "llama-3.1-8b",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
    "recipe": {"preset": "fsdp2"},
    "batch": {"seq": 4096},
    "activation": {"recompute": "full", "loss": "chunked"},
}
EXPERTS = {
    "model": "mixtral-8x7b-v0.1",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 16},
    "layout": {"ep": 8, "zero": 3},
    "batch": {"seq": 2048},
}
PLANS = {
    "fully sharded": LLAMA,
    "a pipeline": LLAMA | {"layout": {"pp": 2, "tp": 2, "zero": 1}, "recipe": {"preset": "megatron"}},
    "a batch that stays": LLAMA | {"batch": {"seq": 4096, "global_batch": 480}},
    "experts": EXPERTS,
}
SECTION = {"micro_batch": "batch", "seq": "batch", "gpus": "cluster"}


def worst(report):
    return report["stages"][report["worst_stage"]]["nvidia_smi"]


def with_number(given, question, value):
    section = SECTION[question]
    return given | {section: given.get(section, {}) | {question: value}}


@pytest.mark.parametrize("question", SECTION)
@pytest.mark.parametrize("given", PLANS.values(), ids=PLANS)
def test_the_value_fits_and_the_next_does_not(given, question):
    answer = solve_report(given, question)
    report = memory_report(with_number(given, question, answer["value"]))
    assert report["plan"] == answer["plan"]
    assert answer["worst_stage_bytes"] == worst(report) <= report["capacity_bytes"]
    assert answer["fits"] == report["fits"]
    if answer["next"] is not None:
        beyond = memory_report(with_number(given, question, answer["next"]["value"]))
        assert worst(beyond) > beyond["capacity_bytes"]
        assert "GB" in answer["next"]["reason"]


@pytest.mark.parametrize("question", ["micro_batch", "gpus"])
@pytest.mark.parametrize("given", [LLAMA, PLANS["a batch that stays"], EXPERTS], ids=["llama", "batch", "experts"])
def test_no_number_in_reach_is_better(given, question):
    answer = solve_report(given, question)
    fitting = []
    for number in range(1, 65):
        try:
            report = memory_report(with_number(given, question, number))
        except Invalid:
            continue
        if worst(report) <= report["capacity_bytes"]:
            fitting.append(number)
    if question == "gpus":
        assert answer["value"] == min(fitting)
    else:
        assert answer["value"] == max(fitting) or answer["value"] > 64


def test_mixtral_under_zero_3_fits_from_ten_cards_by_states_alone():
    answer = solve_report(MIXTRAL, "gpus")
    assert (answer["value"], answer["next"]["value"]) == (10, 9)
    assert solve_report(MIXTRAL | {"cluster": {"gpu": "h100-sxm-80gb"}}, "gpus")["value"] == 9


def test_mixtral_under_zero_2_never_fits():
    answer = solve_report(MIXTRAL | {"layout": {"zero": 2}}, "gpus")
    assert (answer["value"], answer["plan"], answer["next"]["value"]) == (None, None, 1)


def test_a_given_batch_is_divided_and_its_end_has_nothing_beyond():
    given = LLAMA | {"batch": {"seq": 128, "global_batch": 24}}
    answer = solve_report(given, "micro_batch")
    assert (answer["value"], answer["next"]) == (3, None)


@pytest.mark.parametrize(
    ("given", "question", "field"),
    [
        (LLAMA, "tokens", "for"),
        ([], "seq", "plan"),
        (MIXTRAL | {"cluster": {"gpu": "card-80gb", "gpus": 8}}, "seq", "model"),
        (LLAMA | {"cluster": {"gpu": "h100"}}, "gpus", "cluster.gpu"),
        (LLAMA | {"cluster": 8}, "gpus", "cluster"),
        (LLAMA | {"cluster": {"gpu": "h100-sxm-80gb", "gpus": 0}}, "gpus", "cluster.gpus"),
        (LLAMA | {"cluster": {"gpu": "h100-sxm-80gb"}}, "seq", "cluster.gpus"),
        (LLAMA | {"layout": {"dp": 8}}, "gpus", "layout.dp"),
        (LLAMA | {"layout": {"tp": 3}}, "seq", "layout"),
        (LLAMA | {"layout": {"tp": 3}}, "gpus", "layout.tp"),
        (LLAMA | {"batch": {"global_batch": 12}}, "micro_batch", "batch.global_batch"),
        (LLAMA | {"model": "lama"}, "gpus", "model"),
    ],
)
def test_a_plan_that_no_number_can_save_is_refused_by_its_field(given, question, field):
    with pytest.raises(Invalid) as error:
        solve_report(given, question)
    assert error.value.field == field


LONG = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}, "recipe": {"preset": "fsdp2"}}


@pytest.mark.parametrize(
    ("more", "question", "change"),
    [
        ({}, "micro_batch", ["batch.seq", "activation.recompute"]),
        ({"batch": {"seq": 131072}}, "micro_batch", ["batch.seq", "activation.recompute"]),
        ({"batch": {"micro_batch": 2}}, "gpus", ["batch.seq", "activation.recompute", "batch.micro_batch"]),
        ({"cluster": {"gpu": "t4-16gb", "gpus": 1}}, "seq", []),
        ({"cluster": {"gpu": "t4-16gb", "gpus": 1}, "layout": {"zero": 2}}, "micro_batch", []),
    ],
)
def test_where_nothing_fits_the_answer_says_what_to_change(more, question, change):
    answer = solve_report(LONG | more, question)
    assert (answer["value"], answer["change"]) == (None, change)


def test_the_sequence_is_said_and_whether_it_is_the_models_own():
    answer = solve_report(LONG, "micro_batch")
    assert (answer["seq"], answer["seq_is_own_context"]) == (131072, True)
    answer = solve_report(LONG | {"batch": {"seq": 2048}}, "micro_batch")
    assert (answer["seq"], answer["seq_is_own_context"], answer["change"]) == (2048, False, None)
    assert solve_report(MIXTRAL, "gpus")["seq"] is None


@pytest.mark.parametrize("more", [0, 1, 10**6, 10**8])
def test_amounts_that_differ_are_printed_differently(more):
    first, second = told_apart(85_520_809_984, 85_520_809_984 + more, 2)
    assert (first == second) == (more == 0)
    assert first.startswith("85.52") and len(first) <= len("85.520809984")


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("gpus", "no number of GPUs fits"),
        ("seq", "no length of a sequence fits"),
        ("micro_batch", "no micro-batch fits"),
    ],
)
def test_nothing_that_fits_is_said_in_words(tmp_path, capsys, question, says):
    path = tmp_path / "plan.json"
    given = {"recipe": {"preset": "ddp-amp"}, "cluster": {"gpu": "t4-16gb", "gpus": 1}}
    path.write_text(json.dumps(LONG | given), "utf-8")
    assert main(["solve", str(path), "--for", question]) == 0
    out = capsys.readouterr().out
    assert says in out.splitlines()[0]
    assert "to change: the states alone are too large" in out


def test_the_command_answers_people_and_tools(tmp_path, capsys):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(MIXTRAL), "utf-8")
    assert main(["solve", str(path), "--for", "gpus"]) == 0
    assert "fewest gpus  10" in capsys.readouterr().out
    assert main(["solve", str(path), "--for", "gpus", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 10
    assert main(["solve", str(path), "--for", "hope", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["field"] == "for"
