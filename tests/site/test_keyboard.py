"""Who uses a keyboard, a voice or a magnifier: focus stays in sight, letters can be turned off, what appears can be sent away."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import follow
from tests.site.harness.pages import HOME, NAMES, QUIET

pytestmark = pytest.mark.site

# How much of the focused element lies under the bar, 1 for all of it; null where nothing has the focus.
COVERED = """() => {
  const [bar, { activeElement: element }] = [document.querySelector(".md-header"), document];
  if (element === document.body) return null;
  if (bar.contains(element) || element.matches(".md-skip") || getComputedStyle(bar).position === "static") return 0;
  const { top, height } = element.getBoundingClientRect();
  return Math.min(1, Math.max(0, (bar.getBoundingClientRect().bottom - top) / height));
}"""
HEAR = """() => {
  window.heard = [];
  addEventListener("keydown", ({ key }) => heard.push(key));
}"""
LETTERS = "Letter keys: n and p turn pages, / opens the search"


@pytest.mark.parametrize(("width", "height"), [(1280, 700), (900, 600)])
def test_the_bar_never_covers_what_has_the_focus(enter, width, height):
    page = enter(HOME["zero-memory"].path, viewport={"width": width, "height": height})
    Instrument(page, "zero-memory").drawn()
    page.locator("footer a").last.focus()
    covered, stops = [], 0
    while page.evaluate("!document.activeElement.closest('.md-header')"):
        covered.append(page.evaluate(COVERED))
        stops += 1
        page.keyboard.press("Shift+Tab")
    assert stops > 30
    assert max(covered) < 0.1


def test_the_bar_leaves_a_phone_on_its_side_to_the_page(enter):
    page = enter(HOME["zero-memory"].path, viewport={"width": 740, "height": 360})
    page.locator("footer").scroll_into_view_if_needed()
    expect(page.get_by_role("banner")).not_to_be_in_viewport()


def test_letter_keys_can_be_turned_off_and_stay_off(enter):
    page = enter(HOME["zero-memory"].path)
    home = page.url
    page.get_by_label(LETTERS).uncheck()
    page.evaluate("document.activeElement.blur()")
    page.evaluate(HEAR)
    for key in ("n", "p", "/", "s", "Escape"):
        page.keyboard.press(key)
    assert page.evaluate("heard") == ["Escape"]
    assert page.url == home
    follow(page, page.url.removesuffix(HOME["zero-memory"].path) + QUIET.path)
    expect(page.get_by_label(LETTERS)).not_to_be_checked()
    page.reload()
    box = page.get_by_label(LETTERS)
    expect(box).not_to_be_checked()
    page.evaluate(HEAR)
    page.keyboard.press("n")
    assert page.evaluate("heard") == []
    box.check()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("x")
    assert page.evaluate("heard") == ["x"]


def test_letters_that_are_off_can_still_be_typed(enter):
    page = enter(HOME["zero-memory"].path)
    page.get_by_label(LETTERS).uncheck()
    box = page.get_by_role("textbox", name="Your answer")
    box.press_sequentially("n p/s")
    expect(box).to_have_value("n p/s")


def test_coming_to_another_page_is_said(enter):
    page = enter(HOME["zero-memory"].path)
    said = page.get_by_role("status").filter(has_text="Shardscope")
    expect(said).to_have_count(0)
    follow(page, page.url.removesuffix(HOME["zero-memory"].path) + QUIET.path)
    expect(said).to_have_text(page.title())
    page.go_back()
    expect(said).to_have_text("ZeRO / FSDP sharding · Shardscope")


def test_a_headings_link_has_a_name_in_words(enter):
    page = enter(HOME["zero-memory"].path)
    links = page.locator("main .headerlink:visible")
    assert links.count() > 3
    for link in links.all():
        expect(link).to_have_accessible_name("Link to this section")


def test_the_page_for_unknown_addresses_can_be_skipped_into_too(enter, record):
    record.excuse("status of 404")
    page = enter("there/is/no/page")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    expect(skip).to_have_text("Skip to content")
    skip.press("Enter")
    expect(page.locator("main h1:target")).to_be_in_viewport()


@pytest.mark.parametrize("name", NAMES)
def test_what_appears_over_a_chart_stays_under_the_pointer_and_goes_with_escape(enter, name):
    page = enter(HOME[name].path)
    instrument = Instrument(page, name).drawn()
    label = instrument.chart.locator(".hovertext")
    bar = instrument.chart.locator(".bars .point path").first
    box = bar.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
    expect(label).to_be_visible()
    words, shown = label.text_content(), label.bounding_box()
    for share in (0.3, 0.6, 0.9):
        page.mouse.move(shown["x"] + share * shown["width"], shown["y"] + shown["height"] / 2)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        expect(label).to_have_text(words)
    page.keyboard.press("Escape")
    expect(label).to_have_count(0)
