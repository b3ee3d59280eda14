"""The command line as the code itself describes it: help, exit statuses, and the fields of a plan."""

import os
from contextlib import redirect_stdout, suppress
from html import escape
from io import StringIO
from unittest.mock import patch

from model.__main__ import COMMANDS, EXITS, main
from model.contract import contract

from .reference import heading
from .tables import table

COLUMNS = "90"  # of the help: what a page shows without scrolling


def commands() -> str:
    """Each command with its help, word for word."""
    parts = []
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2].removesuffix("_command")
        parts.append(heading(3, f"command-{name}", f"<code>{name}</code>") + _printed(name))
    return english(_printed() + "".join(parts))


def exits() -> str:
    """What each exit status means."""
    return english(table("Exit statuses", ("Status", "Meaning"), ((str(code), escape(EXITS[code])) for code in EXITS)))


def fields() -> str:
    """The fields of a plan, section by section, from the schema that reads them."""
    sections: dict[str, list[dict]] = {}
    for row in contract():
        sections.setdefault(row["path"].partition(".")[0], []).append(row)
    return english("".join(_section(name, rows) for name, rows in sections.items()))


def help_of(*command: str) -> str:
    """What ``python -m model COMMAND --help`` prints."""
    text = StringIO()
    plain = {"COLUMNS": COLUMNS, "NO_COLOR": "1"}
    with patch.dict(os.environ, plain), redirect_stdout(text), suppress(SystemExit):
        main([*command, "--help"])
    return text.getvalue()


def english(html: str) -> str:
    """Generated text is English, whatever language the page around it has."""
    return f'<div class="ref" lang="en">{html}</div>'


def _printed(*command: str) -> str:
    title = escape(" ".join(["Help of", command[0] if command else "the command line"]))
    text = escape(help_of(*command).rstrip())
    return f'<pre class="ref-help" tabindex="0" role="region" aria-label="{title}"><code>{text}</code></pre>'


def _section(name: str, rows: list[dict]) -> str:
    columns = ("Field", "Meaning", "Type", "Unit", "Default", "Values")
    cells = (
        (
            f"<code>{escape(row['path'].rpartition('.')[2])}</code>",
            *(escape(row[key]) for key in ("meaning", "type", "unit", "default", "allowed")),
        )
        for row in rows
    )
    return heading(3, f"plan-{name}", f"<code>{name}</code>") + table(
        f"Fields of {name}", columns, cells, searched=True
    )
