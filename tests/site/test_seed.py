"""A page is complete before any Python is fetched: its widgets show what Python said when the site was built."""

import pytest

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import NAMES, WIDGET_PAGES

pytestmark = pytest.mark.site


def test_every_widget_stands_on_a_page():
    assert {name for page in WIDGET_PAGES for name in page.widgets} == set(NAMES)


@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_a_widget_shows_pythons_answer_for_its_defaults(enter, place):
    page = enter(place.path)
    for name in place.widgets:
        Instrument(page, name).shows()
