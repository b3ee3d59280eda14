"""Something is broken on purpose: the page stays right, says in one true sentence what happened, and Retry mends it."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.harness.failures import (
    BUTTONS,
    CHARTS,
    DECORATION,
    DRAWING,
    ENGINE,
    REPLACED,
    RUNTIME,
    SNAPSHOT,
    STOCK,
    WASM,
    WHEEL,
    rows,
)
from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.pages import HOME
from tests.site.harness.sabotage import ruin, sabotage, seen, watch

pytestmark = pytest.mark.sabotage

NAME = "zero-memory"
IMPATIENT = {"startTimeout": 1500}  # ms
# What a browser says of half a script.
SYNTAX = r"^(Uncaught )?SyntaxError|^Unexpected|does not provide an export|^Invalid|already been declared"


def break_and_mend(enter, file, mode, words, settings):
    page = enter(HOME[NAME].path, settings=settings, prepare=watch)
    instrument = Instrument(page, NAME).drawn()
    with sabotage(page, mode, file):
        instrument.set(stage="zero-3")
        expect(instrument.alert).to_be_visible()
        cause = instrument.alert.locator(".sw-error-cause")
        for word in [file.removeprefix("*"), *words]:
            expect(cause).to_contain_text(word)
        expect(instrument.alert).to_contain_text("The default chart, read-outs and table are correct")
        expect(instrument.status).to_be_empty()
        instrument.shows()
        assert instrument.values()["stage"] == "zero-3"
        told = cause.text_content()
    instrument.action("Retry").click()
    instrument.shows(stage="zero-3")
    expect(instrument.alert).to_be_hidden()
    assert seen(page, "causes") == [told]
    assert seen(page, "stages")[-3:] == ["fetching", "starting", "ready"]


@pytest.mark.parametrize(("file", "way", "words"), rows(ENGINE))
def test_a_broken_file_is_named_and_retry_works_once_it_is_mended(enter, file, way, words):
    break_and_mend(enter, file, way, words, IMPATIENT if way == "stalled" else {})


@pytest.mark.parametrize(("file", "way", "words"), rows(STOCK))
def test_a_broken_file_of_the_stock_start_is_named(enter, file, way, words):
    break_and_mend(enter, file, way, words, {"start": "stock"} | (IMPATIENT if way == "stalled" else {}))


@pytest.mark.parametrize(("file", "way", "words"), rows(REPLACED))
def test_without_a_good_snapshot_the_stock_start_answers(enter, file, way, words):
    page = enter(HOME[NAME].path, settings={"startTimeout": 2500} if way == "stalled" else {}, prepare=watch)
    instrument = Instrument(page, NAME).drawn()
    with sabotage(page, way, file):
        instrument.set(stage="zero-3", gpus=64)
        instrument.shows(stage="zero-3", gpus=64)
    expect(instrument.element).to_have_attribute("data-start", "stock")
    assert seen(page, "causes") == words
    expect(instrument.alert).to_be_hidden()


def test_without_snapshot_and_wheel_the_first_cause_is_told_and_the_second_is_in_the_details(enter):
    page = enter(HOME[NAME].path, prepare=watch)
    instrument = Instrument(page, NAME).drawn()
    with sabotage(page, "missing", SNAPSHOT), sabotage(page, "a web page", WHEEL):
        instrument.set(gpus=64)
        expect(instrument.alert).to_contain_text("snapshot.bin")
        assert len(seen(page, "causes")) == 1
        instrument.alert.get_by_text("Technical details").click()
        details = instrument.alert.locator("pre")
        for text in ("Pyodide", "Plotly", "model", "snapshot.bin", ".whl", page.url):
            expect(details).to_contain_text(text)


def test_a_file_that_stops_halfway_is_named_with_how_much_of_it_came(enter, site):
    page = enter(HOME[NAME].path, settings={"startTimeout": 1500}, prepare=watch)
    instrument = Instrument(page, NAME).drawn()
    with site.held(WASM) as gate:
        gate.let_through(2)
        instrument.set(stage="zero-1")
        expect(instrument.alert).to_contain_text(WASM)
        assert 0 < int(seen(page, "percents")[-1]) < 100
        instrument.shows()
    instrument.action("Retry").click()
    instrument.shows(stage="zero-1")


def test_patience_lasts_twenty_seconds_for_a_start_and_five_for_an_answer(enter, record):
    page = enter(HOME[NAME].path)
    script = next(path for path in record.paths() if path.endswith("settings.js"))
    settings = page.evaluate("async (path) => (await import(path)).settings", f"/repo/{script}")
    assert (settings["startTimeout"], settings["callTimeout"]) == (20_000, 5_000)
    # The script that waits for a runtime that may never come cannot ask it.
    assert re.findall(r"startTimeout \?\? ([\d_]+)", page.content()) == ["20_000"]


@pytest.mark.parametrize(("file", "way", "words"), rows(DRAWING))
def test_when_the_library_of_the_charts_is_broken_the_table_has_the_numbers_and_retry_draws(
    enter, record, file, way, words
):
    record.excuse(SYNTAX)
    page = enter(None, settings=IMPATIENT if way == "stalled" else {})
    with sabotage(page, way, file):
        page.goto(HOME[NAME].path, wait_until="commit")
        instrument = Instrument(page, NAME)
        instrument.in_view()
        for text in ("The chart could not be drawn.", file, *words, "data table hold the same numbers"):
            expect(instrument.alert).to_contain_text(text)
        assert instrument.table()[-1][1].split() == ["120", "GB"]
    if way != "stalled":  # what was held back arrives now, and the chart needs nobody
        instrument.action("Retry").click()
    expect(instrument.alert).to_be_hidden()
    instrument.drawn().shows()


def test_a_library_of_the_charts_that_comes_late_draws_all_the_same(enter, site):
    page = enter(None, settings=IMPATIENT)
    with site.held(CHARTS) as gate:
        page.goto(HOME[NAME].path, wait_until="commit")
        instrument = Instrument(page, NAME)
        instrument.in_view()
        expect(instrument.alert).to_contain_text("has not arrived after 1.5 seconds")
        gate.let_through(gate.parts)
        expect(instrument.alert).to_be_hidden()
        instrument.drawn().shows()


@pytest.mark.parametrize(("file", "way", "words"), rows(RUNTIME))
def test_without_our_script_the_page_says_that_its_controls_do_not_work_and_reload_mends_it(
    enter, record, file, way, words
):
    record.excuse(SYNTAX, "^Failed to load module script")
    page = enter(None, settings=IMPATIENT if way == "stalled" else {})
    with sabotage(page, way, file):
        page.goto(HOME[NAME].path, wait_until="commit")
        widget, view = page.locator("shard-widget"), answer(NAME)
        expect(widget.locator(".sw-lost")).to_contain_text("The chart and its controls do not work")
        expect(widget.locator(".sw-lost")).to_contain_text(".js" if way == "truncated" else file)
        expect(widget.locator(".sw-readout--main")).to_contain_text(view["readouts"][0]["value"])
        expect(widget.locator(".sw-caption")).to_have_text(view["caption"])
        for part in (".sw-controls", ".sw-actions", ".sw-chart"):
            expect(widget.locator(part)).to_be_hidden()
    if way != "stalled":  # what was held back arrives now, and the page needs nobody
        with page.expect_navigation():
            widget.get_by_role("button", name="Reload the page").click()
    instrument = Instrument(page, NAME).drawn()
    instrument.shows()
    expect(widget.locator(".sw-lost")).to_be_hidden()
    expect(widget.locator(".sw-controls")).to_be_visible()


@pytest.mark.parametrize(("file", "way", "words"), rows(BUTTONS))
def test_without_the_script_of_the_buttons_a_press_says_so_and_the_widget_goes_on(enter, record, file, way, words):
    page = enter(HOME[NAME].path, settings=IMPATIENT)
    instrument = Instrument(page, NAME).drawn()
    with sabotage(page, way, file):
        instrument.action("Copy link").click()
        expect(instrument.note).to_contain_text("actions.js, did not arrive")
        instrument.action("Reset").click()  # again and at once: it is known by now
        expect(instrument.note).to_contain_text("actions.js, did not arrive")
        instrument.set(gpus=64)
        instrument.shows(gpus=64)
    page.reload()
    instrument.drawn()
    instrument.action("Reset").click()
    instrument.shows()
    expect(instrument.note).to_be_hidden()
    record.excuse(SYNTAX, "^Failed to load module script")


@pytest.mark.parametrize(("file", "way", "words"), rows(DECORATION))
def test_without_a_decoration_all_of_it_works(enter, record, file, way, words):
    record.excuse(SYNTAX, "MIME type", "font")
    page = enter(None)
    ruin(page, way, file)
    page.goto(HOME[NAME].path)
    instrument = Instrument(page, NAME)
    instrument.set(stage="zero-3", gpus=64)
    expect(instrument.element.locator(".sw-readout--main")).to_contain_text("1.875")
    assert instrument.table()[-1][1].split() == ["1.875", "GB"]
    expect(instrument.element.locator(".sw-lost")).to_be_hidden()
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Glossary").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Glossary")


def test_without_the_library_of_the_charts_changes_are_answered_in_words(enter):
    page = enter(None)
    ruin(page, "missing", CHARTS)
    page.goto(HOME[NAME].path)
    instrument = Instrument(page, NAME)
    instrument.set(stage="zero-3")
    expect(instrument.element.locator(".sw-readout--main")).to_contain_text("15")
    assert instrument.table()[-1][1].split() == ["15", "GB"]
    expect(instrument.alert).to_contain_text(CHARTS)


def test_a_broken_library_and_a_broken_engine_are_told_in_turn(enter):
    page = enter(None)
    with sabotage(page, "missing", CHARTS), sabotage(page, "missing", WASM):
        page.goto(HOME[NAME].path)
        instrument = Instrument(page, NAME)
        instrument.in_view()
        expect(instrument.alert).to_contain_text(CHARTS)
        instrument.set(stage="zero-3")
        expect(instrument.alert).to_contain_text(WASM)
    instrument.action("Retry").click()
    instrument.shows(stage="zero-3")
    expect(instrument.alert).to_be_hidden()
