"""On a slow machine and a slow line: what comes first, what is told on the way, and that the page keeps answering."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers
from tests.site.harness.pages import HOME
from tests.site.harness.sabotage import seen, watch

NAME = "zero-memory"
SLOWER = 4  # times
# A worker that counts what makes no sense: less than before, and more than there is.
MISCOUNTS = """onmessage = async ({ data }) => {
  if (data.type !== "start") return;
  for (const got of [10, 50, 30, 70, 250]) {
    postMessage({ type: "progress", got, all: 100, late: { name: "a.file", bytes: 100, got } });
    await new Promise((done) => setTimeout(done));
  }
};"""
# Notes in their order: the library has run, the page could answer, a chart was drawn. Timers of one length keep theirs.
TURNS = """globalThis.turns = [];
let library;
Object.defineProperty(globalThis, "Plotly", {
  configurable: true,
  get: () => library,
  set(value) {
    library = value;
    turns.push("library");
    setTimeout(() => turns.push("page"));
    const { react } = value;
    value.react = (...rest) => (turns.push("chart"), react(...rest));
  },
});"""
# Counts what compiles on the page's own thread; a worker has a `WebAssembly` of its own.
COMPILED = """globalThis.compiled = [];
for (const name of ["compile", "instantiate", "compileStreaming", "instantiateStreaming"]) {
  const real = WebAssembly[name];
  WebAssembly[name] = (...rest) => (compiled.push(name), real(...rest));
}
WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: (real, rest) => (compiled.push("Module"), new real(...rest)) });"""


def engine_files(record):
    return [path for path in record.paths() if "assets/engine/" in path or path.endswith("/worker.js")]


def slow_down(page):
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


@pytest.mark.engine
def test_on_a_slow_machine_the_chart_comes_first_and_the_way_to_python_is_told(enter, record, site):
    page = enter(None, prepare=watch)
    slow_down(page)
    page.goto(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    instrument.shows()
    assert engine_files(record) == []
    with site.held("pyodide.asm.wasm", parts=8) as gate:
        instrument.set(gpus=64)
        bar = instrument.element.get_by_role("progressbar")
        for _ in range(3):
            expect(bar).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
            told = bar.get_attribute("aria-valuenow")
            gate.let_through(2)
            expect(bar).not_to_have_attribute("aria-valuenow", told)
        gate.let_through(2)  # with its end goes the bar
        instrument.shows(gpus=64)


@pytest.mark.site
def test_the_percentage_never_goes_back_and_never_passes_its_end_whatever_is_counted(enter):
    def prepare(page):
        watch(page)
        page.context.route("**/worker.js", lambda route: route.fulfill(content_type="text/javascript", body=MISCOUNTS))

    instrument = Instrument(enter(HOME[NAME].path, prepare=prepare), NAME).drawn()
    instrument.slider("gpus").focus()
    expect(instrument.element.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")
    percents = [percent for percent in seen(instrument.page, "percents") if percent]
    assert percents[-4:] == ["10", "50", "70", "100"]


@pytest.mark.site
def test_the_page_answers_between_running_the_library_and_drawing_with_it(enter):
    page = enter(HOME[NAME].path, prepare=lambda page: page.context.add_init_script(TURNS))
    Instrument(page, NAME).drawn()
    assert page.evaluate("turns.slice(0, 3)") == ["library", "page", "chart"]


@pytest.mark.engine
def test_python_never_runs_where_the_page_reacts(enter):
    page = enter(HOME[NAME].path, prepare=lambda page: page.context.add_init_script(COMPILED))
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    assert page.evaluate("compiled") == []
    assert len(engine_workers(page)) == 1
    assert page.evaluate("typeof loadPyodide") == "undefined"


# Holds the drawing of a chart until the page says so.
SLOW_PLOT = """globalThis.drawings = 0;
globalThis.go = new Promise((resolve) => (globalThis.draw = resolve));
let plotly;
Object.defineProperty(globalThis, "Plotly", {
  configurable: true,
  get: () => plotly,
  set(value) {
    plotly = value;
    const { react } = value;
    value.react = async (...rest) => {
      globalThis.drawings += 1;
      const done = await react(...rest);
      globalThis.half = rest[0];
      await globalThis.go;
      if (!rest[0]._fullLayout) throw new Error("taken down while it was drawn");
      return done;
    };
  },
});"""


@pytest.mark.site
def test_leaving_while_a_chart_is_drawn_is_silent(enter):
    page = enter(HOME[NAME].path, prepare=lambda page: page.context.add_init_script(SLOW_PLOT))
    Instrument(page, NAME).in_view()
    page.wait_for_function("() => globalThis.half")
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Glossary").click()
    expect(page.locator("shard-widget")).to_have_count(0)
    assert page.evaluate("Boolean(half._fullLayout)"), "it was taken down while it was being drawn"
    page.evaluate("draw()")
    page.wait_for_function("() => !half._fullLayout")
