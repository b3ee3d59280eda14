"""Every address in the built pages leads somewhere on the site, or openly to another one; nothing is loaded from there."""

import json
import re
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from tests.site.harness.addresses import lost, read
from tests.site.harness.instrument import answer
from tests.site.harness.pages import NAMES, PAGES

pytestmark = pytest.mark.site

LOADING = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("use", "href")}
# A rel that names something to load; the others only say how pages belong together.
LOADED_RELS = {"stylesheet", "preload", "modulepreload", "prefetch", "icon", "manifest", "preconnect", "dns-prefetch"}


@pytest.fixture(scope="module")
def pages(site):
    """Every HTML file of the site by its address."""
    return read(site.folder, site.url)


def test_the_site_has_every_page_and_the_map_lists_them(site, pages):
    wanted = {site.url + page.path for page in PAGES}
    embeds = {f"{site.url}embed/{name}/" for name in NAMES}
    assert set(pages) == wanted | embeds | {site.url + "404.html"}
    names = ElementTree.parse(site.folder / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    assert {name.text for name in names} == wanted


def test_every_address_on_the_site_leads_to_a_file_and_every_anchor_to_a_place(site):
    assert lost(site.folder, site.url) == []


def test_links_are_relative_so_that_the_site_works_under_any_address(pages):
    absolute = {
        f"{home}: {address}"
        for home, reader in pages.items()
        if not home.endswith("404.html")
        for tag, _, address, _ in reader.addresses
        if address.startswith("/") or (tag in ("script", "img", "a") and "127.0.0.1" in address)
    }
    assert absolute == set()


def test_nothing_is_loaded_from_another_server(site, pages):
    own = urlsplit(site.url).netloc
    outside = [
        f"{home}: <{tag} {name}={address}>"
        for home, reader in pages.items()
        for tag, name, address, rels in reader.addresses
        if (tag, name) in LOADING and (tag != "link" or LOADED_RELS & set(rels))
        if urlsplit(urljoin(home, address)).netloc != own
    ]
    assert outside == []
    sheets = [*(site.folder / "assets" / "style").rglob("*.css"), *(site.folder / "assets" / "fonts").rglob("*.css")]
    assert sheets
    for sheet in sheets:
        assert re.findall(r"url\(\s*['\"]?(?:https?:)?//|@import", sheet.read_text("utf-8")) == []


def test_links_to_other_servers_are_secure_and_written_in_full(site, pages):
    own = urlsplit(site.url).netloc
    others = {
        address
        for home, reader in pages.items()
        for tag, _, address, _ in reader.addresses
        if tag == "a" and urlsplit(urljoin(home, address)).netloc not in (own, "")
    }
    assert others
    assert {address for address in others if not address.startswith("https://")} == set()


def test_no_id_stands_twice_on_a_page(pages):
    twice = {
        f"{home}#{anchor}"
        for home, reader in pages.items()
        for anchor in reader.anchors
        if reader.anchors.count(anchor) > 1
    }
    radio_names = {anchor for anchor in twice if "__palette" in anchor or "-stage" in anchor or "__drawer" in anchor}
    assert twice - radio_names == set()


def test_the_search_index_holds_sentences_and_no_figures(site):
    file = site.folder / "search" / "search_index.json"
    assert file.stat().st_size < 500_000
    text = " ".join(entry["text"] for entry in json.loads(file.read_text("utf-8"))["docs"])
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text).replace("\u00a0", " "))
    for name in NAMES:
        assert answer(name)["caption"].replace("\u00a0", " ") in plain
    for noise in ("hoverinfo", "showlegend", "textposition", "{percent}", "aria-", "Copy link", "Copy plan", "Retry"):
        assert noise not in text
