"""Instant navigation: every page is reached from every other without a reload, and everything on it works."""

import os
import subprocess
import sys
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers
from tests.site.harness.metrics import Metrics
from tests.site.harness.pages import HOME, NAMES, PAGES, QUIET, ROOT, WIDGET_PAGES

# What moved without the reader's doing, and how much; one word of it adds up to nothing.
SHIFTS = """globalThis.shifts = [];
new PerformanceObserver((list) => { for (const { value, startTime, sources } of list.getEntries()) {
  globalThis.shifts.push([value, startTime, ...sources.map(({ node }) => node?.className || node?.nodeName)]);
} }).observe({ type: "layout-shift", buffered: true });"""
STILL = 0.05
# The theme sets the address of every style sheet anew as it starts, so typefaces come a second time, and words may stand in
# the fallback's for a frame, a pixel or two aside: 0.002 was seen. A part of the page that comes or goes gives far more.
TYPEFACES_AGAIN = 0.01
# When every typeface is there and the frame that takes them in is over: what moves from then on, they did not move.
TYPEFACES = """async () => {
  await Promise.allSettled([...document.fonts].map((face) => face.load()));
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
# Counts how often the library of the charts runs; a browser that has kept it asks no server again.
RUNS = """globalThis.runs = 0;
let library;
Object.defineProperty(globalThis, "Plotly", { get: () => library, set: (value) => { library = value; runs += 1; } });"""


def tour(places):
    """A walk that goes from every place to every other exactly once, and ends where it began."""
    ways = {place: [other for other in places if other is not place] for place in places}
    walk, stack = [], [places[0]]
    while stack:
        here = ways[stack[-1]]
        if here:
            stack.append(here.pop())
        else:
            walk.append(stack.pop())
    return walk[::-1]


def click_to(page, place):
    """Go to a page by its link in the footer; wait until it is there."""
    page.evaluate("window.lastContainer = document.querySelector('[data-md-component=container]')")
    footer = page.get_by_role("navigation", name="All pages")
    footer.locator(f'a[href="{_relative(page, place)}"]').click()
    page.wait_for_function("() => !window.lastContainer?.isConnected")


def _relative(page, place):
    """The footer's link to a page, as it is written there."""
    script = (
        "wanted => [...document.querySelectorAll('footer a')].find(({ href }) => href === wanted)?.getAttribute('href')"
    )
    return page.evaluate(script, page.evaluate("location.origin") + "/repo/" + place.path)


def all_shown(page, place):
    for name in place.widgets:
        Instrument(page, name).shows()


@pytest.mark.site
def test_the_tour_takes_every_way_once():
    walk = tour(PAGES)
    ways = list(pairwise(walk))
    assert len(ways) == len(set(map(str, ways))) == len(PAGES) * (len(PAGES) - 1)


@pytest.mark.site
def test_every_page_is_reached_from_every_other_without_a_reload(enter):
    walk = tour(PAGES)
    page = enter(walk[0].path)
    page.evaluate("window.marker = 'still here'")
    for place in walk[1:]:
        click_to(page, place)
        assert page.evaluate("[window.marker, location.pathname]") == ["still here", f"/repo/{place.path}"]
        assert page.locator("h1").count() == 1
        all_shown(page, place)
    assert page.evaluate("document.querySelectorAll('.js-plotly-plot').length") == len(walk[-1].widgets)


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_a_widget_shows_the_same_whether_its_page_was_opened_or_navigated_to(enter, place):
    page = enter(place.path)
    all_shown(page, place)
    page.reload()
    all_shown(page, place)
    click_to(page, QUIET)
    click_to(page, place)
    all_shown(page, place)


@pytest.mark.engine
def test_python_is_fetched_once_and_one_worker_serves_all_pages(enter, record):
    page = enter(WIDGET_PAGES[0].path, prepare=lambda page: page.context.add_init_script(RUNS))
    for place in [*WIDGET_PAGES, *WIDGET_PAGES[:1]]:
        if page.url != page.evaluate("location.origin") + "/repo/" + place.path:
            click_to(page, place)
        instrument = Instrument(page, place.widgets[0])
        control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
        instrument.slider(control.name).press("End")
        instrument.shows(**{control.name: control.most})
        assert len(engine_workers(page)) == 1
    assert record.times_asked("pyodide.asm.wasm") == 1
    assert record.times_asked("plotly-basic.min.js") == page.evaluate("runs") == 1
    assert record.times_asked("main.js") == 1


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_a_widget_works_after_a_click_after_back_and_after_forward(lab, name):
    lab.page.evaluate("window.marker = 'still here'")
    instrument = lab.open(name)
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    click_to(lab.page, QUIET)
    lab.page.go_back()
    instrument.slider(control.name).press("End")
    instrument.shows(**{control.name: control.most})
    instrument.settled()
    lab.page.go_forward()
    expect(lab.page.locator("shard-widget")).to_have_count(0)
    lab.page.go_back()
    instrument.shows(**{control.name: control.most})
    instrument.slider(control.name).press("Home")
    instrument.shows(**{control.name: control.least})
    assert lab.page.evaluate("window.marker") == "still here"


