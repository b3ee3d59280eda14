"""Finished HTML that must pass through Markdown untouched: a slot stands in for it, and is filled afterwards."""

import re

SLOT = re.compile(r'<div class="shard-slot" data-slot="(\d+)"></div>')


class Slots:
    """The finished pieces of one page, in the order in which they stand."""

    def __init__(self) -> None:
        """Starts with nothing kept."""
        self._pieces: list[str] = []

    def keep(self, html: str) -> str:
        """Keeps a piece; returns the block to leave in the Markdown in its place."""
        self._pieces.append(html)
        return f'\n\n<div class="shard-slot" data-slot="{len(self._pieces) - 1}"></div>\n\n'

    def fill(self, html: str) -> str:
        """The page's HTML with every slot replaced by what was kept for it."""
        return SLOT.sub(lambda match: self._pieces[int(match[1])], html)
