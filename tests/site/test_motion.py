"""Who wants no motion gets none, and the same information."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES, PAGES
from tests.site.harness.search import leave_search, open_search
from tests.site.harness.theme import choose

# What still moves: animations that run, and transitions longer than a blink, in anything that is ours.
MOVES = """() => {
  const seconds = (text) => Math.max(...text.split(",").map((each) => parseFloat(each) * (each.includes("ms") ? 1 : 1000)));
  const still = [...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility())
    .filter((element) => { const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
      return seconds(transitionDuration) > 10 || (animationName !== "none" && seconds(animationDuration) > 10); })
    .map((element) => `${element.tagName}.${element.getAttribute("class")}`);
  return [...new Set(still)];
}"""

# Whatever begins to move from now on: no sample could miss a short one.
HEAR = """() => {
  globalThis.moved = [];
  for (const kind of ["transitionrun", "animationstart"]) {
    document.addEventListener(kind, ({ target }) => moved.push(`${kind} ${target.tagName} ${target.className}`), true);
  }
}"""


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_nothing_moves_for_who_wants_no_motion(enter, place):
    page = enter(place.path, reduced_motion="reduce")
    for name in place.widgets:
        Instrument(page, name).drawn().shows()
    assert page.evaluate(MOVES) == []


@pytest.mark.engine
def test_a_change_another_scheme_another_page_and_the_search_come_without_motion(lab):
    lab.page.emulate_media(reduced_motion="reduce")
    lab.page.evaluate(HEAR)
    for name in NAMES:
        instrument = lab.open(name)
        control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
        instrument.set(**{control.name: control.most})
        instrument.shows(**{control.name: control.most})
        assert lab.page.evaluate("document.getAnimations().length") == 0
    for scheme in ("slate", "default"):
        choose(lab.page, scheme)
    open_search(lab.page).press_sequentially("ZeRO")
    expect(lab.page.locator(".md-search-result__link").first).to_be_visible()
    leave_search(lab.page)
    assert lab.page.evaluate("[moved, document.getAnimations().length]") == [[], 0]
    lab.page.emulate_media(reduced_motion="no-preference")


@pytest.mark.site
def test_the_record_of_motion_hears_motion(enter):
    page = enter(HOME["zero-memory"].path)
    page.evaluate(HEAR)
    page.locator(".sw-option").last.hover()
    page.wait_for_function("() => moved.length")


@pytest.mark.site
def test_the_check_for_motion_sees_motion(enter):
    page = enter(HOME["zero-memory"].path)
    page.add_style_tag(content="main h1 { transition: color 1s; }")
    assert any(text.startswith("H1") for text in page.evaluate(MOVES))
