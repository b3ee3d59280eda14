"""Who asks for more contrast, and who has chosen the only colours there are: everything can still be seen and told apart."""

import base64

import pytest

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES
from tests.site.harness.theme import channels, colour, contrast

pytestmark = pytest.mark.site

SCHEMES = ["light", "dark"]
# The colours of a picture's points, each once with how many there are.
POINTS = """async (source) => {
  const image = await createImageBitmap(await (await fetch(source)).blob());
  const brush = new OffscreenCanvas(image.width, image.height).getContext("2d");
  brush.drawImage(image, 0, 0);
  const { data } = brush.getImageData(0, 0, image.width, image.height);
  const seen = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const point = data.slice(at, at + 3).join();
    seen.set(point, (seen.get(point) ?? 0) + 1);
  }
  return [...seen];
}"""
STYLE = "(element, name) => getComputedStyle(element)[name]"


def points(browser, locator):
    """What is really painted there: colours, and how many points of each."""
    picture = "data:image/png;base64," + base64.b64encode(locator.screenshot()).decode()
    blank = browser.new_page()
    found = blank.evaluate(POINTS, picture)
    blank.close()
    return {tuple(map(int, text.split(","))): count for text, count in found}


def style(locator, name):
    return channels(locator.evaluate(STYLE, name))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_with_forced_colours_controls_are_seen_and_say_their_state(enter, browser, scheme):
    page = enter(HOME["zero-memory"].path, forced_colors="active", color_scheme=scheme)
    instrument = Instrument(page, "zero-memory").drawn()
    canvas = style(page.locator("body"), "backgroundColor")
    painted = points(browser, instrument.slider("gpus"))
    thumb = sum(count for point, count in painted.items() if contrast(point, canvas) >= 3)
    assert thumb > 18 * 24
    chosen, other = (
        instrument.element.locator(".sw-option").filter(has=page.locator(f"input{state}")).first.locator("span")
        for state in (":checked", ":not(:checked)")
    )
    assert contrast(style(chosen, "backgroundColor"), style(other, "backgroundColor")) >= 3
    assert contrast(style(chosen, "backgroundColor"), style(chosen, "color")) >= 4.5
    track = page.get_by_role("navigation", name="Lesson")
    here = style(track.locator("[aria-current]"), "borderBottomColor")
    assert contrast(here, canvas) >= 3
    assert style(track.locator("a:not([aria-current])").first, "borderBottomColor") == canvas


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", NAMES)
def test_with_forced_colours_a_chart_keeps_its_colours_on_its_own_ground(enter, name, scheme):
    plain = Instrument(enter(HOME[name].path, color_scheme=scheme), name).drawn()
    forced = Instrument(enter(HOME[name].path, color_scheme=scheme, forced_colors="active"), name).drawn()
    look = (
        "[gd._fullLayout.paper_bgcolor, gd._fullLayout.font.color, ...gd.data.map(({ marker }) => marker?.color ?? '')]"
    )
    assert forced.layout(look) == plain.layout(look)
    for at in range(plain.element.locator(".sw-swatch").count()):
        pair = [each.element.locator(".sw-swatch").nth(at) for each in (forced, plain)]
        assert style(pair[0], "backgroundColor") == style(pair[1], "backgroundColor")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_with_forced_colours_a_drawing_keeps_its_colours_on_its_own_ground(enter, scheme):
    page = enter(HOME["zero-memory"].path, color_scheme=scheme, forced_colors="active")
    drawing = page.locator(".drawing svg").first
    ground = style(drawing, "backgroundColor")
    assert contrast(style(drawing.locator("rect[class^='r-']").first, "fill"), ground) >= 3
    assert contrast(style(page.locator(".drawing text").first, "fill"), ground) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_more_contrast_is_given_to_who_asks_for_it(enter, scheme):
    page = enter(HOME["zero-memory"].path, color_scheme=scheme, contrast="more")
    instrument = Instrument(page, "zero-memory").drawn()
    for token, least in {"--ink-2": 7, "--chart-muted": 7, "--rule": 4.5, "--rule-strong": 7}.items():
        assert contrast(colour(page, token), colour(page, "--paper")) >= least, token
    assert contrast(colour(page, "--glass-dim"), colour(page, "--glass")) >= 10
    assert instrument.layout("gd._fullLayout.yaxis.tickfont.color") == instrument.layout("gd._fullLayout.font.color")
