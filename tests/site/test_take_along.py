"""The site as one file: unpacked and served elsewhere, by the plainest server and under another path, the lesson works."""

import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from scripts.httpd import Site
from scripts.site.policy import hashes, text
from scripts.site.take_along import FOLDER, MISSING, NAME
from tests.site.harness.addresses import lost
from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, QUIET


@pytest.fixture(scope="module")
def unpacked(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    with zipfile.ZipFile(site.folder / NAME) as archive:
        archive.extractall(folder)
    return folder / FOLDER


class Quiet(SimpleHTTPRequestHandler):
    """What `python3 -m http.server` answers with."""

    def log_message(self, *_):
        pass


@pytest.fixture
def plainly(unpacked, record):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=unpacked)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        record.welcome(address.removesuffix("/"))
        yield address
        server.shutdown()


@pytest.fixture
def below(unpacked, record):
    with Site(unpacked, prefix="/any/where/") as server:
        record.welcome(server.url.removesuffix("/any/where/"))
        yield server.url


@pytest.mark.engine
@pytest.mark.parametrize("server", ["plainly", "below"])
def test_the_lesson_works(enter, site, record, request, server):
    address = request.getfixturevalue(server)
    page = enter(address)
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="ZeRO / FSDP").click()
    page.wait_for_url(f"{address}{HOME['zero-memory'].path}")
    instrument = Instrument(page, "zero-memory")
    instrument.set(stage="zero-3", gpus=64)
    instrument.shows(stage="zero-3", gpus=64)
    page.get_by_role("navigation", name="All pages").get_by_role("link", name=QUIET.title).click()
    page.wait_for_url(f"{address}{QUIET.path}")
    page.goto(f"{address}embed/zero-memory/")
    Instrument(page, "zero-memory").shows()
    assert [each.url for each in record.requests if each.url.startswith(site.origin)] == []


@pytest.mark.site
@pytest.mark.parametrize("path", ["nowhere", "no/such/page/", "zero-fsdp/x.html"])
def test_a_missing_page_finds_the_lesson(enter, record, below, path):
    record.excuse("^Failed to load resource")
    page = enter(below + path)
    expect(page.get_by_role("heading", name="There is no page here")).to_be_visible()
    page.get_by_role("link", name="Go to the lesson's first page").click()
    page.wait_for_url(below)
    expect(page.locator("shard-widget")).to_have_count(1)


@pytest.mark.site
def test_an_address_that_begins_with_two_slashes_asks_nobody_else(enter, record, unpacked):
    record.excuse("^Failed to load resource")
    with Site(unpacked, prefix="/") as server:
        record.welcome(server.url.removesuffix("/"))
        page = enter(f"{server.url}/elsewhere.example/folder/nowhere")
        page.get_by_role("link", name="Go to the lesson's first page").click()
        page.wait_for_url(server.url)


@pytest.mark.site
def test_the_missing_page_may_run_its_own_script_alone(unpacked):
    page = (unpacked / MISSING).read_text("utf-8")
    own = hashes([page])
    assert len(own) == 1
    assert f'<meta http-equiv="Content-Security-Policy" content="{text(own)}">' in page


@pytest.mark.site
def test_every_address_in_the_file_leads_to_something_in_it(unpacked, site):
    assert lost(unpacked, site.url) == []


@pytest.mark.site
def test_every_page_leads_to_the_file_and_the_file_does_not_hold_itself(enter, site):
    link = enter("").get_by_role("contentinfo").get_by_role("link", name="Take the site along")
    assert link.evaluate("link => link.href") == site.url + NAME
    with zipfile.ZipFile(site.folder / NAME) as archive:
        names = {name.removeprefix(f"{FOLDER}/") for name in archive.namelist()}
        readme = archive.read(f"{FOLDER}/README.txt").decode()
    built = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*") if path.is_file()}
    assert names == built - {NAME} | {"README.txt"}
    assert "python3 -m http.server" in readme
    assert site.url in readme
