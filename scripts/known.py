"""The one list of what axe and Lighthouse find in markup that the theme alone writes.

What we write ourselves is never listed here; it is mended.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A rule that the theme breaks: axe's or Lighthouse's name for it, the end of the place, why, and the day of the last look."""

    rule: str
    place: str
    reason: str
    looked: date


KNOWN: tuple[Known, ...] = ()


def is_known(rule: str, places: Iterable[str], known: Iterable[Known] = KNOWN) -> bool:
    """Whether every place at which a rule is broken is listed; a finding without a place never is."""
    endings = tuple(each.place for each in known if each.rule == rule)
    found = list(places)
    return bool(endings and found) and all(place.endswith(endings) for place in found)
