"""What must hold for every legal plan, and what must be refused: hundreds of random plans, thousands of broken ones."""

import copy
import itertools
import json
import random

import pytest

from model.errors import Invalid
from model.layer_kept import layer_kept
from model.plan import memory_report, read_plan
from tests.model.random_plans import PRESETS, legal_plan, offered, stages, with_layout

pytestmark = pytest.mark.long

SEEDS = range(100)
PARTS = ("weights", "gradients", "optimizer")


def resting(given):
    return [stage["resting"] for stage in memory_report(given)["stages"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_totals_are_the_sums_of_their_entries(seed):
    report = memory_report(legal_plan(seed))
    for stage in report["stages"]:
        entries = {part: sum(item["bytes"] for item in stage["entries"] if item["what"] == part) for part in PARTS}
        assert entries == stage["states"]
        parts = sum(stage["states"].values()) + stage["activations"] + stage["logits"] + stage["transient"]
        assert parts == stage["allocated_peak"] == max(instant["allocated"] for instant in stage["instants"])
        held = {part["what"]: part["bytes"] for part in stage["at_peak"]}
        assert sum(held.values()) == stage["allocated_peak"]
        assert list(held.values()) == sorted(held.values(), reverse=True)
        assert all(held[part] >= stage[part] for part in ("activations", "logits", "transient"))
        assert 0 <= held["gradients"] <= stage["states"]["gradients"]
        over = stage["overhead"]
        assert stage["allocated_peak"] + over["allocator"] == stage["reserved_peak"]
        assert stage["reserved_peak"] + over["context"] + over["communicators"] == stage["nvidia_smi"]
        assert len(stage["in_flight"]) == len(stage["kept_by_micro_batch"]) == report["plan"]["layout"]["vpp"]
        for instant in stage["instants"]:
            values = [*instant["states"].values(), instant["activations"], instant["logits"], instant["transient"]]
            assert sum(values) == instant["allocated"]
            assert all(isinstance(value, int) and value >= 0 for value in values)
    worst = max(report["stages"], key=lambda stage: stage["nvidia_smi"])
    assert report["stages"][report["worst_stage"]]["nvidia_smi"] == worst["nvidia_smi"]
    assert report["fits"] in ("yes", "tight", "no")


@pytest.mark.parametrize("seed", SEEDS[:60])
def test_the_understood_plan_gives_the_same_report_and_it_is_json(seed):
    report = memory_report(legal_plan(seed))
    text = json.dumps(report, allow_nan=False)
    assert json.dumps(memory_report(json.loads(text)["plan"]), allow_nan=False) == text


@pytest.mark.parametrize("seed", SEEDS)
def test_no_stage_rests_with_more_when_the_zero_stage_rises(seed):
    given = legal_plan(seed)
    found = [resting(with_layout(given, zero=zero)) for zero in stages(given)]
    for lower, higher in itertools.pairwise(found):
        # Padding: FSDP2 rounds each parameter's rows up, and PyTorch's ZeRO-1 deals whole parameters.
        assert all(high <= low * 1.02 + 2**16 for low, high in zip(lower, higher, strict=True)), (lower, higher)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_stage_rests_with_more_when_tensor_parallelism_rises(seed):
    given = legal_plan(seed)
    given["activation"]["implementation"] = "torch"
    given["layout"] |= {"ep": 1, "etp": 1, "shard_group": None, "vocab_multiple": 1}
    stages = [resting(with_layout(given, tp=tp)) for tp in (1, 2, 4, 8)]
    for lower, higher in itertools.pairwise(stages):
        assert all(high <= low * 1.02 + 2**16 for low, high in zip(lower, higher, strict=True)), (lower, higher)


@pytest.mark.parametrize("seed", SEEDS[:60])
def test_resting_states_over_the_pipeline_grow_by_a_second_copy_of_tied_embeddings_alone(seed):
    given = legal_plan(seed)
    given["activation"]["implementation"] = "torch"
    given["layout"] |= {"vpp": 1, "stage_layers": None, "zero": PRESETS[given["recipe"]["preset"]][0]}
    given["schedule"] = {"kind": "1f1b"}
    shape = given["model"]["architecture"]
    if given["recipe"]["preset"] == "fsdp2":
        given["recipe"]["preset"] = "zero-paper"
        given["layout"]["zero"] = 0
    given["recipe"]["offload"] = offered(given)
    alone, *more = (sum(resting(with_layout(given, pp=pp))) for pp in (1, 2, 4))
    second = 0
    if shape["tie_word_embeddings"]:
        second = -(-shape["vocab_size"] // 1024) * 1024 * shape["hidden_size"] * 32
    assert all(alone - 64 <= total <= alone + second + 64 for total in more)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_layer_keeps_more_with_tensor_or_sequence_parallelism(seed):
    given = legal_plan(seed)
    given["layout"] |= {"ep": 1, "etp": 1, "shard_group": None}

    def kept(tp, sequence):
        plan = read_plan(with_layout(given, tp=tp, sequence_parallel=sequence))
        moe = bool(plan.shape.num_experts)
        return layer_kept(plan, moe=moe, recomputed=True).amount_bytes

    for sequence in (False, True):
        amounts = [kept(tp, sequence) for tp in (1, 2, 4, 8)]
        assert all(more <= less + 4096 for less, more in itertools.pairwise(amounts))
    for tp in (2, 8):
        assert kept(tp, True) <= kept(tp, False)


@pytest.mark.parametrize("seed", SEEDS[:80])
def test_recomputation_never_keeps_more(seed):
    given = legal_plan(seed)
    given["activation"]["recompute_layers"] = None

    def kept(policy):
        given["activation"]["recompute"] = policy
        plan = read_plan(given)
        return layer_kept(plan, moe=bool(plan.shape.num_experts), recomputed=True).amount_bytes

    none = kept("none")
    assert kept("full") <= min(kept("selective"), kept("op-selective"))
    assert kept("selective") <= none


def replicated(seed):
    """Whether a random plan has more than one data-parallel replica."""
    given = legal_plan(seed)
    return given["cluster"]["gpus"] > given["layout"]["tp"] * given["layout"]["pp"] * given["layout"]["cp"]


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if replicated(seed)][:40])
def test_the_saving_of_zero_depends_on_the_replicas_alone(seed):
    given = legal_plan(seed)
    given["recipe"]["preset"], given["layout"]["zero"] = "zero-paper", 3
    given["layout"] |= {"ep": 1, "etp": 1, "shard_group": None}
    swapped = copy.deepcopy(given)
    dp = given["cluster"]["gpus"] // (given["layout"]["tp"] * given["layout"]["pp"] * given["layout"]["cp"])
    swapped["layout"]["cp"] = given["layout"]["cp"] * dp
    swapped["batch"]["global_batch"] = given["batch"]["global_batch"] // dp
    states = [[stage["states"] for stage in memory_report(plan)["stages"]] for plan in (given, swapped)]
    assert states[0] == states[1]


WRONG = (
    None,
    True,
    -1,
    0,
    1.5,
    10**400,
    float("nan"),
    float("inf"),
    "",
    "x",
    "nan",
    [],
    {},
    [1],
    [[]],
    "é\n",
    -(10**30),
)


def test_malformed_plans_by_the_thousand_are_refused_by_name_or_answered():
    refused = 0
    for seed in range(4000):
        draw = random.Random(seed)
        given = legal_plan(seed % 200)
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            section = draw.choice(list(given))
            if not isinstance(given[section], dict) or draw.random() < 0.05:
                given[section] = draw.choice(WRONG)
                continue
            target = given[section]
            if section == "model" and isinstance(target.get("architecture"), dict):
                target = target["architecture"]
            key = draw.choice([*target, "unknown"])
            if draw.random() < 0.1:
                target.pop(key, None)
            else:
                target[key] = draw.choice((*WRONG, 3, 7, 64, 10**6, 10**12))
        try:
            json.dumps(memory_report(given), allow_nan=False)
        except Invalid as error:
            refused += 1
            assert error.message
            assert error.field
            json.dumps(error.as_dict(), allow_nan=False)
    assert refused > 2000
