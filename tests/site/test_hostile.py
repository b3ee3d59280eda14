"""Markup in everything that a page is given: what it answers, what goes wrong, and what the address says. None of it runs."""

import csv
import json
import re
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.pages import HOME

NAME = "zero-memory"
RUN = "globalThis.injected = true"
MARK = f'<img src=x onerror="{RUN}"><script>{RUN}</script><a href="https://evil.example/">go</a><b onclick="{RUN}">b</b>&lt;i&gt;'
# Of a figure's texts these are words; the others are names that the library looks up.
WORDS = {"text", "hovertext", "name", "ticktext", "title"}
INJECTED = """() => [
  globalThis.injected ?? false,
  document.querySelectorAll("shard-widget :is(img, script, iframe, object, [onerror], [onclick], a[href*=evil])").length,
  [...document.querySelectorAll("shard-widget a")].filter((link) => /evil/.test(link.getAttribute("xlink:href"))).length,
]"""


def poisoned(value, key=""):
    """The same with markup for every text, apart from the names in a figure."""
    if isinstance(value, dict):
        return {name: poisoned(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each, key) for each in value]
    return MARK if isinstance(value, str) else value


def poisoned_figure(value, key=""):
    if isinstance(value, dict):
        return {name: poisoned_figure(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned_figure(each, key) for each in value]
    return MARK if isinstance(value, str) and key in WORDS else value


def hostile_view(**params):
    view = answer(NAME, **params)
    worse = poisoned({**view, "figure": {}, "params": {}, "controls": {}})
    return {
        **worse,
        "figure": poisoned_figure(view["figure"]),
        "params": {**view["params"], f"../{MARK}": MARK * 20},
        "controls": {"gpus": {"text": MARK}},
    }


def answered(instrument, puppet, view):
    """Let a change be answered by ``view``; wait until it is shown."""
    before = instrument.revision
    instrument.set(gpus=64)
    call = puppet.calls(1)[-1]
    puppet.say(type="answer", id=call["id"], view=json.dumps(view))
    expect(instrument.element).to_have_attribute("data-revision", str(before + 1))


def nothing_ran(page):
    assert page.evaluate(INJECTED) == [False, 0, 0]


@pytest.mark.site
def test_markup_in_an_answer_is_shown_as_it_is_written(stage):
    instrument, puppet = stage()
    answered(instrument, puppet, hostile_view(gpus=64))
    expect(instrument.element.locator(".sw-caption")).to_have_text(MARK)
    expect(instrument.element.locator(".sw-value").first).to_have_text(MARK)
    expect(instrument.element.locator(".sw-legend li").first).to_have_text(MARK)
    expect(instrument.chart).to_have_attribute("aria-label", MARK)
    assert instrument.table()[1] == [MARK] * len(instrument.table()[1])
    expect(instrument.element.locator(".sw-live")).to_have_text(MARK)
    instrument.page.emulate_media(media="print")
    expect(instrument.element.locator(".sw-print")).to_be_visible()
    nothing_ran(instrument.page)


@pytest.mark.site
def test_markup_in_what_went_wrong_is_shown_as_it_is_written(stage):
    instrument, puppet = stage()
    instrument.set(gpus=63)
    puppet.say(type="raised", id=puppet.calls(1)[-1]["id"], error=f"Traceback\n{MARK}", fatal=False)
    expect(instrument.status).to_contain_text(MARK)
    for number, field in enumerate(("gpus", "__proto__", MARK), 2):
        instrument.set(gpus=number)
        error = {"field": field, "code": MARK, "values": {MARK: MARK}, "message": MARK}
        puppet.say(type="answer", id=puppet.calls(number)[-1]["id"], view=json.dumps({"error": error}))
        expect(instrument.element.locator(".sw-live")).to_have_text(MARK)
    nothing_ran(instrument.page)


@pytest.mark.site
def test_markup_in_the_cause_of_a_failed_start_is_shown_as_it_is_written(enter):
    def prepare(page):
        said = json.dumps(
            {"type": "failed", "error": dict.fromkeys(("stage", "asset", "cause", "got", "detail"), MARK)}
        )
        script = f"self.onmessage = () => self.postMessage({said})"
        page.context.route("**/worker.js", lambda route: route.fulfill(content_type="text/javascript", body=script))

    page = enter(HOME[NAME].path, prepare=prepare)
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    expect(instrument.alert).to_contain_text(MARK)
    instrument.alert.get_by_text("Technical details").click()
    nothing_ran(page)


@pytest.mark.site
@pytest.mark.parametrize("label", ["CSV", "SVG", "PNG"])
def test_a_file_is_never_named_as_a_path(stage, label):
    instrument, puppet = stage()
    answered(instrument, puppet, {**hostile_view(gpus=64), "widget": "../../.bashrc\\..\\x.exe"})
    with instrument.page.expect_download() as coming:
        instrument.action(label).click()
    name = coming.value.suggested_filename
    assert re.fullmatch(rf"[A-Za-z0-9_][\w-]*\.{label.lower()}", name), name
    assert len(name) < 130
    if label == "SVG":
        picture = Path(coming.value.path()).read_text("utf-8")
        assert re.findall(r"<(?:script|img|image|a|foreignObject)\b", picture) == []


@pytest.mark.site
def test_a_table_holds_no_formulas_and_keeps_its_numbers(stage):
    instrument, puppet = stage()
    cells = ["=1+1", "@SUM(A1)", "+x", "-x", "\tx", "-4.5", "+2", "-12 GB", "-2+cmd|' /C calc'!A0", "–", 'a"b,c']
    view = answer(NAME, gpus=64)
    view["table"] |= {"columns": ["Part", *map(str, range(len(cells) - 1))], "rows": [cells]}
    answered(instrument, puppet, view)
    with instrument.page.expect_download() as coming:
        instrument.action("CSV").click()
    text = Path(coming.value.path()).read_text("utf-8")
    row = list(csv.reader(text.splitlines()))[1]
    guarded = ["'=1+1", "'@SUM(A1)", "'+x", "'-x", "'\tx"]
    assert row == [*guarded, "-4.5", "+2", "-12 GB", "'-2+cmd|' /C calc'!A0", "–", 'a"b,c']


@pytest.mark.site
def test_a_copied_command_runs_nothing_but_the_model(stage, tmp_path):
    instrument, puppet = stage()
    trap = "'; touch trap; echo '$(touch trap)`touch trap`"
    answered(instrument, puppet, {**answer(NAME, gpus=64), "plan": {"model": trap}})
    instrument.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    instrument.action("Copy command").click()
    expect(instrument.note).to_contain_text("Command copied")
    command = instrument.page.evaluate("navigator.clipboard.readText()").partition(" | ")[0]
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"model": trap}
    assert list(tmp_path.iterdir()) == []


