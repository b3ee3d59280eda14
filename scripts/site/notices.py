"""Third-party notices: what the site redistributes, in which version, under which licence, with the licence's text."""

import json
from dataclasses import dataclass
from html import escape
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from scripts.tools import NODE_MODULES
from widgets.messages import Messages

# Texts that the packages name but do not carry, as their authors publish them.
LICENCES = Path(__file__).parent / "licences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One redistributed work. ``text``: its licence, with whose it is where the licence itself does not say."""

    title: str
    licence: str
    url: str
    text: str
    version: str = ""


def collect() -> list[Notice]:
    """The notices; versions and texts are read from the packages where they carry them, so they match what is shipped.

    Raises OSError where a package no longer has its licence.
    """
    icons = files("material") / "templates" / ".icons" / "material" / "LICENSE"
    return [
        Notice(
            title="Pyodide",
            version=_version("pyodide"),
            licence="MPL-2.0",
            url="https://github.com/pyodide/pyodide",
            text=_named("MPL-2.0"),
        ),
        Notice(
            title="CPython and its standard library, in Pyodide",
            licence="PSF-2.0",
            url="https://www.python.org",
            text=_named("PSF-2.0"),
        ),
        Notice(
            title="Emscripten, in Pyodide",
            licence="MIT",
            url="https://emscripten.org",
            text=_mit("Copyright (c) 2010-2014 Emscripten authors"),
        ),
        Notice(
            title="musl, in Pyodide",
            licence="MIT",
            url="https://musl.libc.org",
            text=_mit("Copyright © 2005-2020 Rich Felker, et al."),
        ),
        _npm("plotly.js-basic-dist-min", "plotly.js, basic bundle", "MIT", "https://plotly.com/javascript/"),
        _npm(
            "@fontsource-variable/source-sans-3",
            "Source Sans 3, cut to the lesson's characters",
            "OFL-1.1",
            "https://github.com/adobe-fonts/source-sans",
        ),
        _npm(
            "@fontsource/ibm-plex-mono",
            "IBM Plex Mono, cut to the lesson's characters",
            "OFL-1.1",
            "https://github.com/IBM/plex",
        ),
        Notice(
            title="Material for MkDocs",
            version=distribution("mkdocs-material").version,
            licence="MIT",
            url="https://squidfunk.github.io/mkdocs-material/",
            text=_mit("Copyright (c) 2016-2025 Martin Donath"),
        ),
        Notice(
            title="Material Design Icons, in Material for MkDocs",
            licence="Apache-2.0",
            url="https://pictogrammers.com",
            text=icons.read_text("utf-8"),
        ),
        Notice(
            title="lunr, in Material for MkDocs",
            licence="MIT",
            url="https://lunrjs.com",
            text=_mit("Copyright (C) 2020 Oliver Nightingale"),
        ),
        Notice(
            title="RxJS, in Material for MkDocs",
            licence="Apache-2.0",
            url="https://rxjs.dev",
            text=_named("Apache-2.0"),
        ),
    ]


def html(language: Messages) -> str:
    """The notices as HTML."""
    return "".join(_section(notice, language) for notice in collect())


def _section(notice: Notice, language: Messages) -> str:
    return (
        f"<h2>{escape(f'{notice.title} {notice.version}'.strip())}</h2>"
        f"<p>{escape(language.t('Licence: {name}.', name=notice.licence))}"
        f' <a href="{escape(notice.url)}">{escape(notice.url)}</a></p>'
        f"<details><summary>{escape(language.t('Licence text of {title}', title=notice.title))}</summary>"
        f'<pre class="notice" tabindex="0">{escape(notice.text)}</pre></details>'
    )


def _npm(package: str, title: str, licence: str, url: str) -> Notice:
    text = (NODE_MODULES / package / "LICENSE").read_text("utf-8")
    return Notice(title=title, version=_version(package), licence=licence, url=url, text=text)


def _version(package: str) -> str:
    return json.loads((NODE_MODULES / package / "package.json").read_text("utf-8"))["version"]


def _named(licence: str) -> str:
    return (LICENCES / f"{licence}.txt").read_text("utf-8")


def _mit(whose: str) -> str:
    return f"{whose}\n\n{_named('MIT')}"
