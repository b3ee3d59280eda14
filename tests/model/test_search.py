"""The search: everything it lists is legal and reported the same, and nothing legal is missing."""

import io
import itertools
import json
import sys

import pytest

from model.__main__ import main
from model.candidates import divisors
from model.errors import Invalid
from model.fitting import least_bytes, worst_bytes
from model.plan import memory_report, read_plan
from model.search import Progress, mark_front, search_report, searching
from model.step_report import step_report
from tests.model.random_plans import legal_plan

DENSE = {
    "vocab_size": 32000,
    "hidden_size": 2048,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "intermediate_size": 8192,
}
EXPERTS = DENSE | {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4096}


def plan(shape=DENSE, gpus=4, **sections):
    base = {
        "model": {"architecture": shape},
        "cluster": {"gpu": "a10g-24gb", "gpus": gpus},
        "recipe": {"preset": "megatron"},
        "batch": {"seq": 2048, "global_batch": 8},
        "activation": {"implementation": "megatron-te"},
    }
    return base | sections


SEARCHES = {
    "dense": plan(),
    "a six-way cluster": plan(gpus=6, batch={"seq": 2048, "global_batch": 6}),
    "experts": plan(EXPERTS, batch={"seq": 2048, "global_batch": 4}),
    "fully sharded": plan(recipe={"preset": "fsdp2"}, activation={"recompute": "full"}),
    "fixed in part": plan(gpus=8, layout={"tp": 2, "zero": 1, "sequence_parallel": True}),
    "a small card": plan(
        DENSE | {"hidden_size": 4096}, cluster={"gpu": "t4-16gb", "gpus": 4}, recipe={"compute": "fp16"}
    ),
    "a V": plan(schedule={"kind": "dualpipe-v"}, layout={"cp": 1}),
    "uneven stages": plan(layout={"stage_layers": [4, 2]}),
    "without a batch": plan(batch={"seq": 2048}),
}


@pytest.fixture(scope="module", params=SEARCHES.values(), ids=SEARCHES)
def searched(request):
    return request.param, search_report(request.param)


