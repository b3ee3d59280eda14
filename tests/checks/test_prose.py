"""Numbers in lessons come from the model; a typed one, an unknown fact and an unused fact are all found."""

import re
from pathlib import Path

import pytest

from model.facts import FACTS
from scripts.site.lint import typed_numbers
from scripts.site.prose import calls

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_number_with_a_unit_is_typed_by_hand(page):
    assert typed_numbers(page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "It has 7.5 billion parameters.",
        "needs 120 GB",
        "an 80&nbsp;GB card",
        "75 % of it",
        "64 GPUs",
        "4×",
        "16 bytes each",
        "24\u00a0layers",
        "8-GPU node",
    ],
)
def test_the_check_finds_a_typed_number(text):
    assert typed_numbers(f"# Title\n\n{text}\n") != []


@pytest.mark.parametrize(
    "text",
    [
        "It has {{ example_params }} parameters.",
        "`120 GB` in code",
        "Node 01 / 03",
        "ZeRO-3",
        "in 2020",
        "```\n80 GB\n```",
        '<path d="M 8 GB"/>',
        "---\nx: 80 GB\n---\nText.",
    ],
)
def test_the_check_leaves_facts_code_and_names_alone(text):
    assert typed_numbers(text) == []


def test_every_fact_is_used_by_a_page():
    used = {call.name for page in PAGES for call in calls(page.read_text("utf-8"))}
    assert set(FACTS) - used == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_speak_plainly(page):
    text = re.sub(r"<[^>]*>|`[^`]*`|\{\{.*?\}\}", "", page.read_text("utf-8"))
    assert re.findall(r"[\w)]!(?:\s|$)", text) == []
    assert (
        re.findall(
            r"\b(?:simply|just click|revolutionary|blazing|cutting-edge|state-of-the-art|powerful)\b",
            text,
            re.IGNORECASE,
        )
        == []
    )
