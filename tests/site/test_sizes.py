"""From a phone to a wide window: nothing sticks out, everything can be used, and a chart takes the room it gets."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES, PAGES, SAMPLE
from tests.site.harness.shape import cut, outside
from widgets.registry import BY_NAME
from widgets.spec import Choice

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
TARGET, OURS = 24, 44  # px: the least that WCAG 2.2 (2.5.8) allows, and the least for what is pressed in a widget
# Targets that are too small, words in a line of text left out; a label counts with its input.
SMALL = """([all, ours]) => [...document.querySelectorAll("a[href], button, input, summary, textarea")]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".md-search, .md-skip"))
  .filter((element) => getComputedStyle(element).display !== "inline")
  .map((element) => [element, (element.closest("label") ?? element).getBoundingClientRect()])
  .filter(([element, { width, height }]) => {
    const least = element.matches("shard-widget :is(button, input, summary), shard-explain :is(button, input, summary)") ? ours : all;
    return width && (width < all || height < least - 0.5);
  })
  .map(([{ tagName, className, textContent }, { width, height }]) => `${tagName} ${className} ${textContent} ${width}×${height}`)"""
# Whether a drawn chart has the width of its box.
FITS = """(element) => {
  const box = element.querySelector(".sw-chart");
  return Math.abs(element.querySelector(".main-svg").getBoundingClientRect().width - box.clientWidth) < 1;
}"""


def wait_for_fit(instrument):
    instrument.page.wait_for_function(FITS, arg=instrument.element.element_handle())


# Phones upright and on their side, a window at 400 %, a tablet, a wide window.
WINDOWS = [(320, 256), (360, 740), (740, 360), (768, 1024), (1440, 900)]


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_no_page_scrolls_sideways_or_cuts_anything_off(enter, place):
    page = enter(place.path, viewport={"width": 360, "height": 740})
    page.get_by_text("Data table").evaluate_all("summaries => summaries.forEach(summary => summary.click())")
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        for name in place.widgets:
            wait_for_fit(Instrument(page, name).drawn())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert (outside(page), cut(page)) == ([], [])


@pytest.mark.site
@pytest.mark.parametrize("place", SAMPLE)
def test_text_twice_as_large_loses_nothing(enter_in_large_print, place):
    page = enter_in_large_print(place.path, viewport={"width": 1280, "height": 900})
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('main p')).fontSize)") >= 32
    for width in (1280, 720):
        page.set_viewport_size({"width": width, "height": 900})
        for name in place.widgets:
            wait_for_fit(Instrument(page, name).drawn())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert (outside(page), cut(page)) == ([], [])


# WCAG 2.2, 1.4.12: a reader's own spacing, which nothing may be cut off by.
SPACED = """main *, footer *, header * { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
main p { margin-block-end: 2em !important; }"""


@pytest.mark.site
@pytest.mark.parametrize("place", SAMPLE)
def test_wider_spacing_of_letters_words_and_lines_cuts_nothing_off(enter, place):
    page = enter(place.path, viewport={"width": 360, "height": 740})
    page.add_style_tag(content=SPACED)
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        for name in place.widgets:
            wait_for_fit(Instrument(page, name).drawn())
        assert (outside(page), cut(page)) == ([], [])


@pytest.mark.site
@pytest.mark.parametrize("place", SAMPLE)
def test_every_target_is_large_enough_for_a_finger(enter, place):
    page = enter(place.path, **PHONE)
    page.locator("summary").evaluate_all("summaries => summaries.forEach(summary => summary.click())")
    for name in place.widgets:
        Instrument(page, name).drawn()
    assert page.evaluate(SMALL, [TARGET, OURS]) == []


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_every_control_is_in_reach_and_works(enter, name):
    page = enter(HOME[name].path, **PHONE)
    instrument = Instrument(page, name)
    wanted = {}
    for control in BY_NAME[name].controls:
        if isinstance(control, Choice):
            token = list(control.options)[-1]
            for each in control.options:
                assert_in_reach(instrument.option(control.name, each))
            instrument.option(control.name, token).tap()
            wanted[control.name] = token
        else:
            slider = instrument.slider(control.name)
            assert_in_reach(slider)
            assert_in_reach(instrument.number(control.name))
            box = slider.bounding_box()
            slider.tap(position={"x": box["width"] - 10, "y": box["height"] / 2})
            wanted[control.name] = control.most
    instrument.shows(**wanted)
    for label in ("Reset", "Copy link", "PNG", "SVG", "CSV"):
        assert_in_reach(instrument.action(label))
    instrument.action("Reset").tap()
    instrument.shows()


def assert_in_reach(control, least=40):
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["viewport"]["width"]
    assert box["height"] >= least


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_a_chart_follows_the_width_it_gets(enter, name):
    page = enter(HOME[name].path, viewport={"width": 1200, "height": 800})
    instrument = Instrument(page, name).drawn()
    for width in ("320px", "640px", "280px"):
        instrument.element.evaluate("(element, width) => { element.style.maxWidth = width; }", width)
        wait_for_fit(instrument)
    page.set_viewport_size({"width": 700, "height": 1000})
    wait_for_fit(instrument)


@pytest.mark.site
def test_a_chart_that_was_hidden_is_drawn_at_the_right_width_when_it_opens(enter_fixture):
    page = enter_fixture("folded/")
    folded, hidden = Instrument(page, "zero-memory"), Instrument(page, "model-split")
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    page.get_by_text("Open me").click()
    folded.drawn().shows()
    page.locator("#hidden").evaluate("element => { element.hidden = false; }")
    hidden.drawn().shows()
    for instrument in (folded, hidden):
        drawn = instrument.layout("[gd._fullLayout.width, element.querySelector('.sw-chart').clientWidth]")
        assert drawn[0] == drawn[1] > 200


@pytest.mark.site
def test_no_code_asks_which_browser_it_runs_in(site):
    scripts = list((site.folder / "assets" / "runtime").rglob("*.js"))
    assert scripts
    assert [path.name for path in scripts if "userAgent" in path.read_text("utf-8")] == []
