"""The style sheets, read as text: lengths that follow the direction of writing, and colours that everybody can tell apart."""

import json
import re
from itertools import combinations

import pytest

from scripts.tools import ROOT
from tests.site.harness.theme import channels, contrast
from tests.site.harness.vision import KINDS, MISSING, distance
from widgets.api import render
from widgets.registry import WIDGETS
from widgets.spec import Slider

SHEETS = sorted((ROOT / "docs" / "assets" / "css").glob("*.css"))
# What names a side of the window instead of a side of the line. A chart and a drawing run from left to right on every page.
PHYSICAL = re.compile(
    r"(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)[\w-]*|left|right"
    r"|border-(?:top|bottom)-(?:left|right)-radius)\s*:"
    r"|\b(?:float|clear|text-align|text-align-last|justify-content|justify-items|justify-self)\s*:\s*(?:left|right)\b"
)
FOUR = re.compile(r"(?:margin|padding|inset|border-width|scroll-margin|scroll-padding)\s*:\s*([^;{}]+);")
PAPER = ("--paper", "--card")
TEXTS = ("--ink", "--ink-2", "--signal", "--yes", "--no", "--chart-muted", "--role-capacity")
ON_GLASS = ("--glass-ink", "--glass-dim", "--glass-yes", "--glass-no")
APART = 10  # L*a*b*: five times what anyone just notices


def physical(css):
    """Declarations that would not turn round on a page that is written from right to left."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    four = [match[0] for match in FOUR.finditer(bare) if len(sides := _words(match[1])) == 4 and sides[1] != sides[3]]
    return [match[0].strip() for match in PHYSICAL.finditer(bare)] + four


def _words(value):
    return re.findall(r"(?:[^\s(]|\([^)]*\))+", value)


def schemes():
    """The colours of both schemes, as the first sheet says them: the dark one changes some of the light one."""
    light, dark = (ROOT / "docs" / "assets" / "css" / "00-tokens.css").read_text("utf-8").split("@media screen")
    found = [dict(re.findall(r"(--[\w-]+): (#(?:[0-9a-f]{3}){1,2});", part)) for part in (light, dark)]
    return {"light": found[0], "dark": found[0] | found[1]}


def rgb(text):
    return channels(text if len(text) == 7 else "#" + "".join(2 * digit for digit in text[1:]))


SCHEMES = {name: {token: rgb(text) for token, text in tokens.items()} for name, tokens in schemes().items()}
ROLES = [token for token in SCHEMES["light"] if token.startswith("--role-") and not token.endswith("-ink")]


def faint(colours, tokens, grounds, least):
    """Which of the tokens are too close to one of the grounds."""
    pairs = [(token, ground, contrast(colours[token], colours[ground])) for token in tokens for ground in grounds]
    return [(token, ground, round(value, 2)) for token, ground, value in pairs if value < least]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_lengths_follow_the_direction_of_writing(sheet):
    assert physical(sheet.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "css", ["a { margin-left: 1px; }", "a{left:0}", "a { text-align: right }", "a { padding: 0 1px 0 2px; }"]
)
def test_a_side_of_the_window_is_found(css):
    assert physical(css)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_stand_out_from_what_they_stand_on(scheme):
    colours = SCHEMES[scheme]
    assert faint(colours, TEXTS, PAPER, 4.5) == []
    assert faint(colours, ("--ink", "--ink-2", "--signal", "--no"), ("--well",), 4.5) == []
    assert faint(colours, ON_GLASS, ("--glass",), 4.5) == []
    assert [role for role in ROLES if contrast(colours[role], colours[f"{role}-ink"]) < 4.5] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_areas_borders_and_the_ring_of_focus_stand_out_from_what_they_stand_on(scheme):
    assert faint(SCHEMES[scheme], (*ROLES, "--rule-strong", "--signal"), PAPER, 3) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_series_of_one_chart_differ_for_every_kind_of_colour_vision(widget, scheme, kind):
    roles = [item["role"] for item in _legend(widget)]
    colours = {role: SCHEMES[scheme][f"--role-{role}"] for role in roles}
    near = {pair: distance(*map(colours.get, pair), kind) for pair in combinations(roles, 2)}
    assert {pair: round(value, 1) for pair, value in near.items() if value < APART} == {}


def _legend(widget):
    most = {control.name: control.most for control in widget.controls if isinstance(control, Slider)}
    return json.loads(render(widget.name, json.dumps(most)))["legend"]


@pytest.mark.parametrize("kind", MISSING)
def test_the_simulation_brings_together_what_is_confused_with_a_cone_missing(kind):
    confused = {
        "protanopia": ((190, 60, 90), (90, 95, 90)),
        "deuteranopia": ((200, 90, 60), (128, 128, 60)),
        "tritanopia": ((60, 130, 160), (60, 135, 120)),
    }[kind]
    assert distance(*confused, kind) <= distance(*confused, "all cones") / 1.5
