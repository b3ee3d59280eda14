"""A docstring as HTML: paragraphs, names in backticks, columns of a name and what it means, and links to sources."""

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby

# ``name``    what it means: the name is set apart by two spaces or more.
COLUMNS = re.compile(r"(\S.{0,38}?)\s{2,}(\S.*)")
CODE = re.compile(r"``(.+?)``|`([^`]+)`")
LINKS = re.compile(r"arXiv:(\d{4}\.\d{4,5})|(https?://[^\s)]*[\w/])|\b(github\.com/[\w./-]*\w)")


def html(text: str | None, link: Callable[[str], str | None]) -> str:
    """The HTML of a docstring without its indent. ``link`` gives the address of what a name in backticks stands for, or None."""
    return "".join(_block(kind, list(lines), link) for kind, lines in groupby(_lines(text or ""), _kind))


def inline(text: str, link: Callable[[str], str | None]) -> str:
    """One run of words: code in backticks, sources as links."""
    parts, end = [], 0
    for match in CODE.finditer(text):
        parts += [_linked(text[end : match.start()]), _code(match[1] or match[2], link)]
        end = match.end()
    return "".join([*parts, _linked(text[end:])])


def _lines(text: str) -> Iterator[tuple[str, str, int]]:
    """Lines as (term, words, paragraph); a line that goes on belongs to what it goes on with."""
    paragraph, kept = 0, []
    for line in text.splitlines():
        columns = COLUMNS.fullmatch(line)
        if not line.strip():
            paragraph += 1
        elif columns:
            kept.append((columns[1], columns[2], paragraph))
        elif line.startswith(" ") and kept and kept[-1][2] == paragraph and kept[-1][0]:
            term, words, _ = kept[-1]
            kept[-1] = (term, f"{words} {line.strip()}", paragraph)
        else:
            kept.append(("", line.rstrip(), paragraph))
    return iter(kept)


def _kind(line: tuple[str, str, int]) -> tuple[str, int]:
    term, words, paragraph = line
    return ("terms" if term else "example" if words.startswith(" ") else "words", paragraph)


def _block(kind: tuple[str, int], lines: list[tuple[str, str, int]], link: Callable[[str], str | None]) -> str:
    if kind[0] == "words":
        return f"<p>{inline(' '.join(words for _, words, _ in lines), link)}</p>"
    if kind[0] == "example":
        return f"<pre><code>{escape(chr(10).join(words for _, words, _ in lines))}</code></pre>"
    rows = (f"<dt>{inline(term, link)}</dt><dd>{inline(words, link)}</dd>" for term, words, _ in lines)
    return f'<dl class="ref-terms">{"".join(rows)}</dl>'


def _code(name: str, link: Callable[[str], str | None]) -> str:
    address = link(name)
    code = f"<code>{escape(name)}</code>"
    return f'<a href="{escape(address)}">{code}</a>' if address else code


def _linked(text: str) -> str:
    parts, end = [], 0
    for match in LINKS.finditer(text):
        address = f"https://arxiv.org/abs/{match[1]}" if match[1] else match[2] or f"https://{match[3]}"
        parts += [escape(text[end : match.start()]), f'<a href="{escape(address)}">{escape(match[0])}</a>']
        end = match.end()
    return "".join([*parts, escape(text[end:])])
