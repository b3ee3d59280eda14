"""What users of other calculators report as wrong there: buffers, temporaries, instants. The right value is the test."""

import pytest

from model.errors import Invalid
from model.gathers import gathers_of
from model.instants import rank_memory
from model.logits import logits_of
from model.plan import memory_report, read_plan
from tests.model.torch_models import gpt, plan

MIB, GIB = 2**20, 2**30


def buckets(**recipe):
    given = read_plan(plan("llama-2-7b", 8, preset="deepspeed", layout={"zero": 2}, recipe=recipe))
    return gathers_of(given, given.ranks[0], 0).reduce.here


@pytest.mark.parametrize(
    ("recipe", "saved_mib"), [({"overlap": False}, 954), ({"bucket": 10**8}, 1526), ({"bucket": 10**7}, 1869)]
)
def test_deepspeeds_buckets(recipe, saved_mib):
    assert round(buckets() / MIB) == 1907
    assert round((buckets() - buckets(**recipe)) / MIB) == saved_mib


def test_the_root_units_reduce_scatter_in_fp32_takes_both_embedding_and_head():
    model = gpt(248320, 5120, 2, 40, 0)
    given = read_plan(plan(model, 8, preset="fsdp2", batch={"seq": 1024}))
    (pooled,) = {gathers_of(given, given.ranks[0], 0).reduce.pooled}
    norm = 2 * 5120 * 4
    assert round((pooled - norm) / GIB, 3) == 9.473


def test_a_foreach_step_makes_a_temporary_as_large_as_a_moment_and_a_fused_one_none():
    def step(kind):
        report = memory_report(plan("llama-2-7b", 1, preset="pure-bf16", recipe={"step": kind}, batch={"seq": 128}))
        (stage,) = report["stages"]
        return next(instant for instant in stage["instants"] if instant["instant"] == "step")["allocated"]

    assert round(step("fused") / 1e9, 1) == 53.9
    assert round(step("foreach") / 1e9, 1) == 67.4


def test_seven_billion_on_eight_small_cards_runs_out_of_memory_at_the_step():
    given = plan(
        "llama-2-7b",
        8,
        preset="fsdp2",
        layout={"zero": 3},
        batch={"seq": 512},
        activation={"recompute": "full", "loss": "chunked"},
    )
    (stage,) = memory_report(given)["stages"]
    states = sum(stage["states"].values())
    assert round(states / GIB, 2) == 12.55
    instants = {instant["instant"]: instant["allocated"] for instant in stage["instants"]}
    assert round((instants["step"] - states) / GIB, 2) == 3.14
    assert max(instants["forward"], instants["loss"]) < 16 * 10**9 < instants["step"]


def test_nanotron_at_rest_with_and_without_zero_1():
    # 1.04 B parameters on 24 replicas: measured 19,909.6 and 6,517.5 MiB.
    model = {
        "architecture": {
            "vocab_size": 32768,
            "hidden_size": 2048,
            "num_hidden_layers": 16,
            "num_attention_heads": 16,
            "intermediate_size": 7296,
            "tie_word_embeddings": True,
            "max_position_embeddings": 2048,
        }
    }
    for zero, each in ((0, 20), (1, 6 + 12 / 24)):
        given = plan(model, 24, preset="nanotron", layout={"zero": zero}, activation={"implementation": "nanotron"})
        (stage,) = memory_report(given)["stages"]
        assert abs(stage["resting"] - each * stage["parameters"]) < 24 * 16 * 16


@pytest.mark.parametrize("zero", [2, 3])
def test_fsdp2_rests_alike_whether_it_keeps_the_weights_after_forward(zero):
    given = read_plan(plan("llama-3.1-8b", 64, preset="fsdp2", layout={"zero": zero}, batch={"seq": 2048}))
    memory = rank_memory(given, 0)
    parameters = 8_030_261_248
    assert abs(memory.states.total_bytes - 16 * parameters / 64) < 2**20
    forward = next(instant for instant in memory.instants if instant.name == "loss")
    gathered = forward.transient + forward.to_come
    assert (gathered >= 2 * parameters) == (zero == 2)


def test_stages_are_not_equal_and_every_one_is_reported():
    stages = memory_report(plan("llama-3.1-8b", 8, preset="megatron", layout={"pp": 8}, batch={"global_batch": 32}))
    held = [stage["allocated_peak"] for stage in stages["stages"]]
    assert len(held) == 8
    assert held[1] > held[2] > held[3]  # fewer micro-batches in flight
    assert held[0] > held[1]  # the embedding, and one more in flight
    assert held[7] > held[6]  # the head and the logits


@pytest.mark.parametrize("kind", ["1f1b", "zb-h1", "interleaved"])
def test_memory_does_not_grow_with_the_number_of_micro_batches(kind):
    def peak(micro_batches):
        layout = {"pp": 4, "vpp": 2 if kind == "interleaved" else 1}
        given = plan(
            "llama-2-7b",
            4,
            preset="megatron",
            layout=layout,
            batch={"global_batch": micro_batches},
            schedule={"kind": kind},
        )
        return [stage["allocated_peak"] for stage in memory_report(given)["stages"]]

    assert peak(16) == peak(64)


def test_more_bytes_than_json_counts_exactly_are_refused():
    with pytest.raises(Invalid) as caught:
        memory_report(plan("llama-2-7b", 1, preset="zero-paper", batch={"seq": 10**12}))
    assert (caught.value.field, caught.value.code) == ("batch.seq", "out_of_range")


def test_fits_is_yes_tight_or_no_with_the_band_given():
    def answer(seq):
        given = plan(
            "llama-3.1-8b", 8, preset="fsdp2", batch={"seq": seq}, activation={"recompute": "full", "loss": "chunked"}
        )
        report = memory_report(given)
        needed = report["stages"][0]["nvidia_smi"]
        assert report["tight_band_bytes"] == needed * 7 // 100
        return report["fits"]

    answers = [answer(seq) for seq in (8192, 65536, 131072 * 2, 131072 * 8)]
    assert answers[0] == "yes"
    assert answers[-1] == "no"
    assert "tight" in [answer(seq) for seq in range(65536, 131072 * 4, 32768)]


def fp32_and_half_precision_logits(vocab, seq, micro_batch):
    given = plan(gpt(vocab, 1024, 2, 8, 0), 1, preset="zero-paper", batch={"seq": seq, "micro_batch": micro_batch})
    kept = logits_of(read_plan(given))
    return kept.waiting, kept.freed


def test_a_failed_allocation_says_how_many_tokens_had_logits():
    whole, _ = fp32_and_half_precision_logits(151_936, 32_768, 1)
    assert round(whole / GIB, 2) == 18.55
    tokens = 49 * GIB / (whole / 32_768)  # "tried to allocate 49 GiB"
    assert round(tokens / 1000, 1) == 86.6
    _, half = fp32_and_half_precision_logits(32_000, 2048, 256)
    assert half / GIB == 31.25


def test_nanotrons_rests_in_mib_as_they_were_measured():
    # 19,909.6 MiB without and 6,517.5 with ZeRO stage 1 on 24 replicas; the difference is other buffers.
    for zero, said, measured in ((0, 19_836, 19_909.6), (1, 6_447, 6_517.5)):
        given = {
            "model": {"params": 1.04e9},
            "cluster": {"gpu": "h100-sxm-80gb", "gpus": 24},
            "layout": {"zero": zero},
            "recipe": {"preset": "nanotron"},
        }
        (stage,) = memory_report(given)["stages"]
        assert abs(stage["resting"] / MIB - said) < 2
        assert 0 < measured - stage["resting"] / MIB < 80
