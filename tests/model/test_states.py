"""The ledger of model states: identities that must hold for every layout, and what each preset costs."""

import pytest

from model.layout import Layout, split_layers
from model.memory import states
from model.recipe import MOMENTS, PRESETS, named

ZERO_PAPER = named("zero-paper")


def layout(*, dp=1, tp=1, pp=1, cp=1, zero=0, stage_layers=None):
    return Layout(dp=dp, tp=tp, pp=pp, cp=cp, vpp=1, zero=zero, stage_layers=stage_layers)


def total(parameters, recipe=ZERO_PAPER, **degrees):
    return max(ledger.total_bytes for ledger in states(parameters, recipe, layout(**degrees)))


def test_sixteen_bytes_are_the_sum_of_their_parts():
    assert (ZERO_PAPER.weight_bytes, ZERO_PAPER.gradient_bytes) == (2, 2)
    assert (ZERO_PAPER.master_bytes, ZERO_PAPER.moment_bytes) == (4, 4 + 4)
    assert ZERO_PAPER.total_bytes == 16


@pytest.mark.parametrize(
    ("zero", "gpus", "expected_gb"),
    [
        (0, 8, 120),
        (1, 8, 41.25),
        (2, 8, 28.125),
        (3, 8, 15),
        (0, 64, 120),
        (1, 64, 31.40625),
        (2, 64, 16.640625),
        (3, 64, 1.875),
    ],
)
def test_the_lessons_figures(zero, gpus, expected_gb):
    assert total(7_500_000_000, dp=gpus, zero=zero) == expected_gb * 1e9


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("optimizer", MOMENTS)
def test_shards_over_all_replicas_sum_to_the_whole(preset, optimizer):
    recipe, parameters, dp = named(preset, optimizer), 64 * 3 * 5 * 7 * 10**6, 64
    for zero in PRESETS[preset].stages:
        (ledger,) = states(parameters, recipe, layout(dp=dp, zero=zero))
        for entry in ledger.entries:
            (whole,) = states(parameters, recipe, layout(dp=1, zero=zero))
            copies = 1 if recipe.shards(entry.what, zero) else dp
            assert entry.amount_bytes * dp == whole.bytes_of(entry.what) * copies


@pytest.mark.parametrize("preset", PRESETS)
def test_one_replica_has_nothing_to_shard(preset):
    for zero in PRESETS[preset].stages:
        assert total(10**9, named(preset), zero=zero) == 10**9 * named(preset).total_bytes


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_no_states_rise_when_a_degree_or_the_stage_rises(zero):
    parameters = 7_500_000_000
    for dp in (1, 3, 8, 64):
        for degree in range(1, 9):
            assert total(parameters, dp=dp, tp=degree + 1, zero=zero) <= total(parameters, dp=dp, tp=degree, zero=zero)
            assert total(parameters, dp=dp, pp=degree + 1, zero=zero) <= total(parameters, dp=dp, pp=degree, zero=zero)
        if zero:
            assert total(parameters, dp=dp, zero=zero) <= total(parameters, dp=dp, zero=zero - 1)


def test_stages_together_hold_the_model_however_uneven():
    parameters, cut = 7_500_000_000, split_layers(24, 5)
    ledgers = states(parameters, ZERO_PAPER, layout(pp=5, stage_layers=cut))
    assert [ledger.layers for ledger in ledgers] == [5, 5, 5, 5, 4]
    assert sum(ledger.total_bytes for ledger in ledgers) == parameters * 16
    assert ledgers[0].total_bytes == 25_000_000_000


def test_a_shard_that_does_not_divide_is_rounded_up_to_the_largest_rank():
    (ledger,) = states(10, ZERO_PAPER, layout(dp=3, zero=3))
    assert [entry.amount_bytes for entry in ledger.entries] == [7, 7, 40]  # 20/3, 20/3, 120/3


@pytest.mark.parametrize("layers", [1, 24, 80])
@pytest.mark.parametrize("parts", [1, 3, 5, 7, 8])
def test_layers_are_dealt_once_each_and_as_evenly_as_they_go(layers, parts):
    cut = split_layers(layers, parts)
    assert sum(cut) == layers
    assert max(cut) - min(cut) <= 1
    assert list(cut) == sorted(cut, reverse=True)


def test_the_saving_depends_on_the_replicas_and_never_on_the_number_of_gpus():
    assert total(8 * 10**9, dp=1, tp=8, zero=3) == total(8 * 10**9, dp=1, tp=8, zero=0)


def test_context_parallel_ranks_are_replicas_too():
    assert total(8 * 10**9, dp=4, cp=2, zero=3) == total(8 * 10**9, dp=8, zero=3)


@pytest.mark.parametrize(
    ("preset", "zero", "dp", "bytes_per_parameter"),
    [
        ("ddp-amp", 0, 8, 16),
        ("fsdp2", 2, 8, 2),
        ("fsdp2", 3, 8, 2),
        ("megatron", 0, 8, 18),
        ("megatron", 1, 8, 6 + 12 / 8),
        ("deepspeed", 2, 8, 2 + 14 / 8),
        ("nanotron", 0, 24, 20),
        ("nanotron", 1, 24, 8 + 12 / 24),
        ("pure-bf16", 0, 1, 8),
    ],
)
def test_presets_cost_what_their_frameworks_hold(preset, zero, dp, bytes_per_parameter):
    assert total(24 * 10**9, named(preset), dp=dp, zero=zero) == 24e9 * bytes_per_parameter


def test_nanotron_at_rest_with_zero_1_gives_the_half_precision_gradients_back():
    # 1.04 B parameters, d = 24: 6.5 bytes a parameter between steps (measured 6,517.5 MiB on H100).
    (ledger,) = states(1_040_000_000, named("nanotron"), layout(dp=24, zero=1))
    assert ledger.total_bytes - ledger.freed_bytes == 1_040_000_000 * 6.5


@pytest.mark.parametrize(
    ("optimizer", "expected"), [("adamw", 8), ("adam-8bit", 2), ("sgd", 0), ("sgd-momentum", 4), ("lion", 4)]
)
def test_moments_of_each_optimizer(optimizer, expected):
    assert named("zero-paper", optimizer).moment_bytes == expected


def test_every_entry_says_how_it_was_computed_and_where_the_formula_is_from():
    (ledger,) = states(7_500_000_000, ZERO_PAPER, layout(dp=8, zero=1))
    optimizer = ledger.entries[2]
    assert optimizer.formula == "P_rank · 12 / (dp · cp)"
    assert optimizer.numbers == "7500000000 · 12 / 8"
    assert all(entry.source for entry in ledger.entries)
