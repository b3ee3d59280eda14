"""The event engine: bubbles of every kind, and what must hold for every schedule and any times."""

import json
import random
from fractions import Fraction
from itertools import pairwise

import pytest

from model import pipeline
from model.closed_forms import closed_form, quick_summary
from model.errors import Invalid
from model.operations import Fused
from model.pipeline import Cost, Times, peak_in_flight, run, summary
from model.schedule_report import schedule_report
from model.schedules import KINDS, Shape, order


def totals(kind, p, m, v=None, *, forward=1, backward=2, weight=1):
    shape = Shape.checked(kind, p, m, v)
    times = Times.checked(forward=forward, backward=backward, weight=weight, virtual=shape.virtual)
    return summary(shape, times.chunk)


def some_shapes(seed, count):
    """Random legal shapes with random costs, zeros among them."""
    chance = random.Random(seed)
    while count:
        kind = chance.choice(list(KINDS))
        p, m = chance.randint(1, 7), chance.randint(1, 20)
        v = chance.randint(1, 4) if kind == "interleaved" else None
        cost = Cost(*(chance.randint(0, 9) for _ in range(3)))
        if sum(cost) == 0:
            continue
        try:
            shape = Shape.checked(kind, p, m, v)
        except Invalid:
            continue
        count -= 1
        yield shape, cost, chance


def ops_of(event):
    return tuple(event.step) if isinstance(event.step, Fused) else (event.step,)


def test_a_fused_pair_sends_when_both_halves_are_done():
    result = totals("dualpipe-v", 4, 8)
    assert (result.bubble_of_total, result.bubble_of_total_split) == (Fraction(1, 9), Fraction(1, 17))
    for kind in set(KINDS) - {"dualpipe-v"}:
        plain = totals(kind, 4, 8)
        assert plain.bubble_of_total == plain.bubble_of_total_split


# Closed forms that were published.


@pytest.mark.parametrize("kind", ["gpipe", "1f1b"])
def test_both_bubbles_of_gpipe_and_1f1b(kind):
    for p in range(1, 9):
        for m in range(1, 20):
            result = totals(kind, p, m, forward=3, backward=5, weight=2)
            assert result.bubble_over_ideal == Fraction(p - 1, m)
            assert result.bubble_of_total == Fraction(p - 1, m + p - 1)


def test_the_same_schedule_has_two_bubbles():
    result = totals("1f1b", 8, 8)
    assert (float(result.bubble_over_ideal), round(float(result.bubble_of_total), 3)) == (0.875, 0.467)


def test_zb_h1_leaves_a_third_of_the_bubble_and_delays_weight_gradients_by_rank():
    for p in range(1, 9):
        for m in range(p, 3 * p):
            result = totals("zb-h1", p, m)
            assert result.makespan - result.work == p - 1
            assert totals("1f1b", p, m).makespan - result.work == 3 * (p - 1)
            # Table 2, worker i (from 1): (p − i + 1) M_B + (i − 1) M_W.
            assert result.peak_until_input_gradient == tuple(p - rank for rank in range(p))
            assert result.peak_in_flight == (p,) * p


def test_zb_v_has_no_bubble_between_a_ranks_first_operation_and_its_last():
    for p in range(1, 7):
        for m in range(2 * p - 1, 3 * p + 2):
            shape = Shape.checked("zb-v", p, m, None)
            ranks = run(shape, [Cost(1, 1, 1)] * shape.chunks)
            assert {events[-1].end - events[0].start for events in ranks} == {6 * m}
            assert max(events[-1].end for events in ranks) == 6 * m + p - 1


def test_dualpipe_v_has_the_bubble_and_the_activations_of_its_table():
    # (PP/2 − 1)(F&B + B − 3W) and PP + 1 with PP = 2p chunks, F&B = F + B (DeepSeek, DualPipe README).
    for p in range(1, 7):
        for m in range(2 * p, 3 * p + 3):
            result = totals("dualpipe-v", p, m)
            assert result.makespan - result.work == (p - 1) * ((1 + 2) + 2 - 3)
            assert result.peak_in_flight == (2 * p + 1,) * p


# What must hold for every schedule.


