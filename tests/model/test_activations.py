"""What a layer keeps: closed forms as sums of the tensors, and rules. Published tables are in ``evidence``."""

import pytest

from model.in_flight import live_sets
from model.instants import rank_memory
from model.layer_kept import layer_kept
from model.logits import logits_of
from model.pipeline import Cost, peak_in_flight, run
from model.plan import memory_report, read_plan
from model.schedules import Shape
from tests.model.torch_models import gpt, plan


def layer(model, *, moe=False, recomputed=True, **sections):
    return layer_kept(read_plan(plan(model, sections.pop("gpus", 1), **sections)), moe=moe, recomputed=recomputed)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize("tp", [1, 2, 8])
@pytest.mark.parametrize("seq", [512, 2048])
def test_the_closed_form_with_and_without_tensor_and_sequence_parallelism(tp, seq, dropout):
    model, h, a = gpt(51200, 4096, 4, 32, 0), 4096, 32
    common = {"preset": "megatron", "gpus": tp, "batch": {"seq": seq, "micro_batch": 2}}
    activation = {"implementation": "megatron", "attention": "eager", "dropout": dropout}
    unit = seq * 2 * h
    masks, square = (2, 5) if dropout else (0, 2)
    plain = layer(model, layout={"tp": tp}, activation=activation, **common).amount_bytes
    assert plain == unit * (8 + masks) + unit * 24 // tp + square * a * seq * unit // (h * tp)
    cut = layer(model, layout={"tp": tp, "sequence_parallel": True}, activation=activation, **common).amount_bytes
    assert cut == unit * (32 + masks) // tp + square * a * seq * unit // (h * tp)


@pytest.mark.parametrize("heads", [8, 32])
def test_flash_attention_without_dropout_keeps_32_bytes_and_the_log_sum_exp(heads):
    kept = layer(gpt(1024, 4096, 2, heads, 0), preset="ddp-amp", batch={"seq": 1024})
    statistics = 2 * 2 * 4 * 1024
    assert kept.amount_bytes == 1024 * (32 * 4096 + 4 * heads) + statistics


def test_llama_written_out_in_eager_pytorch_keeps_85_to_91_bytes():
    kept = layer(
        "llama-7b",
        preset="ddp-amp",
        batch={"seq": 512, "micro_batch": 8},
        activation={"implementation": "hf-eager", "attention": "eager"},
    )
    assert 85 <= kept.amount_bytes / (512 * 8 * 4096) <= 91


def test_with_flash_attention_selective_recomputation_saves_the_log_sum_exp_alone():
    common = {"preset": "megatron", "batch": {"seq": 4096}}
    none = layer("llama-2-7b", activation={"implementation": "megatron-te"}, **common)
    selective = layer("llama-2-7b", activation={"implementation": "megatron-te", "recompute": "selective"}, **common)
    assert none.amount_bytes - selective.amount_bytes == 4096 * 32 * 4


@pytest.mark.parametrize(("implementation", "bytes_per_f"), [("megatron", 6), ("megatron-te", 6), ("torch", 8)])
def test_a_gated_mlp_keeps_6f_fused_and_8f_unfused(implementation, bytes_per_f):
    kept = layer("llama-2-7b", preset="zero-paper", batch={"seq": 128}, activation={"implementation": implementation})
    wide = sum(tensor.amount_bytes for tensor in kept.kept if "·f·" in tensor.formula)
    assert wide == bytes_per_f * 128 * 11008


def test_eager_attention_costs_a_square_of_the_sequence_and_flash_does_not():
    def kept(attention, seq):
        return layer(
            "llama-2-7b",
            preset="zero-paper",
            batch={"seq": seq},
            activation={"implementation": "torch", "attention": attention},
        ).amount_bytes

    assert kept("flash", 4096) == 2 * kept("flash", 2048)
    assert kept("eager", 4096) - 2 * kept("eager", 2048) == 32 * 2 * (4096**2 - 2 * 2048**2)


def test_full_recomputation_keeps_the_input_and_works_on_one_layer():
    full = layer("llama-2-7b", preset="zero-paper", batch={"seq": 4096}, activation={"recompute": "full"})
    none = layer("llama-2-7b", preset="zero-paper", batch={"seq": 4096})
    assert full.amount_bytes == 2 * 4096 * 4096
    assert full.working - none.working == none.amount_bytes - full.amount_bytes


def test_recompute_layers_leaves_the_others_alone():
    def kept(layers):
        activation = {"recompute": "full", "recompute_layers": layers}
        return memory_report(plan("llama-2-7b", 1, preset="zero-paper", activation=activation))["stages"][0]

    some = [kept(layers)["kept_by_micro_batch"][0] for layers in (0, 1, 32)]
    each = layer("llama-2-7b", preset="zero-paper").amount_bytes - 2 * 4096 * 4096
    assert (some[0] - some[1], some[0] - some[2]) == (each, 32 * each)


