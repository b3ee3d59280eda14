"""Computations that take long: they tell how far they are, can be cancelled, and keep nobody waiting."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.harness.clock import stopped_clock
from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers
from tests.site.harness.pages import HOME
from tests.site.harness.puppet import Puppet
from tests.site.harness.teach import LONG, teach

NAME = "zero-memory"
AT_ONCE = {"long": 1, "grace": 60_000}  # every computation counts as long, and has time to stop


def cancel(instrument):
    return instrument.element.get_by_role("button", name="Cancel")


def bar(instrument):
    return instrument.element.get_by_role("progressbar", name="Share of the answer computed")


@pytest.mark.site
def test_a_long_computation_says_how_far_it_is_until_its_answer_comes(stage):
    instrument, puppet = stage(**AT_ONCE)
    expect(cancel(instrument)).to_be_hidden()
    height = instrument.element.bounding_box()["height"]
    instrument.set(stage="zero-3")
    call = puppet.calls(1)[0]
    expect(instrument.status).to_have_text("Computing")
    expect(bar(instrument)).to_have_count(0)
    for share, percent in [(0, "0"), (0.379, "37"), (1, "100")]:
        puppet.say(type="working", id=call["id"], share=share)
        expect(bar(instrument)).to_have_attribute("aria-valuenow", percent)
        expect(instrument.status).to_have_text(re.compile(f"Computing: {percent}\\W%"))
    expect(cancel(instrument)).to_be_visible()
    assert instrument.element.bounding_box()["height"] == height  # nothing moves when the button comes
    instrument.shows()
    puppet.answer(call)
    instrument.shows(stage="zero-3")
    expect(cancel(instrument)).to_be_hidden()
    expect(instrument.status).to_contain_text("Ready")


@pytest.mark.site
def test_a_computation_that_tells_its_steps_is_cancelled_at_the_next_and_the_engine_stays(stage):
    instrument, puppet = stage(**AT_ONCE)
    instrument.set(stage="zero-3")
    call = puppet.calls(1)[0]
    puppet.say(type="working", id=call["id"], share=0.5)
    cancel(instrument).click()
    assert puppet.stops(1) == [call["id"]]
    expect(instrument.status).to_have_text("The computation was cancelled. The chart still shows the default values.")
    expect(instrument.status).to_be_focused()
    expect(cancel(instrument)).to_be_hidden()
    puppet.say(type="stopped", id=call["id"])
    instrument.shows()
    assert instrument.values()["stage"] == "zero-3"
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(stage="zero-3", gpus=64)
    assert puppet.starts() == 1


@pytest.mark.site
def test_a_computation_that_tells_nothing_is_cancelled_with_its_worker_and_the_next_change_is_answered(stage):
    instrument, puppet = stage(**AT_ONCE)
    instrument.set(gpus=2)
    puppet.answer(puppet.calls(1)[0])
    instrument.shows(gpus=2)
    instrument.set(stage="zero-3")
    puppet.calls(2)
    cancel(instrument).click()
    expect(instrument.status).to_have_text("The computation was cancelled. The chart still shows the last answer.")
    instrument.ready().shows(gpus=2)
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(3)[-1])
    instrument.shows(stage="zero-3", gpus=64)
    assert puppet.starts() == 2
    assert puppet.stops() == []
    assert len(engine_workers(instrument.page)) == 1


@pytest.mark.site
def test_one_that_does_not_stop_when_told_to_loses_its_worker(stage):
    instrument, puppet = stage(long=1, grace=50)
    instrument.set(stage="zero-3")
    puppet.say(type="working", id=puppet.calls(1)[0]["id"], share=0.5)
    cancel(instrument).click()
    puppet.stops(1)
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(stage="zero-3", gpus=64)
    assert puppet.starts() == 2


@pytest.mark.site
def test_what_the_reader_has_overtaken_is_stopped_and_never_shown(stage):
    instrument, puppet = stage(**AT_ONCE)
    instrument.set(stage="zero-3")
    first = puppet.calls(1)[0]
    puppet.say(type="working", id=first["id"], share=0.5)
    expect(bar(instrument)).to_be_visible()
    instrument.set(stage="zero-2")
    assert puppet.stops(1) == [first["id"]]
    expect(bar(instrument)).to_have_count(0)  # how far the first one was says nothing of the second
    puppet.answer(first)  # it was just done
    second = puppet.calls(2)[-1]
    instrument.shows()
    puppet.answer(second)
    instrument.shows(stage="zero-2")
    assert puppet.starts() == 1


@pytest.mark.site
def test_a_computation_that_becomes_long_after_it_was_overtaken_is_stopped_then(stage):
    instrument, puppet = stage()
    clock = stopped_clock(instrument.page)
    instrument.set(stage="zero-3")
    first = puppet.calls(1)[0]
    puppet.say(type="working", id=first["id"], share=0.5)
    puppet.echo()
    instrument.set(stage="zero-2")
    puppet.echo()
    assert puppet.stops() == []
    clock.run_for(501)
    assert puppet.stops(1) == [first["id"]]


@pytest.mark.site
def test_one_that_tells_nothing_is_not_stopped_for_a_later_question(stage):
    instrument, puppet = stage(**AT_ONCE)
    instrument.set(stage="zero-3")
    first = puppet.calls(1)[0]
    expect(cancel(instrument)).to_be_visible()
    instrument.set(stage="zero-2")
    puppet.answer(first)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(stage="zero-2")
    assert puppet.starts() == 1


@pytest.mark.site
def test_a_page_that_is_left_stops_its_long_computation(stage):
    instrument, puppet = stage(**AT_ONCE)
    instrument.set(stage="zero-3")
    call = puppet.calls(1)[0]
    puppet.say(type="working", id=call["id"], share=0.5)
    expect(bar(instrument)).to_be_visible()
    footer = instrument.page.get_by_role("navigation", name="All pages")
    footer.get_by_role("link", name="Glossary").click()
    assert puppet.stops(1) == [call["id"]]


@pytest.mark.site
def test_a_sign_of_life_prolongs_patience_and_silence_ends_it(stage):
    instrument, puppet = stage()
    clock = stopped_clock(instrument.page)
    instrument.set(stage="zero-3")
    call = puppet.calls(1)[0]
    for percent in range(10, 50, 10):
        clock.run_for(4_000)
        puppet.say(type="working", id=call["id"], share=percent / 100)
        expect(bar(instrument)).to_have_attribute("aria-valuenow", str(percent))
    assert puppet.starts() == 1
    clock.run_for(5_001)
    expect(instrument.status).to_contain_text("took too long and was stopped")
    expect(cancel(instrument)).to_be_hidden()


@pytest.mark.site
def test_a_silent_computation_whose_reader_has_moved_on_is_stopped_without_a_word(stage):
    instrument, puppet = stage()
    clock = stopped_clock(instrument.page)
    instrument.set(stage="zero-3")
    puppet.calls(1)
    instrument.set(stage="zero-2")
    clock.run_for(5_001)
    last = puppet.calls(2)[-1]
    assert "zero-2" in last["params"]
    expect(instrument.status).not_to_contain_text("took too long")
    puppet.answer(last)
    instrument.shows(stage="zero-2")


@pytest.mark.site
def test_until_half_a_second_has_passed_nobody_talks_about_waiting(stage):
    instrument, puppet = stage()
    clock = stopped_clock(instrument.page)
    instrument.set(stage="zero-3")
    puppet.say(type="working", id=puppet.calls(1)[0]["id"], share=0.5)
    clock.run_for(499)
    expect(instrument.status).to_contain_text("Ready")
    expect(cancel(instrument)).to_be_hidden()
    clock.run_for(2)
    expect(bar(instrument)).to_have_attribute("aria-valuenow", "50")
    expect(cancel(instrument)).to_be_visible()


@pytest.mark.site
def test_what_another_widget_is_asked_later_goes_first_and_the_first_comes_again(enter_fixture):
    strings = []
    page = enter_fixture("two/", settings=AT_ONCE, prepare=lambda page: strings.append(Puppet(page)))
    puppet, first, third = strings[0], Instrument(page, NAME), Instrument(page, "data-parallel")
    first.set(stage="zero-3")
    slow = puppet.calls(1)[0]
    puppet.say(type="working", id=slow["id"], share=0.5)
    expect(bar(first)).to_be_visible()
    third.set(gpus=7)
    assert puppet.stops(1) == [slow["id"]]
    puppet.say(type="stopped", id=slow["id"])
    puppet.answer(puppet.calls(2)[-1])
    third.shows(gpus=7)
    again = puppet.calls(3)[-1]
    assert again == slow
    puppet.answer(again)
    first.shows(stage="zero-3")
    assert puppet.stops() == [slow["id"]]


@pytest.mark.engine
def test_a_search_in_python_says_how_far_it_is_is_cancelled_overtaken_and_answered(enter):
    # The snapshot is without the search; the stock start has all of the model.
    # The first call waits already while the search is imported, which gives no sign of life.
    settings = {"start": "stock", "callTimeout": 60_000, **AT_ONCE}
    page = enter(HOME[NAME].path, settings=settings, prepare=lambda page: teach(page, LONG))
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    instrument.ready().shows(gpus=64)
    started = page.evaluate("shardscope.status().times")
    instrument.set(stage="zero-3")
    expect(bar(instrument)).to_have_attribute("aria-valuenow", re.compile("^[1-9]"))
    cancel(instrument).click()
    expect(instrument.status).to_contain_text("was cancelled")
    instrument.shows(gpus=64)
    instrument.set(stage="zero-2")
    instrument.shows(stage="zero-2", gpus=64)
    instrument.set(stage="zero-3")
    expect(bar(instrument)).to_be_visible()
    instrument.set(stage="zero-1")
    instrument.shows(stage="zero-1", gpus=64)
    assert page.evaluate("shardscope.status().times") == started  # one start for all of it