def test_every_operation_runs_once_after_its_inputs_and_alone():
    for shape, cost, _ in some_shapes(1, 400):
        for split_pairs in (False, True):
            ranks = run(shape, [cost] * shape.chunks, split_pairs=split_pairs)
            end = {op: event.end for events in ranks for event in events for op in ops_of(event)}
            seen = [op for events in ranks for event in events for op in ops_of(event)]
            assert len(seen) == len(end)
            halves = {(stage, half, k) for stage, work, k in end for half in ("IW" if work == "B" else work)}
            assert halves == {(s, w, k) for s in range(shape.chunks) for w in "FIW" for k in range(shape.micro_batches)}

            def finished(stage, micro_batch, end=end):
                return end.get((stage, "B", micro_batch), end.get((stage, "I", micro_batch)))

            for rank, events in enumerate(ranks):
                assert all(one.end <= other.start for one, other in pairwise(events))
                for event in events:
                    assert all(shape.rank_of(op.stage) == rank for op in ops_of(event))
                    for stage, work, k in ops_of(event):
                        if work == "F" and stage > 0:
                            assert end[stage - 1, "F", k] <= event.start
                        if work in "BI":
                            assert end[stage, "F", k] <= event.start
                            assert stage == shape.chunks - 1 or finished(stage + 1, k) <= event.start
                        if work == "W":
                            assert end[stage, "I", k] <= event.start


def test_a_step_starts_as_soon_as_it_can():
    for shape, cost, _ in some_shapes(2, 100):
        ranks = run(shape, [cost] * shape.chunks)
        ends = {event.end for events in ranks for event in events} | {0}
        assert all(event.start in ends for events in ranks for event in events)


def test_work_and_idle_time_fill_the_makespan_and_in_flight_returns_to_zero():
    for shape, cost, _ in some_shapes(3, 200):
        result = summary(shape, cost)
        for events in run(shape, [cost] * shape.chunks):
            assert sum(event.end - event.start for event in events) == result.work
            works = "".join(op.work for event in events for op in ops_of(event))
            assert works.count("F") == works.count("B") + works.count("W") == shape.virtual * shape.micro_batches
        assert 0 <= result.bubble_of_total < 1
        assert result.makespan >= result.work
        assert result.bubble_over_ideal == result.bubble_of_total / (1 - result.bubble_of_total)
        assert result.makespan_split <= result.makespan


def test_gpipe_holds_every_micro_batch_and_1f1b_never_more_than_the_stages_below():
    for p in range(1, 9):
        for m in range(1, 20):
            assert totals("gpipe", p, m).peak_in_flight == (m,) * p
            assert totals("1f1b", p, m).peak_in_flight == tuple(min(m, p - rank) for rank in range(p))


def test_virtual_stages_never_lower_what_a_rank_holds():
    for p in range(1, 9):
        for rounds in range(1, 4):
            m = p * rounds
            plain = totals("1f1b", p, m).peak_in_flight
            for v in range(2, 5):
                chunks = totals("interleaved", p, m, v).peak_in_flight
                assert all(held >= v * before for held, before in zip(chunks, plain, strict=True))
                if rounds > 1:  # Korthikanti et al. 2022, section 4.2.3: 1 + (p − 1)/(pv) on the first rank
                    assert Fraction(chunks[0], v * plain[0]) == 1 + Fraction(p - 1, p * v)


def test_formulas_equal_the_events_wherever_they_are_offered():
    offered = set()
    for shape, cost, _ in some_shapes(4, 600):
        formula = closed_form(shape, cost)
        if formula:
            offered.add(shape.kind)
            assert formula == summary(shape, cost), (shape, cost)
        assert quick_summary(shape, cost) == summary(shape, cost)
    assert offered == {"gpipe", "1f1b", "interleaved", "zb-h1"}


def test_a_formula_answers_for_sizes_that_no_event_list_could():
    shape = Shape.checked("1f1b", 1000, 10**9, None)
    assert quick_summary(shape, Cost(1, 1, 1)).bubble_over_ideal == Fraction(999, 10**9)


