"""Lighthouse on every page of the built site: 100 for accessibility, best practices and search, or a reason by name.

Performance is printed, not judged: it says as much about the machine as about the page. The bench measures it better.
"""

import json
import sys
from collections.abc import Iterator

from scripts.browser import ensure_browser
from scripts.build import build_site
from scripts.httpd import Site
from scripts.known import KNOWN, Known, is_known
from scripts.tools import BUILD, ROOT, ToolError, node, output_of

FULL = ("performance", "accessibility", "best-practices", "seo")
JUDGED = FULL[1:]


def paths() -> list[str]:
    """Every page of the navigation, below the site's address."""
    from mkdocs.utils.yaml import yaml_load

    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        sources = [source for item in yaml_load(file)["nav"] for source in item.values()]
    return ["" if source == "index.md" else source.removesuffix(".md") + "/" for source in sources]


def reports(browser: str, base: str, pages: list[str], *, full: bool) -> list[dict]:
    """What Lighthouse says of each page: ``scores`` by category and the points that are ``missing``."""
    addresses = [base + path for path in pages]
    command = (node(), ROOT / "scripts" / "lighthouse.mjs", browser, "full" if full else "quick", *addresses)
    lines = output_of(*command).splitlines()
    return [json.loads(line) | {"path": path} for path, line in zip(pages, lines, strict=True)]


def unexplained(found: list[dict], known: tuple[Known, ...] = KNOWN) -> Iterator[str]:
    """A sentence for every missing point that the list of what is known does not name."""
    for page in found:
        points = [point for point in page["missing"] if not is_known(point["id"], point["places"], known)]
        for point in points:
            yield f"/{page['path']}: {point['id']}: {point['title']} {point['places'] or ''}".rstrip()
        low = [name for name in JUDGED if page["scores"].get(name) != 100]
        if low and not page["missing"]:
            yield f"/{page['path']}: {', '.join(low)} below 100 without a reason"


def table(found: list[dict]) -> str:
    """The scores, a line a page."""
    rows = [("page", *FULL), *(("/" + page["path"], *(page["scores"].get(name) for name in FULL)) for page in found)]
    return "\n".join(f"{row[0]:<18}" + "".join(f"{cell!s:>16}" for cell in row[1:]) for row in rows)


def main() -> int:
    """Build, serve, measure, judge."""
    browser = ensure_browser()
    if not browser:
        print("lighthouse: no Chromium was found: run `make browser`", file=sys.stderr)
        return 1
    folder = BUILD / "lighthouse"
    folder.mkdir(parents=True, exist_ok=True)
    with Site(folder, compress=True) as site:
        build_site(folder, site.url)
        try:
            found = reports(browser, site.url, paths(), full=True)
        except ToolError as error:
            print(f"lighthouse: {error}", file=sys.stderr)
            return 1
    print(table(found))
    wrong = list(unexplained(found))
    for line in wrong:
        print(f"lighthouse: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
