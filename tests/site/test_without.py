"""Without JavaScript, without a worker, without our script, with an absurd address: the page stays right."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.pages import HOME, NAMES, PAGES, WIDGET_PAGES
from tests.site.harness.sabotage import seen, watch

NO_WORKER = """globalThis.RealWorker = Worker;
globalThis.Worker = class extends Worker {
  constructor(url, options) {
    if (String(url).includes("/runtime/")) throw new DOMException("blocked by policy", "SecurityError");
    super(url, options);
  }
};"""
ABSURD = [
    "?" + "&".join(f"gpus={number}" for number in range(500)),
    "?gpus=%00%FF%E0%A4%A&stage=<script>alert(1)</script>",
    "?" + "x" * 6000,
    "?gpus=" + "9" * 400 + "&stage=" + "%F0%9F%98%80" * 50,
    "?gpus=0x40&&&=&==&?&#%",
    "?gpus=Infinity&stage=__proto__",
    "?gpus=-1e-999&stage=toString",
]


@pytest.mark.site
@pytest.mark.parametrize("place", WIDGET_PAGES, ids=str)
def test_without_javascript_a_page_is_complete(enter, place):
    page = enter(place.path, java_script_enabled=False)
    for name in place.widgets:
        widget, view = page.locator(f"shard-widget[name={name}]"), answer(name)
        for item in view["readouts"]:
            expect(widget.locator(".sw-readout", has_text=item["label"]).first).to_contain_text(item["value"])
        expect(widget.get_by_text(view["caption"])).to_be_visible()
        cells = [cell for row in view["table"]["rows"] for cell in row[1:]]
        if not widget.get_by_role("table").is_visible():
            widget.locator("summary", has_text="Data table").click()
        assert widget.get_by_role("cell").all_text_contents() == cells
        expect(widget.get_by_role("cell").first).to_be_visible()
        for control in (".sw-controls", ".sw-actions", ".sw-error", ".sw-chart"):
            expect(widget.locator(control)).to_be_hidden()
        expect(widget.locator(".sw-noscript")).to_be_visible()
        expect(widget.locator(".sw-noscript")).to_contain_text("need JavaScript")


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_without_javascript_every_page_can_be_read_and_left(enter, place):
    page = enter(place.path, java_script_enabled=False)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for link in page.get_by_role("navigation", name="All pages").get_by_role("link").all():
        expect(link).to_be_visible()
    for part in page.locator(".se-answer, .se button").all():
        expect(part).to_be_hidden()


@pytest.mark.site
def test_opened_as_a_file_a_page_is_complete_and_says_what_it_lacks(browser, site):
    context = browser.new_context()
    page = context.new_page()
    place = WIDGET_PAGES[0]
    page.goto((site.folder / place.path / "index.html").as_uri())
    for name in place.widgets:
        widget, view = page.locator(f"shard-widget[name={name}]"), answer(name)
        expect(widget.get_by_text(view["caption"])).to_be_visible()
        expect(widget.get_by_role("cell").first).to_be_visible()
        for control in (".sw-controls", ".sw-actions", ".sw-chart"):
            expect(widget.locator(control)).to_be_hidden()
    expect(page.get_by_text("open the lesson through one")).to_be_visible()
    context.close()


@pytest.mark.sabotage
def test_where_the_browser_refuses_a_worker_the_page_says_so_and_retry_works(enter):
    def prepare(page):
        watch(page)
        page.context.add_init_script(NO_WORKER)

    page = enter(HOME["zero-memory"].path, prepare=prepare)
    instrument = Instrument(page, "zero-memory").drawn()
    instrument.set(gpus=64)
    expect(instrument.alert).to_contain_text("worker.js")
    expect(instrument.alert).to_contain_text("blocked by policy")
    instrument.shows()
    page.evaluate("() => { globalThis.Worker = RealWorker; }")
    instrument.action("Retry").click()
    instrument.shows(gpus=64)
    assert len(seen(page, "causes")) == 1


@pytest.mark.engine
@pytest.mark.parametrize("address", ABSURD, ids=range(len(ABSURD)))
def test_an_absurd_address_leaves_the_page_right_and_working(enter, address):
    page = enter(HOME["zero-memory"].path + address)
    instrument = Instrument(page, "zero-memory").drawn()
    values = instrument.values()
    assert 1 <= values["gpus"] <= 64
    instrument.shows(**values)
    if "gpus" in address and "gpus=0x" not in address and "gpus=0&" not in address:
        expect(instrument.note).to_be_visible()
    instrument.set(stage="zero-2", gpus=5)
    instrument.shows(stage="zero-2", gpus=5)
    expect(instrument.note).to_be_hidden()
    expect(instrument.alert).to_be_hidden()


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_opened_as_a_file_the_page_is_complete(browser, site, name):
    context = browser.new_context()
    page = context.new_page()
    page.goto((site.folder / HOME[name].path / "index.html").as_uri())
    view = answer(name)
    expect(page.locator(".sw-readout--main .sw-value")).to_have_text(view["readouts"][0]["value"])
    expect(page.get_by_text(view["caption"])).to_be_visible()
    context.close()
