"""A page written from right to left is mirrored; charts and drawings are not, and nothing gets lost on either side."""

import pytest

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, SAMPLE
from tests.site.harness.search import open_search
from tests.site.harness.shape import outside

TURN = "() => { document.documentElement.dir = document.body.dir = 'rtl'; }"
# The place of something between the sides of the window, from 0 at the left to 1 at the right.
PLACE = (
    "element => { const { left, width } = element.getBoundingClientRect(); return (left + width / 2) / innerWidth; }"
)
# Words of a picture that reach out of it by more than a letter.
LOST = """() => [...document.querySelectorAll(".drawing svg, .sw-chart")].flatMap((picture) => {
  const box = picture.getBoundingClientRect();
  return [...picture.querySelectorAll("text")].filter((text) => text.textContent.trim() && text.checkVisibility())
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, { left, right, width }]) => width && (left < box.left - 10 || right > box.right + 10)).map(([text]) => text);
})"""
SETTLED = "() => Promise.allSettled(document.getAnimations().map((animation) => animation.finished))"
SIDEWAYS = (
    "() => [-5000, 5000].map((far) => { scrollTo(far, scrollY); const at = scrollX; scrollTo(0, scrollY); return at; })"
)


@pytest.mark.site
@pytest.mark.parametrize("place", SAMPLE)
def test_a_page_from_right_to_left_loses_nothing(enter, place):
    page = enter(place.path, viewport={"width": 360, "height": 740})
    page.evaluate(TURN)
    page.get_by_text("Data table").evaluate_all("summaries => summaries.forEach(summary => summary.click())")
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        for name in place.widgets:
            Instrument(page, name).drawn()
        assert page.evaluate(SIDEWAYS) == [0, 0]
        assert outside(page) == []
        assert page.evaluate(LOST) == []


@pytest.mark.site
def test_a_page_from_right_to_left_is_mirrored_and_its_pictures_are_not(enter):
    page = enter(HOME["zero-memory"].path, viewport={"width": 1280, "height": 900})
    parts = [".mark", ".bar-tools", ".sw-controls", ".sw-chart", ".sw-label", ".sw-number", ".note", ".sw-table th"]
    before = {part: page.locator(part).first.evaluate(PLACE) for part in parts}
    page.evaluate(TURN)
    instrument = Instrument(page, "zero-memory").drawn()
    after = {part: page.locator(part).first.evaluate(PLACE) for part in parts if part != ".sw-table th"}
    assert {part: round(before[part] + place, 1) for part, place in after.items()} == dict.fromkeys(after, 1.0)
    for picture in page.locator(".sw-chart, .drawing svg").all():
        assert picture.evaluate("element => getComputedStyle(element).direction") == "ltr"
    slider = instrument.slider("gpus")
    value = instrument.values()["gpus"]
    slider.press("ArrowLeft")
    assert instrument.values()["gpus"] > value
    for text in (".sw-readout--main .sw-value", ".sw-table td"):
        amount = instrument.element.locator(text).first
        assert amount.evaluate("element => getComputedStyle(element).unicodeBidi") == "plaintext"


@pytest.mark.site
def test_the_search_from_right_to_left_stays_on_the_page(enter):
    page = enter(HOME["zero-memory"].path, viewport={"width": 360, "height": 740})
    page.evaluate(TURN)
    open_search(page).press_sequentially("ZeRO-3")
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    page.evaluate(SETTLED)
    box = result.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert page.evaluate(SIDEWAYS) == [0, 0]
