"""What a card computes and reads in a second: bounds, sources and errors."""

import pytest

from model.catalog import GPUS, SOURCES, gpu_named
from model.errors import Invalid
from model.links import LINKS
from model.speeds import SPEEDS, speed_of


def test_every_card_of_the_catalogue_has_a_speed_with_a_source():
    assert list(SPEEDS) == list(GPUS)
    assert {speed.source for speed in SPEEDS.values()} <= set(SOURCES)


@pytest.mark.parametrize("name", SPEEDS)
def test_no_measurement_beats_the_peak_and_links_are_known(name):
    speed = SPEEDS[name]
    assert 0.5 < speed.matmul_frac < 0.9
    assert {speed.intra, speed.inter} - {None} <= set(LINKS)


def test_the_sparse_figure_of_an_h100_is_nowhere():
    assert SPEEDS["h100-sxm-80gb"].peak_flops("bf16") == 989e12


@pytest.mark.parametrize(
    ("gpu", "compute", "field"),
    [
        ("card-80gb", "bf16", "cluster.gpu"),
        ("v100-sxm-32gb", "bf16", "recipe.compute"),
        ("t4-16gb", "fp8", "recipe.compute"),
    ],
)
def test_a_card_without_the_rate_is_refused_by_field(gpu, compute, field):
    with pytest.raises(Invalid) as error:
        speed_of(gpu_named(gpu), compute)
    assert error.value.field == field
