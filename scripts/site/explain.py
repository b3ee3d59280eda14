"""``<shard-explain key="…">``: a question that readers answer in their own words, and the points of a good answer."""

import json
import re
from html import escape

from widgets.messages import N_, messages

from .place import Source

TAG = re.compile(r'<shard-explain key="([a-z-]+)" markdown="block">(.*?)</shard-explain>', re.DOTALL)
BLOCK = re.compile(r'<div class="se-md" data-key="([a-z-]+)">(.*?)</div>', re.DOTALL)
LOCAL = N_("Your answer and your ticks stay on this device. Nothing is sent anywhere.")


def mark(source: Source) -> str:
    """The Markdown with each tag as a block that Markdown renders; stops the build at a tag written otherwise."""
    text = TAG.sub(r'<div class="se-md" data-key="\1" markdown="block">\2</div>', source.text)
    if "shard-explain" in text:
        position = source.text.index("<shard-explain")
        raise source.error(
            position, 'write <shard-explain key="name" markdown="block">, a question, a list, </shard-explain>'
        )
    return text


def expand(html: str, *, locale: str, strings: dict[str, str]) -> str:
    """The page's HTML with each block as the complete element."""
    language = messages(locale)
    carried = escape(json.dumps(strings, ensure_ascii=False), quote=False)

    def t(text: str) -> str:
        return escape(language.t(text))

    def element(match: re.Match) -> str:
        key, body = match[1], match[2]
        question, list_tag, points = body.partition("<ul>")
        return (
            f'<shard-explain key="{key}"><section class="se" aria-labelledby="explain-{key}">'
            f'<h2 class="se-label" id="explain-{key}">{t(N_("Explain it back"))}</h2>'
            f'<div class="se-question">{question}</div>'
            f'<textarea class="se-answer" rows="5" aria-label="{t(N_("Your answer"))}"></textarea>'
            f'<p class="se-local">{t(LOCAL)}</p>'
            f'<details class="se-points"><summary>{t(N_("What a good answer says"))}</summary>'
            f"{list_tag}{points}</details>"
            f'<button type="button" data-action="clear">{t(N_("Clear my answer"))}</button>'
            f'<template class="se-strings" data-search-exclude>{carried}</template></section></shard-explain>'
        )

    return BLOCK.sub(element, html)