NAMES = ["gpus", "stage", "v", "embed", "scheme", "q", "h", "zzz", "__proto__", "constructor", MARK, "a.gpus", ".gpus"]
VALUES = [MARK, "__proto__", "javascript:alert(1)", "'\"><svg onload=alert(1)>", "\u202e\x00\x1b[31m", "x" * 3000]


@pytest.mark.site
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("path", [HOME[NAME].path, f"embed/{NAME}/", ""], ids=["lesson", "embed", "overview"])
def test_whatever_the_address_says_nothing_runs_and_the_default_stands(enter, path, value):
    # The worker never answers: what is to be seen is what the page itself makes of its address.
    page = enter(
        path + "?" + "&".join(f"{quote(name)}={quote(value)}" for name in NAMES) + f"#{quote(value)}",
        prepare=lambda page: page.context.route("**/worker.js", lambda route: None),
    )
    instrument = Instrument(page, NAME).drawn()
    instrument.shows()
    expect(instrument.note).to_be_visible()
    expect(instrument.note).not_to_contain_text("onload")
    nothing_ran(page)
    page.emulate_media(media="print")
    expect(instrument.element.locator(".sw-print")).to_be_visible()
    nothing_ran(page)
    assert page.evaluate("({}).gpus") is None


@pytest.mark.engine
def test_an_address_of_a_hundred_kilobytes_is_followed(lab):
    instrument = lab.open(NAME)
    lab.page.evaluate("""() => {
      history.pushState(null, "", "?gpus=64&" + "x".repeat(1e5) + "&stage=" + encodeURIComponent("<img>".repeat(1e4)));
      dispatchEvent(new PopStateEvent("popstate"));
    }""")
    instrument.shows(gpus=64)
    expect(instrument.note).to_contain_text("not one of the options")
    instrument.set(stage="zero-3")
    instrument.shows(gpus=64, stage="zero-3")
    nothing_ran(lab.page)
