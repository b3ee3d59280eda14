"""The page of the widget written by hand: the lesson's markup and styles without Material's scripts and Python."""

import json
from pathlib import Path

from playwright.sync_api import Page

from widgets.api import render
from widgets.markup import widget_html

NAME = "zero-memory"
STAGES = ("replicated", "zero-1", "zero-2", "zero-3")
SIZES = (1, 2, 3, 7, 8, 48, 64)
UP = "../../../"  # the page lies in assets/rivals/<hash>/


def page(site: Path, manifest: dict) -> str:
    """The page, with the styles that every page of the site loads."""
    sheets = [manifest["fonts_css"], *_found(site, "assets/stylesheets/*.css"), *_found(site, "assets/style/*/*.css")]
    links = "".join(f'<link rel="stylesheet" href="{UP}{sheet}">' for sheet in sheets)
    widget = widget_html(NAME, given={}, prefix="", locale="en", strings={})
    return (
        f'<!doctype html><html class="js" lang="en" data-runtime="{UP}{manifest["runtime"]}"><meta charset="utf-8">'
        f'<title>By hand</title>{links}<script src="{UP}{manifest["plotly"]["url"]}"></script>'
        '<script type="module" src="by_hand.js"></script>'
        '<body data-md-color-scheme="default" data-md-color-primary="custom" data-md-color-accent="custom">'
        '<main class="md-main"><div class="md-main__inner md-grid"><div class="md-content">'
        f'<article class="md-content__inner md-typeset">{widget}</article></div></div></main></body></html>'
    )


def check(page: Page) -> int:
    """Compare the answers by hand with Python's; return how many, raise where they differ."""
    asked = [{"stage": stage, "gpus": gpus} for stage in STAGES for gpus in SIZES]
    script = "async (asked) => { const { answer } = await import('./zero_memory.js'); return asked.map(answer); }"
    for params, told in zip(asked, page.evaluate(script, asked), strict=True):
        if told != json.loads(render(NAME, json.dumps(params))):
            raise RuntimeError(f"scripts/bench/rivals/zero_memory.js and Python differ for {params}")
    return len(asked)


def _found(site: Path, pattern: str) -> list[str]:
    return sorted(path.relative_to(site).as_posix() for path in site.glob(pattern))
