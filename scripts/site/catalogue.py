"""The message catalogue: which texts the code and the templates show, and what another language calls them (GNU gettext, by Babel)."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from widgets.messages import messages

ROOT = Path(__file__).resolve().parents[2]
LOCALES = ROOT / "widgets" / "locale"
PYTHON_KEYWORDS = {"t": None, "tn": (1, 2), "tp": ((1, "c"), 2), "N_": None}
SCRIPT_KEYWORDS = {"t": None}
PYTHON_FILES = ("widgets/*.py", "scripts/site/*.py")
SCRIPT_FILES = ("widgets/runtime/*.js",)
TEMPLATE_FILES = ("docs/templates/**/*.html",)


def _extracted(patterns: tuple[str, ...], method: str, keywords: dict) -> Iterator[tuple]:
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    for path in paths:
        for line, text, _, context in extract_from_file(method, path, keywords=keywords):
            yield path.relative_to(ROOT).as_posix(), line, text, context


def shown() -> Catalog:
    """Every text that the code shows, with the files that show it."""
    catalogue = Catalog(
        project="Shardscope",
        copyright_holder="the Shardscope authors",
        fuzzy=False,
        header_comment="# Texts of Shardscope's widgets. The English text is the id.",
    )
    found = (
        *_extracted(PYTHON_FILES, "python", PYTHON_KEYWORDS),
        *_extracted(SCRIPT_FILES, "javascript", SCRIPT_KEYWORDS),
        *_extracted(TEMPLATE_FILES, "jinja2.ext:babel_extract", SCRIPT_KEYWORDS),
    )
    for path, _line, text, context in found:
        catalogue.add(text, locations=[(path, None)], context=context)
    return catalogue


def script_texts() -> set[str]:
    """The browser half's texts, in English."""
    return {text for *_, text, _ in _extracted(SCRIPT_FILES, "javascript", SCRIPT_KEYWORDS)}


def script_strings(locale: str) -> dict[str, str]:
    """Those of them that a language says in other words: what the pages carry for it. English needs none."""
    language = messages(locale)
    said = {text: language.catalogue.gettext(text) for text in sorted(script_texts())}
    return {text: own for text, own in said.items() if own != text}


def compile_all() -> None:
    """Writes a ``.mo`` beside every translation, which is what Python reads; one that would not change is left alone."""
    for po in sorted(set(LOCALES.glob("*.po")) - {LOCALES / "en.po"}):  # English is its own translation
        with po.open("rb") as file:
            catalogue = read_po(file, locale=po.stem)
        compiled = BytesIO()
        write_mo(compiled, catalogue)
        mo = po.with_suffix(".mo")
        # `make serve` watches this folder: a file written anew at every build would build for ever.
        if not mo.exists() or mo.read_bytes() != compiled.getvalue():
            mo.write_bytes(compiled.getvalue())
