"""The page of changes, printed from CHANGELOG.md: each version begins with the numbers that moved."""

import re
from html import escape
from pathlib import Path

from markdown import markdown

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.compile(r"^## \[?([^]\n]+?)\]?(?: - (.+))?$", re.MULTILINE)
KIND = re.compile(r"^### (.+)$", re.MULTILINE)
MOVED = "Numbers that moved"


def html() -> str:
    """All versions, the newest first."""
    return render((ROOT / "CHANGELOG.md").read_text("utf-8"))


def render(text: str) -> str:
    """A changelog in the form of Keep a Changelog as HTML; raises ValueError where numbers or text would be lost."""
    _, *parts = VERSION.split(text)
    versions = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    # Generated text is English, whatever language the page around it has.
    return f'<div lang="en">{"".join(_version(*version) for version in versions)}</div>'


def _version(name: str, date: str | None, body: str) -> str:
    before, *parts = KIND.split(body)
    if before.strip():
        line = before.strip().splitlines()[0]
        raise ValueError(f"CHANGELOG.md: {name} has text before its first heading, which would be lost: {line}")
    for kind in parts[::2]:
        if parts[::2].count(kind) > 1:
            raise ValueError(f"CHANGELOG.md: {name} says twice: ### {kind}")
    kinds = dict(zip(parts[::2], parts[1::2], strict=True))
    if MOVED not in kinds:
        raise ValueError(f"CHANGELOG.md: {name} does not say which numbers moved: add ### {MOVED}")
    place = re.sub(r"[^a-z0-9.]+", "-", name.lower())
    title = escape(name if date is None else f"{name}, {date}")
    return f'<h2 id="{place}">{title}</h2>' + "".join(
        f'<h3 id="{place}-{re.sub(r"[^a-z]+", "-", kind.lower())}">{escape(kind)}</h3>{markdown(kinds[kind])}'
        for kind in sorted(kinds, key=lambda kind: kind != MOVED)
    )
