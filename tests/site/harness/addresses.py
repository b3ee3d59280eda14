"""The addresses that stand in built pages, and which of them lead nowhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit


class Reader(HTMLParser):
    """Collects a page's addresses, with the tag and attribute they stand in, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses, self.anchors = [], []

    def handle_starttag(self, tag, attributes) -> None:
        found = dict(attributes)
        self.anchors += [found[name] for name in ("id", "name") if found.get(name) and tag != "meta"]
        for name in ("href", "src", "action", "xlink:href"):
            if found.get(name) is not None:
                self.addresses.append((tag, name, found[name], (found.get("rel") or "").split()))


def read(folder: Path, url: str) -> dict[str, Reader]:
    """Every HTML file of a site that lies in ``folder`` and is served at ``url``, by its address."""
    found = {}
    for path in sorted(folder.rglob("*.html")):
        reader = Reader()
        reader.feed(path.read_text("utf-8"))
        found[url + path.relative_to(folder).as_posix().removesuffix("index.html")] = reader
    return found


def lost(folder: Path, url: str) -> list[str]:
    """What leads from these pages to a file or a place on the site that is not there."""
    pages, site, found = read(folder, url), urlsplit(url), []
    for home, reader in pages.items():
        for tag, _, address, _ in reader.addresses:
            target = urlsplit(urljoin(home, address))
            if target.netloc != site.netloc:
                continue
            page = target._replace(query="", fragment="").geturl()
            file = folder / unquote(target.path).removeprefix(site.path)
            inside = target.path.startswith(site.path)
            if page in pages:
                if target.fragment and unquote(target.fragment) not in pages[page].anchors:
                    found.append(f"{home}: <{tag}> {address}: no such place")
            elif not inside or not file.is_file():
                found.append(f"{home}: <{tag}> {address}: no such file")
    return found
