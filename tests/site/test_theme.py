"""Light and dark: charts take their colours from the page, whatever its scheme is called, and keep what they show."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES
from tests.site.harness.theme import channels, choose, colour, contrast

SCHEMES = ["default", "slate"]
TEXT, FILL = 4.5, 3  # the least contrast of words and of areas against their ground
MIDNIGHT = """[data-md-color-scheme="midnight"] {
  --chart-ink: rgb(1, 2, 3); --chart-ground: rgb(250, 251, 252); --chart-grid: rgb(4, 5, 6);
  --role-parameters: rgb(10, 20, 30); --role-gradients: rgb(11, 21, 31); --role-optimizer: rgb(12, 22, 32);
}"""


def looks(instrument):
    """The drawn colours: words, paper, and each series of bars."""
    text, paper = instrument.layout("[gd._fullLayout.font.color, gd._fullLayout.paper_bgcolor]")
    fills = instrument.layout(
        "gd.data.filter(({ type }) => type === 'bar').map(({ meta, marker }) => [meta.role, marker.color])"
    )
    return channels(text), channels(paper), [(role, channels(fill)) for role, fill in fills]


def has_look_of_page(instrument):
    page = instrument.page
    text, paper, fills = looks(instrument)
    assert text == colour(page, "--chart-ink")
    assert paper == colour(page, "--chart-ground")
    assert fills
    assert fills == [(role, colour(page, f"--role-{role}")) for role, _ in fills]


def repainted(instrument, before):
    """Wait for a chart to change its ground."""
    script = "([element, was]) => element.querySelector('.js-plotly-plot')._fullLayout.paper_bgcolor !== was"
    instrument.page.wait_for_function(script, arg=[instrument.element.element_handle(), before])


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_the_colour_button_recolours_a_chart_and_changes_nothing_else(lab, name):
    instrument = lab.open(name)
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    instrument.set(**{control.name: control.most})
    instrument.shows(**{control.name: control.most})
    lab.page.evaluate("window.marker = 'still here'")
    for scheme in SCHEMES * 2:
        choose(lab.page, scheme)
        lab.page.wait_for_function("() => document.body.dataset.mdColorScheme")
        ground = colour(lab.page, "--chart-ground")
        lab.page.wait_for_function(
            "([element, ground]) => element.querySelector('.js-plotly-plot')._fullLayout.paper_bgcolor.replace(/\\s/g, '').startsWith(ground)",
            arg=[instrument.element.element_handle(), "rgb({},{},{}".format(*ground)],
        )
        has_look_of_page(instrument)
        instrument.shows(**{control.name: control.most})
    assert lab.page.evaluate("window.marker") == "still here"


@pytest.mark.site
@pytest.mark.parametrize("name", NAMES)
def test_a_scheme_of_any_name_colours_the_chart(enter, name):
    page = enter(HOME[name].path)
    instrument = Instrument(page, name).drawn()
    before = instrument.layout("gd._fullLayout.paper_bgcolor")
    page.add_style_tag(content=MIDNIGHT)
    page.evaluate("document.body.dataset.mdColorScheme = 'midnight'")
    repainted(instrument, before)
    has_look_of_page(instrument)
    assert looks(instrument)[:2] == ((1, 2, 3), (250, 251, 252))


@pytest.mark.site
@pytest.mark.parametrize("system", ["light", "dark"])
def test_the_first_visit_follows_the_system(enter, system):
    page = enter(HOME["zero-memory"].path, color_scheme=system)
    expect(page.locator("body")).to_have_attribute(
        "data-md-color-scheme", {"light": "default", "dark": "slate"}[system]
    )
    instrument = Instrument(page, "zero-memory").drawn()
    has_look_of_page(instrument)
    before = instrument.layout("gd._fullLayout.paper_bgcolor")
    page.emulate_media(color_scheme={"light": "dark", "dark": "light"}[system])
    repainted(instrument, before)
    has_look_of_page(instrument)


@pytest.mark.site
def test_the_choice_survives_a_click_and_a_reload(enter):
    page = enter(HOME["zero-memory"].path, color_scheme="light")
    choose(page, "slate")
    page.get_by_role("navigation", name="All pages").get_by_role("link", name="Overview").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


@pytest.mark.site
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_chart_draws_stands_out_from_its_ground(enter, name, scheme):
    page = enter(HOME[name].path, color_scheme=scheme)
    instrument = Instrument(page, name).drawn()
    text, paper, fills = looks(instrument)
    assert contrast(text, paper) >= TEXT
    assert {role: round(contrast(fill, paper), 2) for role, fill in fills if contrast(fill, paper) < FILL} == {}
    inside = instrument.layout(
        "gd.data.filter(({ type, text }) => type === 'bar' && text).map(({ meta, insidetextfont }) => [meta.role, insidetextfont.color])"
    )
    fill_of = dict(fills)
    assert {role: ink for role, ink in inside if contrast(channels(ink), fill_of[role]) < TEXT} == {}


@pytest.mark.site
def test_neighbouring_series_differ_by_pattern_as_well_as_by_colour(enter):
    instrument = Instrument(enter(HOME["zero-memory"].path), "zero-memory").drawn()
    shapes = instrument.layout(
        "gd.data.filter(({ type }) => type === 'bar').map(({ marker }) => marker.pattern?.shape ?? '')"
    )
    assert len(set(shapes)) == len(shapes) == 3


@pytest.mark.site
def test_the_measure_of_contrast_is_the_published_one():
    assert round(contrast((0, 0, 0), (255, 255, 255)), 2) == 21
    assert round(contrast((119, 119, 119), (255, 255, 255)), 2) == 4.48