def test_expert_parallelism_leaves_activations_as_they_are():
    def kept(ep):
        return layer(
            "mixtral-8x7b-v0.1", moe=True, gpus=8, preset="megatron", layout={"ep": ep}, batch={"seq": 4096}
        ).amount_bytes

    assert kept(1) == kept(8)


def test_context_parallelism_divides_the_sequence():
    whole = layer("llama-2-7b", preset="zero-paper", batch={"seq": 8192})
    cut = layer("llama-2-7b", preset="zero-paper", gpus=4, layout={"cp": 4}, batch={"seq": 8192})
    assert whole.amount_bytes == 4 * cut.amount_bytes


@pytest.mark.parametrize("kind", ["1f1b", "gpipe"])
@pytest.mark.parametrize("pp", [2, 4, 8])
def test_memory_in_flight_is_flat_in_m_under_1f1b_and_not_under_gpipe(kind, pp):
    def held(micro_batches):
        shape = Shape.checked(kind, pp, micro_batches, 1)
        return [max(live.counts[0] for live in live_sets(shape, rank)) for rank in range(pp)]

    expected = [pp - rank for rank in range(pp)] if kind == "1f1b" else [8 * pp] * pp
    assert held(8 * pp) == expected
    assert held(1) == [1] * pp


@pytest.mark.parametrize("kind", ["interleaved", "zb-h1", "zb-v", "dualpipe-v"])
@pytest.mark.parametrize("pp", [2, 4])
def test_few_micro_batches_stand_for_many(kind, pp):
    def most(micro_batches):
        shape = Shape.checked(kind, pp, micro_batches, None)
        return [max(sum(live.counts) for live in live_sets(shape, rank)) for rank in range(pp)]

    everything = Shape.checked(kind, pp, 12 * pp, None)
    events = run(everything, [Cost(1, 1, 1)] * everything.chunks)
    assert most(2 * pp) == most(4 * pp) == most(12 * pp) == [peak_in_flight(rank) for rank in events]


def test_rounds_longer_than_the_pipeline_hold_more():
    # PyTorch takes 36 micro-batches on 8 ranks in 4 rounds of 9.
    def most(micro_batches):
        shape = Shape.checked("interleaved", 8, micro_batches, 2)
        return max(sum(live.counts) for live in live_sets(shape, 0))

    assert (most(32), most(36)) == (8 + 14 + 1, 9 + 14 + 1)


@pytest.mark.parametrize("pp", [2, 4, 8])
def test_virtual_stages_never_lower_what_the_first_stage_holds(pp):
    def held(virtual):
        shape = Shape.checked("interleaved", pp, 4 * pp, virtual)
        return max(sum(live.counts) for live in live_sets(shape, 0)) / virtual

    assert held(1) == pp
    for virtual in (2, 3, 4):
        assert held(virtual) == pp * (1 + (pp - 1) / (pp * virtual))


def logits(loss, model="llama-2-7b", **sections):
    activation = {"loss": loss, "implementation": sections.pop("implementation", "torch")}
    return logits_of(
        read_plan(plan(model, sections.pop("gpus", 1), preset="zero-paper", activation=activation, **sections))
    )


def test_an_eager_loss_keeps_786_mib_of_fp32_logits_for_4_times_1024_tokens():
    kept = logits("eager", gpt(50304, 4096, 2, 32, 0), batch={"seq": 1024, "micro_batch": 4})
    assert kept.waiting == 786 * 2**20
    assert kept.peak == 3 * kept.waiting


def test_logits_are_cut_over_the_vocabulary_and_a_chunked_loss_has_next_to_none():
    whole = logits("fused", batch={"seq": 4096})
    assert whole.peak == 6 * 4096 * 32000
    cut = logits("fused", batch={"seq": 4096}, gpus=4, layout={"tp": 4})
    assert 4 * cut.peak == whole.peak
    assert logits("chunked", batch={"seq": 4096}).peak < whole.peak / 7


def test_only_the_last_stage_has_logits():
    stages = memory_report(plan("llama-2-7b", 4, preset="zero-paper", layout={"pp": 4}))["stages"]
    losses = [any(instant["logits"] for instant in stage["instants"]) for stage in stages]
    assert losses == [False, False, False, True]


@pytest.mark.parametrize("pp", [1, 4])
def test_a_cut_embeddings_gradient_is_summed_whole_in_a_pipeline(pp):
    def transient(tp):
        given = plan(
            "llama-3.1-8b",
            4 * tp * pp,
            preset="fsdp2",
            layout={"tp": tp, "pp": pp, "zero": 2 if pp > 1 else 3, "sequence_parallel": tp > 1},
            batch={"seq": 1024, "global_batch": 4 * 8},
        )
        (reduce,) = {
            item.transient - item.to_come for item in rank_memory(read_plan(given), 0).instants if item.name == "reduce"
        }
        return reduce

    # Everything else is halved, but for the norms of the layers.
    added = transient(2) - transient(1) // 2
    expected = 128256 * 4096 // 2 * (2 + (4 if pp > 1 else 0))
    assert abs(added - expected) < 2**22
