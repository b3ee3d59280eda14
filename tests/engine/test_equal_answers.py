"""One view, many Pythons: the site's build, the reader's browser and every supported CPython say the same, byte for byte."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from scripts.tools import NODE_MODULES, ROOT, VENDOR, node
from scripts.vendor import vendor
from widgets.registry import WIDGETS

from .answer import answer
from .cases import cases
from .pythons import PYTHONS
from .reports import reports

pytestmark = pytest.mark.engine

HERE = Path(__file__).parent
WIDGET_CASES = cases()
CASES = [*WIDGET_CASES, *reports()]


@pytest.fixture(scope="module")
def expected():
    return [answer(*case) for case in CASES]


def answers(*command, cases=CASES):
    """What another Python answers to the cases."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        list(map(str, command)),
        input=json.dumps(cases),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)["answers"]


def assert_equal(found, expected):
    assert len(found) == len(expected)
    pairs = zip(CASES, expected, found, strict=False)  # the cases may go on
    different = [(case, mine, theirs) for case, mine, theirs in pairs if mine != theirs]
    assert different[:3] == []


@pytest.mark.parametrize("start", ["stock", "snapshot"])
def test_pyodide_answers_as_cpython_does(expected, start):
    engine = vendor()["engine"]
    wheel, snapshot = (VENDOR / engine["base"] / engine["files"][part]["name"] for part in ("wheel", "snapshot"))
    more, cases = ([snapshot], WIDGET_CASES) if start == "snapshot" else ([], CASES)
    found = answers(node(), HERE / "render.mjs", NODE_MODULES / "pyodide", wheel, *more, cases=cases)
    assert_equal(found, expected[: len(cases)])


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_here_answers_alike(expected, python):
    assert_equal(answers(PYTHONS[python], HERE / "render.py"), expected)


def test_the_cases_reach_every_control_and_every_kind_of_mistake(expected):
    views = [json.loads(text) for text in expected[: len(WIDGET_CASES)]]
    codes = {view["error"]["code"] for view in views if "error" in view}
    assert codes >= {"out_of_range", "wrong_type", "unknown_value", "unknown_field", "not_json"}
    shown = [(case[0], view["params"]) for case, view in zip(WIDGET_CASES, views, strict=True) if "params" in view]
    for widget in WIDGETS:
        for control in widget.controls:
            assert len({params[control.name] for name, params in shown if name == widget.name}) > 1


def test_every_command_is_asked_and_most_answer(expected):
    found = {}
    for (name, _, _), text in zip(CASES[len(WIDGET_CASES) :], expected[len(WIDGET_CASES) :], strict=True):
        said = json.loads(text)
        found.setdefault(name.split()[3], []).append("error" not in said)
    assert set(found) == {"params", "memory", "step", "search", "solve", "schedule", "collective"}
    assert all(sum(answered) * 2 > len(answered) for answered in found.values())
