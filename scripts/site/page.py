"""One page on its way through the build: facts, widgets, questions, generated tables."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

from . import explain, generated, prose, tags
from .place import Source
from .slots import Slots

# A title is no name where there are words, and "¶" is a word: a screen reader would say "pilcrow".
HEADING_LINK = re.compile(r'(<a class="headerlink"[^>]*) title="([^"]*)"')


def before_markdown(markdown: str, page: Page, config: MkDocsConfig) -> str:
    """The Markdown with facts printed and a slot for everything that Markdown must not touch."""
    locale, slots = config.theme["language"], Slots()
    page.meta["shard_slots"] = slots
    path = Path(config.docs_dir).name + "/" + page.file.src_uri
    source = Source.of_page(path, page.file.content_string, markdown)

    def step(text: str) -> Source:
        return Source(path=path, text=text, first_line=source.first_line)

    # Facts first: they stand on one line each, so that the lines of later errors are still the file's.
    text = prose.expand(source, locale)
    text = explain.mark(step(text))
    text = generated.expand(step(text), slots, locale)
    strings = config.extra["script_strings"]
    whole = tags.expand(step(text), slots, locale=locale, strings=strings, repository=config.repo_url or "")
    page.meta["shard_widgets"] = tags.standing(text)  # once it is known that every tag is well formed
    return whole


def after_markdown(html: str, page: Page, config: MkDocsConfig) -> str:
    """The page's HTML, complete."""
    html = explain.expand(html, locale=config.theme["language"], strings=config.extra["script_strings"])
    return HEADING_LINK.sub(r'\1 title="\2" aria-label="\2"', page.meta.pop("shard_slots").fill(html))
