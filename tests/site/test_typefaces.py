"""The typefaces are cut down: nothing that a page says falls out of them."""

from html.parser import HTMLParser

import pytest
from fontTools.ttLib import TTFont

from scripts.fonts import FACES

pytestmark = pytest.mark.site
OWNER = 0  # the number of the name that says whose the typeface is


class Text(HTMLParser):
    """The characters of a page's text."""

    def __init__(self) -> None:
        super().__init__()
        self.characters: set[str] = set()

    def handle_data(self, data: str) -> None:
        """Collect them."""
        self.characters.update(data)


def characters(path) -> set[str]:
    return set(map(chr, TTFont(path).getBestCmap()))


@pytest.mark.parametrize("face", FACES, ids=lambda face: face[0])
def test_a_cut_typeface_has_every_character_of_the_pages_that_the_whole_one_has(site, face):
    *_, package, file = face
    text = Text()
    for page in site.folder.rglob("*.html"):
        text.feed(page.read_text("utf-8"))
    (cut,) = site.folder.glob(f"assets/fonts/*/{file}")
    assert sorted(text.characters & characters(package / "files" / file) - characters(cut)) == []


def test_the_cut_ones_do_not_go_by_the_names_that_their_licences_keep(site):
    for path in site.folder.glob("assets/fonts/*/*.woff2"):
        names = {record.nameID: str(record) for record in TTFont(path)["name"].names if record.nameID != OWNER}
        assert [name for name in names.values() if "Source" in name or "Plex" in name] == []
    (style,) = site.folder.glob("assets/fonts/*/fonts.css")
    assert not {word for word in ("Source", "Plex") if f'family: "{word}' in style.read_text("utf-8")}
