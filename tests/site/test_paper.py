"""On paper: light, no controls, the chart no wider than the sheet, the table open, the values and the address in words."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES, PAGES
from tests.site.harness.theme import channels

SHEET = {"width": 794, "height": 1123}  # A4 at 96 px an inch
ROOM = 794 - 2 * 68  # between the margins of the sheet
GONE = [".sw-controls", ".sw-actions", ".sw-status", ".md-header", ".md-search", ".foot"]


def printed(page):
    page.emulate_media(media="print")
    return page


@pytest.mark.site
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_printed_widget_is_light_whole_and_has_its_table(enter, name, scheme):
    page = enter(HOME[name].path, viewport=SHEET, color_scheme=scheme)
    instrument = Instrument(page, name).drawn()
    printed(page)
    expect(instrument.element.locator(".sw-print")).to_be_visible()
    page.wait_for_function(
        "element => element.querySelector('.js-plotly-plot')._fullLayout.width === 520",
        arg=instrument.element.element_handle(),
    )
    drawn, room = instrument.element.locator(".main-svg").first.bounding_box(), instrument.chart.bounding_box()
    assert (
        room["x"] - 1 <= drawn["x"] < drawn["x"] + drawn["width"] <= room["x"] + room["width"] + 1 <= SHEET["width"] + 1
    )
    for selector in GONE:
        for part in page.locator(selector).all():
            expect(part).to_be_hidden()
    table = instrument.element.get_by_role("table")
    expect(table).to_be_visible()
    assert table.bounding_box()["height"] > 30
    ink, paper = (
        channels(each) for each in instrument.layout("[gd._fullLayout.font.color, gd._fullLayout.paper_bgcolor]")
    )
    assert min(paper) > 200
    assert max(ink) < 100
    for label in (control.label for control in instrument.widget.controls):
        expect(instrument.element.locator(".sw-print")).to_contain_text(label)
    expect(instrument.element.locator(".sw-print")).to_contain_text(page.url)
    page.emulate_media(media="screen")
    expect(instrument.element.locator(".sw-print")).to_have_count(0)


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_what_is_shown(lab, name):
    instrument = lab.open(name)
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    instrument.set(**{control.name: control.most})
    instrument.shows(**{control.name: control.most})
    instrument.settled()
    printed(lab.page)
    note = instrument.element.locator(".sw-print")
    expect(note).to_contain_text(str(control.most))
    expect(note).to_contain_text(f"{control.name}={control.most}")
    lab.page.emulate_media(media="screen")
    expect(note).to_have_count(0)
    instrument.shows(**{control.name: control.most})


# What a sheet would cut off: words beyond its edge, and what scrolls or hides on a screen.
LOST = """(width) => [...document.querySelectorAll("main *")].filter((element) => element.checkVisibility())
  .filter((element) => !element.closest(".visually-hidden, caption, svg *, .js-plotly-plot, .md-search"))
  .filter((element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    const hides = /auto|scroll|hidden|clip/;
    return element.getBoundingClientRect().right > width + 1
      || (hides.test(overflowX) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 2)
      || (hides.test(overflowY) && element.scrollHeight > element.clientHeight + 1 && element.clientHeight > 2);
  })
  .map(({ tagName, className, scrollWidth, clientWidth }) => `${tagName} ${className} ${scrollWidth}/${clientWidth}`)"""
ROWS = (
    "() => [...document.querySelectorAll('tr')].filter((row) => getComputedStyle(row).breakInside !== 'avoid').length"
)


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_a_sheet_cuts_nothing_off_a_printed_page_and_no_row_in_two(enter, place):
    page = printed(enter(place.path, viewport={"width": ROOM, "height": SHEET["height"]}))
    assert page.evaluate("document.documentElement.scrollWidth") <= ROOM
    assert page.evaluate(LOST, ROOM) == []
    assert page.evaluate(ROWS) == 0
    ground = channels(page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor"))
    assert min(ground) > 200
