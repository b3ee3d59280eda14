"""What there is to test: every page of the navigation, every widget, and where each widget stands."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from mkdocs.utils.yaml import yaml_load

from widgets.registry import WIDGETS

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
TAG = re.compile(r'<shard-widget\b[^>]*\bname="([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the site: its path below the site's address, and the widgets on it in their order."""

    title: str
    source: str
    path: str
    widgets: tuple[str, ...]

    def __str__(self) -> str:
        return self.source.removesuffix(".md")


def _page(title: str, source: str) -> Page:
    path = "" if source == "index.md" else source.removesuffix(".md") + "/"
    return Page(title=title, source=source, path=path, widgets=tuple(TAG.findall((DOCS / source).read_text("utf-8"))))


def _pages() -> list[Page]:
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        navigation = yaml_load(file)["nav"]
    return [_page(*item.popitem()) for item in navigation]


PAGES = _pages()
WIDGET_PAGES = [page for page in PAGES if page.widgets]
NAMES = [widget.name for widget in WIDGETS]
# The page that is about a widget; where it stands on several, the one that teaches it comes after the overview.
HOME = {name: page for page in WIDGET_PAGES for name in page.widgets}
EVIDENCE = next(page for page in PAGES if page.source == "evidence.md")
# For what is alike on all pages: a lesson page and the one with the most drawings and tables; in the long form, every one.
SAMPLE = [
    pytest.param(page, id=str(page), marks=[] if page in (HOME["zero-memory"], EVIDENCE) else [pytest.mark.full])
    for page in PAGES
]
# A page without any widget, to leave for and come back from.
QUIET = next(page for page in PAGES if not page.widgets)
