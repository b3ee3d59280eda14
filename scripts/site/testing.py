"""The generated parts of the page "How it is tested": the suites, what runs when, and every expectation with its tests."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path

from mkdocs.utils.yaml import yaml_load

from scripts.tools import ROOT
from tests.protections.groups import EXPECTATIONS, GROUPS
from tests.protections.record import Expectation, Removal
from widgets.format import number
from widgets.messages import N_, Messages

from .tables import table

TESTS = ROOT / "tests"
WORKFLOWS = ROOT / ".github" / "workflows"
# What each folder of tests is for; those of the pages are told apart by their marks, which pyproject.toml explains.
FOLDERS = {
    "model": N_("the model: identities, published tables, measured runs"),
    "widgets": N_("every widget, at both ends of each control"),
    "engine": N_("the browser's Python says the same as this machine's"),
    "checks": N_("the code, the build and the words of the pages"),
}
PAGES = "site"
EVENTS = {
    "push": N_("at every change"),
    "pull_request": N_("at every proposed change"),
    "schedule": N_("once a week"),
    "workflow_dispatch": N_("by hand"),
    "workflow_run": N_("after the tests have passed"),
}
CHANGED = N_("when what it reads changes")
TARGET = re.compile(r"^([a-z-]+):.*## (.*)$", re.MULTILINE)


def glance(language: Messages) -> str:
    """The list in three read-outs."""
    t = language.t
    removals = [removal for each in EXPECTATIONS for removal in each.removals]
    tests = {test for each in EXPECTATIONS for test in each.tests}
    readouts = (
        (t("Expectations"), len(EXPECTATIONS), t("what a reader may count on")),
        (t("Protections taken away"), len(removals), t("one at a time, in a copy")),
        (t("Tests that must notice"), len(tests), t("each of them has to fail then")),
    )
    cells = "".join(
        f'<div class="sw-readout"><dt>{escape(label)}</dt><dd><span class="sw-value">{number(value, language)}</span>'
        f'<span class="sw-note">{escape(note)}</span></dd></div>'
        for label, value, note in readouts
    )
    return f'<dl class="sw-readouts ev-glance">{cells}</dl>'


def suites(language: Messages) -> str:
    """Each suite with what it is for and how many tests it has, counted in its files."""
    t = language.t
    rows = [
        (f"<code>tests/{name}</code>", escape(t(what)), number(sum(_marks(TESTS / name).values()), language))
        for name, what in FOLDERS.items()
    ]
    counts = _marks(TESTS / PAGES)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]["markers"]
    for mark, _, what in (line.partition(": ") for line in told):
        if counts[mark]:
            rows.append(
                (f"<code>tests/{PAGES}</code>, <code>{mark}</code>", escape(what), number(counts[mark], language))
            )
    return table(t("Suites"), (t("Where"), t("What it looks at"), t("Tests")), rows)


def _marks(folder: Path) -> Counter[str]:
    """How many tests a folder has, by the kind that they are marked as, if any; cases of one test count once."""
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text("utf-8")
        shared = re.findall(r"^pytestmark = pytest\.mark\.(\w+)", text, re.MULTILINE)
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                own = [each.attr for each in node.decorator_list if isinstance(each, ast.Attribute)]
                kind = next((mark for mark in (*own, *shared) if mark not in ("full", "long")), "")
                found[kind] += 1
    return found


def runs(language: Messages) -> str:
    """What runs when: every workflow with its events and its commands, and what those commands do."""
    t = language.t
    does = dict(TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
    rows = []
    for path in sorted(WORKFLOWS.glob("*.yml")):
        workflow = yaml_load(path.read_text("utf-8"))
        events = workflow[True]  # YAML reads the key "on" as a yes
        steps = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
        commands = list(dict.fromkeys(re.findall(r"make ([a-z-]+)", " ".join(steps))))
        rows.append(
            (
                escape(workflow["name"]),
                escape(", ".join(dict.fromkeys(t(_when(event, events[event])) for event in events))),
                "; ".join(f"<code>make {command}</code> {escape(does[command])}" for command in commands),
            )
        )
    return table(t("What runs when"), (t("Workflow"), t("When"), t("What")), rows)


def _when(event: str, filters: object) -> str:
    return CHANGED if isinstance(filters, dict) and "paths" in filters else EVENTS[event]


def expectations(language: Messages) -> str:
    """Every expectation, group by group: what it says, what was taken away, and which test failed then."""
    return "".join(
        f'<section data-search-exclude lang="en"><h3 id="{group.key}">{escape(group.title)}'
        f'<a class="headerlink" href="#{group.key}" title="{escape(language.t("Link to this section"))}">¶</a></h3>'
        f'<ol class="pr">{"".join(_expectation(each, language) for each in group.expectations)}</ol></section>'
        for group in GROUPS
    )


def _expectation(expectation: Expectation, language: Messages) -> str:
    if expectation.untestable:
        lacks, tried = expectation.untestable.capability, expectation.untestable.tried
        how = f"<p>{escape(language.t('No test can see this: {lacks} What was tried: {tried}', lacks=lacks, tried=tried))}</p>"
    else:
        how = f"<ul>{''.join(_removal(removal, language) for removal in expectation.removals)}</ul>"
    return (
        f'<li id="{expectation.id}"><div class="pr-says"><code>{expectation.id}</code>'
        f"<p>{escape(expectation.says)}</p></div>{how}</li>"
    )


def _removal(removal: Removal, language: Messages) -> str:
    gone = language.t("Taken away: {protection}", protection=removal.why)
    fails = "".join(
        f"<p>{escape(language.t('Then fails:'))} {words} <code>{file}</code></p>" for words, file in _named(removal)
    )
    return f"<li><p>{escape(gone)} <code>{escape(removal.file)}</code></p>{fails}</li>"


def _named(removal: Removal) -> Iterator[tuple[str, str]]:
    """The tests of a removal as the sentences that their names are, with their files."""
    for test in removal.tests:
        file, _, name = test.partition("::")
        words = name.partition("[")[0].removeprefix("test_").replace("_", " ")
        yield escape(words), escape(file.removeprefix("tests/"))


PARTS = {
    "testing-glance": glance,
    "testing-suites": suites,
    "testing-runs": runs,
    "testing-expectations": expectations,
}
