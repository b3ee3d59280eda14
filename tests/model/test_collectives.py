"""Collectives: bounds that measured links keep, and what must hold for any group."""

import json
import math
from pathlib import Path

import pytest

from model.collectives import ALGORITHMS, OPS, Group, collective
from model.errors import Invalid
from model.links import LINKS, link_named

DATA = Path(__file__).parent / "data"
PUBLISHED = json.loads((DATA / "collectives.json").read_text("utf-8"))
GIB = 2**30


def cost(op, size, ranks, link="100:0", *, per_node=None, inter=None, algorithm="ring", achieved=False):
    group = Group.checked(
        ranks=ranks,
        per_node=per_node,
        link=link_named(link, "link"),
        inter=None if inter is None else link_named(inter, "inter_link"),
    )
    return collective(op, size, group, algorithm, achieved=achieved)


# Definitions.


@pytest.mark.parametrize(
    ("op", "algorithm", "over_s"),
    [
        ("all-reduce", "ring", lambda n: 2 * (n - 1) / n),
        ("reduce-scatter", "ring", lambda n: (n - 1) / n),
        ("all-gather", "ring", lambda n: (n - 1) / n),
        ("all-to-all", "ring", lambda n: (n - 1) / n),
        ("broadcast", "ring", lambda n: 1),
        ("send", "ring", lambda n: 1),
        ("all-reduce", "nvls", lambda n: (n + 1) / n),
        ("all-reduce", "tree", lambda n: min(2, n - 1)),
    ],
)
def test_bytes_that_a_rank_sends(op, algorithm, over_s):
    for n in (2, 3, 4, 8, 72):
        size = n * 10**6
        assert cost(op, size, n, algorithm=algorithm).sent_bytes == round(size * over_s(n))


def test_bytes_that_do_not_divide_are_rounded_up():
    assert cost("all-gather", 10, 3).sent_bytes == 7
    assert cost("all-reduce", 10, 3).sent_bytes == 14


@pytest.mark.parametrize(("op", "steps"), [("all-reduce", 14), ("reduce-scatter", 7), ("all-gather", 7), ("send", 1)])
def test_time_is_latency_times_steps_plus_bytes_over_rate(op, steps):
    price = cost(op, 8 * 10**9, 8, "100:5")
    assert price.time_s == pytest.approx(steps * 5e-6 + price.sent_bytes / 100e9, rel=1e-12)


def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather():
    for n in (2, 5, 8, 32):
        for where in ({}, {"per_node": 1, "inter": "50:9"}) if n < 32 else ({"per_node": 8, "inter": "50:9"},):
            size = n * 12345
            whole = cost("all-reduce", size, n, "300:3", **where)
            parts = [cost(op, size, n, "300:3", **where) for op in ("reduce-scatter", "all-gather")]
            assert whole.sent_bytes == sum(part.sent_bytes for part in parts)
            assert whole.time_s == pytest.approx(sum(part.time_s for part in parts), rel=1e-12)


def test_a_ring_without_latency_shows_its_links_rate_as_bus_bandwidth():
    for n in (2, 3, 8, 100):
        for op in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"):
            assert cost(op, GIB, n, "450:0").busbw_gb_per_s == pytest.approx(450, rel=1e-12)


def test_algbw_is_size_over_time_and_busbw_that_times_the_factor():
    for algorithm in ALGORITHMS:
        price = cost("all-reduce", GIB, 8, "450:3", algorithm=algorithm)
        assert price.algbw_gb_per_s == pytest.approx(GIB / price.time_s / 1e9, rel=1e-12)
        assert price.busbw_gb_per_s == pytest.approx(price.algbw_gb_per_s * 14 / 8, rel=1e-12)


def test_an_all_reduce_in_the_switch_is_bound_by_n_over_n_plus_1_and_may_show_more_than_the_link():
    for n in (2, 4, 8, 72):
        price = cost("all-reduce", GIB, n, "450:0", algorithm="nvls")
        assert price.algbw_gb_per_s == pytest.approx(450 * n / (n + 1), rel=1e-12)
    # NVIDIA's 480 on 450 GB/s at n = 8 is above the link and below the bound of 700.
    assert 450 < 480 < cost("all-reduce", 64 * GIB, 8, "nvlink4", algorithm="nvls").busbw_gb_per_s <= 700
    achieved = cost("all-reduce", 2**50, 8, "nvlink4", algorithm="nvls", achieved=True)
    assert achieved.busbw_gb_per_s == pytest.approx(480, rel=1e-3)


# Tiers.


def test_a_group_inside_a_node_never_uses_the_network():
    inside = cost("all-reduce", GIB, 8, "450:3", per_node=8, inter="1:1000")
    assert inside == cost("all-reduce", GIB, 8, "450:3")


def test_one_rank_a_node_uses_nothing_but_the_network():
    spread = cost("all-reduce", GIB, 8, "450:3", per_node=1, inter="50:14")
    assert spread.time_s == cost("all-reduce", GIB, 8, "50:14").time_s
    assert [tier.name for tier in spread.tiers] == ["inter"]


