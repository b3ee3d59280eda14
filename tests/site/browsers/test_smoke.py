"""The lesson in every browser: it loads, Python starts, each control answers, links hold, and a failure is told and mended."""

import pytest

from tests.site.harness.instrument import answer
from tests.site.harness.pages import HOME, NAMES, QUIET
from widgets.registry import BY_NAME
from widgets.spec import Choice

from .ears import PRELUDE
from .reader import at

NAME = "zero-memory"
# A browser that lacks something stops at it. (To take a module away would not do: WebKit keeps what it has once run.)
OLDER = """customElements.define = () => { throw new Error("an older browser"); };"""
WASM, WORKER = "pyodide.asm.wasm", "worker.js"


def tour(control, most):
    """Values to give a control one after the other, each other than the one before."""
    if isinstance(control, Choice):
        places = list(control.options)
        return [place for place in places if place != control.default][: None if most else 1]
    near = control.stops[control.stops.index(control.default) - 1]
    between = [value for value in range(control.least, control.most) if value not in control.stops]
    return [near, *between[:1], *([control.most, control.least] if most else [])]


@pytest.mark.site
def test_a_page_is_complete_before_any_python(reader, site):
    site.served.clear()
    reader.open(HOME[NAME].path)
    reader.shows(NAME)
    assert reader.text(at(NAME, ".sw-status")) == ""
    assert site.served["plotly-basic.min.js"] == 1
    assert (site.served[WORKER], site.served[WASM]) == (0, 0)


@pytest.mark.sabotage
def test_in_an_older_browser_the_page_is_complete_and_has_no_dead_controls(reader, site):
    reader.ears.excuse("an older browser")
    with site.observed(PRELUDE + OLDER):
        reader.driver.open(site.url + HOME[NAME].path)
        reader.until("() => heard.some((line) => line.includes('an older browser'))")
    view = answer(NAME)
    assert reader.text(at(NAME, ".sw-readout--main .sw-value")) == view["readouts"][0]["value"]
    assert reader.text(at(NAME, ".sw-caption")) == view["caption"]
    assert reader.text(at(NAME, "tbody tr td")) == view["table"]["rows"][0][1]
    for part in (".sw-caption", ".sw-data summary"):
        assert reader.shown(at(NAME, part))
    for part in (".sw-controls", ".sw-actions", "[role=alert]"):
        assert not reader.shown(at(NAME, part))


@pytest.mark.sabotage
def test_a_missing_file_is_named_and_retry_works_once_it_is_there(reader, site):
    reader.open(HOME[NAME].path)
    stage = BY_NAME[NAME].control("stage")
    with site.without(WASM):
        reader.change(NAME, stage, "zero-3")
        reader.sees(at(NAME, "[role=alert]"), f"{WASM} is not on the server (404)")
        assert "The default chart, read-outs and table are correct" in reader.text(at(NAME, "[role=alert]"))
        assert reader.value(NAME, stage) == "zero-3"
    reader.click(at(NAME, ".sw-retry"))
    reader.shows(NAME, stage="zero-3")
    assert not reader.shown(at(NAME, "[role=alert]"))


@pytest.mark.engine
def test_a_click_starts_python_from_the_snapshot(reader):
    reader.open(HOME[NAME].path)
    reader.stage(NAME, "idle")
    reader.click(at(NAME, ".sw-title"))
    reader.stage(NAME, "ready")
    assert reader.evaluate("(selector) => document.querySelector(selector).dataset.start", at(NAME)) == "snapshot"
    reader.shows(NAME)


@pytest.mark.engine
def test_a_link_sets_the_controls_and_a_change_is_in_the_link(reader):
    reader.open(HOME[NAME].path + "?stage=zero-3&gpus=64")
    reader.shows(NAME, stage="zero-3", gpus=64)
    reader.change(NAME, BY_NAME[NAME].control("gpus"), 32)
    reader.until("() => location.search === '?stage=zero-3&gpus=32'")
    reader.shows(NAME, stage="zero-3", gpus=32)


@pytest.mark.engine
@pytest.mark.parametrize("most", [False, pytest.param(True, marks=pytest.mark.full)], ids=["", "all"])
def test_every_control_answers_to_keys_on_pages_reached_by_instant_navigation(reader, site, most):
    reader.open(QUIET.path)
    reader.evaluate("() => { window.here = true; }")
    site.served.clear()
    for name in NAMES:
        reader.follow(HOME[name].path)
        reader.shows(name)
        for control in BY_NAME[name].controls:
            for value in tour(control, most):
                reader.change(name, control, value)
                reader.shows(name, **{control.name: value})
            reader.click(at(name, "[data-action=reset]"))
            reader.shows(name)
    assert reader.evaluate("() => window.here")
    assert (site.served[WORKER], site.served[WASM]) == (1, 1)
