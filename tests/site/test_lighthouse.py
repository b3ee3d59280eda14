"""Lighthouse finds nothing on any page that is not on the list of what the theme alone could mend."""

from datetime import date

import pytest

from scripts.known import Known
from scripts.lighthouse import paths, reports, unexplained
from tests.site.harness.pages import PAGES

GOOD = {"accessibility": 100, "best-practices": 100, "seo": 100}
LACKS = {"id": "image-alt", "title": "An image has no text", "places": ["main > img"]}
LISTED = Known(rule="image-alt", place="img", reason="The theme writes it.", looked=date(2026, 12, 1))


def page(scores=GOOD, missing=()):
    return {"path": "a/", "scores": scores, "missing": list(missing)}


@pytest.mark.site
@pytest.mark.full
def test_lighthouse_finds_nothing(site, chromium):
    found = reports(chromium, site.url, paths(), full=False)
    assert [each["path"] for each in found] == [place.path for place in PAGES]
    assert list(unexplained(found)) == []


@pytest.mark.site
@pytest.mark.parametrize(
    ("found", "known", "told"),
    [
        (page(), (), []),
        (page(GOOD | {"accessibility": 96}, [LACKS]), (), ["/a/: image-alt: An image has no text ['main > img']"]),
        (page(GOOD | {"accessibility": 96}, [LACKS]), (LISTED,), []),
        (page(GOOD | {"seo": None}), (), ["/a/: seo below 100 without a reason"]),
        (
            page(GOOD | {"seo": 90}, [LACKS | {"id": "link-text"}]),
            (LISTED,),
            ["/a/: link-text: An image has no text ['main > img']"],
        ),
        (page(GOOD | {"seo": 90}, [LACKS | {"places": []}]), (LISTED,), ["/a/: image-alt: An image has no text"]),
    ],
)
def test_a_missing_point_needs_a_name_on_the_list(found, known, told):
    assert list(unexplained([found], known)) == told
