"""A finger: swiping up or down scrolls the page, over a chart and over a slider; a slider moves by a swipe along it."""

import pytest

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES
from tests.site.test_sizes import PHONE

SWIPE = 240  # px


class Finger:
    """One finger on the screen."""

    def __init__(self, page) -> None:
        self._session = page.context.new_cdp_session(page)

    def swipe(self, start, across=0, down=0, steps=12):
        """Put it down at a point, move it, lift it."""
        x, y = start
        self._touch("touchStart", x, y)
        for step in range(1, steps + 1):
            self._touch("touchMove", x + across * step / steps, y + down * step / steps)
        self._touch("touchEnd")

    def _touch(self, kind, *point):
        points = [{"x": point[0], "y": point[1]}] if point else []
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@pytest.fixture(params=NAMES)
def instrument(enter, request):
    page = enter(HOME[request.param].path, **PHONE)
    return Instrument(page, request.param).drawn()


def a_slider(instrument):
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    return control, instrument.slider(control.name)


def middle(locator):
    """The middle of something, once it stands in the middle of the window."""
    locator.evaluate("element => element.scrollIntoView({ block: 'center', behavior: 'instant' })")
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def scrolled(page, before):
    page.wait_for_function("before => scrollY > before + 100", arg=before)


@pytest.mark.site
def test_swiping_up_over_a_chart_scrolls_the_page(instrument):
    page, start = instrument.page, middle(instrument.chart)
    before = page.evaluate("scrollY")
    Finger(page).swipe(start, down=-SWIPE)
    scrolled(page, before)
    instrument.shows()


@pytest.mark.engine
def test_swiping_up_over_a_slider_scrolls_the_page_and_leaves_the_value(instrument):
    page = instrument.page
    _, slider = a_slider(instrument)
    x, y = middle(slider)
    width = slider.bounding_box()["width"]
    for place in (x - width / 3, x + width / 3):
        middle(slider)
        before = page.evaluate("scrollY")
        Finger(page).swipe((place, y), down=-SWIPE)
        scrolled(page, before)
        assert instrument.values() == instrument.widget.defaults
    instrument.ready().shows()
    assert instrument.values() == instrument.widget.defaults


@pytest.mark.engine
def test_swiping_along_a_slider_moves_it(instrument):
    control, slider = a_slider(instrument)
    x, y = middle(slider)
    width = slider.bounding_box()["width"]
    Finger(instrument.page).swipe((x - width / 4, y), across=width)
    instrument.shows(**{control.name: control.most})
