"""Who reads by ear, by keyboard or in other colours: axe finds nothing, and the roles say what is there."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.site.harness.axe import findings
from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.pages import HOME, NAMES, PAGES
from tests.site.harness.puppet import Puppet
from tests.site.harness.sabotage import ruin
from tests.site.harness.search import open_search
from widgets.spec import Choice

SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 360, "height": 740}}
SCHEMES = ["light", "dark"]
ADDRESSES = [page.path for page in PAGES] + ["there/is/no/page"]
FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])"


def pairs():
    """Every page at two of the four combinations of size and scheme, so that each combination meets each kind of page;
    in the long form, every page at all four."""
    for place, path in enumerate(ADDRESSES):
        for number, size in enumerate(SIZES):
            for scheme in SCHEMES:
                usual = SCHEMES[(place + number) % 2] == scheme
                marks = [] if usual else [pytest.mark.full]
                yield pytest.param(path, size, scheme, id=f"{path or 'index'}-{size}-{scheme}", marks=marks)


def enter_still(enter, path, **options):
    """A page without motion: a colour on its way to another one is nobody's fault."""
    return enter(path, reduced_motion="reduce", **options)


@pytest.mark.site
@pytest.mark.parametrize(("path", "size", "scheme"), list(pairs()))
def test_axe_finds_nothing(enter, record, path, size, scheme):
    record.excuse("status of 404")
    page = enter_still(enter, path, viewport=SIZES[size], color_scheme=scheme)
    for name in next((place.widgets for place in PAGES if place.path == path), ()):
        Instrument(page, name).drawn()
    page.locator("summary").evaluate_all("summaries => summaries.forEach(summary => summary.click())")
    assert findings(page) == []


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_a_widget_that_runs(enter, name, scheme):
    instrument = Instrument(enter_still(enter, HOME[name].path, color_scheme=scheme), name)
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    instrument.set(**{control.name: control.most})
    instrument.shows(**{control.name: control.most})
    instrument.set(**{control.name: control.most + 1})
    expect(instrument.number(control.name)).to_have_attribute("aria-invalid", "true")
    assert findings(instrument.page) == []


@pytest.mark.sabotage
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_a_widget_that_failed(enter, scheme):
    page = enter_still(
        enter,
        HOME["zero-memory"].path + "?gpus=999",
        color_scheme=scheme,
        prepare=lambda page: ruin(page, "missing", "*.wasm"),
    )
    instrument = Instrument(page, "zero-memory")
    expect(instrument.alert).to_be_visible()
    instrument.alert.get_by_text("Technical details").click()
    assert findings(page) == []


@pytest.mark.sabotage
@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_while_the_engine_arrives_and_in_the_search(enter, scheme):
    page = enter_still(
        enter,
        HOME["zero-memory"].path,
        color_scheme=scheme,
        prepare=lambda page: ruin(page, "stalled", "*.wasm"),
    )
    instrument = Instrument(page, "zero-memory").drawn()
    instrument.slider("gpus").press("ArrowRight")
    expect(instrument.status).to_contain_text("Downloading Python")
    expect(instrument.note).to_be_visible()
    assert findings(page) == []
    page.evaluate("document.activeElement.blur()")
    open_search(page).press_sequentially("ZeRO")
    expect(page.locator(".md-search-result__link").first).to_be_visible()
    assert findings(page) == []


@pytest.mark.site
def test_axe_finds_nothing_in_two_widgets_of_a_kind(enter_fixture):
    page = enter_fixture("two/", reduced_motion="reduce")
    Instrument(page, "zero-memory").drawn()
    assert findings(page) == []


