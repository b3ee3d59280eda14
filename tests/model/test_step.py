"""The time of a step: closed forms of what is sent, identities, and what must hold for every plan."""

import json
import math
import random
from dataclasses import fields

import pytest

from model.catalog import gpu_named
from model.errors import Invalid
from model.groups import Groups, Wires, working
from model.layer_time import Pricer
from model.links import LINKS
from model.overhead import communicators
from model.pipeline import Cost, run
from model.pipeline_time import pipeline_time
from model.plan import memory_report, read_plan
from model.schedules import Shape
from model.shares import rank_shard
from model.speeds import SPEEDS, speed_of
from model.step_report import step_report

LAYERS, HIDDEN, PARAMETERS = 32, 4096, 8_030_261_248  # Llama 3.1 8B


SHAPE = {
    "vocab_size": 32_000,
    "hidden_size": 4096,
    "num_hidden_layers": 4,
    "num_attention_heads": 32,
    "intermediate_size": 11_008,
}


def plan(**sections):
    """Llama 3.1 8B on 64 H100 with sequences of 8,192, changed by sections."""
    base = {
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64},
        "batch": {"seq": 8192, "global_batch": 512},
    }
    for name, value in sections.items():
        own = base.get(name, {})
        base[name] = {**own, **value} if isinstance(own, dict) else value
    return base


def sent(report, kind):
    return report["communication"][kind]["bytes"]


def merged(one, other):
    return {name: {**one.get(name, {}), **other.get(name, {})} for name in {*one, *other}}


@pytest.mark.parametrize(
    ("more", "all_reduces"),
    [({}, 4), ({"layout": {"sequence_parallel": True}}, 4), ({"activation": {"recompute": "full"}}, 6)],
    ids=["plain", "with sequence parallelism", "with full recomputation"],
)
def test_tensor_parallelism_sends_four_all_reduces_a_layer_and_recomputation_two_more(more, all_reduces):
    report = step_report(plan(**merged({"layout": {"tp": 8}}, more)))
    micro_batches, tokens = 512 // 8, 8192
    each = 2 * (tokens * HIDDEN * 2) * 7 // 8
    assert sent(report, "tp") == all_reduces * LAYERS * micro_batches * each


def test_sequence_parallelism_gathers_and_scatters_where_small_sums_would_take_a_tree():
    def activations(cut):
        layout = {"tp": 64, "zero": 0, "sequence_parallel": cut, "vocab_multiple": 1}
        model = {"architecture": {**SHAPE, "num_attention_heads": 64}}
        report = step_report(plan(model=model, layout=layout, batch={"seq": 128, "global_batch": 1}))
        return [message for message in report["messages"] if message["what"] == "activations"]

    (summed,), (gathered, scattered) = activations(False), activations(True)
    assert [one["op"] for one in (summed, gathered, scattered)] == ["all-reduce", "all-gather", "reduce-scatter"]
    assert summed["sent_bytes"] == gathered["sent_bytes"] + scattered["sent_bytes"]
    assert summed["each_s"] < gathered["each_s"] + scattered["each_s"]


@pytest.mark.parametrize(("vpp", "rounds"), [(1, 1), (2, 2)])
def test_a_pipeline_sends_each_boundary_both_ways_for_every_micro_batch(vpp, rounds):
    report = step_report(plan(layout={"pp": 4, "vpp": vpp}))
    micro_batches = 512 // 16
    assert sent(report, "pp") == 2 * rounds * micro_batches * 8192 * HIDDEN * 2


def test_sequence_parallelism_sends_a_part_of_the_boundary():
    whole, cut = (step_report(plan(layout={"pp": 4, "tp": 4, "sequence_parallel": cut})) for cut in (False, True))
    assert sent(whole, "pp") == 4 * sent(cut, "pp")


@pytest.mark.parametrize(
    ("recipe", "zero", "reduced", "gathered"),
    [
        ("zero-paper", 0, 2 * 2, 0),
        ("zero-paper", 1, 2, 2),
        ("zero-paper", 2, 2 * 8, 2),
        ("zero-paper", 3, 2 * 8, 2 * 2 * 8),
        ("fsdp2", 2, 4 * 8, 2 * 8),
        ("fsdp2", 3, 4 * 8, 2 * 2 * 8),
        ("megatron", 1, 4, 2),
        ("ddp-amp", 0, 2 * 4, 0),
    ],
)
def test_replicas_send_what_their_zero_stage_says(recipe, zero, reduced, gathered):
    # 8 micro-batches; bytes a parameter that a ring of 64 sends, but for (n − 1)/n.
    report = step_report(plan(layout={"zero": zero}, recipe={"preset": recipe}))
    assert sent(report, "dp") == pytest.approx(reduced * PARAMETERS * 63 / 64, abs=16)
    assert sent(report, "zero") == pytest.approx(gathered * PARAMETERS * 63 / 64, abs=16)


