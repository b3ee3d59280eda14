"""The reference prints everything that is public in the model, in the order of its layers, and every link in it holds."""

import ast
import re
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

from model.contract import contract
from scripts.site import commands, docstring, generated, public, reference
from scripts.site.place import Source
from scripts.site.slots import Slots
from tests.checks.test_layers import ORDER

ROOT = Path(__file__).resolve().parents[2]
PAGE = "reference-model"
TERMS = '<dl class="ref-terms"><dt><code>x</code></dt><dd>one</dd>'
HEAVY = 300_000  # bytes of a page's own text; a heavier one is split


@pytest.fixture(scope="module")
def printed():
    return {name: reference.modules([name], PAGE) for name in ORDER}


def nowhere(name):
    return None


def test_the_page_has_every_module_in_the_order_of_the_layers():
    assert tuple(reference.homes()) == ORDER


@pytest.mark.parametrize("name", ORDER)
def test_a_module_is_printed_with_all_that_is_public_in_it(printed, name):
    tree = ast.parse((ROOT / "model" / f"{name}.py").read_text("utf-8"))
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    wanted = [f"model.{name}.{each}" for each in defined if not each.startswith("_")]
    assert re.findall(r'<h4 id="([^"]+)">', printed[name]) == wanted
    assert printed[name].count(f'<h3 id="model.{name}">') == 1


def test_every_link_leads_to_an_entry_and_no_anchor_stands_twice(printed):
    whole = "".join(printed.values())
    ids = re.findall(r'\bid="([^"]+)"', whole)
    assert len(ids) == len(set(ids))
    assert {address[1:] for address in re.findall(r'href="(#[^"]+)"', whole)} <= set(ids)
    outside = set(re.findall(r'href="([^#"][^"]*)"', whole))
    assert outside
    assert all(address.startswith("https://") for address in outside)


def test_the_page_is_no_heavier_than_it_may_be(printed):
    assert sum(len(html.encode()) for html in printed.values()) < HEAVY


def test_it_says_which_language_it_is_in(printed):
    for html in (*printed.values(), commands.commands(), commands.exits(), commands.fields(), reference.glossary()):
        assert html.startswith('<div class="ref" lang="en">')


def test_a_type_links_to_its_record_and_a_name_to_its_function(printed):
    assert '<a href="#model.links.Link">Link</a>' in printed["collectives"]
    assert '<a href="#model.errors.Invalid"><code>Invalid</code></a>' in printed["recipe"]


def test_a_source_in_a_docstring_is_a_link(printed):
    assert '<a href="https://arxiv.org/abs/2401.10241">arXiv:2401.10241</a>' in printed["zero_bubble"]


def test_a_constant_stands_with_its_source(printed):
    text = re.search(r"<dt><code>CONTEXT_BYTES</code></dt><dd><code>= .*?</code><p>(.*?)</p></dd>", printed["overhead"])
    assert len(text[1]) > 20


def test_help_is_printed_word_for_word(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    text = commands.help_of("memory")
    assert text == commands.help_of("memory")
    assert text.startswith("usage: python -m model memory [-h] [--json] PLAN.json\n")
    assert commands.commands().count("<pre") == 8


def test_every_field_of_a_plan_is_in_a_table():
    html = commands.fields()
    for row in contract():
        assert f"<code>{row['path'].rpartition('.')[2]}</code>" in html


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("One.\ntwo.\n\nThree.", "<p>One. two.</p><p>Three.</p>"),
        ("``x``  one\ny   two\n    more\nRaises.", f"{TERMS}<dt>y</dt><dd>two more</dd></dl><p>Raises.</p>"),
        ("So:\n\n  a < b\n  c", "<p>So:</p><pre><code>  a &lt; b\n  c</code></pre>"),
        ("a & `b<c>`", "<p>a &amp; <code>b&lt;c&gt;</code></p>"),
        ("See github.com/a/b.", '<p>See <a href="https://github.com/a/b">github.com/a/b</a>.</p>'),
        ("", ""),
    ],
    ids=["paragraphs", "columns", "example", "code", "link", "nothing"],
)
def test_a_docstring_becomes_html(written, expected):
    assert docstring.html(written, nowhere) == expected


@pytest.mark.parametrize("tag", ["[[modules memory tensor]]", "[[fields memory]]", "[[feilds]]"])
def test_a_part_that_does_not_exist_stops_the_build(tag):
    source = Source(path="docs/reference-model.md", text=f"Text.\n\n{tag}\n", first_line=5)
    with pytest.raises(PluginError, match=r"docs/reference-model\.md:7: "):
        generated.expand(source, Slots(), "en")


def test_the_model_is_read_and_not_run():
    assert public.module("catalog").members["Gpu"].is_class
