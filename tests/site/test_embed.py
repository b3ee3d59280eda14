"""A widget inside somebody else's page: by the code that a reader copies, under a host's sandbox, as high as it is."""

import re

import pytest
from playwright.sync_api import expect

from scripts.httpd import Site
from scripts.site.numbers import version
from tests.site.harness.axe import findings
from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES
from widgets.registry import BY_NAME

HEAD = '<!doctype html><html lang="en"><title>A course</title><link rel="icon" href="data:,"><h1>A course</h1>'
# The frame is as high as the page in it; both are read at once, since either may be about to change.
FITS = """() => {
  const frame = document.querySelector("iframe");
  return frame.style.height !== "" && Math.abs(frame.clientHeight - Number(frame.dataset.wanted)) <= 1;
}"""


@pytest.fixture
def host(tmp_path, record, enter):
    """Show a page from another server: ``host(html, **context options)``."""
    with Site(tmp_path, prefix="/") as server:
        record.welcome(server.url.removesuffix("/"))

        def show(html, **options):
            (tmp_path / "index.html").write_text(HEAD + html, "utf-8")
            return enter(server.url, **options)

        yield show


def code_for(enter, name, **params):
    """The code that the button copies, with the page left as the reader set it."""
    page = enter(HOME[name].path, permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, name)
    instrument.set(**params)
    instrument.action("Copy embed code").click()
    expect(instrument.note).to_contain_text("Code copied")
    return page.evaluate("navigator.clipboard.readText()")


def inside(page, name):
    """The widget in the page's frame."""
    page.wait_for_function("() => document.querySelector('iframe')")
    page.locator("iframe").scroll_into_view_if_needed()
    page.frame_locator("iframe").locator("shard-widget").wait_for()
    return Instrument(next(frame for frame in page.frames if "/embed/" in frame.url), name)


def whole(page, instrument):
    """Wait until the frame is as high as what is in it, and keep an eye on both."""
    page.evaluate("""() => addEventListener("message", ({ data }) => {
      if (data.wanted) document.querySelector("iframe").dataset.wanted = data.wanted;
    })""")
    instrument.page.evaluate("""() => {
      const box = document.querySelector(".embed");
      const tell = () => parent.postMessage({ wanted: Math.ceil(box.getBoundingClientRect().bottom + scrollY) }, "*");
      new ResizeObserver(tell).observe(box);
    }""")
    page.wait_for_function(FITS)


def slider_of(name):
    return next(each for each in BY_NAME[name].controls if hasattr(each, "stops"))


@pytest.mark.engine
@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize("name", NAMES)
def test_the_copied_code_shows_the_widget_on_another_origin(enter, host, name, width):
    control = slider_of(name)
    code = code_for(enter, name, **{control.name: control.most})
    assert 'loading="lazy"' in code
    assert 'title="' in code
    page = host(code, viewport={"width": width, "height": 900})
    instrument = inside(page, name)
    instrument.shows(**{control.name: control.most})
    expect(instrument.note).to_be_hidden()
    whole(page, instrument)
    instrument.set(**{control.name: control.least})
    instrument.shows(**{control.name: control.least})
    page.wait_for_function(FITS)
    before = page.locator("iframe").bounding_box()["height"]
    instrument.element.get_by_text("Data table").click()
    page.wait_for_function("before => document.querySelector('iframe').clientHeight > before + 20", arg=before)
    page.wait_for_function(FITS)
    instrument.element.get_by_text("Data table").click()
    page.wait_for_function("before => document.querySelector('iframe').clientHeight < before + 20", arg=before)
    page.wait_for_function(FITS)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert instrument.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.site
