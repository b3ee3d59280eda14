"""What a reader takes along: the table as CSV, the chart as SVG and PNG, under names that say what they show."""

import csv
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME, NAMES
from widgets.foot import MORE

SVG = "{http://www.w3.org/2000/svg}"


def take(instrument, label):
    """Press a button; the file that comes, as (name, bytes)."""
    with instrument.page.expect_download() as coming:
        instrument.action(label).click()
    download = coming.value
    return download.suggested_filename, Path(download.path()).read_bytes()


def changed(lab, name):
    """A widget with its first number at its most: (instrument, control)."""
    instrument = lab.open(name)
    control = next(each for each in instrument.widget.controls if hasattr(each, "stops"))
    instrument.set(**{control.name: control.most})
    instrument.shows(**{control.name: control.most})
    return instrument, control


def says_what_it_shows(file, instrument, ending):
    assert file.endswith(f".{ending}")
    assert file.startswith(instrument.name)
    for name, value in instrument.values().items():
        assert f"{name}-{value}" in file
    assert set(file) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_the_csv_is_the_table(lab, name):
    instrument, _ = changed(lab, name)
    file, content = take(instrument, "CSV")
    says_what_it_shows(file, instrument, "csv")
    rows = list(csv.reader(content.decode("utf-8-sig").splitlines()))
    assert rows == instrument.table()
    assert len(rows) > 1


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_the_svg_is_the_chart(lab, name):
    instrument, _ = changed(lab, name)
    file, content = take(instrument, "SVG")
    says_what_it_shows(file, instrument, "svg")
    picture = ElementTree.fromstring(content)
    assert picture.tag == f"{SVG}svg"
    words = {"".join(text.itertext()) for text in picture.iter(f"{SVG}text")}
    drawn = instrument.element.locator(".sw-plot text").all_text_contents()
    assert words >= {text for text in drawn if text}
    beside = " ".join(words)
    for text in (instrument.widget.title, *instrument.summary().split(), *(label for _, label in instrument.legend())):
        assert text in beside
    assert instrument.page.url in "".join(text for text in picture.itertext())
    bars = sum(
        len(trace["x"])
        for trace in instrument.layout("gd.data.filter(({ type }) => type === 'bar').map(({ x }) => ({ x }))")
    )
    assert len([path for path in picture.iter(f"{SVG}path") if path.get("d")]) >= bars


@pytest.mark.engine
@pytest.mark.parametrize("name", NAMES)
def test_the_png_is_a_picture_at_twice_the_size(lab, name):
    instrument, _ = changed(lab, name)
    file, content = take(instrument, "PNG")
    says_what_it_shows(file, instrument, "png")
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    drawn = instrument.layout("[gd._fullLayout.width, gd._fullLayout.height]")
    assert width / 2 == pytest.approx(drawn[0], abs=1)
    assert height / 2 > drawn[1]  # the words stand above the chart, which keeps its size


@pytest.mark.site
@pytest.mark.parametrize("label", ["CSV", "SVG", "PNG"])
def test_the_default_can_be_taken_along_before_python_is_there(enter, label):
    page = enter(HOME["zero-memory"].path, prepare=lambda page: page.context.route("**/worker.js", lambda route: None))
    instrument = Instrument(page, "zero-memory").drawn()
    file, content = take(instrument, label)
    assert file == f"zero-memory_stage-replicated_gpus-8.{label.lower()}"
    assert len(content) > 100


@pytest.mark.site
def test_the_link_in_a_picture_leads_to_what_is_in_the_picture(stage):
    instrument, puppet = stage()
    instrument.set(stage="zero-3")
    puppet.calls(1)  # asked, and not answered yet: the picture still shows the default
    file, content = take(instrument, "SVG")
    assert "stage-replicated" in file
    assert b"zero-fsdp/?v=" in content
    assert b"stage=zero-3" not in content


@pytest.mark.site
def test_what_is_taken_along_opens_and_closes_by_keyboard(enter):
    instrument = Instrument(enter(HOME["zero-memory"].path), "zero-memory").drawn()
    more = instrument.element.get_by_role("button", name=MORE)
    picture = instrument.element.get_by_role("button", name="PNG")
    expect(picture).to_be_hidden()
    more.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    group = instrument.element.get_by_role("group", name="Picture")
    expect(group.get_by_role("button")).to_have_count(2)
    for name in ("Copy a report", "PNG", "SVG", "CSV"):
        instrument.page.keyboard.press("Tab")
        expect(instrument.element.get_by_role("button", name=name)).to_be_focused()
    more.press("Space")
    expect(more).to_have_attribute("aria-expanded", "false")
    expect(picture).to_be_hidden()
