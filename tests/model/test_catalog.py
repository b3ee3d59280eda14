"""The catalogue: no card is left uncompared, and every source is listed."""

import json
from pathlib import Path

from model.catalog import EXAMPLE, GPUS, SOURCES, ZERO_FIGURE_1_GB, gpu_named
from model.facts import example_ledger

CARDS = json.loads((Path(__file__).parent / "data" / "card_memory.json").read_text("utf-8"))


def test_every_published_card_was_compared():
    assert set(GPUS) - {row["name"] for row in CARDS} == {"h100-sxm-96gb"}


def test_a_made_up_card_holds_exactly_its_label():
    assert gpu_named("card-80gb").capacity_bytes == 80 * 10**9


def test_every_source_is_listed_with_what_was_taken_from_it():
    assert {gpu.source for gpu in GPUS.values()} <= set(SOURCES)
    assert all(source.url.startswith("https://") and source.what for source in SOURCES)


def test_the_example_is_the_one_of_figure_1():
    computed = {
        zero: round(example_ledger(zero=zero, gpus=EXAMPLE.many_gpus).total_bytes / 1e9, 1) for zero in range(4)
    }
    assert computed == ZERO_FIGURE_1_GB
