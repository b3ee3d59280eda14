"""States of real models, tensor by tensor: what PyTorch's own ranks hold, to the byte, and what users asked about."""

import pytest

from model.architecture import Architecture
from model.errors import Invalid
from model.held import check_cuts, rank_held
from model.layout import Layout
from model.models import described_model
from model.placement import balanced_layers, placed
from model.plan import memory_report, read_plan
from model.shares import rank_gathers, replica_states
from model.tensors import parameters
from tests.model.torch_models import LARGE, MEASURED, TINY, gpt, plan


def states(given):
    return [stage["states"] for stage in memory_report(given)["stages"]]


def test_fsdp2_pads_the_first_axis_of_every_parameter():
    row = MEASURED["fsdp2_uneven"]
    (held,) = states(plan(gpt(1001, 190, 2, 10, 64), 4, preset="fsdp2"))
    assert held["weights"] == max(row["measured_param_storage_per_rank"])
    assert held["optimizer"] == max(row["optimizer_per_rank"])


def test_ranks_that_rest_with_less_are_told():
    row = MEASURED["fsdp2_uneven"]
    (stage,) = memory_report(plan(gpt(1001, 190, 2, 10, 64), 4, preset="fsdp2"))["stages"]
    # Weights and gradients are padded alike on every rank; the optimizer's state is not.
    less = max(row["optimizer_per_rank"]) - min(row["optimizer_per_rank"])
    assert stage["ranks"] == {"min": stage["resting"] - less, "max": stage["resting"]}
    (even,) = memory_report(plan(TINY, 4, preset="fsdp2"))["stages"]
    assert even["ranks"] is None


@pytest.mark.parametrize(
    "row",
    [row for row in MEASURED["data_parallel"] if row["strategy"] == "zero1"],
    ids=lambda row: f"{row['precision']}-{row['world']}",
)
def test_zero_1_of_pytorch_leaves_the_emptiest_rank_less(row):
    given = plan(TINY, row["world"], preset="ddp-amp", precision=row["precision"], layout={"zero": 1})
    (stage,) = memory_report(given)["stages"]
    held = [rank["optimizer"] for rank in row["ranks"]]
    spread = stage["ranks"]["max"] - stage["ranks"]["min"] if stage["ranks"] else 0
    assert spread == max(held) - min(held)


def each_replica(given):
    understood = read_plan(given)
    return [replica_states(understood, 0, replica) for replica in range(understood.layout.shard_ranks)]


@pytest.mark.parametrize(
    "row",
    [row for row in MEASURED["data_parallel"] if row["strategy"] == "zero1"],
    ids=lambda row: f"{row['precision']}-{row['world']}",
)
def test_zero_1_of_pytorch_deals_each_rank_what_it_measured(row):
    ranks = each_replica(plan(TINY, row["world"], preset="ddp-amp", precision=row["precision"], layout={"zero": 1}))
    assert [rank.bytes_of("optimizer") for rank in ranks] == [rank["optimizer"] for rank in row["ranks"]]
    assert len({rank.bytes_of("weights") for rank in ranks}) == 1


def test_fsdp2_deals_each_rank_its_rows():
    row = MEASURED["fsdp2_uneven"]
    ranks = each_replica(plan(gpt(1001, 190, 2, 10, 64), 4, preset="fsdp2"))
    assert [rank.bytes_of("optimizer") for rank in ranks] == row["optimizer_per_rank"]
    padded = row["measured_param_storage_per_rank"]
    assert [rank.bytes_of("weights") for rank in ranks] == [rank.bytes_of("gradients") for rank in ranks] == padded


@pytest.mark.parametrize(("preset", "zero"), [("ddp-amp", 1), ("fsdp2", 3), ("zero-paper", 3), ("nanotron", 1)])
@pytest.mark.parametrize("ranks", [1, 3, 8, 200])
def test_the_fullest_and_the_emptiest_are_among_the_ranks(preset, zero, ranks):
    given = plan(gpt(1001, 190, 2, 10, 64), ranks, preset=preset, layout={"zero": zero})
    (stage,) = memory_report(given)["stages"]
    held = [rank.total_bytes for rank in each_replica(given)]
    span = stage["ranks"] or {"min": stage["resting"], "max": stage["resting"]}
    assert max(held) == sum(stage["states"].values())
    assert max(held) - min(held) == span["max"] - span["min"]


def test_the_parts_of_all_replicas_are_the_whole():
    one, *_ = each_replica(plan(gpt(1001, 190, 2, 10, 64), 1, preset="fsdp2"))
    for preset, zero in (("ddp-amp", 1), ("fsdp2", 3)):
        ranks = each_replica(plan(gpt(1001, 190, 2, 10, 64), 7, preset=preset, layout={"zero": zero}))
        assert sum(rank.bytes_of("optimizer") for rank in ranks) == one.bytes_of("optimizer")


