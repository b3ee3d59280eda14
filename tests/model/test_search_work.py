"""What a search does beside its answer: it builds a schedule once, works in proportion to the layouts, and can be stopped."""

import collections
import itertools

import pytest

from model import compiled, fitting, in_flight, search, step
from model.errors import Invalid
from model.fitting import worst_bytes
from model.plan import read_plan
from model.search import search_report, searching
from model.step_report import step_report
from tests.model.test_search import DENSE, EXPERTS, plan

WINDOWS = DENSE | {"sliding_window": 512, "sliding_layers": [0, 2, 4]}
LATENT = EXPERTS | {
    "mla": True,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "v_head_dim": 32,
    "num_key_value_heads": None,
    "dense_layers": [0],
}
EXHAUSTED = {
    "windows": plan(WINDOWS),
    "latent attention, experts": plan(LATENT, batch={"seq": 2048, "global_batch": 4}, layout={"cp": 1}),
    "a full card": plan(DENSE | {"hidden_size": 4096, "num_hidden_layers": 8}, batch={"seq": 4096, "global_batch": 16}),
    "every stage of ZeRO": plan(recipe={"preset": "deepspeed"}, activation={}, layout={"cp": 1}),
}


@pytest.mark.parametrize("given", EXHAUSTED.values(), ids=EXHAUSTED)
def test_a_search_says_what_looking_at_each_plan_by_itself_does(given):
    found, rejected = [], collections.Counter()
    own = search._Search(given)
    for candidate in own.open.candidates():
        alone = own._plan(candidate)
        alone["batch"]["global_batch"] = own.sections["batch"]["global_batch"]
        try:
            whole = read_plan(alone)
            needed = worst_bytes(whole)
            if needed > whole.capacity_bytes:
                rejected["does_not_fit"] += 1
                continue
            timed = step_report(alone)
        except Invalid as error:
            rejected[error.code] += 1
            continue
        found.append((timed["step_s"], needed, timed["plan"]))
    report = search_report(given)
    assert {code: one["count"] for code, one in report["rejected"].items()} == dict(rejected)
    points = [(one["step_s"], one["worst_stage_bytes"], one["plan"]) for one in report["plans"]]
    assert points == sorted(found, key=lambda one: one[:2])
    for time_s, amount, _ in found:
        beaten = any(other[:2] != (time_s, amount) and other[0] <= time_s and other[1] <= amount for other in found)
        marked = {
            one["on_front"] for one in report["plans"] if (one["step_s"], one["worst_stage_bytes"]) == (time_s, amount)
        }
        assert marked == {not beaten}


@pytest.mark.parametrize("kind", [None, "zb-h1", "zb-v", "interleaved"])
def test_a_schedule_is_built_once(monkeypatch, kind):
    built = collections.Counter()
    order, make = compiled.rank_order, in_flight._read_off.__wrapped__
    compiled.program.cache_clear()
    step.pipeline_time.cache_clear()
    in_flight._read_off.cache_clear()
    monkeypatch.setattr(compiled, "rank_order", lambda *key: built.update([("timed", key)]) or order(*key))
    kept = in_flight.lru_cache(maxsize=None)(lambda *key: built.update([("held", key)]) or make(*key))
    monkeypatch.setattr(in_flight, "_read_off", kept)
    schedule = {} if kind is None else {"schedule": {"kind": kind}}
    report = search_report(plan(DENSE | {"num_hidden_layers": 16}, gpus=16, **schedule))
    assert report["count"] > 50
    assert {what for what, _ in built} == {"timed", "held"}
    assert set(built.values()) == {1}


def counted(monkeypatch, given):
    """Layouts of a search, and how often it asked for a rank's memory, a stage's time and a pipeline's."""
    calls = collections.Counter()

    def count(patch, module, name):
        real = getattr(module, name)
        patch.setattr(module, name, lambda *args, **more: calls.update([name]) or real(*args, **more))

    with monkeypatch.context() as patch:
        count(patch, fitting, "rank_memory")
        count(patch, step, "stage_time")
        count(patch, step, "pipeline_time")
        return search_report(given)["candidates"], calls


def test_work_grows_with_the_layouts(monkeypatch):
    shape = DENSE | {"num_hidden_layers": 16}
    spaces = [
        plan(shape, gpus=16, layout=layout, batch={"seq": 2048, "global_batch": 64} | batch)
        for layout, batch in (
            ({"cp": 1, "zero": 1, "vpp": 1}, {"micro_batch": 1}),
            ({"cp": 1, "vpp": 1}, {"micro_batch": 1}),
            ({"cp": 1}, {"micro_batch": 1}),
            ({"cp": 1}, {}),
            ({}, {}),
        )
    ]
    sizes, works = zip(*(counted(monkeypatch, space) for space in spaces), strict=True)
    assert sizes[-1] > 20 * sizes[0]
    for size, work in zip(sizes, works, strict=True):
        # At most four kinds of rank (the first, the last, and two between), of as many kinds of chunk.
        assert work["rank_memory"] <= 4 * size
        assert work["stage_time"] <= 16 * size
        assert work["pipeline_time"] <= size


def test_progress_grows_by_one_and_ends_at_the_total():
    steps, told = searching(plan()), []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as done:
            report = done.value
            break
    assert [one.done for one in told] == list(range(told[0].total + 1))
    assert {one.total for one in told} == {report["candidates"]}
    assert all(before.found <= after.found for before, after in itertools.pairwise(told))
    assert told[-1].found == report["count"]


def test_a_search_that_is_stopped_looks_at_nothing_more(monkeypatch):
    looked = []
    look = search._Search.look_at
    monkeypatch.setattr(search._Search, "look_at", lambda self, one: looked.append(one) or look(self, one))
    steps = searching(plan())
    told = list(itertools.islice(steps, 8))
    steps.close()
    assert list(steps) == []
    assert len(looked) == told[-1].done == 7 < told[0].total
