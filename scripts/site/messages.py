"""``make messages``: bring every catalogue up to date with the texts that the code shows."""

import sys
from io import BytesIO

from babel.messages.pofile import read_po, write_po

from .catalogue import LOCALES, shown


def updated(language: str) -> bytes:
    """The catalogue of a language with new texts added and gone ones dropped; its translations are kept."""
    path = LOCALES / f"{language}.po"
    template = shown()
    if path.exists():
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
    else:
        catalogue = template
        catalogue.locale = language
    catalogue.header_comment = template.header_comment
    text = BytesIO()
    write_po(text, catalogue, omit_header=False, sort_output=True, width=110, include_lineno=False)
    lines = text.getvalue().decode().splitlines(keepends=True)
    dates = (
        '"POT-Creation-Date',
        '"PO-Revision-Date',
        '"Generated-By',
        '"Report-Msgid-Bugs-To',
        '"Last-Translator',
        '"Language-Team',
    )
    return "".join(line for line in lines if not line.startswith(dates)).encode()


def main() -> int:
    """Updates all catalogues; with ``--check`` only says which are out of date."""
    languages = sorted(path.stem for path in LOCALES.glob("*.po")) or ["en"]
    stale = [
        language
        for language in languages
        if not (LOCALES / f"{language}.po").exists() or (LOCALES / f"{language}.po").read_bytes() != updated(language)
    ]
    if "--check" in sys.argv:
        for language in stale:
            print(f"widgets/locale/{language}.po is out of date: run make messages", file=sys.stderr)
        return bool(stale)
    for language in stale:
        (LOCALES / f"{language}.po").write_bytes(updated(language))
        print(f"messages: widgets/locale/{language}.po updated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