def test_only_the_frame_that_speaks_is_resized(enter, host):
    stranger = '<iframe id="stranger" height="111" srcdoc="<script>parent.postMessage({shardscope: {height: 999}}, \'*\')</script>"></iframe>'
    code = code_for(enter, "zero-memory")
    page = host(f"{code}{code}{stranger}")
    first, second = page.locator("iframe").nth(0), page.locator("iframe").nth(1)
    for frame in (first, second):
        frame.scroll_into_view_if_needed()
        expect(frame).to_have_attribute("style", re.compile(r"height: \d+px"))
    frames = [frame for frame in page.frames if "/embed/" in frame.url]
    before = second.bounding_box()["height"]
    Instrument(frames[0], "zero-memory").element.get_by_text("Data table").click()
    page.wait_for_function("before => document.querySelector('iframe').clientHeight > before + 20", arg=before)
    assert second.bounding_box()["height"] == before
    assert page.locator("#stranger").bounding_box()["height"] == pytest.approx(115, abs=1)  # its border included


@pytest.mark.engine
def test_where_a_host_strips_the_script_the_frame_scrolls(enter, host):
    code = code_for(enter, "zero-memory").partition("<script>")[0]
    page = host(code, viewport={"width": 360, "height": 700})
    instrument = inside(page, "zero-memory")
    height = page.locator("iframe").bounding_box()["height"]
    instrument.element.get_by_text("Data table").click()
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    assert page.locator("iframe").bounding_box()["height"] == height
    assert instrument.page.evaluate("document.documentElement.scrollHeight > innerHeight")


@pytest.mark.site
def test_inside_another_page_nothing_is_fetched_ahead(enter, host, site, record):
    free = "Object.defineProperty(navigator, 'connection', { value: { effectiveType: '4g' } })"
    page = host(
        f'<iframe src="{site.url}embed/zero-memory/"></iframe>',
        settings={"prefetch": True},
        prepare=lambda page: page.context.add_init_script(free),
    )
    instrument = inside(page, "zero-memory").drawn()
    expect(instrument.element).to_have_attribute("data-drawn", "default")
    instrument.page.evaluate("() => new Promise((done) => requestIdleCallback(done, { timeout: 10_000 }))")
    expect(page.frame_locator("iframe").locator("link[rel=prefetch]")).to_have_count(0)
    assert record.times_asked("pyodide.asm.wasm") == 0


SANDBOX = 'iframe sandbox="allow-scripts" width="700" height="900"'


@pytest.mark.site
def test_in_a_sandbox_the_widget_is_complete_and_says_that_it_cannot_run(enter, host, site, record):
    record.excuse("CORS policy", "^Failed to load resource")
    page = host(f'<{SANDBOX} src="{site.url}embed/zero-memory/?stage=zero-3"></iframe>')
    instrument = inside(page, "zero-memory")
    expect(instrument.page.get_by_text("does not let the controls run")).to_be_visible()
    expect(instrument.element.locator(".sw-readout--main")).to_contain_text("120")
    expect(instrument.element.get_by_role("cell").first).to_be_visible()
    for part in (".sw-controls", ".sw-actions", ".sw-chart"):
        expect(instrument.element.locator(part)).to_be_hidden()


@pytest.mark.sabotage
def test_in_a_sandbox_of_a_host_that_shares_its_files_the_failure_is_told(enter, host, site):
    def share(page):
        def answer(route):
            response = route.fetch()
            route.fulfill(response=response, headers={**response.headers, "access-control-allow-origin": "*"})

        page.context.route(f"{site.url}**", answer)

    page = host(f'<{SANDBOX} src="{site.url}embed/zero-memory/"></iframe>', prepare=share)
    instrument = inside(page, "zero-memory").drawn()
    instrument.set(gpus=64)
    expect(instrument.alert).to_contain_text("did not start a background worker")
    instrument.shows()


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_the_page_to_embed_holds_the_widget_and_where_it_comes_from(enter, site, name):
    page = enter(f"embed/{name}/")
    Instrument(page, name).shows()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for part in (".md-header", ".md-footer", ".md-search", "nav"):
        expect(page.locator(part)).to_have_count(0)
    home = site.url + HOME[name].path
    assert page.locator("link[rel=canonical]").get_attribute("href") == home
    expect(page.locator("meta[name=robots]")).to_have_attribute("content", "noindex")
    expect(page.get_by_text("CC BY 4.0")).to_be_visible()
    link = page.get_by_role("link", name="Shardscope: ")
    expect(link).to_have_attribute("target", "_blank")
    assert link.evaluate("link => link.href") == home


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_its_links_lead_to_the_lesson_with_the_values_that_are_set(enter, site, name):
    control = slider_of(name)
    page = enter(f"embed/{name}/?{control.name}={control.least}", permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, name)
    instrument.shows(**{control.name: control.least})
    lesson = f"{site.url}{HOME[name].path}?{control.name}={control.least}&v={version(name)}"
    instrument.action("Copy link").click()
    expect(instrument.note).to_contain_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == lesson
    link = page.get_by_role("link", name="Shardscope: ")
    link.focus()
    assert link.evaluate("link => link.href") == lesson


