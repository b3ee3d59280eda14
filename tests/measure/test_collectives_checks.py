"""What `compare` says of a record of a collective: of its curve, and of the link that carried it."""

import pytest

from model.catalog import GPUS
from model.collectives import OPS, Group, collective
from model.links import LINKS
from scripts.measure.cards import CARDS, card_of
from scripts.measure.kinds.collectives import cases, checks, sizes

H100 = "NVIDIA H100 80GB HBM3"


def record(op="all-reduce", *, backend="nccl", device=H100, world=8, nodes=1, slower=1.0, residual=0.1):
    """A record of a link as fast as the model says, times ``slower``."""
    group = Group.checked(ranks=world, per_node=None, link=LINKS["nvlink4"], inter=None)
    found, times = sizes(2**28, world), []
    for size in found:
        algorithms = ("ring", "nvls") if op == "all-reduce" else ("ring",)
        quickest = min(collective(op, size, group, name, achieved=True).time_s for name in algorithms)
        times.append(dict.fromkeys(("p10", "p50", "p90"), quickest * slower))
    return {
        "case": {"op": op, "world": world},
        "provenance": {"backend": backend, "device": device, "nodes": nodes},
        "result": {"size_bytes": found, "time_s": times, "alpha_s": {"p50": 9e-6}, "residual": residual},
    }


def failed(told):
    return [check.what for check in checks(told) if not check.holds and not check.why]


@pytest.mark.parametrize("op", OPS)
def test_a_link_as_fast_as_the_model_says_agrees(op):
    assert failed(record(op)) == []
    assert len(checks(record(op))) == 4


@pytest.mark.parametrize(("slower", "found"), [(0.74, 1), (0.76, 0), (1.24, 0), (1.26, 1)])
def test_the_largest_array_may_take_a_quarter_more_or_less(slower, found):
    assert len(failed(record(slower=slower))) == found


def test_an_alpha_that_holds_a_launch_is_explained():
    (alpha,) = [check for check in checks(record()) if check.what.startswith("α, over")]
    assert not alpha.holds
    assert "launch" in alpha.why


@pytest.mark.parametrize("where", [{"backend": "gloo"}, {"nodes": 2}, {"device": "a card that nobody knows"}])
def test_only_a_known_link_is_compared(where):
    assert failed(record(slower=9, **where)) == []
    assert len(checks(record(**where))) == 2


def test_a_fit_that_explains_nothing_is_found():
    assert failed(record(residual=0.7)) == ["what α · steps + bytes / β is off"]


def test_a_larger_array_that_takes_half_as_long_is_found():
    told = record(backend="gloo")
    told["result"]["time_s"][2]["p10"] *= 100
    assert failed(told) == ["sizes in half the time of a smaller one"]


def test_a_record_without_its_times_has_nothing_to_compare():
    told = record(backend="gloo")
    del told["result"]["time_s"]
    with pytest.raises(KeyError):
        checks(told)


def test_sizes_divide_among_ranks():
    for world in (2, 3, 8, 72):
        found = sizes(2**28, world)
        assert [size % (4 * world) for size in found] == [0] * 10
        assert all(0 <= size - 2**power < 4 * world for size, power in zip(found, range(10, 30, 2), strict=True))


def test_every_suite_has_its_cases():
    assert len(cases("ci", 2, "cpu")) == len(cases("gpu", 8, "cuda")) == len(OPS)
    assert cases("ci", 4, "cpu") == cases("gpu", 1, "cuda") == cases("one-gpu", 1, "cuda") == []


def test_drivers_names_lead_to_cards_of_the_catalogue():
    assert set(CARDS.values()) <= set(GPUS)
    assert (card_of(H100), card_of("AMD EPYC")) == ("h100-sxm-80gb", None)
