"""The list of what a reader may expect is whole, and fits the code and the tests as they are."""

import os
import re
import subprocess
import sys
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mkdocs.utils.yaml import yaml_load

from scripts.site import testing
from tests.protections.groups import EXPECTATIONS, GROUPS, MOST_UNTESTABLE
from tests.protections.scratch import without
from tests.protections.verdict import NOTICED, PATIENCE_MS, Finding, doubtful, finding, noticed, verdict
from widgets.messages import messages

ROOT = Path(__file__).resolve().parents[2]
REMOVALS = [(each.id, removal) for each in EXPECTATIONS for removal in each.removals]
PRODUCT = re.compile(r"(?:widgets|scripts|model|docs/(?:assets|templates))/|mkdocs\.yml$")
LAST = 58


def test_every_expectation_is_there_once_and_in_its_order():
    assert [each.id for each in EXPECTATIONS] == [f"U{number:02}" for number in range(1, LAST + 1)]
    assert len({group.key for group in GROUPS}) == len(GROUPS)


def test_each_has_something_to_take_away_or_the_reason_why_not():
    assert [each.id for each in EXPECTATIONS if bool(each.removals) == bool(each.untestable)] == []
    open_ones = [each for each in EXPECTATIONS if each.untestable]
    assert len(open_ones) <= MOST_UNTESTABLE
    assert all(each.untestable.capability and each.untestable.tried for each in open_ones)


@pytest.mark.parametrize(
    ("name", "removal"), REMOVALS, ids=lambda value: value if isinstance(value, str) else value.file
)
def test_what_is_taken_away_is_in_the_product_once(name, removal):
    assert PRODUCT.match(removal.file)
    text = (ROOT / removal.file).read_text("utf-8")
    assert without(removal, text) != text
    assert removal.tests


def test_every_test_that_is_named_exists():
    wanted = {test for each in EXPECTATIONS for test in each.tests}
    files = sorted({test.partition("::")[0] for test in wanted})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "FULL": "1"}, capture_output=True, text=True, check=True
    )
    found = set(done.stdout.splitlines())
    found |= {name.partition("[")[0] for name in found}
    assert wanted - found == set()


def test_the_page_prints_every_expectation_with_what_was_taken_away():
    html = testing.expectations(messages("en"))
    for each in EXPECTATIONS:
        assert f'<li id="{each.id}">' in html
        for text in (each.says, *(removal.why for removal in each.removals)):
            assert escape(text) in html


def test_the_page_says_when_each_workflow_runs():
    html = testing.runs(messages("en"))
    for path in testing.WORKFLOWS.glob("*.yml"):
        assert f'<th scope="row">{yaml_load(path.read_text("utf-8"))["name"]}</th>' in html
    assert "once a week, by hand" in html


@pytest.mark.parametrize(
    ("complaint", "counts"),
    [
        ("AssertionError: Locator expected to be visible", True),
        ("", False),
        ("? KeyError: 'gpus'", False),
        ("AssertionError: the site was not built:\nERROR", False),
    ],
)
def test_only_a_test_that_saw_something_wrong_has_noticed(complaint, counts):
    assert noticed(complaint, stops_build=False) == counts


REPORT = '<testcase time="{}"><{} message="{}"/></testcase>'
LONG, SHORT = PATIENCE_MS / 1000, PATIENCE_MS / 2000


@pytest.mark.parametrize(
    ("time", "kind", "message", "waited"),
    [
        (LONG, "failure", "playwright._impl._errors.TimeoutError: Page.wait_for_function", True),
        (LONG, "failure", "AssertionError: Locator expected to be visible", True),
        (SHORT, "failure", "AssertionError: assert 1 == 2", False),
        (0, "error", "failed on setup with &quot;AssertionError: Locator expected to be visible", True),
        (0, "error", "failed on setup with &quot;AssertionError: the site was not built:", False),
    ],
)
def test_who_failed_after_as_long_as_one_wait_may_take_has_to_pass_again(time, kind, message, waited):
    found = finding(ElementTree.fromstring(REPORT.format(time, kind, message)))
    assert found.waited == waited
    assert doubtful({"a test": found}, stops_build=False) == (("a test",) if waited else ())


def test_a_test_that_is_too_slow_with_everything_in_place_has_not_noticed():
    late = "TimeoutError: Page.wait_for_function"
    assert verdict(late, "", stops_build=False) == NOTICED
    assert verdict(late, late, stops_build=False) == "TOO SLOW TO TELL"
    assert verdict("", "", stops_build=False) == "NOT NOTICED"
    assert verdict("? KeyError", "", stops_build=False) == "BROKE"
    assert doubtful({"a test": Finding("", waited=True)}, stops_build=False) == ()
