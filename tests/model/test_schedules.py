"""Which schedules are legal, and what is said of those that are not; their orders are compared in ``evidence``."""

import json
from pathlib import Path

import pytest

from model.errors import Invalid
from model.schedules import KINDS, MOST_CHUNKS, Shape, order

DATA = json.loads((Path(__file__).parent / "data" / "pipeline_orders.json").read_text("utf-8"))


def test_each_kind_has_an_order_that_four_processes_really_ran():
    assert {row["kind"] for row in DATA["cases"] if row["executed"]} == set(KINDS)


def test_interleaving_one_chunk_is_1f1b():
    for m in range(1, 13):
        if m % max(1, m // 4) == 0:
            assert order(Shape.checked("interleaved", 4, m, 1)) == order(Shape.checked("1f1b", 4, m, 1))


@pytest.mark.parametrize(
    ("kind", "virtual"), [("gpipe", 1), ("1f1b", 1), ("zb-h1", 1), ("interleaved", 2), ("zb-v", 2), ("dualpipe-v", 2)]
)
def test_a_kind_knows_its_chunks(kind, virtual):
    assert Shape.checked(kind, 2, 4, None).virtual == virtual


@pytest.mark.parametrize("kind", ["gpipe", "1f1b", "zb-h1", "zb-v", "interleaved"])
def test_fewer_micro_batches_than_stages_are_legal(kind):
    assert len(order(Shape.checked(kind, 5, 2, None))) == 5


@pytest.mark.parametrize(
    ("arguments", "field", "code", "words"),
    [
        (("1f1", 4, 8, None), "kind", "unknown_value", ["did you mean '1f1b'"]),
        (("1f1b", 0, 8, None), "stages", "out_of_range", ["at least 1"]),
        (("1f1b", 4, 0, None), "micro_batches", "out_of_range", ["at least 1"]),
        (("interleaved", 4, 8, 0), "virtual", "out_of_range", ["at least 1"]),
        (("gpipe", 4, 8, 2), "virtual", "contradiction", ["1", "2"]),
        (("zb-v", 4, 8, 3), "virtual", "contradiction", ["2", "3"]),
        (("dualpipe-v", 4, 7, None), "micro_batches", "out_of_range", ["4 stages", "it is 7", "works is 8"]),
        (("interleaved", 4, 9, 2), "micro_batches", "not_divisible", ["4 stages", "it is 9", "8 or 10"]),
        (("interleaved", 4, 23, 2), "micro_batches", "not_divisible", ["4 stages", "it is 23", "works is 24"]),
    ],
)
def test_an_illegal_shape_names_the_field_and_the_numbers(arguments, field, code, words):
    with pytest.raises(Invalid) as caught:
        Shape.checked(*arguments)
    assert (caught.value.field, caught.value.code) == (field, code)
    assert [word for word in words if word not in caught.value.message] == []


def test_the_nearest_number_that_an_error_offers_is_legal_and_none_is_nearer():
    for p in range(1, 8):
        for m in range(1, 60):
            legal = [number for number in range(1, 120) if number % max(1, number // p) == 0]
            if m in legal:
                assert Shape.checked("interleaved", p, m, 2).micro_batches == m
                continue
            with pytest.raises(Invalid) as caught:
                Shape.checked("interleaved", p, m, 2)
            nearest = min(abs(number - m) for number in legal)
            assert caught.value.values["nearest"] == [number for number in legal if abs(number - m) == nearest]


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        (("1f1b", 4, 3, None), ["pytorch_refuses"]),
        (("1f1b", 4, 4, None), []),
        (("zb-h1", 4, 9, None), ["pytorch_refuses"]),
        (("zb-h1", 4, 10, None), []),
        (("interleaved", 4, 10, 2), ["megatron_refuses"]),
        (("interleaved", 4, 8, 2), []),
    ],
)
def test_shapes_that_a_framework_refuses_are_marked(arguments, codes):
    assert [note["code"] for note in Shape.checked(*arguments).notes()] == codes


def test_a_schedule_too_large_to_lay_out_is_refused_at_once():
    with pytest.raises(Invalid, match=str(MOST_CHUNKS)):
        order(Shape.checked("gpipe", 10**12, 10**12, None))


def test_stages_are_dealt_round_robin_or_along_a_v():
    assert [Shape.checked("interleaved", 3, 3, 2).rank_of(stage) for stage in range(6)] == [0, 1, 2, 0, 1, 2]
    assert [Shape.checked("zb-v", 3, 3, 2).rank_of(stage) for stage in range(6)] == [0, 1, 2, 2, 1, 0]
