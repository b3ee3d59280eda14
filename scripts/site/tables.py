"""A table of generated cells, which scrolls by itself where it is wider than the page."""

from collections.abc import Iterable
from html import escape


def table(caption: str, columns: Iterable[str], rows: Iterable[Iterable[str]], *, searched: bool = False) -> str:
    """A table of cells that are already HTML; the first of each row heads it. ``searched``: the search finds its words."""
    gap = " " if searched else ""  # or the search would read two cells as one word
    head = gap.join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = gap.join(
        f'<tr><th scope="row">{first}</th>{gap}{gap.join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    hidden = "" if searched else " data-search-exclude"
    return (
        f'<div class="sw-scroll"{hidden} tabindex="0" role="region" aria-label="{escape(caption)}"><table class="data-table">'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