@pytest.mark.site
def test_axe_sees_what_is_wrong(enter):
    page = enter_still(enter, HOME["zero-memory"].path)
    page.locator(".sw-number").evaluate("box => box.removeAttribute('aria-label')")
    page.locator(".sw-caption").evaluate("line => { line.style.color = '#ccc'; }")
    assert {"label", "color-contrast"} <= {found[0] for found in findings(page)}


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_a_widget_is_a_figure_with_one_picture_a_caption_and_a_table(enter, name):
    page = enter(HOME[name].path)
    instrument = Instrument(page, name).drawn()
    view = answer(name)
    expect(instrument.figure).to_have_role("figure")
    expect(instrument.chart).to_have_role("img")
    expect(instrument.chart).to_have_accessible_name(view["summary"])
    expect(instrument.figure).to_contain_text(view["caption"])
    instrument.element.get_by_text("Data table").click()
    table = instrument.element.get_by_role("table", name=view["table"]["caption"])
    expect(table).to_be_visible()
    rows = view["table"]["rows"]
    assert table.get_by_role("row").count() == len(rows) + 1
    assert table.get_by_role("columnheader").all_text_contents() == list(view["table"]["columns"])
    assert table.get_by_role("rowheader").all_text_contents() == [row[0] for row in rows]
    assert table.get_by_role("cell").all_text_contents() == [cell for row in rows for cell in row[1:]]


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_nothing_inside_a_chart_stops_the_tab_key(enter, name):
    instrument = Instrument(enter(HOME[name].path), name).drawn()
    assert instrument.chart.locator(FOCUSABLE).count() == 0


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_every_control_has_a_name_and_says_its_value_in_words(enter, name):
    instrument = Instrument(enter(HOME[name].path), name)
    for control in instrument.widget.controls:
        if isinstance(control, Choice):
            group = instrument.element.get_by_role("group", name=control.label)
            assert group.get_by_role("radio").count() == len(control.options)
            expect(instrument.option(control.name, control.default)).to_be_checked()
        else:
            slider = instrument.slider(control.name)
            view = answer(name)
            expect(slider).to_have_attribute("aria-valuetext", view["controls"][control.name]["text"])
            expect(slider).to_have_accessible_description(control.help)
            expect(instrument.number(control.name)).to_have_value(str(control.default))


@pytest.mark.site
def test_a_change_is_spoken_once_it_has_settled_and_not_on_every_step(enter):
    strings = []
    page = enter(
        HOME["zero-memory"].path,
        settings={"settle": 300, "announceEvery": 300},
        prepare=lambda page: strings.append(Puppet(page)),
    )
    puppet, instrument = strings[0], Instrument(page, "zero-memory").drawn()
    page.evaluate("""() => {
      globalThis.spoken = [];
      const line = document.querySelector(".sw-live");
      new MutationObserver(() => line.textContent && spoken.push(line.textContent)).observe(line, { childList: true, characterData: true, subtree: true });
    }""")
    instrument.option("stage", "zero-3").check()
    puppet.answer(puppet.calls(1)[0])
    page.wait_for_function("() => spoken.length === 1")
    for count in range(2, 12):
        instrument.slider("gpus").press("ArrowLeft" if count % 2 else "ArrowRight")
        puppet.answer(puppet.calls(count)[-1])
    last = instrument.values()
    expected = answer("zero-memory", **last)["summary"]
    page.wait_for_function("wanted => spoken.at(-1) === wanted", arg=expected)
    assert page.evaluate("spoken.length") <= 4
    expect(instrument.element.locator(".sw-live")).to_have_attribute("aria-live", "polite")


@pytest.mark.site
@pytest.mark.parametrize("place", PAGES, ids=str)
def test_a_page_has_one_heading_of_the_first_rank_and_leaves_out_no_rank(enter, place):
    page = enter(place.path)
    ranks = page.locator("main :is(h1, h2, h3, h4, h5, h6):not(.md-search *)").evaluate_all(
        "all => all.map(({ tagName }) => Number(tagName[1]))"
    )
    assert ranks[0] == 1
    assert ranks.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(ranks)), ranks


@pytest.mark.site
def test_the_keyboard_reaches_the_text_without_passing_everything_before_it(enter):
    page = enter(HOME["zero-memory"].path)
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    expect(skip).to_have_text("Skip to content")
    anchor = skip.get_attribute("href").partition("#")[2]
    skip.press("Enter")
    page.wait_for_url(lambda url: url.endswith(f"#{anchor}"))
    assert page.locator(f"main #{anchor}").count() == 1