@pytest.mark.parametrize("micro_batches", [8, 1])
@pytest.mark.parametrize("zero", [2, 3])
def test_a_pipeline_of_fsdp2_holds_gathered_weights_and_gathers_them_once(zero, micro_batches):
    # One count in both: what memory keeps from one micro-batch to the next, time does not gather again.
    given = plan(
        layout={"zero": zero, "pp": 2},
        recipe={"preset": "fsdp2"},
        activation={"recompute": "full"},
        batch={"seq": 128, "global_batch": 32 * micro_batches},
    )
    gathered = 2 * (PARAMETERS + HIDDEN) / 2  # bytes of the last stage in bf16: its layers, the last norm and the head
    assert sent(step_report(given), "zero") == pytest.approx(gathered * 31 / 32, rel=1e-5)
    last = memory_report(given)["stages"][-1]
    assert last["transient"] > gathered


@pytest.mark.parametrize(("tp", "heads"), [(2, 4), (8, 1), (16, 1)])
def test_context_parallelism_sends_whole_heads_of_keys_and_values(tp, heads):
    # 8 heads of keys and of values, 128 wide; a part of a head is on no rank.
    report = step_report(plan(layout={"tp": tp, "cp": 4}))
    (keys,) = (message for message in report["messages"] if message["what"] == "keys and values")
    assert keys["size_bytes"] == 8192 * heads * 2 * 128 * 2


@pytest.mark.parametrize("preset", ["deepspeed", "zero-paper", "fsdp2"])
def test_two_micro_batches_never_take_longer_than_two_steps(preset):
    # A reduced gradient is added up as a shard: of 8 ranks each adds an eighth.
    given = plan(
        layout={"zero": 3, "tp": 1, "pp": 1},
        recipe={"preset": preset},
        batch={"seq": 512, "global_batch": 64},
        activation={"recompute": "full", "implementation": "megatron-te"},
    )
    given["cluster"] = {"gpu": "h100-sxm-80gb", "gpus": 64}
    one = step_report(given)["step_s"]
    given["batch"] = {"seq": 512, "global_batch": 128}
    assert step_report(given)["step_s"] <= 2 * one


@pytest.mark.parametrize("ep", [1, 2, 8])
def test_the_parts_of_a_gradient_that_ranks_add_up_sum_to_the_whole(ep):
    # Eight GPUs hold every expert once, however they are laid out.
    given = read_plan(
        {
            "model": "mixtral-8x7b-v0.1",
            "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
            "layout": {"zero": 2, "ep": ep},
            "recipe": {"preset": "deepspeed"},
        }
    )
    assert 8 * rank_shard(given, given.ranks[0]) == 46_702_792_704


@pytest.mark.parametrize("policy", ["selective", "op-selective", "full"])
def test_computing_again_is_never_quicker_even_where_the_host_is_the_slower(policy):
    given = {
        "model": "bloom-7b1",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 256},
        "layout": {"tp": 8, "cp": 2, "zero": 2, "sequence_parallel": True},
        "batch": {"seq": 2048, "global_batch": 64},
        "activation": {"implementation": "nanotron", "loss": "fused"},
    }
    none = step_report(given)["step_s"]
    given["activation"]["recompute"] = policy
    assert step_report(given)["step_s"] >= none


def test_experts_send_every_visit_there_and_back_in_both_passes():
    report = step_report(
        {
            "model": "mixtral-8x7b-v0.1",
            "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64},
            "layout": {"ep": 8},
            "batch": {"seq": 4096},
        }
    )
    assert sent(report, "ep") == 32 * 4 * (2 * 4096 * 4096 * 2) * 7 // 8


def test_without_replicas_nothing_is_reduced_and_zero_saves_no_traffic_nor_makes_any():
    report = step_report(plan(layout={"tp": 8, "pp": 8, "zero": 1}, recipe={"preset": "megatron"}))
    assert sent(report, "dp") == sent(report, "zero") == 0


