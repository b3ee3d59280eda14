"""Every widget of the registry, at the ends and the default of every control."""

import io
import itertools
import json
from dataclasses import replace

import plotly.graph_objects as plotly
import pytest

from model.__main__ import main
from model.search import Progress
from widgets.api import render, rendering
from widgets.format import NO_BREAK_SPACE, memory
from widgets.messages import messages
from widgets.registry import BY_NAME, WIDGETS
from widgets.spec import Choice, Slider


def settings(widget):
    """All combinations of each control's minimum, default and maximum, or of all its options."""
    values = [
        [(control.name, value) for value in sorted({control.least, control.default, control.most, *control.stops[2:3]})]
        if isinstance(control, Slider)
        else [(control.name, token) for token in control.options]
        for control in widget.controls
    ]
    return [dict(combination) for combination in itertools.product(*values)]


CASES = [(widget.name, params) for widget in WIDGETS for params in settings(widget)]


def view(name, **params):
    return json.loads(render(name, json.dumps(params)))


def values(name, **params):
    """Read-outs by key, with ordinary spaces."""
    return {
        item["key"]: f"{item['value']} {item['note']}".replace(NO_BREAK_SPACE, " ").strip()
        for item in view(name, **params)["readouts"]
    }


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_the_specification_is_sound(widget):
    assert widget.title and widget.question and widget.instruction
    for control in widget.controls:
        if isinstance(control, Slider):
            assert control.stops[0] == control.least
            assert control.stops[-1] == control.most
            assert list(control.stops) == sorted(set(control.stops))
            assert control.least <= control.default <= control.most
            assert control.help
        else:
            assert isinstance(control, Choice)
            assert control.default in control.options


@pytest.mark.parametrize(
    ("name", "params"), CASES, ids=lambda value: json.dumps(value) if isinstance(value, dict) else value
)
def test_every_setting_gives_a_complete_and_finite_view(name, params):
    text = render(name, json.dumps(params))
    shown = json.loads(text, parse_constant=pytest.fail)
    assert shown["params"] == params
    assert shown["caption"] and shown["summary"] and shown["legend"]
    assert sum(item["main"] for item in shown["readouts"]) == 1
    assert all(len(row) == len(shown["table"]["columns"]) for row in shown["table"]["rows"])
    assert all(isinstance(cell, str) for row in shown["table"]["rows"] for cell in row)


@pytest.mark.parametrize(
    ("name", "params"), CASES, ids=lambda value: json.dumps(value) if isinstance(value, dict) else value
)
def test_every_figure_is_one_that_plotly_knows_and_leaves_its_look_to_the_theme(name, params):
    figure = view(name, **params)["figure"]
    plotly.Figure(figure)
    for trace in figure["data"]:
        assert trace["meta"]["role"]
        assert "color" not in json.dumps(trace)
    assert figure["layout"]["dragmode"] is False


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_left_out_values_are_the_defaults(widget):
    assert view(widget.name)["params"] == widget.defaults


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_an_unknown_value_is_an_error_that_names_it(widget):
    assert view(widget.name, zzz=1)["error"]["field"] == "zzz"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0, "out_of_range"),
        (65, "out_of_range"),
        (1.5, "wrong_type"),
        ("8", "wrong_type"),
        (None, "wrong_type"),
        (True, "wrong_type"),
        (1e300, "out_of_range"),
    ],
)
def test_a_wrong_number_is_refused_with_the_range(value, code):
    error = view("zero-memory", gpus=value)["error"]
    assert (error["field"], error["code"]) == ("gpus", code)
    assert "1 to 64" in error["message"]


@pytest.mark.parametrize("value", ["zero-4", 1, None, ["zero-1"], {}])
def test_a_wrong_choice_is_refused_with_the_list(value):
    error = view("zero-memory", stage=value)["error"]
    assert (error["field"], error["code"]) == ("stage", "unknown_value")
    assert "zero-3" in error["message"]


@pytest.mark.parametrize("text", ["", "[]", "nonsense", "1"])
def test_values_that_are_no_object_are_refused(text):
    assert json.loads(render("zero-memory", text))["error"]["message"]


def test_data_parallel_at_its_default():
    shown = values("data-parallel")
    assert shown["gpus"] == "4"
    assert shown["batch"] == "32 samples 8 a GPU"
    assert shown["throughput"].startswith("4× ")
    assert shown["memory"] == "120 GB"


@pytest.mark.parametrize("gpus", [1, 2, 5, 8, 12, 33, 64])
def test_the_grid_has_a_tile_for_every_gpu_each_a_full_copy_and_its_own_samples(gpus):
    shown = view("data-parallel", gpus=gpus)
    copies, shards = shown["figure"]["data"]
    assert [entry[0] for entry in copies["customdata"]] == [120] * gpus
    spans = shards["customdata"]
    assert spans[0][0] == 1
    assert spans[-1][1] == gpus * 8
    assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(spans))
    assert [row[2] for row in shown["table"]["rows"]] == [f"{first}–{last}" for first, last in spans]
    places = set(zip(copies["x"], copies["base"], strict=True))
    assert len(places) == gpus


def test_model_split_at_its_default():
    shown = values("model-split")
    assert shown["degree"] == "3"
    assert shown["tensor"] == "1/3 of each layer"
    assert shown["pipeline"] == "1/3 of the layers"
    assert shown["memory"] == "40 GB 1/3 of the 120 GB"


