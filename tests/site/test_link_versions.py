"""A link says which numbers it was made with, and the page says so when they are no longer the ones it computes."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from model import __version__
from scripts.site.numbers import version
from tests.site.harness.instrument import Instrument

pytestmark = pytest.mark.engine

NAME = "zero-memory"
OTHERS = [
    ("0.0.9", "version 0.0.9 "),
    (f"{__version__}-00000000", f"version {__version__}-00000000 "),
    ("1.2.3-0123abcd", "version 1.2.3-0123abcd "),
    ("nonsense", "another version"),
    ("", "another version"),
    ("<b>0.0.9</b>", "another version"),
    ("9" * 5000, "another version"),
    ("0.0.9-buy now at example.org", "another version"),
]


@pytest.mark.parametrize(("written", "says"), OTHERS, ids=range(len(OTHERS)))
def test_a_link_of_another_version_is_told_and_the_note_ends_with_the_next_change(lab, written, says):
    instrument = lab.open(NAME, f"?stage=zero-1&v={quote(written)}")
    instrument.shows(stage="zero-1")
    expect(instrument.note).to_contain_text(says)
    expect(instrument.note).to_contain_text("numbers may have moved")
    if written and says == "another version":
        expect(instrument.note).not_to_contain_text(written[:20])
    instrument.set(gpus=64)
    expect(instrument.note).to_be_hidden()
    instrument.settled()
    assert lab.page.url.endswith("?stage=zero-1&gpus=64")


@pytest.mark.parametrize("written", [version(NAME), __version__, f"0.0.1-{version(NAME).partition('-')[2]}"])
def test_where_the_numbers_are_the_same_nothing_is_said(lab, written):
    instrument = lab.open(NAME, f"?stage=zero-1&v={written}")
    instrument.shows(stage="zero-1")
    expect(instrument.note).to_be_hidden()


def test_the_note_leads_to_the_numbers_that_moved(lab):
    instrument = lab.open(NAME, "?stage=zero-1&v=0.0.9")
    with lab.page.expect_popup() as coming:
        instrument.note.get_by_role("link", name="See which numbers moved").click()
    page = coming.value
    expect(page.get_by_role("heading", level=1, name="Changelog")).to_be_visible()
    expect(page.get_by_role("heading", level=3, name="Numbers that moved").first).to_be_visible()
    page.close()


def test_a_copied_link_leaves_behind_what_is_not_the_pages(enter):
    page = enter("zero-fsdp/?utm=" + "x" * 3000 + "&gpus=16&v=0.0.9", permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, NAME)
    instrument.shows(gpus=16)
    instrument.action("Copy link").click()
    expect(instrument.note).to_contain_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.partition("?")[2] == f"gpus=16&v={version(NAME)}"


def test_of_two_widgets_only_the_one_that_it_is_about_is_noted_and_a_copied_link_holds_both(enter_fixture):
    page = enter_fixture("two/?gpus=2&b.gpus=32&b.v=0.0.1", permissions=["clipboard-read", "clipboard-write"])
    first, second = Instrument(page, NAME), Instrument(page, NAME, 1)
    expect(second.note).to_contain_text("version 0.0.1 ")
    expect(first.note).not_to_contain_text("version")
    first.shows(gpus=2)
    first.action("Copy link").click()
    expect(first.note).to_contain_text("Link copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert sorted(link.partition("?")[2].split("&")) == ["b.gpus=32", "gpus=2", f"v={version(NAME)}"]


def test_where_copying_is_refused_the_text_is_shown_and_marked(enter):
    refuse = "navigator.clipboard.writeText = () => Promise.reject(new Error('no'));"
    page = enter("zero-fsdp/", prepare=lambda page: page.context.add_init_script(refuse))
    instrument = Instrument(page, NAME).drawn()
    for label in ("Copy link", "Copy plan", "Copy command", "Copy embed code"):
        instrument.action(label).click()
        field = instrument.element.get_by_role("textbox", name="To copy by hand")
        expect(field).to_be_focused()
        assert page.evaluate("getSelection().toString()") == field.input_value() != ""
    expect(instrument.note).to_contain_text("did not allow copying")
    assert re.match("<iframe ", field.input_value())
