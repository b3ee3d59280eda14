"""The JSON contract: a plan in, a report or an error that names the field out."""

import pytest

from model.catalog import GPUS
from model.errors import Invalid
from model.links import LINKS
from model.plan import memory_report
from model.recipe import PRESETS

SMALL = {"model": {"params": 7.5e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}}


def plan(**sections):
    return {**SMALL, **sections}


def refused(given):
    with pytest.raises(Invalid) as caught:
        memory_report(given)
    return caught.value


def test_the_smallest_plan_is_the_lessons_replicated_bar():
    report = memory_report(SMALL)
    (stage,) = report["stages"]
    assert stage["states"] == {"weights": 15_000_000_000, "gradients": 15_000_000_000, "optimizer": 90_000_000_000}
    assert stage["allocated_peak"] == stage["resting"] == 120_000_000_000
    assert (report["fits"], report["capacity_bytes"], report["basis"]) == ("no", 80_000_000_000, "states only")


@pytest.mark.parametrize(("zero", "fits"), [(0, "no"), (1, "yes"), (2, "yes"), (3, "yes")])
def test_fits_is_judged_against_the_card(zero, fits):
    assert memory_report(plan(layout={"zero": zero}))["fits"] == fits


def test_a_plan_that_just_fits_fits():
    assert memory_report({"model": {"params": 5e9}, "cluster": {"gpu": "card-80gb", "gpus": 1}})["fits"] == "yes"
    assert memory_report({"model": {"params": 5e9 + 1}, "cluster": {"gpu": "card-80gb", "gpus": 1}})["fits"] == "no"


def test_the_report_carries_the_plan_with_every_default_filled_in():
    understood = memory_report(plan(layout={"tp": 2}))["plan"]
    assert understood["layout"]["dp"] == 4
    assert understood["layout"]["zero"] == 0
    assert understood["recipe"] | {"preset": "zero-paper", "moment_bytes": 8, "master_bytes": 4} == understood["recipe"]
    assert understood["batch"]["global_batch"] == 4
    assert memory_report(understood)["plan"] == understood


def test_what_a_parameter_count_cannot_say_is_null_and_named():
    report = memory_report(SMALL)
    (stage,) = report["stages"]
    for name in report["not_modelled"]:
        section, _, key = name.partition(".")
        holder = report if section in report else stage
        assert (holder[section][key] if key else holder[section]) is None


def test_fields_that_do_not_count_are_named_not_ignored_in_silence():
    assert memory_report(plan(batch={"seq": 4096}))["not_counted"] == ["batch.seq"]


def test_uneven_stages_and_the_worst_of_them():
    report = memory_report(
        plan(cluster={"gpu": "card-80gb", "gpus": 10}, layout={"pp": 5, "stage_layers": [4, 5, 5, 5, 5]})
    )
    assert report["worst_stage"] == 1
    assert [stage["parameters"] for stage in report["stages"]] == [1_250_000_000, *[1_562_500_000] * 4]


def test_a_given_dp_that_agrees_is_welcome():
    assert memory_report(plan(layout={"dp": 4, "tp": 2}))["plan"]["layout"]["dp"] == 4


def test_overrides_replace_the_presets_bytes():
    report = memory_report(plan(recipe={"gradient_bytes": 4, "master_bytes": 0}))
    assert report["stages"][0]["states"] == {"weights": 15 * 10**9, "gradients": 30 * 10**9, "optimizer": 60 * 10**9}


def test_frozen_weights_have_neither_gradients_nor_optimizer_state():
    report = memory_report(plan(recipe={"trainable": 0.25}))
    assert report["stages"][0]["states"] == {
        "weights": 15 * 10**9,
        "gradients": 3_750_000_000,
        "optimizer": 22_500_000_000,
    }


@pytest.mark.parametrize("gpu", [*GPUS, "card-40gb"])
def test_every_card_of_the_catalogue_can_be_asked_for(gpu):
    report = memory_report({**SMALL, "cluster": {"gpu": gpu, "gpus": 8}})
    # Where nvidia-smi's figure is not published the label counts, and is marked.
    assert (report["capacity_from"] == "label") == (report["capacity_bytes"] == int(gpu.split("-")[-1][:-2]) * 10**9)
    assert memory_report(plan(cluster={"gpu": gpu, "gpus": 8}))["capacity_bytes"] > 0


