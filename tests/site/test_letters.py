"""Letters that turn pages or open the search elsewhere stay inside a widget."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.pages import HOME, NAMES
from tests.site.harness.search import leave_search, open_search, toggle

pytestmark = pytest.mark.engine

SHORTCUTS = ["n", "p", ",", ".", "s", "f", "/"]
# The theme listens at the window; what gets there is a letter that left its widget.
HEAR = """(letters) => {
  window.heard = [];
  window.hear ??= addEventListener("keydown", ({ key }) => letters.includes(key) && window.heard.push(key)) ?? true;
}"""
STOPS = "input:enabled, button:enabled, summary, a[href], textarea, [tabindex='0']"


@pytest.mark.parametrize("name", NAMES)
def test_no_letter_leaves_a_widget(lab, name):
    instrument = lab.open(name)
    instrument.element.get_by_text("Data table").click()
    lab.page.evaluate(HEAR, SHORTCUTS)
    address = lab.page.url
    stops = [stop for stop in instrument.element.locator(STOPS).all() if stop.is_visible()]
    assert len(stops) >= 8
    for stop in stops:
        for letter in SHORTCUTS:
            stop.press(letter)
        assert lab.page.evaluate("window.heard") == [], stop
    assert (lab.page.url.partition("?")[0], toggle(lab.page).is_checked()) == (address, False)
    lab.page.evaluate("document.activeElement.blur()")
    open_search(lab.page, "s")
    assert lab.page.evaluate("window.heard") == ["s"]
    leave_search(lab.page)


# Resolves when the theme has finished with the next page; it tells the present one at once.
TURNED = """() => { window.turned = new Promise((resolve) => {
  let known = false;
  document$.subscribe(() => (known ? resolve() : (known = true)));
}); }"""


def turn(page, key):
    """Turn the page by a key, and wait until the page is there: its address comes long before."""
    page.evaluate(TURNED)
    page.keyboard.press(key)
    page.evaluate("window.turned")


def test_outside_they_turn_pages_and_open_the_search(lab):
    lab.open("model-split")
    home = lab.page.url
    turn(lab.page, "n")
    assert lab.page.url != home
    turn(lab.page, "p")
    assert lab.page.url == home
    open_search(lab.page, "/")
    leave_search(lab.page)


def test_no_letter_leaves_the_answer_box(lab):
    instrument = lab.open("zero-memory")
    box = instrument.page.get_by_role("textbox", name="Your answer")
    box.press_sequentially("".join(SHORTCUTS))
    expect(box).to_have_value("".join(SHORTCUTS))
    assert lab.page.url.endswith(HOME["zero-memory"].path)
    assert not toggle(lab.page).is_checked()
    lab.page.get_by_role("button", name="Clear my answer").click()
