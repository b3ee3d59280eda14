"""Too little memory, a worker that breaks, a line that is cut: the page says so, and goes on once it can."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME
from tests.site.harness.sabotage import seen, watch
from tests.site.harness.teach import rewrite, teach

pytestmark = pytest.mark.sabotage

NAME = "zero-memory"
NO_ROOM = """
WebAssembly.Memory = class { constructor() { throw new RangeError("could not allocate memory"); } };
"""
NO_MORE = """
WebAssembly.Memory.prototype.grow = () => { throw new RangeError("Maximum memory size exceeded"); };
"""
# A view that needs a quarter of a gibibyte for one value of a control, and next to nothing for the others.
FULL_UP = """
from dataclasses import replace
from widgets.registry import BY_NAME

WIDGET = BY_NAME["zero-memory"]

def view(params, messages):
    if params["stage"] == "zero-3":
        bytearray(1 << 28)
    return WIDGET.view(params, messages)

BY_NAME["zero-memory"] = replace(WIDGET, view=view)
"""
BREAKS = """
handlers.call = (asked) => {
  if (asked.params.includes("zero-3")) throw new RangeError("Array buffer allocation failed");
  return call(asked);
};
"""


def test_too_little_memory_for_the_start_is_told_and_retry_works_once_there_is_enough(enter):
    routes = []

    def prepare(page):
        watch(page)
        routes.append(rewrite(page, lambda script: NO_ROOM + script))

    page = enter(HOME[NAME].path, prepare=prepare)
    instrument = Instrument(page, NAME).drawn()
    instrument.set(stage="zero-3")
    expect(instrument.alert).to_contain_text("The browser has not enough memory for Python")
    instrument.shows()
    page.context.unroute(*routes[0])
    instrument.action("Retry").click()
    instrument.shows(stage="zero-3")
    assert len(seen(page, "causes")) == 1


def test_a_view_that_fills_the_memory_costs_its_answer_and_a_new_engine_gives_the_next(enter):
    page = enter(HOME[NAME].path, prepare=lambda page: teach(page, FULL_UP, before=NO_MORE))
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    started = page.evaluate("shardscope.status().times")
    instrument.set(stage="zero-3")
    expect(instrument.status).to_contain_text("the browser has not enough memory for it")
    instrument.shows(gpus=64)
    instrument.set(stage="zero-2")
    instrument.shows(stage="zero-2", gpus=64)
    assert page.evaluate("shardscope.status().times") != started


def test_a_worker_that_breaks_is_replaced_and_what_it_said_is_told(enter):
    routes = []
    prepare = lambda page: routes.append(rewrite(page, lambda script: script + BREAKS))  # noqa: E731
    page = enter(HOME[NAME].path, prepare=prepare)
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    page.context.unroute(*routes[0])
    instrument.set(stage="zero-3")
    expect(instrument.status).to_contain_text("Array buffer allocation failed")
    instrument.shows(gpus=64)
    instrument.set(stage="zero-2")
    instrument.shows(stage="zero-2", gpus=64)


def test_a_running_engine_needs_no_line(enter):
    page = enter(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    page.context.set_offline(True)
    instrument.set(stage="zero-3")
    instrument.shows(stage="zero-3", gpus=64)


def test_without_a_line_no_engine_starts_and_the_page_says_so_until_it_is_back(enter):
    page = enter(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    page.context.set_offline(True)
    instrument.set(stage="zero-3")
    expect(instrument.alert).to_contain_text("the network request failed")
    instrument.shows()
    page.context.set_offline(False)
    instrument.action("Retry").click()
    instrument.shows(stage="zero-3")


def test_without_a_line_a_link_leads_to_the_browsers_own_words_and_back_leads_to_the_lesson(enter, record):
    record.excuse("ERR_INTERNET_DISCONNECTED")
    page = enter(HOME[NAME].path)
    Instrument(page, NAME).drawn()
    page.context.set_offline(True)
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Glossary").click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)
    page.go_back()
    Instrument(page, NAME).shows()