@pytest.mark.site
def test_the_code_names_what_the_tag_set_since_the_page_to_embed_has_other_defaults(enter_fixture):
    page = enter_fixture("two/", permissions=["clipboard-read", "clipboard-write"])
    for place, query in enumerate(["?v=", "?stage=zero-3&amp;gpus=64&amp;v="]):
        instrument = Instrument(page, "zero-memory", place)
        instrument.action("Copy embed code").click()
        expect(instrument.note).to_contain_text("Code copied")
        assert f"/embed/zero-memory/{query}" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.site
@pytest.mark.parametrize("asked", ["embed", "embed=", "embed=zero-memory"])
def test_a_lessons_address_may_ask_for_it(enter, site, asked):
    page = enter(f"{HOME['zero-memory'].path}?gpus=64&{asked}")
    page.wait_for_url(f"{site.url}embed/zero-memory/?gpus=64")
    assert Instrument(page, "zero-memory").values()["gpus"] == 64


@pytest.mark.site
@pytest.mark.parametrize(
    ("lesson", "leads"),
    [
        (
            "two/?embed=data-parallel&gpus=3&b.gpus=7&c.gpus=5&c.v=1&scheme=dark",
            "data-parallel/?gpus=5&v=1&scheme=dark",
        ),
        ("two/?embed&gpus=3&gpus=4&b.gpus=7&c.gpus=5", "zero-memory/?gpus=3"),
        ("folded/?embed=model-split&m.degree=5&degree=6", "model-split/?degree=5"),
        ("preset/?embed", "zero-memory/?stage=zero-3&gpus=48"),
        ("preset/?embed=&p.gpus=16&p.v=1", "zero-memory/?stage=zero-3&gpus=16&v=1"),
    ],
)
def test_it_gets_the_values_that_the_widget_has_in_the_lesson(enter_fixture, fixture_site, lesson, leads):
    enter_fixture(lesson).wait_for_url(f"{fixture_site.url}embed/{leads}")


@pytest.mark.site
@pytest.mark.parametrize("asked", ["nonsense", "__proto__", "<img src=x>", "../../"])
def test_a_widget_that_is_not_there_is_not_asked_for(enter, site, asked):
    page = enter(f"{HOME['zero-memory'].path}?embed={asked}")
    Instrument(page, "zero-memory").shows()
    assert page.url.startswith(site.url + HOME["zero-memory"].path)


@pytest.mark.site
@pytest.mark.parametrize(
    ("system", "asked", "scheme"),
    [
        ("light", "", "default"),
        ("dark", "", "slate"),
        ("dark", "?scheme=light", "default"),
        ("light", "?scheme=dark", "slate"),
        ("light", "?scheme=__proto__", "default"),
    ],
)
def test_its_colours_are_the_systems_or_the_hosts(enter, system, asked, scheme):
    page = enter(f"embed/zero-memory/{asked}", color_scheme=system)
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", scheme)
    if not asked:
        page.emulate_media(color_scheme={"light": "dark", "dark": "light"}[system])
        expect(page.locator("body")).not_to_have_attribute("data-md-color-scheme", scheme)


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1000, "dark")])
def test_axe_finds_nothing_in_it(enter, name, width, scheme):
    page = enter(
        f"embed/{name}/", viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    instrument = Instrument(page, name).drawn()
    instrument.action("Copy embed code")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.site
def test_it_is_listed_nowhere(site):
    for file in ("sitemap.xml", "search/search_index.json"):
        assert "embed/" not in (site.folder / file).read_text("utf-8")
