"""The page "How right is it?" in a browser: complete without a script, read by ear, reached by keyboard, with its files."""

import csv
from io import StringIO

import pytest
from playwright.sync_api import expect

from scripts.site import evidence
from tests.model.evidence.score import Summary
from tests.model.evidence.sources import MEASURED
from tests.site.harness.pages import PAGES
from tests.site.harness.search import open_search
from tests.site.harness.theme import channels, contrast

pytestmark = pytest.mark.site
(PAGE,) = (page.path for page in PAGES if page.source == "evidence.md")
SOURCE = next(source for source in MEASURED if source.set_here)
STROKE = "mark => getComputedStyle(mark).stroke"


def test_everything_is_there_without_a_script(enter):
    page = enter(PAGE, java_script_enabled=False)
    for source in MEASURED:
        part = page.locator(f"section:has(> div > h3#{source.key})")
        expect(part).to_contain_text(source.what)
        expect(part.locator("figure svg[role=img]")).to_be_visible()
        expect(part.get_by_role("table").first).to_be_visible()


def test_a_drawing_is_a_picture_with_a_name_and_a_description(enter):
    page = enter(PAGE)
    for source in MEASURED:
        name = f"{source.title}: predicted against measured"
        drawing = page.locator(f"section:has(> div > h3#{source.key})").get_by_role("img")
        expect(drawing).to_have_accessible_name(f"{name} {drawing.locator('desc').text_content()}")


def test_the_index_of_sources_leads_to_their_sections_and_the_table_opens_by_keyboard(enter):
    page = enter(PAGE)
    page.evaluate("window.marker = 'still here'")
    index = page.get_by_role("table", name="Errors of all measured sources")
    link = index.get_by_role("link", name=SOURCE.title, exact=True)
    link.scroll_into_view_if_needed()
    # The theme notes where a page was left shortly after it was scrolled; a quicker click than a reader's meets that.
    page.wait_for_function("() => history.state?.y === scrollY")
    link.click()
    heading = page.locator(f"#{SOURCE.key}")
    expect(heading).to_be_in_viewport()
    header = page.locator(".md-header").bounding_box()
    assert heading.bounding_box()["y"] >= header["y"] + header["height"]
    part = page.locator(f"section:has(> div > h3#{SOURCE.key})")
    summary = part.get_by_text("Data table")
    summary.focus()
    summary.press("Enter")
    table = part.get_by_role("table").first
    expect(table).to_be_visible()
    worst = Summary.of(SOURCE.rows()).worst
    expect(table.get_by_role("rowheader").first).to_have_text(worst.name)
    assert page.evaluate("window.marker") == "still here"


def test_all_rows_come_as_a_file(enter):
    page = enter(PAGE)
    part = page.locator(f"section:has(> div > h3#{SOURCE.key})")
    part.get_by_text("Data table").click()
    with page.expect_download() as caught:
        part.get_by_role("link", name="All rows as CSV").click()
    assert caught.value.suggested_filename == f"{SOURCE.key}.csv"
    lines = list(csv.reader(StringIO(caught.value.path().read_text("utf-8"))))
    assert lines == list(csv.reader(StringIO(evidence.csv_of(SOURCE))))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_stand_out_from_their_ground_in_both_schemes(enter, scheme):
    page = enter(PAGE, color_scheme=scheme)
    ground = channels(page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor"))
    for kind in (".ev-held", ".ev-set", ".ev-worst", ".ev-equal"):
        assert contrast(channels(page.locator(kind).first.evaluate(STROKE)), ground) >= 3


def test_the_page_is_found_from_the_overview_and_by_the_search(enter):
    page = enter("")
    page.get_by_role("main").get_by_role("link", name="How right is it?").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("How right is it?")
    open_search(page).press_sequentially("largest reservation")
    result = page.locator(f".md-search-result__link[href*='{PAGE}']").first
    expect(result).to_be_visible()
