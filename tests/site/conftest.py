"""One site and one browser for the session; each test hears everything its pages say, and fails with it."""

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from scripts.browser import find_browser
from tests.site.harness.host import Host
from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import Lab
from tests.site.harness.pages import HOME
from tests.site.harness.puppet import Puppet
from tests.site.harness.record import FILE_GONE, Record
from tests.site.harness.sabotage import watch
from tests.site.harness.workshop import workshop

HERE = Path(__file__).parent
KINDS = {"site", "engine", "sabotage"}
# How long a browser may take for anything on a busy machine; nothing waits this long when it works. `make protections`,
# where everything fails on purpose, shortens it.
PATIENCE_MS = int(os.environ.get("PATIENCE_MS", 30_000))
# Tests say for themselves when they want the engine's files fetched ahead, and none likes to wait for a pause.
QUICK = {"prefetch": False, "settle": 60, "announceEvery": 60}


def pytest_collection_modifyitems(items):
    """Every test here says what it needs: a page, a running engine, or something broken."""
    bare = [item.nodeid for item in items if item.path.is_relative_to(HERE) and not _kinds(item)]
    if bare:
        raise pytest.UsageError(f"mark these tests as one of {sorted(KINDS)}: {', '.join(bare)}")


def _kinds(item) -> set[str]:
    return KINDS & {marker.name for marker in item.iter_markers()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test that passed still fails when its pages complained or asked another server for anything."""
    result = yield
    record = getattr(item, "funcargs", {}).get("record")
    if record is not None:
        if "sabotage" in _kinds(item):
            record.excuse(FILE_GONE)
        assert record.problems() == []
    return result


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The built site, served under /repo/."""
    with Host(tmp_path_factory.mktemp("site") / "built") as host:
        yield host.build()


@pytest.fixture(scope="session")
def fixture_site(tmp_path_factory):
    """The site with a few pages more: a widget twice on a page, widgets in places that open later."""
    with workshop(tmp_path_factory.mktemp("workshop")) as host:
        yield host.build(host.folder.parent / "mkdocs.yml")


@pytest.fixture(scope="session")
def chromium():
    """Where the Chromium is that the tests drive: looked for before Playwright runs, since looking asks it too."""
    path = find_browser()
    if not path:
        raise pytest.UsageError("no Chromium was found: run `make browser`")
    return path


@pytest.fixture(scope="session")
def browser(chromium):
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        # No name but this machine's address means anything: the outside network is cut for the whole suite.
        cut = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", cut])
        yield browser
        browser.close()


def new_context(browser, site, record, settings=None, **options):
    """A fresh reader's browser."""
    context = browser.new_context(base_url=site.url, **options)
    context.set_default_timeout(PATIENCE_MS)
    record.listen(context)
    if options.get("java_script_enabled", True):
        wanted = json.dumps(QUICK | (settings or {}))
        context.add_init_script(f"globalThis.shardscopeSettings = {wanted};")
    return context


@pytest.fixture
def record(site):
    """What this test's pages say and ask for."""
    return Record(site.origin)


@pytest.fixture
def enter(browser, site, record):
    """Open a page of the site as a reader who has never been here: ``enter(path, settings={…}, **context options)``."""
    yield from _door(browser, site, record)


@pytest.fixture(scope="session")
def large_print(browser, chromium):
    """A browser whose reader has set letters to twice their size (WCAG 2.2, 1.4.4)."""
    setting = "--blink-settings=defaultFontSize=32"
    other = browser.browser_type.launch(executable_path=chromium, args=["--no-sandbox", setting])
    yield other
    other.close()


@pytest.fixture
def enter_in_large_print(large_print, site, record):
    """The same for a reader of large print."""
    yield from _door(large_print, site, record)


@pytest.fixture
def enter_fixture(browser, fixture_site, record):
    """The same for the pages that only tests have."""
    record.origin = fixture_site.origin
    yield from _door(browser, fixture_site, record)


def _door(browser, site, record):
    contexts = []

    def open_page(path="", *, settings=None, prepare=None, **options):
        context = new_context(browser, site, record, settings, **options)
        contexts.append(context)
        context.on("close", lambda: contexts.remove(context))
        page = context.new_page()
        if prepare:
            prepare(page)
        if path is not None:
            page.goto(path)
        return page

    yield open_page
    for context in [*contexts]:
        context.unroute_all(behavior="ignoreErrors")  # an answer that a test no longer waits for
        context.close()


@pytest.fixture
def stage(enter):
    """A page whose worker is a puppet: (instrument, puppet). ``stage(long=1)`` makes all computations long."""

    def set_up(name="zero-memory", **settings):
        strings = []

        def prepare(page):
            watch(page)
            strings.append(Puppet(page))

        instrument = Instrument(enter(HOME[name].path, settings=settings, prepare=prepare), name).drawn()
        instrument.slider("gpus").focus()
        return instrument.ready(), strings[0]

    return set_up


@pytest.fixture(scope="session")
def _lab(browser, site):
    lab = Lab(browser, site, new_context)
    yield lab
    lab.close()


@pytest.fixture
def lab(_lab, request):
    """A page whose engine runs already, shared by all tests that leave it as they found it."""
    _lab.begin()
    request.node.funcargs["record"] = _lab.record
    yield _lab
    _lab.end(failed=getattr(request.node, "failed", False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report
