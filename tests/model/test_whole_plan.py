"""The plan of the public contract, field by field as other tools write it, and the reports that they read."""

import json
import math

import pytest

from model.__main__ import main
from model.plan import memory_report
from model.schedules import KINDS
from model.schema import SECTIONS
from model.search import search_report
from model.step_report import step_report

WHOLE = {
    "model": "llama-3.1-8b",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64, "gpus_per_node": 8, "intra": "nvlink4", "inter": "ib-400"},
    "layout": {
        **dict.fromkeys(("tp", "pp", "cp", "ep", "etp", "vpp", "vocab_multiple"), 1),
        "zero": 3,
        "shard_group": None,
        "sequence_parallel": False,
        "stage_layers": None,
    },
    "recipe": {
        "preset": "fsdp2",
        "optimizer": "adamw",
        "step": "foreach",
        "trainable": 1.0,
        "offload": "none",
        **dict.fromkeys(("weight_bytes", "gradient_bytes", "master_bytes", "moment_bytes", "reduce_bytes", "bucket")),
        "gradient_fusion": None,
        "compute": "bf16",
        "bucket_view": True,
        "overlap": True,
        "wrap": "layer",
    },
    "batch": {"seq": 8192, "micro_batch": 1, "global_batch": 64, "total_tokens": None},
    "activation": {
        "recompute": "none",
        "recompute_layers": None,
        "attention": "flash",
        "implementation": "torch",
        "compile": False,
        "dropout": 0.0,
        "loss": "eager",
        "expert_balance": 1.0,
    },
    "schedule": {"kind": "1f1b", "forward": 1, "backward": 2, "weight": 1},
    "flops": {"attention": "full"},
}
SHORT = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64}}


def whole(**sections):
    """The whole plan, changed by sections."""
    changed = json.loads(json.dumps(WHOLE))
    for name, fields in sections.items():
        changed[name] |= fields
    return changed


def test_the_whole_plan_has_every_field_that_there_is():
    for name, fields in SECTIONS.items():
        assert set(WHOLE[name]) == set(fields) - {"dp"}, name


@pytest.mark.parametrize("report", [memory_report, step_report])
def test_a_default_that_is_left_out_is_the_one_that_is_written_down(report):
    written = whole(recipe={"preset": "zero-paper"}, layout={"zero": 0}, batch={"seq": 131_072})
    assert report(SHORT) == report(written)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("report", [memory_report, step_report])
def test_every_kind_can_be_put_into_the_whole_plan(report, kind):
    given = whole(layout={"pp": 2}, schedule={"kind": kind}, batch={"global_batch": 128})
    answer = report(given)
    assert answer["plan"]["layout"]["vpp"] == (2 if KINDS[kind].virtual == 2 else 1)
    assert report(answer["plan"]) == answer


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"layout": {"pp": 4}}, []),
        ({"layout": {"pp": 8}, "batch": {"global_batch": 32}}, ["pytorch_refuses"]),
        ({"layout": {"pp": 4, "vpp": 2}, "schedule": {"kind": "interleaved"}}, []),
        (
            {"layout": {"pp": 4, "vpp": 2}, "schedule": {"kind": "interleaved"}, "batch": {"global_batch": 96}},
            ["megatron_refuses"],
        ),
    ],
)
@pytest.mark.parametrize("command", ["memory", "step"])
def test_a_schedule_that_a_framework_refuses_is_marked(command, fields, codes, tmp_path, capsys):
    given = whole(**{**fields, "batch": {"global_batch": 64, **fields.get("batch", {})}})
    report = {"memory": memory_report, "step": step_report}[command](given)
    assert [note["code"] for note in report["notes"]] == codes
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(given), "utf-8")
    assert main([command, str(path)]) == 0
    assert capsys.readouterr().out.count("note: ") == len(codes)


def test_the_keys_of_memory_are_those_of_the_contract():
    report = memory_report(whole(layout={"pp": 2}))
    assert {"plan", "stages", "worst_stage", "capacity_bytes", "fits", "basis", "not_modelled"} <= set(report)
    for stage in report["stages"]:
        assert {"activations", "logits", "transient", "allocated_peak", "resting", "ranks"} <= set(stage)
        assert set(stage["states"]) == {"weights", "gradients", "optimizer"}
        assert set(stage["overhead"]) == {"allocator", "context", "communicators"}
        assert {"reserved_peak", "nvidia_smi", "peak_instant"} <= set(stage)


