"""`make bench`: measure, print side by side with the targets, and write build/bench.json. It never fails a build."""

import argparse
import sys

from playwright.sync_api import sync_playwright

from scripts.bench import figures, model_speed
from scripts.bench.lab import FOLDER, Lab
from scripts.bench.table import report, say
from scripts.browser import find_browser
from scripts.httpd import Site

PARTS = {"page": figures.page, "start": figures.start, "change": figures.change, "heap": figures.heap}


def main() -> int:
    """Build the site for the address it is served at, measure the parts that are wanted, report."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="starts of each kind, and visits of a page")
    parser.add_argument("--changes", type=int, default=200, help="changes of a control, in blocks of 20")
    parser.add_argument("--many", type=int, default=1000, help="changes that must leave no memory behind")
    parser.add_argument("--mbit", type=float, default=10, help="speed of the slow line, in Mbit/s")
    parser.add_argument(
        "--only", nargs="+", choices=["model", *PARTS], default=["model", *PARTS], help="the parts to measure"
    )
    options = parser.parse_args()
    results: dict[str, dict] = {}
    if "model" in options.only:
        say("the model under CPython, and under Pyodide in Node")
        results |= model_speed.figures()
    wanted = [name for name in PARTS if name in options.only]
    browser = find_browser() if wanted else None
    if wanted and not browser:
        print("bench: no Chromium was found; run `make browser`.", file=sys.stderr)
        return 1
    if browser:
        with Site(FOLDER, prefix="/repo/", compress=True) as site, sync_playwright() as playwright:
            lab = Lab(playwright.chromium, browser, site)
            say("building the site")
            lab.build()
            for name in wanted:
                results |= PARTS[name](lab, options)
    report(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
