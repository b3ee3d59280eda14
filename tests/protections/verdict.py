"""Runs tests in a copy of the checkout and says of each whether it failed, and whether for the right reason."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

PATIENCE_MS = 10_000  # what waits in vain need not wait as long as what may still come
LONGEST_S = 300
# What a test says that has seen something wrong; any other error is a broken test, or a broken build.
SEEN = re.compile(r"(?:failed on (?:setup|teardown) with \")?(?:AssertionError|assert |\S*TimeoutError|Failed: )")
NOT_BUILT = "the site was not built"
NOTICED = "noticed"
BEFORE = "failed on "  # what a fixture said: how long it took is not told


@dataclass(frozen=True, slots=True)
class Finding:
    """What a test complained about: "" where it passed, "?" where it did not run or broke otherwise.

    ``waited``: it may have run out of patience, for it ran as long as one wait may take.
    """

    complaint: str
    waited: bool = False


def run(folder: Path, tests: tuple[str, ...]) -> dict[str, Finding]:
    """What each test found."""
    if not tests:
        return {}
    report = folder / "build" / "report.xml"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    environment = {**os.environ, "FULL": "1", "PATIENCE_MS": str(PATIENCE_MS), "PYTHONDONTWRITEBYTECODE": "1"}
    options = ["-q", "-p", "no:cacheprovider", "-o", "junit_duration_report=call", f"--junitxml={report}"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        return dict.fromkeys(tests, Finding(f"? no end after {LONGEST_S} s"))
    if not report.exists():
        return dict.fromkeys(tests, Finding(f"? {(done.stdout + done.stderr).strip()[-300:]}"))
    found = [(_identity(case), finding(case)) for case in ElementTree.parse(report).iter("testcase")]
    return {test: _of(test, found) for test in tests}


def _identity(case: ElementTree.Element) -> str:
    return f"{case.get('classname').replace('.', '/')}.py::{case.get('name')}"


def finding(case: ElementTree.Element) -> Finding:
    """What the report says of one case."""
    messages = [each.get("message", "") for each in case if each.tag in ("failure", "error")]
    complaint = "; ".join(message if SEEN.match(message) else f"? {message}" for message in messages)
    long = float(case.get("time")) * 1000 > 0.95 * PATIENCE_MS or any(each.startswith(BEFORE) for each in messages)
    return Finding(complaint, waited=long and NOT_BUILT not in complaint)


def _of(test: str, found: list[tuple[str, Finding]]) -> Finding:
    """What a test found, or any of its cases."""
    cases = [each for name, each in found if name == test or name.startswith(f"{test}[")]
    if not cases:
        return Finding("? it did not run")
    failed = [each for each in cases if each.complaint]
    return min(failed, key=lambda each: (each.complaint.startswith("?"), each.waited), default=Finding(""))


def noticed(complaint: str, *, stops_build: bool) -> bool:
    """Whether a test failed for the right reason."""
    return bool(complaint) and not complaint.startswith("?") and (stops_build or NOT_BUILT not in complaint)


def doubtful(found: dict[str, Finding], *, stops_build: bool) -> tuple[str, ...]:
    """The tests that noticed, or only found the machine too slow: they have to pass with everything in place again."""
    return tuple(
        test for test, each in found.items() if each.waited and noticed(each.complaint, stops_build=stops_build)
    )


def verdict(complaint: str, again: str, *, stops_build: bool) -> str:
    """What came of one test; ``again`` is its complaint with everything in place and the machine as busy."""
    if noticed(complaint, stops_build=stops_build):
        return "TOO SLOW TO TELL" if again else NOTICED
    return "BROKE" if complaint else "NOT NOTICED"
