"""States in host memory: what comes to the card while it runs, what stays there, and what no framework does."""

import copy
import itertools

import pytest

from model.plan import memory_report
from model.recipe import PRESETS
from tests.model.random_plans import legal_plan, stages, with_layout
from tests.model.torch_models import plan

BOTH = {"offload": "optimizer+weights"}
LLAMA_2_7B = 6_738_415_616
LAYER_405B = 2 * 16384**2 + 2 * 16384 * 1024 + 3 * 16384 * 53248 + 2 * 16384  # Llama 3.1 405B, one layer
LAYER_7B = 4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096
EDGE_405B = 128256 * 16384  # its embedding, or its head


def stage(given):
    return memory_report(given)["stages"][0]


@pytest.mark.parametrize(("preset", "gpus"), [("zero-paper", 1), ("zero-paper", 4), ("fsdp2", 1), ("fsdp2", 2)])
def test_weights_in_host_memory_come_to_the_card_while_they_run(preset, gpus):
    given = plan("llama-3.1-405b", gpus, preset=preset, layout={"zero": 3}, recipe=BOTH)
    given["batch"] = {"seq": 128, "global_batch": gpus}
    found = stage(given)
    assert found["states"]["weights"] == 0
    held = {one["instant"]: one["transient"] + one["gradients_to_come"] for one in found["instants"]}
    assert held["forward"] >= 2 * LAYER_405B
    assert held["loss"] >= 2 * EDGE_405B
    assert found["allocated_peak"] >= 2 * LAYER_405B + 2 * EDGE_405B


def test_deepspeed_gathers_up_to_its_live_parameters_on_one_card_too():
    given = plan("llama-3.1-405b", 1, preset="deepspeed", layout={"zero": 3}, recipe=BOTH)
    report = memory_report(given | {"batch": {"seq": 128}})
    held = {instant["instant"]: instant["transient"] for instant in report["stages"][0]["instants"]}
    # stage3_max_live_parameters and stage3_prefetch_bucket_size in bf16; the embedding and the head come whole.
    assert held["forward"] == 2 * (1_000_000_000 + 50_000_000)
    assert held["loss"] >= 2 * 2 * EDGE_405B
    assert report["stages"][0]["states"] == {"weights": 0, "gradients": 0, "optimizer": 0}


def test_the_gathers_are_those_of_the_same_plan_without_offload():
    given = plan("llama-2-7b", 8, preset="zero-paper", layout={"zero": 3}, batch={"seq": 128})
    away = {**given, "recipe": {**given["recipe"], **BOTH}}
    here, there = ({one["instant"]: one for one in stage(each)["instants"]} for each in (given, away))
    assert [here[name]["transient"] for name in here] == [there[name]["transient"] for name in here]


@pytest.mark.parametrize(
    ("preset", "zero"), [(name, zero) for name in PRESETS for zero in PRESETS[name].stages if name != "fsdp2"]
)
@pytest.mark.parametrize("model", ["llama-2-7b", {"params": LLAMA_2_7B}], ids=["shape", "count"])
def test_where_no_framework_moves_its_weights_the_report_says_so_and_counts_what_runs(model, preset, zero):
    given = {"model": model, "cluster": {"gpu": "card-80gb", "gpus": 2}, "layout": {"zero": zero}}
    given["recipe"] = {"preset": preset, **BOTH}
    report = memory_report(given)
    notes = [note for note in report["notes"] if note["code"] == "weights_not_sharded"]
    assert bool(notes) == (zero < 3)
    for note in notes:
        assert note["values"] == {"preset": preset, "zero": zero, "offload": "optimizer+weights"}
        assert ("layout.zero 3" in note["message"]) == (3 in PRESETS[preset].stages)
    (found,) = report["stages"]
    assert found["states"]["weights"] == 0
    if model == "llama-2-7b":
        held = {one["instant"]: one["transient"] + one["gradients_to_come"] for one in found["instants"]}
        assert held["forward"] >= 2 * LAYER_7B  # at least the layer that runs, in bf16


@pytest.mark.parametrize("zero", [2, 3])
def test_fully_sharded_training_moves_its_shards_at_both_its_stages(zero):
    found = stage(plan("llama-2-7b", 2, preset="fsdp2", layout={"zero": zero}, recipe=BOTH))
    assert sum(found["states"].values()) == 0


