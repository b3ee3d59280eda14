"""A widget's state lives in the link: only what differs from the default, one entry in the history, safe against nonsense."""

import json
import subprocess
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from scripts.site.numbers import version
from scripts.tools import ROOT
from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.lab import follow
from tests.site.harness.pages import HOME, NAMES, QUIET
from widgets.registry import BY_NAME
from widgets.spec import Choice

pytestmark = pytest.mark.engine


def far_from_default(name):
    """For every control a value that isn't its default."""
    return {
        control.name: next(token for token in reversed(control.options) if token != control.default)
        if isinstance(control, Choice)
        else control.most
        for control in BY_NAME[name].controls
    }


def query(page):
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def as_text(params):
    return {key: str(value) for key, value in params.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_link_shows_the_same_to_somebody_else(enter, name):
    wanted = far_from_default(name)
    page = enter(HOME[name].path, permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, name)
    instrument.set(**wanted)
    instrument.shows(**wanted)
    instrument.action("Copy link").click()
    expect(instrument.element).to_contain_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{page.url}&v={version(name)}"
    assert len(link) < 300
    page.context.close()
    other = Instrument(enter(link), name)
    other.shows(**wanted)
    assert other.values() == wanted
    expect(other.note).to_be_hidden()


@pytest.mark.parametrize("name", NAMES)
def test_plan_and_command_ask_for_what_is_shown(enter, name):
    wanted = far_from_default(name)
    page = enter(HOME[name].path, permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, name)
    instrument.set(**wanted)
    instrument.shows(**wanted)
    instrument.action("Copy plan").click()
    expect(instrument.element).to_contain_text("Plan copied.")
    plan = page.evaluate("navigator.clipboard.readText()")
    assert json.loads(plan) == answer(name, **wanted)["plan"]
    instrument.action("Copy command").click()
    expect(instrument.element).to_contain_text("Command copied")
    command = page.evaluate("navigator.clipboard.readText()")
    assert command == f"echo '{plan}' | python3 -m model memory -"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "fits card-80gb" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_link_is_followed_at_once_and_starts_the_engine(enter, site, name):
    wanted = far_from_default(name)
    with site.held("pyodide.asm.wasm") as gate:
        instrument = Instrument(enter(HOME[name].path + "?" + urlencode(wanted)), name)
        instrument.shows()
        assert instrument.values() == wanted
        expect(instrument.note).to_contain_text("default")
        expect(instrument.element).to_have_attribute("data-stage", "fetching")
        gate.let_through(gate.parts)
        instrument.shows(**wanted)
    expect(instrument.note).to_be_hidden()


@pytest.mark.parametrize("name", NAMES)
def test_the_address_follows_the_controls_and_only_names_what_differs(lab, name):
    instrument = lab.open(name)
    defaults = BY_NAME[name].defaults
    for control, value in far_from_default(name).items():
        instrument.set(**{control: value})
        instrument.settled()
        assert query(lab.page) == {control: str(value)}
        instrument.set(**{control: defaults[control]})
        instrument.settled()
        assert query(lab.page) == {}


@pytest.mark.parametrize("name", NAMES)
def test_reset_goes_back_to_the_default_and_clears_the_address(lab, name):
    instrument = lab.open(name, "?" + urlencode(far_from_default(name)))
    instrument.shows(**far_from_default(name))
    instrument.action("Reset").click()
    instrument.shows()
    assert instrument.values() == BY_NAME[name].defaults
    assert query(lab.page) == {}


@pytest.mark.parametrize("name", NAMES)
def test_fifty_steps_leave_one_entry_in_the_history(lab, name):
    instrument = lab.open(name)
    control = next(each for each in instrument.widget.controls if not isinstance(each, Choice))
    before = lab.page.evaluate("history.length")
    slider = instrument.slider(control.name)
    for _ in range(25):
        slider.press("ArrowRight")
        slider.press("ArrowLeft")
    slider.press("End")
    instrument.settled()
    assert query(lab.page) == {control.name: str(control.most)}
    assert lab.page.evaluate("history.length") == before
    lab.page.go_back()
    lab.page.wait_for_url(lab.site.url + QUIET.path)
    expect(lab.page.locator("shard-widget")).to_have_count(0)
    lab.page.go_forward()
    Instrument(lab.page, name).shows(**{control.name: control.most})


def test_back_and_forward_between_pages_keep_each_pages_state(lab):
    first = lab.open("zero-memory")
    first.set(stage="zero-2", gpus=16)
    first.shows(stage="zero-2", gpus=16)
    first.settled()
    follow(lab.page, lab.site.url + HOME["model-split"].path)
    second = Instrument(lab.page, "model-split")
    second.set(degree=6)
    second.shows(degree=6)
    second.settled()
    lab.page.go_back()
    Instrument(lab.page, "zero-memory").shows(stage="zero-2", gpus=16)
    lab.page.go_forward()
    Instrument(lab.page, "model-split").shows(degree=6)


def test_back_and_forward_on_one_page_follow_the_address(lab):
    instrument = lab.open("zero-memory", "?stage=zero-1")
    instrument.shows(stage="zero-1")
    lab.page.evaluate("history.pushState(null, '', '?stage=zero-3&gpus=64')")
    lab.page.evaluate("history.pushState(null, '', '?stage=zero-2')")
    lab.page.go_back()
    instrument.shows(stage="zero-3", gpus=64)
    assert instrument.values() == {"stage": "zero-3", "gpus": 64}


def test_a_heading_link_keeps_the_state_and_the_state_keeps_the_heading(lab):
    instrument = lab.open("zero-memory", "?stage=zero-3")
    instrument.shows(stage="zero-3")
    instrument.set(gpus=16)  # the links of the page still have the query that it was opened with
    instrument.settled()
    heading = lab.page.locator("h2:has(.headerlink):visible").last
    anchor = heading.get_attribute("id")
    heading.hover()
    heading.locator("a.headerlink").click()
    lab.page.wait_for_url(lambda url: url.endswith(f"?stage=zero-3&gpus=16#{anchor}"))
    instrument.shows(stage="zero-3", gpus=16)
    instrument.set(gpus=64)
    instrument.settled()
    assert lab.page.url.endswith(f"?stage=zero-3&gpus=64#{anchor}")


def test_parameters_that_are_not_ours_stay_in_the_address(lab):
    instrument = lab.open("zero-memory", "?utm=a%20b&stage=zero-1")
    instrument.shows(stage="zero-1")
    instrument.set(stage="zero-2")
    instrument.settled()
    assert query(lab.page) == {"utm": "a b", "stage": "zero-2"}
    instrument.action("Reset").click()
    assert query(lab.page) == {"utm": "a b"}


CLAMPED = [
    ("?gpus=99999", {"gpus": 64}, "GPUs"),
    ("?gpus=-5", {"gpus": 1}, "GPUs"),
    ("?gpus=1e999", {"gpus": 64}, "GPUs"),
    ("?gpus=12.4", {"gpus": 12}, "GPUs"),
    ("?gpus=many", {}, "GPUs"),
    ("?gpus=", {}, "GPUs"),
    ("?stage=zero-9", {}, "Stage"),
    ("?stage=zero-9&gpus=64", {"gpus": 64}, "Stage"),
]


@pytest.mark.parametrize(("address", "used", "named"), CLAMPED)
def test_a_value_that_is_not_allowed_is_replaced_and_the_reader_is_told(lab, address, used, named):
    instrument = lab.open("zero-memory", address)
    instrument.shows(**used)
    assert instrument.values() == instrument.widget.defaults | used
    expect(instrument.note).to_be_visible()
    expect(instrument.note).to_contain_text(named)
    instrument.set(gpus=2)
    expect(instrument.note).to_be_hidden()


@pytest.mark.parametrize("address", ["?zzz=1", "?GPUS=64", "?degree=3", "?zero-memory=1&__proto__=1&constructor=2"])
def test_an_unknown_name_is_ignored_without_a_word(lab, address):
    instrument = lab.open("zero-memory", address)
    instrument.shows()
    expect(instrument.note).to_be_hidden()


def test_the_first_of_two_values_counts(lab):
    lab.open("zero-memory", "?gpus=16&gpus=32").shows(gpus=16)


def test_a_link_made_by_hand_may_name_the_defaults(lab):
    instrument = lab.open("zero-memory", "?" + urlencode(as_text(BY_NAME["zero-memory"].defaults)))
    instrument.shows()
    expect(instrument.note).to_be_hidden()