def test_fsdp2_gathers_the_rows_that_pad_a_parameter():
    given = plan(gpt(1001, 190, 2, 10, 64), 4, preset="fsdp2", layout={"zero": 3}, recipe={"compute": "fp32"})
    understood = read_plan(given)
    # Three more rows of the embedding and the head each, and two numbers of both parts of the final norm.
    rows = 4 * (2 * (1001 + 3) * 190 + 64 * 190 + 2 * (190 + 2))
    assert rank_gathers(understood, understood.ranks[0]).loss.here == rows


def test_a_thousand_million_experts_are_dealt_at_once():
    shape = {
        "vocab_size": 8,
        "hidden_size": 8,
        "num_hidden_layers": 8,
        "num_attention_heads": 8,
        "num_experts": 10**9,
        "num_experts_per_tok": 1,
        "moe_intermediate_size": 1,
    }
    given = plan({"architecture": shape}, 64, preset="ddp-amp", layout={"zero": 1}, batch={"seq": 8})
    (held,) = states(given)
    assert held["optimizer"] * 64 >= 8 * parameters(Architecture.from_neutral(shape))


def test_zero_1_of_pytorch_holds_at_least_the_largest_parameter():
    (held,) = states(plan(LARGE, 64, preset="ddp-amp", precision="bf16_master", layout={"zero": 1}))
    assert held["optimizer"] == 12 * 50304 * 4096 == 2_472_542_208


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_a_real_models_states_are_a_counted_models_states(zero):
    shape = described_model("llama-2-7b").architecture
    cluster, layout = {"gpu": "card-80gb", "gpus": 8}, {"zero": zero}
    real = memory_report({"model": "llama-2-7b", "cluster": cluster, "layout": layout})
    counted = memory_report({"model": {"params": parameters(shape)}, "cluster": cluster, "layout": layout})
    assert real["stages"][0]["states"] == counted["stages"][0]["states"]


def test_seven_billion_parameters_in_full_fit_from_two_cards_under_zero_3():
    # 16 bytes for 6.74 B parameters are 107.8 GB.
    (held,) = states(plan("llama-2-7b", 1, preset="zero-paper"))
    assert sum(held.values()) == 16 * 6_738_415_616
    for gpus, room in ((1, False), (2, True)):
        given = {**plan("llama-2-7b", gpus, preset="zero-paper"), "layout": {"zero": 3}}
        assert (sum(states(given)[0].values()) <= 80e9) == room


def test_mixtral_never_fits_under_zero_2_and_from_ten_cards_under_zero_3():
    def held(gpus, zero):
        return sum(
            states({**plan("mixtral-8x7b-v0.1", gpus, preset="zero-paper"), "layout": {"zero": zero}})[0].values()
        )

    assert round(held(1, 0) / 1e9) == 747
    assert held(10**6, 2) > 80e9
    assert (held(9, 3) <= 80e9, held(10, 3) <= 80e9) == (False, True)
    assert held(9, 3) <= 81_559 * 2**20  # a real H100 holds more than its label


def test_pure_bf16_adam_costs_eight_bytes():
    (held,) = states(plan("llama-2-7b", 1, preset="pure-bf16"))
    assert round(sum(held.values()) / 1e9, 1) == 53.9


def test_model_parallelism_leaves_nothing_for_zero_to_save():
    alone = states({**plan("llama-2-7b", 8, preset="zero-paper"), "layout": {"tp": 8, "zero": 0}})
    assert states({**plan("llama-2-7b", 8, preset="zero-paper"), "layout": {"tp": 8, "zero": 3}}) == alone


def test_the_slope_between_8_and_128_gpus_is_the_sharded_states():
    def held(gpus):
        return sum(states({**plan("llama-3.1-8b", gpus, preset="zero-paper"), "layout": {"zero": 3}})[0].values())

    total = parameters(described_model("llama-3.1-8b").architecture)
    assert abs(held(8) - held(128) - 16 * total * (1 / 8 - 1 / 128)) < 3


def test_tied_embeddings_are_stored_twice_with_a_pipeline_and_once_without():
    tied = described_model("llama-3.2-1b").architecture
    total = parameters(tied)
    for pp, copies in ((1, 1), (2, 2), (4, 2)):
        stages = memory_report({**plan("llama-3.2-1b", 4, preset="zero-paper"), "layout": {"pp": pp}})["stages"]
        assert sum(stage["parameters"] for stage in stages) == total + (copies - 1) * 128256 * 2048


@pytest.mark.parametrize(("tp", "pp", "ep"), [(1, 1, 1), (2, 1, 1), (2, 2, 2), (4, 4, 8), (8, 1, 8)])
def test_cut_tensors_over_all_ranks_sum_to_the_model(tp, pp, ep):
    shape = described_model("mixtral-8x7b-v0.1").architecture
    layout = Layout(dp=8, tp=tp, pp=pp, cp=1, vpp=1, zero=0, stage_layers=None, ep=ep)
    check_cuts(shape, layout)
    held = [
        item
        for rank in placed(shape, layout, kind="1f1b", preset="megatron")
        for item in rank_held(shape, layout, rank)
    ]
    whole = sum(
        item.elements * (ep if item.expert else tp if item.cut else 1) * (layout.etp if item.expert else 1)
        for item in held
    )
    assert whole == parameters(shape)


