"""A mistake in a lesson stops the build and says in which file and line."""

import pytest
from mkdocs.exceptions import PluginError

from scripts.site import explain, generated, notices, prose, tags
from scripts.site.place import Source
from scripts.site.slots import Slots
from widgets.markup import widget_html

FRONT = "---\ntitle: A page\n---\n"


def source(body):
    whole = FRONT + body
    return Source.of_page("docs/page.md", whole, body.lstrip("\n"))


def widgets(body):
    slots = Slots()
    return slots.fill(tags.expand(source(body), slots, locale="en", strings={}))


def message(call, *arguments, **named):
    with pytest.raises(PluginError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def test_a_fact_prints_the_models_number():
    assert prose.expand(source("\nIt is {{ states(zero=1) }}.\n"), "en") == "It is 41.25\u00a0GB.\n"
    assert prose.expand(source("{{ bytes_per_param(part='weights') | number }}"), "en") == "2"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("{{ statez }}", "unknown fact; did you mean states?"),
        ("{{ states(zero=7) }}", "{{ states(zero=7) }}"),
        ("{{ states(nine=1) }}", "nine"),
        ("{{ states(1) }}", "name(argument=value)"),
        ("{{ states | loud }}", "no filter 'loud'"),
        ("{{ 1 + }}", "name(argument=value)"),
        ("{{ states(part='x') }}", "part='x'"),
    ],
)
def test_a_wrong_fact_names_file_and_line(written, says):
    text = message(prose.expand, source(f"\n# Title\n\nText.\nIt is {written}.\n"), "en")
    assert text.startswith("docs/page.md:8: ")
    assert says in text


def test_a_widget_tag_becomes_the_whole_widget():
    html = widgets('# Title\n\n<shard-widget name="zero-memory" gpus="64" stage="zero-1"></shard-widget>\n')
    assert "31.406" in html
    assert 'data-default="64"' in html


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('<shard-widget name="zero-memry"></shard-widget>', "did you mean zero-memory?"),
        ("<shard-widget></shard-widget>", "unknown widget"),
        ('<shard-widget name="zero-memory" gpu="8"></shard-widget>', "no control 'gpu'"),
        ('<shard-widget name="zero-memory" gpus="99"></shard-widget>', "from 1 to 64"),
        ('<shard-widget name="zero-memory" gpus="many"></shard-widget>', "many"),
        ('<shard-widget name="zero-memory" stage="zero-9"></shard-widget>', "stage"),
        ('<shard-widget name="zero-memory" wide></shard-widget>', "cannot read 'wide'"),
        ('<shard-widget name="zero-memory" prefix="B!"></shard-widget>', "prefix"),
        ('<shard-widget name="zero-memory">', "not closed"),
    ],
)
def test_a_wrong_widget_tag_names_file_and_line(written, says):
    text = message(widgets, f"\n# Title\n\n\n{written}\n")
    assert text.startswith("docs/page.md:8: ")
    assert says in text


def test_two_widgets_that_would_share_link_parameters_are_refused():
    tag = '<shard-widget name="zero-memory"></shard-widget>'
    assert message(widgets, f"{tag}\n\n{tag}\n").startswith("docs/page.md:6: ")
    assert (
        widgets(f"{tag}\n\n{tag.replace(' name', ' prefix=' + chr(34) + 'b' + chr(34) + ' name')}").count("<figure")
        == 2
    )


def test_ids_stay_unique_when_a_widget_stands_twice():
    import re

    html = widgets(
        '<shard-widget name="zero-memory"></shard-widget>\n\n'
        '<shard-widget name="zero-memory" prefix="b"></shard-widget>\n'
    )
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    named = re.findall(r'(?:aria-labelledby|aria-describedby|for)="([^"]+)"', html)
    assert named
    assert {one for names in named for one in names.split()} <= set(ids)


def test_a_question_written_otherwise_is_refused():
    assert "write <shard-explain" in message(explain.mark, source("Text.\n\n<shard-explain>\nWhy?\n</shard-explain>\n"))


def test_a_generated_part_that_does_not_exist_is_refused():
    assert message(generated.expand, source("Text.\n\n[[sauces]]\n"), Slots(), "en").startswith("docs/page.md:6: ")


def test_generated_tables_carry_the_catalogue():
    slots = Slots()
    html = slots.fill(
        generated.expand(source("[[cards]]\n\n[[recipes]]\n\n[[publications]]\n\n[[notices]]\n"), slots, "en")
    )
    for text in (
        "81,559",
        "79.647",
        "zero-paper",
        "arxiv.org/abs/1910.02054",
        "MPL-2.0",
        "OFL-1.1",
        "Material for MkDocs",
    ):
        assert text in html


def test_data_that_a_template_carries_cannot_end_it_or_become_markup():
    html = widget_html("data-parallel", given={}, prefix="", locale="en", strings={"a": "</template><img src=x>"})
    assert html.count("<template") == html.count("</template>") == 2
    assert "&lt;br&gt;" in html.partition("<template")[2]
    assert "<br>" not in html.partition("<template")[2]
    assert "<img" not in html


def test_every_notice_carries_the_text_of_its_licence():
    collected = notices.collect()
    assert {notice.licence for notice in collected} == {"MPL-2.0", "PSF-2.0", "MIT", "OFL-1.1", "Apache-2.0"}
    assert all(len(notice.text) > 500 for notice in collected)
