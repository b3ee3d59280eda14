"""Every visible text goes through the catalogue, and the catalogue holds just what is shown."""

import gettext
import io
import json

import pytest
from babel.messages.mofile import write_mo

from scripts.site import catalogue
from scripts.site.messages import updated
from widgets import api
from widgets.markup import widget_html
from widgets.messages import Messages, messages
from widgets.registry import WIDGETS


@pytest.fixture
def pseudo(monkeypatch):
    """A language that brackets every text, and writes 1.234,5."""
    made = catalogue.shown()
    for message in made:
        if message.id and message.context:
            message.string = {".": ",", ",": "."}[message.id]
        elif message.id:
            bracketed = [f"⟦{text}⟧" for text in ([message.id] if isinstance(message.id, str) else message.id)]
            message.string = bracketed[0] if isinstance(message.id, str) else tuple(bracketed)
    file = io.BytesIO()
    made.locale = "en"
    write_mo(file, made)
    file.seek(0)
    language = Messages(locale="xx", catalogue=gettext.GNUTranslations(file))
    monkeypatch.setattr(api, "messages", lambda locale: language)
    monkeypatch.setattr("widgets.markup.messages", lambda locale: language)
    monkeypatch.setattr(catalogue, "messages", lambda locale: language if locale == "xx" else messages(locale))
    return language


def test_the_catalogue_is_what_the_code_shows():
    assert (catalogue.LOCALES / "en.po").read_bytes() == updated("en"), "run make messages"


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_no_text_of_a_view_bypasses_the_catalogue(widget, pseudo):
    shown = json.loads(api.render(widget.name, "{}", "xx"))
    texts = [
        shown["caption"],
        shown["summary"],
        shown["table"]["caption"],
        *shown["table"]["columns"],
        *(entry["label"] for entry in shown["legend"]),
        *(item["label"] for item in shown["readouts"]),
        *(item["note"] for item in shown["readouts"] if item["note"]),
        *(trace.get("name", "⟦") for trace in shown["figure"]["data"]),
        *(note["text"] for note in shown["figure"]["layout"].get("annotations", [])),
    ]
    assert [text for text in texts if "⟦" not in text] == []


def test_numbers_follow_the_language(pseudo):
    shown = json.loads(api.render("zero-memory", '{"stage": "zero-1"}', "xx"))
    assert shown["readouts"][0]["value"].startswith("41,25")


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_errors_speak_the_language(widget, pseudo):
    name = widget.controls[-1].name
    shown = json.loads(api.render(widget.name, json.dumps({name: 99}), "xx"))
    assert "⟦" in shown["error"]["message"]


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_no_text_of_the_markup_bypasses_the_catalogue(widget, pseudo):
    html = widget_html(widget.name, given={}, prefix="", locale="xx", strings={})
    for text in (widget.title, widget.question, widget.instruction, "Data table", "Retry", "Reset", "Copy link"):
        assert f">⟦{text.replace(chr(39), '&#x27;')}⟧<" in html


def test_every_text_of_the_browser_half_is_in_the_catalogue():
    texts = catalogue.script_texts()
    assert texts
    assert all(text in catalogue.shown() for text in texts)


def test_a_page_carries_the_browser_halfs_texts_only_in_another_language(pseudo):
    assert set(catalogue.script_strings("xx")) == catalogue.script_texts()
    assert catalogue.script_strings("en") == {}