@pytest.mark.parametrize(("p", "m", "v"), [(4, 16, 1), (8, 8, 1), (4, 16, 2)])
def test_the_bubble_is_the_published_one_of_the_schedule(p, m, v):
    report = step_report(plan(layout={"pp": p, "vpp": v}, batch={"global_batch": m * 64 // p}))
    assert report["bubble_over_ideal"] == pytest.approx((p - 1) / (v * m))
    assert report["bubble_of_total"] == pytest.approx((p - 1) / (v * m + p - 1))


def test_equal_stages_take_the_time_of_the_formula():
    shape = Shape.checked("1f1b", 8, 32, 1)
    assert pipeline_time(shape, (Cost(100, 150, 50),) * 8).makespan == (32 + 7) * 300


@pytest.mark.parametrize("kind", ["gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "dualpipe-v"])
def test_a_long_pipeline_keeps_the_pace_of_its_events(kind):
    dice = random.Random(kind)
    for _ in range(6):
        p = dice.choice([2, 3, 4])
        shape = Shape.checked(kind, p, p * dice.randrange(700 // p, 1100 // p), None)
        costs = tuple(Cost(*(dice.randrange(1, 10**6) for _ in range(3))) for _ in range(shape.chunks))
        hop = dice.choice([0, 1000, 10**5])
        quick = pipeline_time(shape, costs, hop).makespan
        events = max(rank[-1].end for rank in run(shape, costs, hop=hop))
        assert quick == events


@pytest.mark.parametrize("kind", ["gpipe", "1f1b"])
def test_a_pipeline_by_formula_ends_when_its_events_do(kind):
    dice = random.Random(kind)
    for _ in range(150):
        p = dice.choice([2, 3, 4, 6, 8])
        shape = Shape.checked(kind, p, dice.randrange(1, 4 * p), None)
        spread = dice.choice([0, 9, 49])
        costs = [Cost(*(50 + dice.randrange(spread + 1) for _ in range(3))) for _ in range(p)]
        costs[-1] = Cost(*(part + dice.randrange(60) for part in costs[-1]))
        hop = dice.choice([0, 1, 20])
        events = tuple(rank[-1].end for rank in run(shape, costs, hop=hop))
        assert pipeline_time(shape, tuple(costs), hop).ends == events


def test_days_and_gpu_hours_follow_from_tokens_per_second():
    report = step_report(plan(batch={"total_tokens": 10**12}))
    seconds = 10**12 / (report["tokens_per_s_per_gpu"] * 64)
    assert report["days"] * 86_400 == pytest.approx(seconds)
    assert report["gpu_hours"] == pytest.approx(seconds * 64 / 3600)


@pytest.mark.parametrize("window", [1, 512, 4096, 8192, 10**6])
def test_a_flash_kernel_computes_the_keys_that_each_query_sees(window):
    def attention_s(**more):
        understood = read_plan(plan(model={"architecture": SHAPE | more}))
        (chunk,) = understood.ranks[0]
        return Pricer(understood, speed_of(gpu_named("h100-sxm-80gb"), "bf16")).chunk(chunk).attention

    seen = sum(min(place, window) for place in range(1, 8192 + 1))
    assert attention_s(sliding_window=window) / attention_s() == pytest.approx(seen / sum(range(1, 8192 + 1)))


def test_the_flops_convention_changes_mfu_and_not_the_time():
    full, causal = (step_report(plan(flops={"attention": convention})) for convention in ("full", "causal"))
    assert full["step_s"] == causal["step_s"]
    assert full["mfu"] > causal["mfu"]


@pytest.mark.parametrize(("attention", "forwards"), [("eager", 3), ("flash", 1)])
def test_what_hfu_counts_for_selective_recomputation_is_said(attention, forwards):
    selective, none = (
        step_report(plan(activation={"recompute": policy, "attention": attention})) for policy in ("selective", "none")
    )
    said = set(selective["assumed"]) - set(none["assumed"])
    assert [text.startswith("HFU counts selective recomputation") for text in said] == [True] * (forwards > 1)
    ratio = selective["hfu"] / selective["mfu"]
    assert ratio == pytest.approx(1 + forwards * 4 * LAYERS * HIDDEN * 8192 / selective["model_flops_per_token"])


def test_recomputation_lowers_mfu_and_parts_it_from_hfu():
    none, full = (step_report(plan(activation={"recompute": recompute})) for recompute in ("none", "full"))
    assert none["mfu"] == none["hfu"]
    assert full["mfu"] < none["mfu"]
    assert full["hfu"] > full["mfu"]


def test_one_rate_is_another_share_of_another_card():
    # 104 % "MFU" was published for an H100 against the peak of an A100: 324 TFLOP/s are 33 % of 989.
    h100, a100 = SPEEDS["h100-sxm-80gb"], SPEEDS["a100-sxm-80gb"]
    assert 1.04 * a100.peak_flops("bf16") / h100.peak_flops("bf16") == pytest.approx(0.328, abs=0.001)


def test_mfu_is_against_the_dense_peak_of_the_card_that_runs():
    report = step_report(plan())
    assert report["peak_tflops"] == 989
    assert report["mfu"] == pytest.approx(report["model_tflops_per_gpu"] / 989)


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ({"model": {"params": 7.5e9}}, "model"),
        ({"cluster": {"gpu": "card-80gb"}}, "cluster.gpu"),
        ({"cluster": {"gpu": "v100-sxm-32gb"}}, "recipe.compute"),
        ({"recipe": {"offload": "optimizer"}}, "recipe.offload"),
        ({"layout": {"pp": 4, "vpp": 2}, "batch": {"global_batch": 16 * 14}}, "batch.global_batch"),
        (
            {"layout": {"pp": 8}, "schedule": {"kind": "dualpipe-v"}, "batch": {"global_batch": 64}},
            "batch.global_batch",
        ),
    ],
)
def test_what_has_no_time_is_refused_by_field(sections, field):
    with pytest.raises(Invalid) as error:
        step_report(plan(**sections))
    assert error.value.field == field


@pytest.mark.parametrize(
    ("model", "layout", "groups"),
    [
        ("llama-3.1-8b", {"zero": 3, "cp": 8, "pp": 8}, 3),  # context, replicas, neighbours
        ("llama-3.1-8b", {"zero": 3, "shard_group": 8}, 2),  # a shard, and its copies
        ("mixtral-8x7b-v0.1", {"zero": 3}, 1),  # experts' replicas are those of the dense weights
        ("mixtral-8x7b-v0.1", {"zero": 3, "ep": 8}, 3),  # replicas, experts, and experts' replicas
        ("mixtral-8x7b-v0.1", {"zero": 3, "ep": 8, "tp": 2, "shard_group": 16}, 6),
    ],
)
def test_a_communicator_is_counted_for_each_group_that_is_laid_out(model, layout, groups):
    understood = read_plan(plan(model=model, layout=layout, recipe={"preset": "fsdp2"}))
    assert communicators(understood) == groups
    laid_out = Groups.of(understood.layout, Wires.from_plan(understood.fields["cluster"]))
    own = layout.get("ep", 1) > 1
    several = [
        field.name
        for field in fields(laid_out)
        if getattr(laid_out, field.name).ranks > 1 and (own or not field.name.startswith("expert"))
    ]
    assert len(several) == groups


def test_links_work_at_the_published_rate_or_the_share_of_their_family():
    assert working(LINKS["nvlink4"]).rate_gb_per_s == 370
    for link in LINKS.values():
        assert 0.7 * link.rate_gb_per_s < working(link).rate_gb_per_s <= link.rate_gb_per_s


def random_plans(count):
    """Legal plans of several models, layouts, recipes and cards."""
    dice = random.Random(7)
    found = 0
    while found < count:
        given = {
            "model": dice.choice(["llama-3.1-8b", "mixtral-8x7b-v0.1", "qwen2.5-7b", "deepseek-v2-lite", "gpt2"]),
            "cluster": {
                "gpu": dice.choice(["h100-sxm-80gb", "a100-sxm-80gb", "b200-sxm-180gb"]),
                "gpus": dice.choice([8, 16, 64, 256]),
                "inter": dice.choice(["ib-200", "ib-400", "eth-100"]),
            },
            "layout": {
                "tp": dice.choice([1, 2, 4, 8]),
                "pp": dice.choice([1, 2, 4]),
                "cp": dice.choice([1, 1, 2]),
                "ep": dice.choice([1, 1, 2, 4]),
                "vpp": dice.choice([1, 1, 2]),
                "zero": dice.choice([0, 1, 2, 3]),
                "sequence_parallel": dice.choice([True, False]),
            },
            "recipe": {
                "preset": dice.choice(["zero-paper", "fsdp2", "megatron", "nanotron", "deepspeed"]),
                "overlap": dice.choice([True, False]),
                "step": dice.choice(["fused", "foreach"]),
            },
            "batch": {"seq": 1024, "micro_batch": dice.choice([1, 2]), "global_batch": 1024},
            "activation": {
                "recompute": dice.choice(["none", "selective", "op-selective", "full"]),
                "implementation": dice.choice(["torch", "megatron", "megatron-te", "nanotron", "hf-eager"]),
                "attention": dice.choice(["flash", "eager"]),
                "loss": dice.choice(["eager", "fused", "chunked"]),
                "compile": dice.choice([True, False]),
            },
        }
        try:
            report = step_report(given)
        except Invalid:
            continue
        found += 1
        yield given, report


def numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def test_nothing_is_negative_infinite_or_more_than_all():
    for given, report in random_plans(80):
        values = list(numbers({name: value for name, value in report.items() if name != "plan"}))
        assert all(math.isfinite(value) and value >= 0 for value in values), given
        assert report["step_s"] > 0
        assert report["mfu"] <= report["hfu"] + 1e-12 < 1, given
        assert report["idle_of_total"] < 1
        for kind, cost in report["communication"].items():
            assert cost["exposed_s"] <= cost["s"], (kind, given)
        json.dumps(report, allow_nan=False)


def test_a_faster_link_never_slows_a_step():
    faster = {"ib-200": "ib-400", "ib-400": "ib-800", "eth-100": "ib-200"}
    for given, report in random_plans(30):
        for name, better in (("inter", faster[given["cluster"]["inter"]]), ("intra", "1800:1")):
            quick = step_report({**given, "cluster": {**given["cluster"], name: better}})
            assert quick["step_s"] <= report["step_s"] * (1 + 1e-9), given


def test_hiding_communication_never_slows_a_step():
    for given, _ in random_plans(20):
        shown, hidden = (
            step_report({**given, "recipe": {**given["recipe"], "overlap": overlap}})["step_s"]
            for overlap in (False, True)
        )
        assert hidden <= shown * (1 + 1e-9), given


@pytest.mark.parametrize("gpu", [name for name, speed in SPEEDS.items() if speed.bf16_tflops])
def test_every_card_of_the_catalogue_has_a_step(gpu):
    report = step_report(plan(cluster={"gpu": gpu}, recipe={"preset": "fsdp2"}))
    assert 0.05 < report["mfu"] < 0.85


def test_more_bytes_than_json_counts_are_refused():
    with pytest.raises(Invalid) as error:
        step_report(plan(batch={"seq": 10**9, "global_batch": 64 * 10**8}))
    assert error.value.code == "out_of_range"


@pytest.mark.parametrize(
    ("preset", "implementation", "said"),
    [("nanotron", "nanotron", True), ("zero-paper", "nanotron", True), ("nanotron", "torch", False)],
)
def test_what_was_measured_of_one_cluster_is_said_to_be_so(preset, implementation, said):
    report = step_report(plan(recipe={"preset": preset}, activation={"implementation": implementation}))
    assert (
        any(line.startswith("nanotron waits") and "Ultra-Scale Playbook" in line for line in report["assumed"]) == said
    )
    assert ("Ultra-Scale" in json.dumps([report["assumed"], report["rates"]])) == said
    plain = step_report(plan(recipe={"preset": "zero-paper"}, activation={"implementation": implementation}))
    assert report["rates"] == plain["rates"]


@pytest.mark.parametrize(
    ("gpus", "pp", "implementation", "stall"),
    [(512, 2, "nanotron", 0.5), (1024, 4, "nanotron", 1.0), (256, 4, "nanotron", 0), (512, 4, "torch", 0)],
)
def test_a_stall_of_the_largest_pipelines_is_a_part_of_its_own_and_said(gpus, pp, implementation, stall):
    def stages(layout):
        batch, cluster = {"global_batch": 8 * gpus}, {"gpus": gpus}
        return step_report(
            plan(layout=layout, batch=batch, cluster=cluster, activation={"implementation": implementation})
        )

    report = stages({"pp": pp})
    assert [stage["stall_s"] for stage in report["stages"]] == [stall] * pp
    lines = [line for line in report["assumed"] if "stall" in line]
    assert len(lines) == bool(stall)
    assert all(f"{stall:g} s on each stage" in line and "one cluster" in line for line in lines)
    for stage in report["stages"]:
        assert stage["forward_s"] + stage["backward_s"] >= stall
