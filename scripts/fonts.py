"""The lesson's typefaces, self-hosted: what English prose needs of two families, with one style sheet.

Their licence keeps the names of the families for the whole fonts, so these smaller ones have names of their own.
"""

import shutil
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from scripts.tools import NODE_MODULES

SANS = NODE_MODULES / "@fontsource-variable" / "source-sans-3"
MONO = NODE_MODULES / "@fontsource" / "ibm-plex-mono"

# (family, style, weights used, package, file below its folder `files`)
FACES = (
    ("Shardscope Sans", "normal", (400, 700), SANS, "source-sans-3-latin-wght-normal.woff2"),
    ("Shardscope Mono", "normal", (500, 500), MONO, "ibm-plex-mono-latin-500-normal.woff2"),
)
# What is on an English keyboard, the signs that the pages set, and the letters of names in the sources.
CHARACTERS = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0©²³µ¶·×äéöüßø–—‘’“”…−"
# Kerning, ligatures, and accents in their places; what else the families can do, no page asks for.
FEATURES = ["kern", "liga", "ccmp", "mark"]
NAMES = [0, 13, 14]  # whose it is, its licence, and where that stands

# Local fonts stretched to the web fonts' measures over the lesson's prose: a page looks alike whichever it is shown in.
# Browsers may take a web font that came too late at the theme's first change of the page; then, too, lines stay.
# (family, weights, local fonts, their size, and the ascent and descent of the web font in shares of an em)
FALLBACKS = (
    ("Shardscope Sans Fallback", None, ("Arial", "Liberation Sans", "Helvetica"), 0.9224, 1.024, 0.4),
    ("Shardscope Sans Fallback Wide", "200 599", ("DejaVu Sans", "Verdana"), 0.814, 1.024, 0.4),
    ("Shardscope Sans Fallback Wide", "600 900", ("DejaVu Sans Bold", "Verdana Bold"), 0.764, 1.024, 0.4),
    ("Shardscope Mono Fallback", None, ("Courier New", "Liberation Mono"), 1, 1.025, 0.275),
)


def fallback(
    family: str, weights: str | None, fonts: tuple[str, ...], size: float, ascent: float, descent: float
) -> str:
    """One @font-face rule for local fonts; the browser takes the first that it has."""
    local = ", ".join(f'local("{font}")' for font in fonts)
    weight = f"  font-weight: {weights};\n" if weights else ""
    return (
        f'@font-face {{\n  font-family: "{family}";\n{weight}'
        f"  src: {local};\n"
        f"  size-adjust: {size:.2%};\n"
        f"  ascent-override: {ascent / size:.2%};\n"
        f"  descent-override: {descent / size:.2%};\n"
        "  line-gap-override: 0%;\n}\n"
    )


def face(family: str, style: str, weights: tuple[int, int], file: str) -> str:
    """One @font-face rule."""
    return (
        "@font-face {\n"
        f'  font-family: "{family}";\n'
        f"  font-style: {style};\n"
        f"  font-weight: {' '.join(map(str, sorted(set(weights))))};\n"
        # One that comes too late waits for the next page: nothing moves under the reader's eyes.
        "  font-display: optional;\n"
        f'  src: url("{file}") format("woff2");\n'
        "}\n"
    )


def shrink(source: Path, weights: tuple[int, int], target: Path) -> None:
    """Write a font that holds the lesson's characters alone, in the weights that it sets."""
    font = TTFont(source, recalcTimestamp=False)
    options = Options(layout_features=FEATURES, name_IDs=NAMES, hinting=False)
    subsetter = Subsetter(options)
    subsetter.populate(text=CHARACTERS)
    subsetter.subset(font)
    if "fvar" in font:
        font = instantiateVariableFont(font, {"wght": weights})
    font.flavor = "woff2"
    font.save(target)


def gather(target: Path) -> Path:
    """Put the small fonts, their licences and a style sheet into `target`."""
    target.mkdir(parents=True)
    for _, _, weights, package, file in FACES:
        shrink(package / "files" / file, weights, target / file)
        # The Open Font License asks to travel with the fonts.
        shutil.copyfile(package / "LICENSE", target / f"{package.name}-LICENSE.txt")
    rules = [face(family, style, weights, file) for family, style, weights, _, file in FACES]
    (target / "fonts.css").write_text("".join([*rules, *(fallback(*each) for each in FALLBACKS)]), "utf-8")
    return target
