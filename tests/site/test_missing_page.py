"""An address that leads nowhere, however deep, gives a page with the site's look and a way on."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.pages import PAGES
from tests.site.harness.search import open_search
from tests.site.harness.theme import choose

pytestmark = pytest.mark.site

DEEP = ["nothing", "a/b/", "a/b/c/d.html", "zero-fsdp/typo/?gpus=64#here"]


@pytest.fixture
def lost(enter, record):
    def go(path, **options):
        record.excuse("status of 404")
        page = enter(None, **options)
        answer = page.goto(path)
        assert answer.status == 404
        return page

    return go


@pytest.mark.parametrize("path", DEEP)
def test_a_missing_page_has_the_sites_look(lost, record, path):
    page = lost(path)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page here")
    broken = [request for request in record.finished if request.response().status >= 400]
    assert len(broken) == 1
    assert page.evaluate(
        "document.fonts.ready.then(() => [...document.fonts].some(({ status }) => status === 'loaded'))"
    )
    ground = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert ground not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")


def test_its_links_lead_to_every_page(lost, site):
    page = lost(DEEP[2])
    links = page.locator("main a[href]").evaluate_all("links => links.map(({ href }) => href)")
    assert set(links) >= {site.url + each.path for each in PAGES}
    page.locator("main").get_by_role("link", name="Glossary").click()
    expect(page.get_by_role("heading", level=1, name="Glossary")).to_be_visible()


def test_search_and_colours_work_there_too(lost):
    page = lost(DEEP[1])
    choose(page, "slate")
    open_search(page).press_sequentially("pipeline")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