def brute(given):
    """Every plan of a small cluster that memory and step accept and that fits, by trying all numbers up to the GPUs."""
    gpus = given["cluster"]["gpus"]
    layout, batch = given.get("layout", {}), given["batch"]
    shape = given["model"]["architecture"]
    layers = shape["num_hidden_layers"]
    total = batch.get("global_batch", gpus)
    degrees = range(1, gpus + 1)
    axes = {
        "tp": degrees,
        "pp": degrees,
        "cp": degrees,
        "ep": degrees,
        "vpp": range(1, layers + 1),
        "zero": range(4),
        "sequence_parallel": (False, True),
    }
    axes = {name: (layout[name],) if name in layout else values for name, values in axes.items()}
    micro_batches = (batch["micro_batch"],) if "micro_batch" in batch else range(1, total + 1)
    for values in itertools.product(*axes.values()):
        own = dict(zip(axes, values, strict=True))
        if gpus % (own["tp"] * own["pp"] * own["cp"]) or own["pp"] * own["vpp"] > layers:
            continue
        if "stage_layers" in layout and own["pp"] * own["vpp"] != len(layout["stage_layers"]):
            continue
        if own["tp"] == 1 and own["sequence_parallel"]:
            continue  # says the same as off
        chosen = "stage_layers" in layout or given.get("schedule", {}).get("kind") == "dualpipe-v"
        fullest = -(-layers // own["pp"])
        if not chosen and (fullest % own["vpp"] or (own["pp"] == 1 and own["vpp"] > 1)):
            continue  # runs of layers that are not equally long are searched only where they are asked for
        for micro_batch in micro_batches:
            one = given | {
                "layout": layout | own,
                "batch": batch | {"micro_batch": micro_batch, "global_batch": total},
            }
            try:
                report = memory_report(one)
                if fullest_bytes(report) <= report["capacity_bytes"]:
                    step_report(one)
                    yield report["plan"]
            except Invalid:
                continue


def fullest_bytes(report):
    return report["stages"][report["worst_stage"]]["nvidia_smi"]


def key(found):
    return json.dumps(found, sort_keys=True)


def test_nothing_legal_is_missing_and_nothing_else_is_listed(searched):
    given, report = searched
    assert {key(one["plan"]) for one in report["plans"]} == set(map(key, brute(given)))
    assert report["count"] == len(report["plans"])


def test_every_plan_is_reported_the_same_by_memory_and_step(searched):
    _, report = searched
    for one in report["plans"]:
        memory, step = memory_report(one["plan"]), step_report(one["plan"])
        assert memory["plan"] == step["plan"] == one["plan"]
        assert one["worst_stage_bytes"] == fullest_bytes(memory) <= memory["capacity_bytes"]
        assert one["fits"] == memory["fits"] != "no"
        assert [one[name] for name in ("step_s", "tokens_per_s_per_gpu", "mfu")] == [
            step[name] for name in ("step_s", "tokens_per_s_per_gpu", "mfu")
        ]


def test_every_candidate_is_listed_or_counted_as_rejected(searched):
    _, report = searched
    rejected = sum(found["count"] for found in report["rejected"].values())
    assert rejected + report["count"] == report["candidates"]


def test_the_searches_above_meet_every_reason():
    met = {code for given in SEARCHES.values() for code in search_report(given)["rejected"]}
    assert met >= {"not_divisible", "out_of_range", "does_not_fit"}


def test_every_example_is_refused_for_the_reason_that_is_given(searched):
    _, report = searched
    for code, found in report["rejected"].items():
        if code == "does_not_fit":
            memory = memory_report(found["example"])
            assert fullest_bytes(memory) > memory["capacity_bytes"]
        else:
            with pytest.raises(Invalid) as error:
                memory_report(found["example"])
            assert (error.value.code, str(error.value)) == (code, found["message"])


def test_plans_are_ranked_by_time_and_the_front_is_what_no_other_beats(searched):
    _, report = searched
    plans = report["plans"]
    assert [one["step_s"] for one in plans] == sorted(one["step_s"] for one in plans)
    points = [(one["step_s"], one["worst_stage_bytes"]) for one in plans]
    for one, point in zip(plans, points, strict=True):
        beaten = any(other != point and other[0] <= point[0] and other[1] <= point[1] for other in points)
        assert one["on_front"] == (not beaten)


def test_what_is_given_stays(searched):
    given, report = searched
    for one in report["plans"]:
        for name, value in given.get("layout", {}).items():
            assert one["plan"]["layout"][name] == value


def test_the_front_keeps_both_of_two_equals():
    points = [(1, 9), (1, 9), (2, 9), (2, 9), (3, 4), (3, 5), (4, 4)]
    plans = [{"step_s": time_s, "worst_stage_bytes": amount} for time_s, amount in points]
    mark_front(plans)
    assert [one["on_front"] for one in plans] == [True, True, False, False, True, False, False]


@pytest.mark.parametrize("seed", range(120))
def test_the_fullest_rank_is_that_of_the_report(seed):
    given = legal_plan(seed)
    report = memory_report(given)
    assert worst_bytes(read_plan(given)) == max(stage["nvidia_smi"] for stage in report["stages"])
    assert least_bytes(read_plan(given)) <= report["stages"][0]["nvidia_smi"]


def test_a_batch_is_searched_only_where_it_is_left_out():
    left, fixed = plan(), plan(batch={"seq": 2048, "global_batch": 8, "micro_batch": 2})
    assert {one["plan"]["batch"]["micro_batch"] for one in search_report(left)["plans"]} > {2}
    assert {one["plan"]["batch"]["micro_batch"] for one in search_report(fixed)["plans"]} == {2}


def test_progress_is_told_for_each_candidate_and_a_search_can_be_stopped():
    steps = searching(plan())
    first = next(steps)
    told = list(itertools.islice(steps, 10))
    assert first == Progress(0, first.total, 0)
    assert [one.done for one in told] == list(range(1, 11))
    steps.close()
    assert list(steps) == []


def test_divisors_are_all_of_them():
    for number in range(1, 200):
        assert divisors(number) == tuple(part for part in range(1, number + 1) if number % part == 0)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([], "plan"),
        (plan(layout={"tq": 2}), "layout.tq"),
        (plan(layout={"tp": 0}), "layout.tp"),
        (plan(layout={"zero": 3}), "layout.zero"),
        (plan(model={"params": 7e9}), "model"),
        (plan(model="llama"), "model"),
        (plan(cluster={"gpu": "card-80gb", "gpus": 4}), "cluster.gpu"),
        (plan(cluster={"gpu": "a10g-24gb"}), "cluster.gpus"),
        (plan(recipe={"offload": "optimizer"}), "recipe.offload"),
        (plan(recipe={"compute": "fp8"}), "recipe.compute"),
        (plan(batch={}), "batch.seq"),
        (plan(batch={"seq": 0}), "batch.seq"),
        (plan(activation={"recompute_layers": 2}), "activation.recompute_layers"),
        (plan(schedule={"kind": "2f2b"}), "schedule.kind"),
        (plan(schedule={"weight": 5}), "schedule.weight"),
        (plan(gpus=8648640, batch={"seq": 128}), "layout"),
    ],
)
def test_a_plan_that_no_layout_can_save_is_refused_by_its_field(given, field):
    with pytest.raises(Invalid) as error:
        search_report(given)
    assert error.value.field == field


