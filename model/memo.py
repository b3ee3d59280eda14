"""What the plans of one search have in common, worked out once.

The plans of a search differ in their layout and their micro-batch alone, so an answer is kept by those of their fields
that it depends on. A plan that is asked about by itself has a memo of its own.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

Answer = TypeVar("Answer")


class Memo:
    """Answers of one search, each by what it is and what it depends on."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        """Starts empty."""
        self._found: dict[Hashable, object] = {}

    def once(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        """The answer kept under ``key``; made when it is first asked for. What raises is not kept."""
        try:
            return self._found[key]
        except KeyError:
            answer = self._found[key] = make()
            return answer
