"""The bytes of every rank beside the model's: the right ones pass, and one byte off fails. No torch here."""

import json

import pytest

from scripts.measure.kinds import states
from scripts.measure.splits import PRECISIONS, STRATEGIES

from .made_states import PARAMETERS, held, planned, record

ROOT = 1024 * 192 * 2 + 64 * 192 + 2 * 192  # embeddings, final norm and head of the tiny network
ZERO_1 = (7_896_576, 7_896_576, 7_962_624, 7_962_624)  # bytes of moments, as torch 2.13 dealt them to 4 ranks


def wrong(made):
    """What does not agree with the model."""
    return [check.what for check in states.checks(made) if not check.holds]


@pytest.mark.parametrize(
    ("strategy", "precision", "ranks"),
    [
        ("ddp", "fp32", [held()] * 2),
        ("ddp", "bf16-master", [held("bf16-master")] * 2),
        ("ddp-copy", "fp32", [held(bucket=4 * PARAMETERS)] * 2),
        ("ddp-copy", "bf16-master", [held("bf16-master", bucket=2 * PARAMETERS)] * 2),
        ("zero-1", "autocast", [held("autocast", optimizer_share=2)] * 2),
        ("fsdp2", "fp32", [held(share=2, gathered=4 * ROOT)] * 2),
        ("fsdp2", "mixed", [held("mixed", share=2, gathered=2 * ROOT)] * 2),
        ("fsdp2-kept", "mixed", [held("mixed", share=2, gathered=2 * PARAMETERS)] * 2),
    ],
)
def test_what_a_strategy_holds_passes_and_a_byte_more_or_less_fails(strategy, precision, ranks):
    case, *_ = planned(2, strategy=strategy, precision=precision)
    made = record(case, ranks)
    assert wrong(made) == []
    for rank in range(2):
        for name in ("parameters", "gradients", "optimizer", "bucket", "gathered"):
            for by in (-1, 1):
                off = json.loads(json.dumps(made))
                off["result"]["ranks"][rank][f"{name}_bytes"] += by
                assert wrong(off) == [f"rank {rank}, {name}"]


def test_every_rank_of_zero_1_has_its_own_parameters():
    (case, *_) = planned(4, strategy="zero-1", precision="fp32", size="tiny")
    ranks = [{**held(), "optimizer_bytes": moments} for moments in ZERO_1]
    assert wrong(record(case, ranks)) == []
    assert wrong(record(case, ranks[::-1])) == [f"rank {rank}, optimizer" for rank in range(4)]


def test_hybrid_sharding_shares_a_copy_among_half_the_ranks():
    (case, *_) = planned(4, strategy="hybrid", precision="fp32")
    assert wrong(record(case, [held(share=2, gathered=4 * ROOT)] * 4)) == []


def test_a_pipeline_has_its_stages_in_the_order_of_its_schedule():
    layer = 12 * 192**2 + 13 * 192
    first, last = 1024 * 192 + 64 * 192, 1024 * 192 + 2 * 192
    held_by = {
        "1F1B": [2 * layer + first, 2 * layer, 2 * layer, 2 * layer + last],
        "ZBVZeroBubble": [2 * layer + first + last, 2 * layer, 2 * layer, 2 * layer],
    }
    for schedule, numbers in held_by.items():
        (case, *_) = planned(4, strategy="pp", precision="fp32", schedule=schedule)
        parts = ("parameters_bytes", "gradients_bytes", "optimizer_bytes")
        each = [
            {**held(), **{part: n * bytes_ for part, bytes_ in zip(parts, (4, 4, 8), strict=True)}} for n in numbers
        ]
        assert wrong(record(case, each)) == []
        assert wrong(record(case, each[::-1]))


@pytest.mark.parametrize("world", [2, 4, 8])
def test_each_strategy_precision_and_form_of_adamw_is_measured(world):
    found = [case.asked for case in states.cases("gpu", world, "cuda")]
    assert {asked["strategy"] for asked in found} == {
        name for name, split in STRATEGIES.items() if world > 2 or not split.in_two
    }
    assert {asked["precision"] for asked in found} == set(PRECISIONS)
    assert {asked["adamw"] for asked in found} == {"foreach", "fused"}
    assert {asked["device"] for asked in found} == {"cuda"}


@pytest.mark.parametrize("world", [2, 3, 4, 6, 8, 9, 16, 64])
def test_every_case_has_a_plan(world):
    for case in states.cases("gpu", world, "cuda"):
        assert states.checks(record(case, [held()] * world))


def test_ranks_that_divide_no_batch_are_refused_in_a_sentence():
    with pytest.raises(
        ValueError, match="7 processes do not divide a batch of 16 or 24 sequences; start 2, 3, 4, 6, 8"
    ):
        states.cases("ci", 7, "cpu")


@pytest.mark.parametrize(("suite", "world"), [("scale", 1), ("one-gpu", 1), ("ci", 1)])
def test_nothing_is_split_over_one_process(suite, world):
    assert states.cases(suite, world, "cpu") == []