@pytest.mark.engine
def test_leaving_while_python_starts_and_coming_back_works(enter, site):
    page = enter(HOME["zero-memory"].path)
    instrument = Instrument(page, "zero-memory").drawn()
    with site.held("pyodide.asm.wasm") as gate:
        instrument.set(gpus=64)
        instrument.settled()
        expect(instrument.element).to_have_attribute("data-stage", "fetching")
        click_to(page, HOME["model-split"])
        gate.let_through(2)
        page.go_back()
        instrument.shows()
        gate.let_through(gate.parts)
        instrument.shows(gpus=64)
    assert len(engine_workers(page)) == 1


@pytest.mark.site
def test_the_layers_of_a_chart_stay_in_place_after_three_clicks(enter):
    page = enter(WIDGET_PAGES[0].path)
    all_shown(page, WIDGET_PAGES[0])
    for place in [*WIDGET_PAGES[1:], QUIET, WIDGET_PAGES[0]]:
        click_to(page, place)
    Instrument(page, WIDGET_PAGES[0].widgets[0]).drawn()
    positions = page.locator(".js-plotly-plot .main-svg").evaluate_all(
        "layers => layers.map(layer => getComputedStyle(layer).position)"
    )
    assert set(positions) == {"absolute"}


@pytest.mark.site
def test_twenty_clicks_leave_one_chart_and_no_listeners_behind(enter):
    one, other = HOME["zero-memory"], HOME["model-split"]
    page = enter(one.path)
    meter = Metrics(page)

    def rounds(times):
        for _ in range(times):
            for place in (other, one):
                click_to(page, place)
                Instrument(page, place.widgets[0]).drawn()

    rounds(2)
    before = meter.held()
    rounds(10)
    after = meter.held()
    assert page.locator(".js-plotly-plot").count() == 1
    assert after.documents <= before.documents + 1  # the theme keeps the page it read last
    assert after.nodes - before.nodes < 200
    assert after.listeners - before.listeners < 10
    assert after.heap_bytes - before.heap_bytes < 5_000_000


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_a_heading_below_a_chart_is_where_its_link_leads_and_nothing_moves(enter, place):
    page = enter(None, prepare=lambda page: page.context.add_init_script(SHIFTS))
    page.goto(place.path)
    all_shown(page, place)
    anchor = page.locator("h2:has(.headerlink):visible").last.get_attribute("id")
    page.goto("about:blank")
    page.goto(f"{place.path}#{anchor}")
    expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    all_shown(page, place)
    shifts = page.evaluate("shifts")
    assert sum(value for value, *_ in shifts) < STILL, shifts


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_nothing_moves_when_the_scripts_come(enter, site, place):
    bundle = next(site.folder.glob("assets/javascripts/bundle.*.min.js")).name
    page = enter(None, prepare=lambda page: page.context.add_init_script(SHIFTS))
    with site.held(bundle) as gate:
        page.goto(place.path, wait_until="commit")
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        page.get_by_role("contentinfo").wait_for()
        start = page.evaluate(TYPEFACES)  # a typeface is no script
        gate.let_through(gate.parts)
        all_shown(page, place)
    shifts = [shift for shift in page.evaluate("shifts") if shift[1] > start]
    assert sum(value for value, *_ in shifts) < TYPEFACES_AGAIN, shifts


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_a_typeface_that_comes_late_moves_next_to_nothing(enter, site, place):
    bundle = next(site.folder.glob("assets/javascripts/bundle.*.min.js")).name
    page = enter(None, prepare=lambda page: page.context.add_init_script(SHIFTS))
    with site.held(bundle) as scripts, site.held("source-sans-3-latin-wght-normal.woff2") as typeface:
        page.goto(place.path, wait_until="commit")
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        page.get_by_role("contentinfo").wait_for()
        typeface.let_through(typeface.parts)
        page.evaluate(TYPEFACES)
        scripts.let_through(scripts.parts)  # at the theme's first change Chromium takes the typeface after all
        all_shown(page, place)
    shifts = page.evaluate("shifts")
    assert sum(value for value, *_ in shifts) < STILL, shifts


@pytest.mark.site
def test_without_an_address_of_its_own_the_site_is_not_built(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key != "SITE_URL"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "site_url is not set" in done.stdout + done.stderr