def test_the_keys_of_step_are_those_of_the_contract_and_whole_training_needs_tokens():
    report = step_report(whole())
    speeds = ("step_s", "tokens_per_s_per_gpu", "model_tflops_per_gpu", "mfu", "hfu")
    assert all(isinstance(report[name], float) for name in (*speeds, "bubble_of_total", "bubble_over_ideal"))
    for cost in report["communication"].values():
        assert (set(cost), type(cost["bytes"])) == ({"bytes", "s", "exposed_s"}, int)
    assert (report["days"], report["gpu_hours"]) == (None, None)
    long = step_report(whole(batch={"total_tokens": 10**13}))
    assert long["gpu_hours"] == pytest.approx(long["days"] * 24 * 64)
    assert math.isclose(long["tokens_per_s_per_gpu"] * 64 * long["days"] * 86_400, 1e13, rel_tol=1e-9)


def test_the_keys_of_search_are_those_of_the_contract():
    report = search_report({**whole(), "layout": {"tp": 8, "cp": 1}})
    assert report["count"] == len(report["plans"])
    row = {"plan", "worst_stage_bytes", "fits", "step_s", "tokens_per_s_per_gpu", "mfu", "on_front"}
    assert all(set(plan) == row for plan in report["plans"])
    assert all(set(found) == {"count", "example", "message"} for found in report["rejected"].values())


TOKENS = {
    ("activation", "recompute"): "none selective op-selective full",
    ("activation", "attention"): "flash eager",
    ("activation", "implementation"): "torch torch-eager megatron megatron-te nanotron hf-eager",
    ("activation", "loss"): "eager fused chunked",
    ("schedule", "kind"): "gpipe 1f1b interleaved zb-h1 zb-v dualpipe-v",
    ("recipe", "preset"): "zero-paper ddp-amp fsdp2 megatron deepspeed nanotron pure-bf16",
    ("recipe", "optimizer"): "adamw adam-8bit sgd sgd-momentum adafactor lion muon",
    ("recipe", "step"): "foreach fused",
    ("recipe", "compute"): "bf16 fp16 fp32 fp8",
    ("recipe", "wrap"): "layer layer+root-apart whole",
    ("recipe", "offload"): "none optimizer optimizer+weights",
    ("flops", "attention"): "full causal",
}
CARDS = """a100-sxm-40gb a100-sxm-80gb a100-pcie-80gb h100-sxm-80gb h100-pcie-80gb h100-nvl-94gb h100-sxm-96gb
    h200-sxm-141gb b200-sxm-180gb gb200-186gb b300-sxm-288gb v100-sxm-16gb v100-sxm-32gb l40s-48gb rtx-4090-24gb
    rtx-3090-24gb a10g-24gb t4-16gb mi300x-192gb card-80gb"""
WIRES = "nvlink1 nvlink2 nvlink3 nvlink4 nvlink5 pcie3 pcie4 pcie5 pcie6 ib-100 ib-200 ib-400 ib-800 eth-10 eth-100"
NAMES = "llama-3.1-405b mixtral-8x7b-v0.1 deepseek-v3 gpt-3-175b megatron-1t"


@pytest.mark.parametrize(("section", "field"), TOKENS)
def test_every_word_of_a_field_is_taken_and_no_other(section, field):
    words = TOKENS[section, field].split()
    assert set(SECTIONS[section][field].allowed) == set(words)
    small = {"model": "gpt2", "cluster": {"gpu": "card-80gb", "gpus": 1}, "batch": {"global_batch": 2}}
    if field == "offload":
        small["layout"] = {"zero": 3}  # weights rest in host memory only where they are sharded
    for word in words:
        assert memory_report({**small, section: {field: word}})["plan"][section][field] == word


@pytest.mark.parametrize("name", NAMES.split())
def test_every_model_of_the_contract_is_in_the_catalogue(name):
    assert memory_report({**SHORT, "model": name, "batch": {"seq": 1024}})["plan"]["model"] == name


@pytest.mark.parametrize("field", ["intra", "inter"])
def test_every_card_and_link_of_the_contract_is_in_the_catalogue(field):
    for card in CARDS.split():
        assert memory_report({**SHORT, "cluster": {"gpu": card, "gpus": 8}})["capacity_bytes"] > 10**10
    for link in [*WIRES.split(), "300:2.5"]:
        cluster = {**SHORT["cluster"], field: link}
        assert step_report({**SHORT, "cluster": cluster})["plan"]["cluster"][field] == link
