"""Explain it back: what the reader writes and ticks stays on the device, comes back, and can be cleared."""

import json

import pytest
from playwright.sync_api import expect

from tests.site.harness.pages import DOCS, PAGES

pytestmark = pytest.mark.site

ASKING = [page for page in PAGES if "<shard-explain" in (DOCS / page.source).read_text("utf-8")]
REFUSE = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('refused', 'SecurityError'); } });"
)
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"


class Question:
    """One "Explain it back" on a page."""

    def __init__(self, page) -> None:
        self.page = page
        self.region = page.get_by_role("region", name="Explain it back")
        self.answer = self.region.get_by_role("textbox", name="Your answer")
        self.points = self.region.get_by_text("What a good answer says")
        self.clear = self.region.get_by_role("button", name="Clear my answer")

    def ticks(self):
        """The boxes of the list, once it is open."""
        if not self.region.get_by_role("checkbox").first.is_visible():
            self.points.click()
        return self.region.get_by_role("checkbox")

    def kept(self):
        """What is kept on this device."""
        found = self.page.evaluate(
            "Object.entries(localStorage).filter(([key]) => key.startsWith('shardscope.explain.'))"
        )
        return {key: json.loads(value) for key, value in found}


def test_every_node_asks(enter):
    assert len(ASKING) >= 3


@pytest.mark.parametrize("place", ASKING, ids=str)
def test_an_answer_and_its_ticks_come_back_after_a_reload_and_a_walk(enter, place, record):
    question = Question(enter(place.path))
    question.answer.fill("Because every copy is whole.")
    boxes = question.ticks()
    assert boxes.count() >= 3
    boxes.nth(1).check()
    question.page.reload()
    assert_kept(question)
    footer = question.page.get_by_role("navigation", name="All pages")
    footer.get_by_role("link", name="Glossary").click()
    expect(question.region).to_have_count(0)
    question.page.go_back()
    assert_kept(question)
    assert {request.method for request in record.requests} == {"GET"}


def assert_kept(question):
    expect(question.answer).to_have_value("Because every copy is whole.")
    expect(question.ticks().nth(1)).to_be_checked()
    expect(question.ticks().nth(0)).not_to_be_checked()


def test_a_whole_line_is_the_label_of_its_box(enter):
    question = Question(enter(ASKING[0].path))
    box = question.ticks().first
    question.region.locator("li").first.locator("label").click()
    expect(box).to_be_checked()


def test_clearing_forgets_everything_and_gives_the_box_back(enter):
    question = Question(enter(ASKING[0].path))
    question.answer.fill("Something")
    question.ticks().first.check()
    assert len(question.kept()) == 1
    question.clear.click()
    expect(question.answer).to_have_value("")
    expect(question.answer).to_be_focused()
    expect(question.ticks().first).not_to_be_checked()
    assert question.kept() == {}


def test_each_node_keeps_its_own_answer(enter):
    question = Question(enter(ASKING[0].path))
    question.answer.fill("first")
    question.page.goto(ASKING[1].path)
    expect(question.answer).to_have_value("")
    question.answer.fill("second")
    question.page.goto(ASKING[0].path)
    expect(question.answer).to_have_value("first")
    assert len(question.kept()) == 2


@pytest.mark.parametrize("refusal", [REFUSE, FULL], ids=["refused", "full"])
def test_without_storage_the_page_works_and_the_reader_is_told(enter, record, refusal):
    record.excuse("refused")  # the theme itself does not expect this
    page = enter(None)
    page.add_init_script(f"if (location.protocol !== 'about:') {{ {refusal} }}")
    page.goto(ASKING[0].path)
    question = Question(page)
    question.answer.fill("Something")
    expect(question.region).to_contain_text("does not keep the answer")
    question.ticks().first.check()
    question.clear.click()
    expect(question.answer).to_have_value("")


def test_what_lies_in_the_storage_and_makes_no_sense_is_ignored(enter):
    page = enter(ASKING[0].path)
    question = Question(page)
    question.answer.fill("x")
    key = next(iter(question.kept()))
    for nonsense in ("nonsense", "[]", '{"answer": 3, "ticks": "no"}', "null"):
        page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, nonsense])
        page.reload()
        question.ticks().first.check()
        expect(question.ticks().first).to_be_checked()