def test_a_ring_over_full_nodes_spreads_over_the_nodes_links():
    price = cost("all-reduce", 32 * 10**6, 32, "450:3", per_node=8, inter="50:14")
    intra, inter = price.tiers
    assert intra.sent_bytes == price.sent_bytes == 8 * inter.sent_bytes == 62 * 10**6
    assert (intra.steps, inter.steps) == (56, 6)  # NCCL: 2(k − 1) of the 2(n − 1) steps leave a node
    assert price.time_s == pytest.approx(56 * 3e-6 + 6 * 14e-6 + inter.sent_bytes / 50e9, rel=1e-12)


def test_all_to_all_sends_each_part_over_the_tier_it_needs():
    price = cost("all-to-all", 32 * 10**6, 32, "450:3", per_node=8, inter="50:14")
    assert [tier.sent_bytes for tier in price.tiers] == [7 * 10**6, 24 * 10**6]
    assert sum(tier.sent_bytes for tier in price.tiers) == price.sent_bytes


def test_a_send_between_nodes_takes_one_step_over_one_link():
    assert cost("send", 50 * 10**9, 2, "450:3", per_node=1, inter="50:14").time_s == pytest.approx(1 + 14e-6)
    assert cost("send", 45 * 10**9, 2, "450:3").time_s == pytest.approx(0.1 + 3e-6)


def test_a_group_of_one_sends_nothing():
    for op in OPS:
        price = cost(op, GIB, 1, "nvlink4")
        assert (price.sent_bytes, price.time_s, price.algbw_gb_per_s, price.busbw_gb_per_s) == (0, 0, None, None)


def test_time_grows_with_bytes_and_with_nodes():
    for op in OPS:
        for algorithm in ALGORITHMS if op == "all-reduce" else ("ring",):
            times = [cost(op, 2**power, 8, "nvlink4", algorithm=algorithm).time_s for power in range(10, 34)]
            assert times == sorted(times)
            assert all(0 < time < math.inf for time in times)
        spans = [cost(op, GIB, 8 * k, "nvlink4", per_node=8, inter="ib-400").time_s for k in (1, 2, 4, 8)]
        assert spans == sorted(spans)


def test_a_tree_beats_a_ring_for_little_data_over_many_ranks_and_not_for_much():
    ring, tree = (
        lambda size, a=a: cost("all-reduce", size, 512, "50:14", algorithm=a).time_s for a in ("ring", "tree")
    )
    assert tree(1024) < ring(1024) / 10
    assert tree(10**13) > ring(10**13)


# Links and their bounds.


@pytest.mark.parametrize("link", LINKS.values(), ids=lambda link: link.name)
def test_links_have_sources_and_none_was_measured_above_its_rate(link):
    assert link.rate_source and link.latency_source
    assert link.measured_gb_per_s is None or link.measured_gb_per_s < link.rate_gb_per_s


@pytest.mark.parametrize("row", PUBLISHED["sharp"], ids=lambda row: f"{row['gpu']}-{row['gpus']}")
def test_what_was_measured_stays_below_the_bound(row):
    link = {"H200": "nvlink4", "B200": "nvlink5"}[row["gpu"]]
    bound = cost("all-reduce", row["bytes"], row["gpus"], link, algorithm=row["algo"].lower())
    assert row["busbw_GBps"] <= bound.busbw_gb_per_s


# What is refused.


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ({"op": "all-reduze"}, "op", "unknown_value"),
        ({"size": 0}, "bytes", "out_of_range"),
        ({"ranks": 0}, "ranks", "out_of_range"),
        ({"ranks": -8}, "ranks", "out_of_range"),
        ({"link": "nvlink9"}, "link", "unknown_value"),
        ({"link": "0:1"}, "link", "out_of_range"),
        ({"link": "1e3:1"}, "link", "unknown_value"),
        ({"link": "-5:1"}, "link", "unknown_value"),
        ({"link": "50"}, "link", "unknown_value"),
        ({"link": "٣:1"}, "link", "unknown_value"),
        ({"link": None}, "link", "unknown_value"),
        ({"per_node": 4}, "inter_link", "missing_field"),
        ({"per_node": 0, "inter": "ib-400"}, "ranks_per_node", "out_of_range"),
        ({"inter": "ib-400"}, "ranks_per_node", "missing_field"),
        ({"ranks": 12, "per_node": 8, "inter": "ib-400"}, "ranks", "not_divisible"),
        ({"algorithm": "nvl"}, "algorithm", "unknown_value"),
        ({"algorithm": "nvls", "op": "broadcast"}, "algorithm", "not_supported"),
        ({"algorithm": "tree", "op": "all-gather"}, "algorithm", "not_supported"),
        ({"algorithm": "nvls", "link": "nvlink3"}, "algorithm", "not_supported"),
        ({"algorithm": "nvls", "per_node": 4, "inter": "ib-400"}, "algorithm", "not_supported"),
        ({"achieved": True, "link": "ib-100"}, "link", "not_supported"),
    ],
)
def test_a_wrong_collective_names_the_field(given, field, code):
    asked = {"op": "all-reduce", "size": GIB, "ranks": 8, "link": "nvlink4", **given}
    with pytest.raises(Invalid) as caught:
        cost(asked.pop("op"), asked.pop("size"), asked.pop("ranks"), asked.pop("link"), **asked)
    assert (caught.value.field, caught.value.code) == (field, code)
    assert caught.value.message