def test_a_layout_that_nothing_satisfies_is_an_answer_with_reasons():
    report = search_report(plan(layout={"tp": 3}))
    assert (report["plans"], report["count"]) == ([], 0)
    assert "does not divide 4 GPUs" in report["rejected"]["not_divisible"]["message"]


def test_the_command_prints_a_table_or_json(tmp_path, capsys):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan()), "utf-8")
    assert main(["search", str(path)]) == 0
    text = capsys.readouterr().out
    assert "candidates are legal and fit" in text
    assert "rejected, out_of_range" in text
    assert max(map(len, text.splitlines())) <= 160
    assert main(["search", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == search_report(plan())


def test_where_nothing_fits_the_table_says_the_sequence_and_what_to_change(tmp_path, capsys):
    given = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 2}, "recipe": {"preset": "fsdp2"}}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(given), "utf-8")
    assert main(["search", str(path)]) == 0
    out = capsys.readouterr().out
    assert "sequences of 131,072 tokens (the model's own context; batch.seq is another)" in out
    assert 'to change: shorten batch.seq, or recompute more (activation.recompute "full")' in out
    report = search_report(given | {"batch": {"micro_batch": 4}})
    assert report["change"] == ["batch.seq", "activation.recompute", "batch.micro_batch"]
    assert (
        search_report(given | {"cluster": {"gpu": "t4-16gb", "gpus": 1}, "recipe": {"compute": "fp16"}})["change"] == []
    )
    assert (
        search_report(given | {"batch": {"seq": 128}, "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}})["change"] is None
    )


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_told_how_far_a_search_is_and_a_pipe_nothing(tmp_path, capsys, monkeypatch):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan()), "utf-8")
    assert main(["search", str(path)]) == 0
    piped = capsys.readouterr()
    assert piped.err == ""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    assert main(["search", str(path)]) == 0
    report = search_report(plan())
    assert capsys.readouterr().out == piped.out
    assert "\n" not in screen.getvalue()
    *_, last, blank, after = screen.getvalue().split("\r")
    assert (
        last.rstrip() == f"{report['candidates']} of {report['candidates']} candidates looked at, {report['count']} fit"
    )
    assert (blank.strip(), after) == ("", "")


def test_ctrl_c_in_a_search_leaves_one_line(tmp_path, capsys, monkeypatch):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan()), "utf-8")
    looked = []

    def interrupted(search, candidate):
        looked.append(candidate)
        if len(looked) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("model.search._Search.look_at", interrupted)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert main(["search", str(path)]) == 130
    *_, blank, said = sys.stderr.getvalue().split("\r")
    assert (blank.strip(), said) == ("", "python -m model: stopped\n")
    assert capsys.readouterr().out == ""


def test_a_large_search_answers():
    given = {
        "model": "llama-3.1-405b",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 1024},
        "layout": {"cp": 1, "sequence_parallel": True},
        "recipe": {"preset": "megatron"},
        "batch": {"seq": 8192, "global_batch": 1024, "micro_batch": 1},
        "activation": {"implementation": "megatron-te", "recompute": "selective"},
        "schedule": {"kind": "1f1b"},
    }
    assert search_report(given)["count"]
