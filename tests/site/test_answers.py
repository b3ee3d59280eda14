"""Answers that come late, twice, wrong or never: the last question wins, and the reader is told what happened."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.clock import stopped_clock
from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers
from tests.site.harness.sabotage import seen

pytestmark = pytest.mark.site

NAME = "zero-memory"


def test_the_last_question_wins_whatever_order_the_answers_come_in(stage):
    instrument, puppet = stage()
    instrument.set(stage="zero-1")
    first = puppet.calls(1)[0]
    instrument.set(stage="zero-2")
    instrument.set(stage="zero-3")
    assert instrument.values()["stage"] == "zero-3"
    puppet.answer(first)
    last = puppet.calls(2)[-1]
    assert "zero-3" in last["params"]
    puppet.answer(last)
    instrument.shows(stage="zero-3")
    revision = instrument.revision
    for late in [first, last, first | {"id": 99}]:
        puppet.answer(late)
    instrument.set(stage="zero-2")
    puppet.answer(puppet.calls(3)[-1])
    instrument.shows(stage="zero-2")
    assert instrument.revision == revision + 1
    answers = [text.replace("\u00a0", " ") for text in seen(instrument.page, "answers")]
    # The first answer may be shown on the way, since nothing newer is known yet; nothing ever goes back.
    assert [text for text in answers if text != "41.25 GB"] == ["120 GB", "15 GB", "28.125 GB"]
    assert answers.index("15 GB") == len(answers) - 2


def test_fifty_quick_changes_ask_no_more_than_python_can_answer(stage):
    instrument, puppet = stage()
    for count in range(1, 51):
        instrument.set(gpus=count)
    assert len(puppet.calls(1)) == 1
    puppet.answer(puppet.calls()[0])
    asked = puppet.calls(2)
    assert len(asked) == 2
    puppet.answer(asked[-1])
    instrument.shows(gpus=50)


def test_the_number_moves_at_once_while_the_chart_waits_for_its_answer(stage):
    instrument, puppet = stage()
    instrument.slider("gpus").press("End")
    assert instrument.values()["gpus"] == 64
    expect(instrument.slider("gpus")).to_have_attribute("aria-valuetext", "64\u00a0GPUs")
    instrument.shows()
    puppet.answer(puppet.calls(1)[0])
    instrument.shows(gpus=64)


def test_a_computation_that_hangs_is_stopped_and_the_next_one_is_answered(stage):
    instrument, puppet = stage()
    clock = stopped_clock(instrument.page)
    instrument.set(gpus=2)
    puppet.calls(1)
    clock.run_for(5_001)
    expect(instrument.status).to_contain_text("took too long")
    instrument.ready().shows()
    assert puppet.starts() == 2
    assert len(engine_workers(instrument.page)) == 1
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(gpus=64)
    expect(instrument.status).not_to_contain_text("took too long")


def test_after_a_hang_the_real_engine_takes_over(stage):
    instrument, puppet = stage()
    puppet.retire()
    clock = stopped_clock(instrument.page)
    instrument.set(gpus=2)
    puppet.calls(1)
    clock.run_for(5_001)
    expect(instrument.status).to_contain_text("took too long")
    instrument.set(stage="zero-3", gpus=64)
    instrument.shows(stage="zero-3", gpus=64)


def test_a_bug_in_a_view_is_told_and_the_last_answer_stays(stage):
    instrument, puppet = stage()
    instrument.set(gpus=2)
    puppet.say(
        type="raised",
        id=puppet.calls(1)[0]["id"],
        error="Traceback\nZeroDivisionError: division by zero\n",
        fatal=False,
    )
    expect(instrument.status).to_contain_text("ZeroDivisionError: division by zero")
    instrument.shows()
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(gpus=64)
    expect(instrument.status).not_to_contain_text("ZeroDivisionError")
    assert puppet.starts() == 1


def test_an_engine_that_breaks_is_replaced(stage):
    instrument, puppet = stage()
    instrument.set(gpus=2)
    puppet.say(
        type="raised", id=puppet.calls(1)[0]["id"], error="RuntimeError: memory access out of bounds", fatal=True
    )
    expect(instrument.status).to_contain_text("memory access out of bounds")
    instrument.set(gpus=64)
    puppet.answer(puppet.calls(2)[-1])
    instrument.shows(gpus=64)
    assert puppet.starts() == 2
    assert len(engine_workers(instrument.page)) == 1


def test_an_answer_for_a_page_that_was_left_is_dropped(stage):
    instrument, puppet = stage()
    instrument.set(gpus=2)
    call = puppet.calls(1)[0]
    page = instrument.page
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Glossary").click()
    expect(page.locator("shard-widget")).to_have_count(0)
    puppet.answer(call)
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="ZeRO / FSDP").click()
    Instrument(page, NAME).shows()