def test_model_split_names_the_largest_stage_where_the_layers_do_not_divide():
    shown = values("model-split", degree=5)
    assert shown["tensor"] == "1/5 of each layer, 24 GB"
    assert shown["pipeline"] == "5 of 24 layers largest stage, 25 GB"
    assert shown["memory"].startswith("25 GB")


@pytest.mark.parametrize("degree", range(1, 9))
def test_the_two_cuts_hold_every_layer_and_every_strip_once(degree):
    shown = view("model-split", degree=degree)
    traces = shown["figure"]["data"]
    strips = [trace for trace in traces if trace["type"] == "bar" and "xaxis" not in trace]
    stages = [trace for trace in traces if trace["type"] == "bar" and "xaxis" in trace]
    assert len(strips) == len(stages) == degree
    layers = [layer for trace in stages for layer, _ in trace["customdata"]]
    assert layers == list(range(1, 25))
    for strip, stage, row in zip(strips, stages, shown["table"]["rows"], strict=True):
        assert strip["meta"]["role"] == stage["meta"]["role"]
        ends = [stage["customdata"][0][0], stage["customdata"][-1][0]]
        assert row[3] == f"{ends[0]}–{ends[1]}"
        assert row[2] == f"{strip['customdata'][0][1]:.3f}".rstrip("0").rstrip(".") + f"{NO_BREAK_SPACE}GB"
        assert row[4] == f"{stage['customdata'][0][1]:.3f}".rstrip("0").rstrip(".") + f"{NO_BREAK_SPACE}GB"


@pytest.mark.parametrize(
    ("stage", "gpus", "memory", "fits"),
    [
        ("replicated", 8, "120 GB", "no"),
        ("zero-1", 8, "41.25 GB", "yes"),
        ("zero-2", 8, "28.125 GB", "yes"),
        ("zero-3", 8, "15 GB", "yes"),
        ("replicated", 64, "120 GB", "no"),
        ("zero-1", 64, "31.406 GB", "yes"),
        ("zero-2", 64, "16.641 GB", "yes"),
        ("zero-3", 64, "1.875 GB", "yes"),
        ("zero-3", 1, "120 GB", "no"),
    ],
)
def test_zero_memory_shows_the_papers_figures_and_judges_the_card(stage, gpus, memory, fits):
    shown = values("zero-memory", stage=stage, gpus=gpus)
    assert shown["memory"] == memory
    assert shown["fits"] == {"yes": "fits ✓", "no": "doesn't fit ✕"}[fits]
    states = {item["key"]: item["state"] for item in view("zero-memory", stage=stage, gpus=gpus)["readouts"]}
    assert states["fits"] == fits


@pytest.mark.parametrize("params", settings(WIDGETS[2]), ids=json.dumps)
def test_the_bar_the_table_and_the_read_out_are_the_same_numbers(params):
    shown = view("zero-memory", **params)
    *parts, line = shown["figure"]["data"]
    heights = [trace["y"][0] for trace in parts]
    assert [trace["base"][0] for trace in parts] == [0, heights[0], heights[0] + heights[1]]
    cells = [float(row[1].removesuffix(f"{NO_BREAK_SPACE}GB")) for row in shown["table"]["rows"]]
    assert cells[:3] == [round(height, 3) for height in heights]
    assert abs(cells[3] - sum(heights)) < 0.001
    assert line["y"] == [80, 80]
    assert shown["readouts"][0]["value"] == shown["table"]["rows"][-1][1]


def test_the_question_at_the_default_is_answered_no():
    shown = values("zero-memory")
    assert shown == {
        "stage": "Replicated (DDP)",
        "gpus": "8 GPUs",
        "memory": "120 GB",
        "fits": "doesn't fit ✕",
    }


@pytest.mark.parametrize("stage", ["zero-1", "zero-2", "zero-3"])
def test_one_gpu_alone_shards_nothing_and_nobody_says_so(stage):
    shown = view("zero-memory", stage=stage, gpus=1)
    assert "keeps all 120" in shown["caption"]
    assert {row[2] for row in shown["table"]["rows"][:3]} == {"full copy"}


def test_a_model_that_is_not_split_is_all_there():
    shown = values("model-split", degree=1)
    assert shown == {
        "memory": "120 GB",
        "degree": "1",
        "tensor": "all of every layer",
        "pipeline": "all of the layers",
    }


@pytest.mark.parametrize(("name", "params"), CASES, ids=str)
def test_the_plan_asks_the_command_line_for_the_same_number(name, params, monkeypatch, capsys):
    shown = view(name, **params)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(shown["plan"])))
    assert main(["memory", "-", "--json"]) == 0
    stages = json.loads(capsys.readouterr().out)["stages"]
    per_gpu = memory(max(stage["allocated_peak"] for stage in stages), messages("en"))
    assert any(per_gpu in f"{item['value']} {item['note']}" for item in shown["readouts"])


def test_a_long_view_tells_its_steps_and_says_the_same(monkeypatch):
    quick = BY_NAME["zero-memory"]

    def slow(params, language):
        yield Progress(1, 4, 0)
        yield None
        yield Progress(4, 4, 2)
        return quick.view(params, language)

    said = render(quick.name, "{}")
    monkeypatch.setitem(BY_NAME, quick.name, replace(quick, view=slow))
    assert render(quick.name, "{}") == said
    assert list(rendering(quick.name, "{}")) == [0.25, None, 1.0]


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_a_quick_view_and_a_wrong_value_have_no_steps(widget):
    assert list(rendering(widget.name, "{}")) == list(rendering(widget.name, "[]")) == []
