"""Text in the reader's language. The English text is its own id; a catalogue of another language replaces it.

Catalogues are ``locale/<language>.po``, compiled to ``.mo`` at build (GNU gettext).
"""

import gettext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

CATALOGUES = Path(__file__).parent / "locale"


def N_(text: str) -> str:  # noqa: N802 - the name that gettext tools look for
    """Marks a text for extraction where it is written but not yet shown."""
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The texts of one language."""

    locale: str
    catalogue: gettext.NullTranslations

    def t(self, text: str, **values: object) -> str:
        """A text, its ``{names}`` filled in."""
        return self.catalogue.gettext(text).format(**values)

    def tn(self, one: str, many: str, n: int, **values: object) -> str:
        """A text with a number in it, in the language's form for that number."""
        return self.catalogue.ngettext(one, many, n).format(n=n, **values)

    def tp(self, context: str, text: str) -> str:
        """A text whose meaning needs a context to be translated, such as a decimal point."""
        return self.catalogue.pgettext(context, text)


@lru_cache(maxsize=8)
def messages(locale: str) -> Messages:
    """The messages of a language; English where the language has no catalogue."""
    path = CATALOGUES / f"{locale}.mo"
    if locale == "en" or not path.is_file():
        return Messages(locale=locale, catalogue=gettext.NullTranslations())
    with path.open("rb") as file:
        return Messages(locale=locale, catalogue=gettext.GNUTranslations(file))