def test_only_the_ratio_of_the_times_counts():
    for shape, cost, chance in some_shapes(5, 60):
        factor = chance.choice([3, 0.25, 1000, 0.1])
        forward, late = cost.forward, cost.weight_gradient
        backward = cost.input_gradient + late
        one = Times.checked(forward=forward, backward=backward, weight=late, virtual=shape.virtual)
        scaled = (Fraction(str(factor)) * part for part in (forward, backward, late))
        other = Times.checked(
            **dict(zip(("forward", "backward", "weight"), map(float, scaled), strict=True)), virtual=shape.virtual
        )
        assert one.chunk == other.chunk
        assert other.unit == one.unit * Fraction(str(factor))


def test_stages_may_differ_and_messages_may_take_time():
    shape = Shape.checked("1f1b", 2, 1, None)
    first, last = run(shape, [Cost(1, 2, 3), Cost(10, 20, 30)], hop=100)
    assert [(event.start, event.end) for event in first] == [(0, 1), (261, 266)]
    assert [(event.start, event.end) for event in last] == [(101, 111), (111, 161)]


def test_a_slower_operation_or_message_never_ends_a_schedule_sooner():
    for shape, cost, chance in some_shapes(6, 100):
        costs = [cost] * shape.chunks
        before = max(events[-1].end for events in run(shape, costs))
        costs[chance.randrange(len(costs))] = Cost(*(part + chance.randint(0, 3) for part in cost))
        assert max(events[-1].end for events in run(shape, costs)) >= before
        assert max(events[-1].end for events in run(shape, [cost] * shape.chunks, hop=2)) >= before


def test_large_schedules_take_time_in_proportion_to_their_operations(monkeypatch):
    asked = []
    ready = pipeline._Inputs.ready
    monkeypatch.setattr("model.pipeline._Inputs.ready", lambda self, *given: asked.append(1) or ready(self, *given))
    for kind in KINDS:
        for m in (32, 64, 128):
            asked.clear()
            shape = Shape.checked(kind, 8, m, None)
            run(shape, [Cost(1, 1, 1)] * shape.chunks)
            assert len(asked) <= 2 * sum(map(len, order(shape)))


def test_a_summary_is_kept_for_each_shape_and_ratio():
    summary.cache_clear()
    for scale in (1, 2, 0.5):
        totals("1f1b", 4, 8, forward=scale, backward=2 * scale, weight=scale)
    assert (summary.cache_info().misses, summary.cache_info().hits) == (1, 2)


# Times that cannot be.


@pytest.mark.parametrize(
    ("times", "field", "code"),
    [
        ({"forward": -1}, "forward", "out_of_range"),
        ({"forward": float("nan")}, "forward", "out_of_range"),
        ({"backward": float("inf")}, "backward", "out_of_range"),
        ({"weight": 1e10}, "weight", "out_of_range"),
        ({"weight": 3}, "weight", "contradiction"),
        ({"forward": 0, "backward": 0, "weight": 0}, "forward", "out_of_range"),
    ],
)
def test_times_that_cannot_be_name_the_field(times, field, code):
    with pytest.raises(Invalid) as caught:
        schedule_report(kind="1f1b", stages=4, micro_batches=8, **times)
    assert (caught.value.field, caught.value.code) == (field, code)


def test_awkward_times_stay_exact():
    report = schedule_report(kind="1f1b", stages=4, micro_batches=8, forward=0.1, backward=0.2, weight=0.1)
    assert report["makespan"] == 3.3
    assert report["bubble_of_total"] == 3 / 11
    tiny = schedule_report(kind="zb-v", stages=3, micro_batches=5, forward=5e-324, backward=1e9, weight=1e-300)
    assert json.loads(json.dumps(tiny, allow_nan=False)) == tiny


def test_the_report_is_its_events():
    report = schedule_report(kind="dualpipe-v", stages=4, micro_batches=8)
    assert [[event["op"] for event in report["timeline"] if event["rank"] == rank] for rank in range(4)] == report[
        "order"
    ]
    assert max(event["end"] for event in report["timeline"]) == report["makespan"] == 27.0
    assert report["peak_in_flight"] == [9, 9, 9, 9]
    shape = Shape.checked("dualpipe-v", 4, 8, None)
    assert [peak_in_flight(events) for events in run(shape, [Cost(1, 1, 1)] * 8)] == [9, 9, 9, 9]
