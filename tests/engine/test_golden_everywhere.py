"""The golden table is the same, byte for byte, in the reader's browser and under every supported CPython."""

import json
import subprocess
from pathlib import Path

import pytest

from scripts.tools import NODE_MODULES, ROOT, VENDOR, node
from scripts.vendor import vendor
from tests.model.golden.table import HERE as GOLDEN
from tests.model.golden.table import TABLE

from .pythons import PYTHONS

pytestmark = pytest.mark.engine

HERE = Path(__file__).parent
PRINT = (
    "import sys; from tests.model.golden.table import text; sys.stdout.reconfigure(encoding='utf-8', newline='');"
    " sys.stdout.write(text())"
)


def printed(*command, given=""):
    done = subprocess.run(
        list(map(str, command)), input=given, cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_pyodide_prints_the_golden_table():
    engine = vendor()["engine"]
    wheel = VENDOR / engine["base"] / engine["files"]["wheel"]["name"]
    files = {f"tests/model/golden/{path.name}": path.read_text("utf-8") for path in GOLDEN.iterdir() if path.is_file()}
    found = printed(node(), HERE / "golden.mjs", NODE_MODULES / "pyodide", wheel, given=json.dumps(files))
    assert found == TABLE.read_text("utf-8")


@pytest.mark.parametrize("python", PYTHONS)
def test_every_python_here_prints_the_golden_table(python):
    assert printed(PYTHONS[python], "-c", PRINT) == TABLE.read_text("utf-8")