def test_experts_are_replicated_over_the_expert_data_parallel_group():
    given = plan("mixtral-8x7b-v0.1", 16, preset="megatron", layout={"tp": 2, "ep": 8, "zero": 1})
    entries = memory_report(given)["stages"][0]["entries"]
    experts = next(entry for entry in entries if entry["what"] == "optimizer" and "P_experts" in entry["formula"])
    assert experts["bytes"] == 12 * 32 * 3 * 4096 * 14336 // (16 // 8)


def test_hybrid_sharding_deals_over_its_group_alone():
    both = {"zero": 3, "shard_group": 8}
    assert states(plan("llama-2-7b", 64, preset="fsdp2", layout=both)) == states(plan("llama-2-7b", 8, preset="fsdp2"))


def test_offloaded_states_are_not_on_the_card():
    (held,) = states(plan("llama-2-7b", 8, preset="deepspeed", recipe={"offload": "optimizer"}))
    assert (held["optimizer"], held["weights"]) == (0, 2 * 6_738_415_616)
    both = {"layout": {"zero": 3}, "recipe": {"offload": "optimizer+weights"}}
    (held,) = states(plan("llama-2-7b", 8, preset="deepspeed", **both))
    assert (held["optimizer"], held["weights"]) == (0, 0)


def test_optimizers_whose_state_depends_on_the_shape():
    (adam,) = states(plan("llama-2-7b", 1, preset="zero-paper"))
    (muon,) = states(plan("llama-2-7b", 1, preset="zero-paper", recipe={"optimizer": "muon"}))
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11008)
    assert adam["optimizer"] - muon["optimizer"] == 4 * matrices
    (factor,) = states(plan("llama-2-7b", 1, preset="zero-paper", recipe={"optimizer": "adafactor"}))
    rows = 32 * (4 * 2 * 4096 + 3 * (4096 + 11008) + 2 * 4096) + 2 * (32000 + 4096) + 4096
    assert factor["optimizer"] == 4 * 6_738_415_616 + 4 * rows


def test_vocabulary_is_padded_to_a_multiple_for_each_tensor_parallel_rank():
    shape = gpt(131073, 4096, 2, 32, 64)
    shape["architecture"]["num_key_value_heads"] = 8
    report = memory_report(plan(shape, 4, preset="megatron", layout={"tp": 4, "vocab_multiple": 128}))
    layers = 2 * ((2 * 4096**2 + 2 * 4096 * 1024 + 4096 + 2048 + 8 * 4096**2 + 16384) // 4 + 4096 * 6)
    assert report["stages"][0]["parameters"] == 2 * 131584 * 4096 // 4 + layers + 64 * 4096 + 2 * 4096


def test_nanotron_gives_the_stages_that_have_the_head_fewer_layers():
    shape = described_model("llama-3.2-1b").architecture
    wide = Architecture.from_neutral({**shape.as_dict(), "num_key_value_heads": 32, "vocab_size": 131072})
    assert balanced_layers(wide, 8) == (3, 2, 3, 2, 3, 2, 1, 0)
    assert balanced_layers(wide, 2) == (10, 6)  # the head costs four layers, so this is a tie


@pytest.mark.parametrize(
    ("sections", "field", "code"),
    [
        ({"layout": {"tp": 3}}, "layout", "not_divisible"),
        ({"layout": {"tp": 64}}, "layout.tp", "not_divisible"),
        ({"layout": {"ep": 2}}, "layout.ep", "contradiction"),
        ({"layout": {"pp": 64}}, "layout.pp", "out_of_range"),
        ({"layout": {"pp": 2, "stage_layers": [16, 15]}}, "layout.stage_layers", "contradiction"),
        ({"layout": {"shard_group": 3}}, "layout.shard_group", "not_divisible"),
        ({"batch": {"global_batch": 65}}, "batch.global_batch", "not_divisible"),
        ({"schedule": {"kind": "1f1b"}, "layout": {"pp": 2, "vpp": 2}}, "layout.vpp", "contradiction"),
        ({"schedule": {"kind": "zb-v"}, "layout": {"pp": 2, "vpp": 3}}, "layout.vpp", "contradiction"),
        ({"activation": {"recompute_layers": 3}}, "activation.recompute_layers", "contradiction"),
        ({"activation": {"recompute": "full", "recompute_layers": 33}}, "activation.recompute_layers", "out_of_range"),
    ],
)
def test_a_plan_that_clashes_with_its_model_names_the_field(sections, field, code):
    with pytest.raises(Invalid) as caught:
        memory_report({**plan("llama-2-7b", 64, preset="zero-paper"), **sections})
    assert (caught.value.field, caught.value.code) == (field, code)


def test_the_understood_plan_is_a_plan_with_the_same_report():
    given = plan("llama-2-7b", 64, preset="megatron", layout={"pp": 2, "vpp": 2, "zero": 1})
    report = memory_report(given)
    assert report["plan"]["schedule"]["kind"] == "interleaved"
    assert report["plan"]["batch"] == {"seq": 4096, "micro_batch": 1, "global_batch": 32, "total_tokens": None}
    assert memory_report(report["plan"]) == report
