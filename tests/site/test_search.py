"""The search box finds what the lesson says, by mouse and by keyboard, and leads there without a reload."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.pages import HOME
from tests.site.harness.search import at_rest, open_search, toggle

pytestmark = pytest.mark.site


def search(page, words):
    """Open the search by its key and type."""
    open_search(page).press_sequentially(words)


@pytest.mark.parametrize("words", ["ZeRO-3", "all-reduce", "micro-batch", "7.5 billion"])
def test_the_search_finds(enter, words):
    page = enter(HOME["data-parallel"].path)
    search(page, words)
    results = page.locator(".md-search-result__link")
    expect(results.first).to_be_visible()
    expect(page.locator(".md-search-result__list")).to_contain_text(words.partition(" ")[0])


@pytest.mark.parametrize("words", ["ZeRO-3", "all-reduce", "micro-batch", "activation", "pipeline", "memory"])
def test_the_lesson_comes_before_the_reference(enter, words):
    page = enter(HOME["data-parallel"].path)
    box = open_search(page)
    box.fill(words)  # all at once: half a word has results of its own
    box.press("End")
    pages = page.locator(".md-search-result__list > li")
    expect(pages.first).to_be_visible()
    leads = pages.evaluate_all("all => all.map((item) => item.querySelector('a').href.includes('/reference'))")
    assert not leads[0]
    assert leads.count(False) > leads.count(True)


@pytest.mark.parametrize(("words", "leads"), [("moment_bytes", "reference"), ("balanced_layers", "reference-model")])
def test_the_search_finds_a_name_of_the_code(enter, words, leads):
    page = enter(HOME["data-parallel"].path)
    search(page, words)
    expect(page.locator(f".md-search-result__link[href*='{leads}/']").first).to_be_visible()


def test_a_result_leads_to_its_page_without_a_reload(enter):
    page = enter(HOME["data-parallel"].path)
    page.evaluate("window.marker = 'still here'")
    search(page, "ZeRO-3")
    result = page.locator(".md-search-result__link[href*='zero-fsdp']").first
    expect(result).to_be_visible()
    result.click()
    page.wait_for_url(lambda url: HOME["zero-memory"].path in url)
    expect(page.locator("shard-widget[name=zero-memory]")).to_be_visible()
    assert page.evaluate("window.marker") == "still here"
    expect(toggle(page)).not_to_be_checked()


def test_nonsense_finds_nothing_and_says_so(enter):
    page = enter(HOME["data-parallel"].path)
    search(page, "qqqqzzzz")
    expect(page.locator(".md-search-result__meta")).to_contain_text("No matching documents")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_on_a_phone_the_keyboard_opens_it_too(enter, key):
    page = enter(HOME["data-parallel"].path, viewport={"width": 360, "height": 740})
    button = page.get_by_role("button", name="Search", exact=True)
    mark = page.get_by_role("link", name="Shardscope", exact=True).first
    mark.focus()
    while not button.evaluate("button => button === document.activeElement"):
        page.keyboard.press("Tab")
        assert not page.locator("main :focus").count(), "the button was passed over"
    at_rest(page)
    page.keyboard.press(key)
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()
    expect(toggle(page)).to_be_checked()


def test_on_a_phone_a_tap_opens_it_and_it_finds(enter):
    page = enter(HOME["data-parallel"].path, viewport={"width": 360, "height": 740}, has_touch=True)
    at_rest(page)
    page.get_by_role("button", name="Search", exact=True).tap()
    expect(toggle(page)).to_be_checked()
    page.keyboard.type("ZeRO-3")
    expect(page.locator(".md-search-result__link").first).to_be_visible()


@pytest.mark.parametrize(("width", "narrow"), [(360, True), (1280, False)])
def test_its_button_stands_in_for_the_box_where_there_is_no_room(enter, width, narrow):
    page = enter(HOME["data-parallel"].path, viewport={"width": width, "height": 740})
    bar = page.get_by_role("banner")
    expect(bar.get_by_title("Search", exact=True)).to_be_visible(visible=narrow)
    if not narrow:
        expect(bar.get_by_role("textbox", name="Search")).to_be_in_viewport()


def test_its_index_is_fetched_once_the_reader_turns_to_it(enter, record):
    page = enter(HOME["data-parallel"].path)
    page.wait_for_load_state("networkidle")
    assert record.times_asked("search_index.json") == 0
    search(page, "ZeRO-3")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    assert record.times_asked("search_index.json") == 1


def test_a_link_that_asks_the_search_is_answered(enter):
    page = enter(f"{HOME['data-parallel'].path}?q=ZeRO-3")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
