"""What the site may weigh: bytes and counts, never a clock. A failure names what grew, and by how much."""

import json

import pytest

from scripts.tools import VENDOR
from scripts.weight import BUDGET, frame_bytes, is_ours, overruns, weights
from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, PAGES

NAME = "zero-memory"
VISIT = {"page_bytes", "page_own_bytes", "text_page_own_bytes", "page_requests"}


@pytest.fixture(scope="module")
def frame():
    return frame_bytes()


def visit(page, place, record, frame):
    """What one visit of a page fetches until its charts stand and it is at rest."""
    for name in place.widgets:
        Instrument(page, name).drawn()
    page.wait_for_load_state("networkidle")
    sizes = {request.url: request.sizes() for request in record.finished}
    bodies = {url.removeprefix(record.origin + "/repo/"): size["responseBodySize"] for url, size in sizes.items()}
    return {
        "page_bytes": sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes.values()),
        "page_own_bytes" if place.widgets else "text_page_own_bytes": sum(
            size for path, size in bodies.items() if is_ours(path)
        )
        - frame,
        "page_requests": len(record.requests),
    }


def keeps(found):
    over = overruns(found)
    assert not over, "\n".join(over)


@pytest.mark.site
def test_the_built_files_keep_to_the_budget(site):
    found = weights(site.folder, json.loads((VENDOR / "manifest.json").read_text("utf-8")))
    keeps(found)
    assert set(found) | VISIT | {"start_requests"} == set(BUDGET), "a limit that nothing is held to"


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_a_page_keeps_to_the_budget(enter, record, frame, place):
    found = visit(enter(place.path), place, record, frame)
    keeps(found)
    assert min(found.values()) > 0


@pytest.mark.engine
def test_a_start_keeps_to_the_budget(enter, site):
    page = enter(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    page.wait_for_load_state("networkidle")
    site.served.clear()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    del site.served["favicon.svg"]  # the browser asks for it whenever it likes
    keeps({"start_requests": site.served.total()})
    assert site.served