@pytest.mark.parametrize("link", [*LINKS, "50:5", "12.5:0.8"])
def test_links_are_names_or_speed_and_latency(link):
    assert (
        memory_report(plan(cluster={"gpu": "card-80gb", "gpus": 8, "intra": link}))["plan"]["cluster"]["intra"] == link
    )


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ([], "plan", "wrong_type"),
        ({"cluster": SMALL["cluster"]}, "model", "missing_field"),
        ({"model": SMALL["model"]}, "cluster", "missing_field"),
        ({"model": SMALL["model"], "cluster": {"gpus": 8}}, "cluster.gpu", "missing_field"),
        (plan(claster={}), "claster", "unknown_field"),
        (plan(layout={"tpp": 2}), "layout.tpp", "unknown_field"),
        (plan(layout=[]), "layout", "wrong_type"),
        (plan(layout={"tp": 0}), "layout.tp", "out_of_range"),
        (plan(layout={"tp": "2"}), "layout.tp", "wrong_type"),
        (plan(layout={"tp": True}), "layout.tp", "wrong_type"),
        (plan(layout={"tp": 1.5}), "layout.tp", "wrong_type"),
        (plan(layout={"tp": None}), "layout.tp", "wrong_type"),
        (plan(layout={"tp": 3}), "layout", "not_divisible"),
        (plan(layout={"dp": 3}), "layout.dp", "contradiction"),
        (plan(layout={"zero": 4}), "layout.zero", "out_of_range"),
        (plan(layout={"zero": 0}, recipe={"preset": "fsdp2"}), "layout.zero", "contradiction"),
        (plan(layout={"pp": 2, "stage_layers": [1, 2, 3]}), "layout.stage_layers", "contradiction"),
        (plan(layout={"pp": 2, "stage_layers": [0, 0]}), "layout.stage_layers", "out_of_range"),
        (plan(layout={"pp": 2, "stage_layers": [1, "x"]}), "layout.stage_layers[1]", "wrong_type"),
        (plan(cluster={"gpu": "h100", "gpus": 8}), "cluster.gpu", "unknown_value"),
        (plan(cluster={"gpu": ["h100"], "gpus": 8}), "cluster.gpu", "unknown_value"),
        (plan(cluster={"gpu": "card-80gb", "gpus": 8, "intra": "usb"}), "cluster.intra", "unknown_value"),
        (plan(recipe={"preset": "zero"}), "recipe.preset", "unknown_value"),
        (plan(recipe={"preset": {}}), "recipe.preset", "unknown_value"),
        (plan(recipe={"optimizer": "muon"}), "recipe.optimizer", "not_supported"),
        (plan(recipe={"bucket_view": 1}), "recipe.bucket_view", "wrong_type"),
        (plan(model="llama-3.1-8"), "model", "unknown_value"),
        (plan(model={"params": 7.5e9, "name": "x"}), "model", "not_supported"),
        (plan(model=7.5e9), "model", "wrong_type"),
        (plan(model={"params": 0}), "model.params", "out_of_range"),
        (plan(model={"params": float("nan")}), "model.params", "wrong_type"),
        (plan(model={"params": float("inf")}), "model.params", "out_of_range"),
        (plan(model={"params": 1.5}), "model.params", "wrong_type"),
        (plan(model={"params": "7.5e9"}), "model.params", "wrong_type"),
        (plan(batch={"seq": float("inf")}), "batch.seq", "wrong_type"),
        (plan(batch={"seq": 10**400}), "batch.seq", "out_of_range"),
        (plan(cluster={"gpu": "card-80gb", "gpus": 10**400}), "cluster.gpus", "out_of_range"),
        (plan(cluster={"gpu": "card-80gb", "gpus": 10**5000}), "cluster.gpus", "out_of_range"),
        (plan(cluster={"gpu": 10**5000, "gpus": 8}), "cluster.gpu", "unknown_value"),
        (plan(cluster={"gpu": "card-80gb", "gpus": 8, "intra": 10**5000}), "cluster.intra", "unknown_value"),
        (plan(layout={"stage_layers": [10**400]}), "layout.stage_layers[0]", "out_of_range"),
        (plan(recipe={"trainable": 10**400}), "recipe.trainable", "out_of_range"),
        (plan(model={"params": 10**5000}), "model.params", "out_of_range"),
    ],
)
def test_a_wrong_plan_names_the_field(given, field, code):
    error = refused(given)
    assert (error.field, error.code) == (field, code)
    assert error.message


def test_a_layout_error_prints_every_factor():
    assert refused(plan(layout={"tp": 3})).message.startswith("tp x pp x cp = 3 x 1 x 1 = 3 does not divide 8 GPUs")


def test_a_misspelt_name_is_answered_with_the_nearest():
    assert "did you mean 'zero-paper'?" in refused(plan(recipe={"preset": "zero-papr"})).message


def test_what_rests_in_host_memory_is_not_on_the_gpu():
    report = memory_report(plan(recipe={"offload": "optimizer"}))
    assert report["stages"][0]["states"] == {"weights": 15 * 10**9, "gradients": 15 * 10**9, "optimizer": 0}
    both = memory_report(plan(recipe={"offload": "optimizer+weights"}, layout={"zero": 3}))
    assert both["stages"][0]["states"] == {"weights": 0, "gradients": 15 * 10**9 // 8, "optimizer": 0}


def test_ddp_keeps_its_gradients_twice_where_they_are_not_views_of_the_buckets():
    states = [
        memory_report(plan(recipe={"preset": "ddp-amp", "bucket_view": view}))["stages"][0]["states"]
        for view in (True, False)
    ]
    assert [state["gradients"] for state in states] == [30 * 10**9, 60 * 10**9]
    assert memory_report(plan(recipe={"bucket_view": False}))["stages"][0]["states"]["gradients"] == 15 * 10**9


def test_virtual_stages_count_only_where_they_deal_out_layers():
    assert memory_report(plan(layout={"vpp": 2}))["not_counted"] == ["layout.vpp"]
    dealt = memory_report(plan(layout={"pp": 2, "vpp": 2, "stage_layers": [1, 2, 3, 4]}))
    assert dealt["not_counted"] == []
    assert [stage["layers"] for stage in dealt["stages"]] == [4, 6]


@pytest.mark.parametrize("field", ["weight_bytes", "gradient_bytes", "master_bytes", "moment_bytes"])
@pytest.mark.parametrize("preset", PRESETS)
def test_no_override_frees_more_than_is_held(preset, field):
    for zero in PRESETS[preset].stages:
        given = plan(layout={"zero": zero}, recipe={"preset": preset, field: 0})
        (stage,) = memory_report(given)["stages"]
        assert stage["states"]["weights"] + stage["states"]["optimizer"] <= stage["resting"] <= stage["allocated_peak"]


def test_more_stages_than_any_model_has_layers_are_refused_at_once():
    error = refused({"model": {"params": 1e9}, "cluster": {"gpu": "card-80gb", "gpus": 10**7}, "layout": {"pp": 10**7}})
    assert (error.field, error.code) == ("layout.pp", "out_of_range")