def test_deepspeed_with_offload_keeps_two_bytes_a_parameter_below_zero_3():
    # DeepSpeed, estimate_zero2_model_states_mem_needs: 2 · parameters with cpu_offload, whatever the GPUs.
    for gpus in (1, 8):
        given = plan("llama-2-7b", gpus, preset="deepspeed", layout={"zero": 2}, recipe={"offload": "optimizer"})
        found = stage(given)
        assert sum(found["states"].values()) == found["resting"] == 2 * LLAMA_2_7B
        # Two buckets of gradients on their way, and nothing else of them.
        (reduce,) = (one for one in found["instants"] if one["instant"] == "reduce")
        assert reduce["transient"] == 2 * 2 * 500_000_000


@pytest.mark.parametrize(
    ("preset", "zero", "offload", "stay"),
    [
        ("deepspeed", 1, "optimizer", True),
        ("deepspeed", 2, "optimizer", False),
        ("deepspeed", 3, "optimizer", False),
        ("deepspeed", 3, "optimizer+weights", False),
        ("fsdp2", 3, "optimizer", True),
        ("fsdp2", 3, "optimizer+weights", False),
        ("zero-paper", 3, "optimizer+weights", True),
        ("megatron", 1, "optimizer", True),
        ("deepspeed", 2, "none", True),
    ],
)
@pytest.mark.parametrize("model", ["llama-2-7b", {"params": LLAMA_2_7B}], ids=["shape", "count"])
def test_gradients_follow_where_a_framework_moves_them(model, preset, zero, offload, stay):
    given = {"model": model, "cluster": {"gpu": "card-80gb", "gpus": 2}, "layout": {"zero": zero}}
    given["recipe"] = {"preset": preset, "offload": offload}
    report = memory_report(given)
    assert bool(report["stages"][0]["states"]["gradients"]) == stay
    notes = [note for note in report["notes"] if note["code"] == "gradients_stay"]
    assert bool(notes) == (stay and offload != "none")


def test_what_is_reduced_is_on_the_card_until_it_is_copied():
    def moving(gpus):
        given = plan("llama-2-7b", gpus, preset="fsdp2", recipe=BOTH, batch={"seq": 128})
        return next(one for one in stage(given)["instants"] if one["instant"] == "reduce")["transient"]

    root = 2 * 32000 * 4096 + 4096  # embedding, head and last norm in one unit
    # Gathered and as a gradient in bf16, reduced in fp32, and the rank's part of the result.
    assert moving(1) == root * (2 + 2 + 4 + 4)
    assert moving(4) == root * (2 + 2 + 4 + 1)


def peaks(given):
    return [one["allocated_peak"] for one in memory_report(given)["stages"]]


def offloaded(seed, offload):
    given = legal_plan(seed)
    given["recipe"]["offload"] = offload
    given["recipe"]["preset"] = ("fsdp2", "deepspeed", "zero-paper", "pure-bf16")[seed % 4]
    given["layout"] |= {"zero": 3, "shard_group": None, "ep": 1, "etp": 1}
    return given


@pytest.mark.parametrize("seed", range(60))
def test_no_peak_rises_with_the_replicas_when_weights_are_in_host_memory(seed):
    given = offloaded(seed, "optimizer+weights")
    old = given["layout"]
    dp = given["cluster"]["gpus"] // (old["tp"] * old["pp"] * old["cp"])
    found = []
    for replicas in (1, 2, 4, 8):
        wider = copy.deepcopy(given)
        wider["cluster"]["gpus"] = given["cluster"]["gpus"] // dp * replicas
        wider["batch"]["global_batch"] = given["batch"]["global_batch"] // dp * replicas
        found.append(peaks(wider))
    # Padding: FSDP2 rounds each parameter's rows up.
    for fewer, more in itertools.pairwise(found):
        assert all(high <= low * 1.02 + 2**16 for low, high in zip(fewer, more, strict=True)), found


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("offload", ["optimizer", "optimizer+weights"])
def test_no_stage_rests_with_more_when_zero_rises_with_offload(seed, offload):
    given = offloaded(seed, offload)
    found = []
    for zero in stages(given):
        report = memory_report(with_layout(given, zero=zero))
        found.append([(one["resting"], one["allocated_peak"]) for one in report["stages"]])
    for lower, higher in itertools.pairwise(found):
        pairs = list(zip(lower, higher, strict=True))
        assert all(high[0] <= low[0] * 1.02 + 2**16 for low, high in pairs), found
        if offload != "optimizer":
            assert all(high[1] <= low[1] for low, high in pairs), found
