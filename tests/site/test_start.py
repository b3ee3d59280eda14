"""What a page fetches, in which order and when: the lesson first, Python on intent, everything once."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers
from tests.site.harness.pages import HOME, PAGES, QUIET, WIDGET_PAGES
from tests.site.harness.sabotage import seen, watch

NAME = "zero-memory"
HASHED = re.compile(r"/[0-9a-f]{12}/|\.[0-9a-f]{8}\.min\.(?:js|css)$")
FILES = ("worker.js", "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "snapshot.bin")
PAGE_LIMIT = 700_000  # compressed bytes until a page is complete
METERED = """Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } });"""
FREE = """Object.defineProperty(navigator, "connection", { value: { saveData: false, effectiveType: "4g" } });"""
SLOW = """Object.defineProperty(navigator, "connection", { value: { saveData: false, effectiveType: "3g" } });"""


def engine_files(record):
    return [path for path in record.paths() if "assets/engine/" in path or path.endswith("/worker.js")]


def all_drawn(page, place):
    for name in place.widgets:
        Instrument(page, name).shows()
        Instrument(page, name).drawn()


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_a_page_is_complete_after_few_bytes_and_without_python(enter, record, place):
    page = enter(place.path)
    all_drawn(page, place)
    assert engine_files(record) == []
    sizes = [request.sizes() for request in record.finished]
    total = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    assert 200_000 < total <= PAGE_LIMIT


@pytest.mark.site
def test_looking_at_a_page_starts_nothing(enter, record):
    page = enter(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    page.mouse.move(5, 5)
    page.keyboard.press("End")
    page.evaluate("() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))")
    assert engine_files(record) == []
    assert engine_workers(page) == []
    assert instrument.element.get_attribute("data-stage") == "idle"


INTENTS = {
    "a pointer": lambda instrument: instrument.chart.hover(),
    "focus": lambda instrument: instrument.element.locator("summary").first.focus(),
    "a touch": lambda instrument: instrument.chart.tap(),
}


@pytest.mark.engine
@pytest.mark.parametrize("intent", INTENTS)
def test_a_reader_who_comes_near_starts_the_engine(enter, record, intent):
    instrument = Instrument(enter(HOME[NAME].path, has_touch=intent == "a touch"), NAME).drawn()
    assert engine_files(record) == []
    INTENTS[intent](instrument)
    instrument.ready().shows()
    expect(instrument.status).to_contain_text("Ready")


@pytest.mark.site
@pytest.mark.parametrize("connection", [METERED, SLOW], ids=["metered", "slow"])
def test_nothing_is_fetched_ahead_where_bytes_cost_something(enter, record, connection):
    page = enter(
        HOME[NAME].path, settings={"prefetch": True}, prepare=lambda page: page.context.add_init_script(connection)
    )
    all_drawn(page, HOME[NAME])
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))")
    assert engine_files(record) == []


@pytest.mark.engine
def test_on_a_free_connection_the_files_come_ahead_after_the_chart_and_a_start_uses_them(enter, record, site):
    site.served.clear()
    page = enter(HOME[NAME].path, settings={"prefetch": True}, prepare=lambda page: page.context.add_init_script(FREE))
    instrument = Instrument(page, NAME).drawn()
    page.wait_for_function("() => document.querySelectorAll('link[rel=prefetch]').length > 0")
    page.wait_for_load_state("networkidle")
    record.wait_for(page, "pyodide.asm.wasm")
    order = [path.rpartition("/")[2] for path in record.paths()]
    assert order.index("plotly-basic.min.js") < min(map(order.index, FILES))
    assert engine_workers(page) == []
    expect(instrument.element).to_have_attribute("data-stage", "idle")
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    assert {name: site.served[name] for name in FILES} == dict.fromkeys(FILES, 1)


@pytest.mark.engine
@pytest.mark.parametrize("start", ["snapshot", "stock"])
def test_all_files_of_a_start_are_asked_for_before_the_first_one_has_come(enter, record, site, start):
    page = enter(HOME[NAME].path, settings={"start": start})
    instrument = Instrument(page, NAME).drawn()
    record.forget()
    needed = {"snapshot": ["snapshot.bin"], "stock": ["python_stdlib.zip", ".whl"]}[start]
    needed += ["pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm"]
    with site.held("pyodide.js") as gate, site.held("pyodide.asm.wasm") as other:
        instrument.set(gpus=64)
        for ending in needed:
            record.wait_for(page, ending)
        gate.let_through(gate.parts)
        other.let_through(other.parts)
        instrument.shows(gpus=64)
    expect(instrument.element).to_have_attribute("data-start", start)
    left_out = {"snapshot": ["python_stdlib.zip", ".whl"], "stock": ["snapshot.bin"]}[start]
    assert [record.times_asked(ending) for ending in [*needed, *left_out]] == [1] * len(needed) + [0] * len(left_out)


@pytest.mark.engine
def test_the_stages_are_told_in_order_and_the_percentage_only_grows(enter, site):
    page = enter(HOME[NAME].path, prepare=watch)
    instrument = Instrument(page, NAME).drawn()
    bar = instrument.element.get_by_role("progressbar")
    with site.held("pyodide.asm.wasm", parts=8) as gate:
        instrument.slider("gpus").focus()
        expect(instrument.status).to_contain_text("Downloading Python")
        shown = []
        for _ in range(4):
            expect(bar).not_to_have_attribute("aria-valuenow", shown[-1] if shown else "-1")
            shown.append(bar.get_attribute("aria-valuenow"))
            gate.let_through(2)
        instrument.ready()
    assert seen(page, "stages") == ["idle", "fetching", "starting", "ready"]
    lines = seen(page, "lines")
    assert [next(word for word in ("Downloading", "Starting", "Ready") if word in line) for line in lines] == [
        "Downloading",
        "Starting",
        "Ready",
    ]
    percents = list(map(int, seen(page, "percents")))
    assert percents == sorted(percents)
    assert 0 <= percents[0] < percents[-1] <= 100


@pytest.mark.engine
def test_what_arrives_in_one_burst_is_counted_to_its_end(enter, site):
    """The worker tells what has come at most every 40 ms; what comes in between is told after all, not dropped."""

    def stop_the_clock(route):
        response = route.fetch()
        route.fulfill(response=response, body="performance.now = () => 1;\n" + response.text())

    page = enter(HOME[NAME].path, prepare=lambda page: page.context.route("**/worker.js", stop_the_clock))
    instrument = Instrument(page, NAME).drawn()
    with site.held("pyodide.asm.wasm", parts=8) as gate:
        instrument.slider("gpus").focus()
        gate.let_through(6)
        # Six eighths of it are about 83 % of all, none of it 32 %.
        bar = instrument.element.get_by_role("progressbar").element_handle()
        page.wait_for_function("bar => Number(bar.getAttribute('aria-valuenow')) >= 70", arg=bar)


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_the_library_of_the_charts_is_fetched_once_and_only_for_charts(enter, record, place):
    page = enter(place.path)
    all_drawn(page, place)
    page.wait_for_load_state("networkidle")
    assert record.times_asked("plotly-basic.min.js") == (1 if place.widgets else 0)


@pytest.mark.engine
def test_what_changes_has_an_address_that_changes_and_no_service_worker_keeps_the_old(enter, record):
    page = enter(HOME[NAME].path)
    Instrument(page, NAME).set(gpus=64)
    Instrument(page, NAME).shows(gpus=64)
    code = [path for path in record.paths() if re.search(r"\.(?:js|css|wasm|zip|whl|bin|woff2|json)$", path)]
    assert any(path.endswith("snapshot.bin") for path in code)
    assert [path for path in code if not HASHED.search(f"/{path}") and not path.startswith("search/")] == []
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((found) => found.length)") == 0


@pytest.mark.engine
def test_no_isolation_and_no_shared_memory_are_needed(lab):
    lab.open(NAME)
    assert lab.page.evaluate("[crossOriginIsolated, typeof SharedArrayBuffer]") == [False, "undefined"]
    lab.open(NAME, "?gpus=64").shows(gpus=64)


@pytest.mark.engine
def test_the_footer_names_the_versions_that_run(lab):
    instrument = lab.open(NAME, "?gpus=2")
    instrument.shows(gpus=2)
    versions = lab.page.evaluate("shardscope.versions")
    footer = lab.page.get_by_role("contentinfo")
    for version in (versions["pyodide"], versions["plotly"], versions["model"]):
        expect(footer).to_contain_text(version)
    assert lab.page.evaluate("Plotly.version") == versions["plotly"]


@pytest.mark.site
def test_a_page_without_widgets_has_no_engine_to_start(enter, record):
    page = enter(QUIET.path, settings={"prefetch": True}, prepare=lambda page: page.context.add_init_script(FREE))
    page.locator("h1").hover()
    page.evaluate("() => new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))")
    assert engine_files(record) == []
