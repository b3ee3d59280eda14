"""The model's own figures: one report, a search, the cost of a layout, and the import, under CPython and Pyodide."""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

from scripts.engine import PYODIDE
from scripts.tools import ROOT, node, output_of

IMPORTS = 9  # processes for each import; the least counts, as everything else on the machine only adds
# The search and the import as they were asked for; a report leaves most of the 50 ms of a change to the drawing.
TARGETS = {
    "cpython": {"memory_report": 10, "step_report": 10, "search": 2, "linear": 1.5},
    "pyodide": {"memory_report": 40, "step_report": 40, "search": 8, "linear": 1.5},
}
UNITS = {"memory_report": "ms", "step_report": "ms", "search": "s", "linear": "times the smallest space's"}
IMPORT_TARGET_MS = 60


def figures() -> dict:
    """Every figure with its target: ``value``, ``target``, ``unit`` and what else was measured."""
    told = {
        "cpython": json.loads(output_of(sys.executable, "-m", "scripts.bench.speed")),
        "pyodide": json.loads(output_of(node(), Path(__file__).parent / "speed.mjs", PYODIDE, ROOT).splitlines()[-1]),
    }
    found = {}
    for engine, own in told.items():
        spaces = [*own.pop("parts"), own["search"]]
        own["linear"] = {
            "value": round(spaces[-1]["us_per_layout"] / spaces[0]["us_per_layout"], 2),
            "us_per_layout": {space["layouts"]: space["us_per_layout"] for space in spaces},
        }
        version = own.pop("python")
        for name, figure in own.items():
            target, unit = TARGETS[engine][name], UNITS[name]
            found[f"model_{name}_{engine}"] = figure | {"target": target, "unit": unit, "python": version}
    return found | {"model_import": _import()}


def _import() -> dict:
    """Milliseconds of processor time that ``import model`` takes beyond Python's own start, and that of everything.

    As installed: compiled before, whatever the environment says of writing bytecode.
    """
    codes = ("pass", "import model", "import model.search", "import model.__main__")
    with tempfile.TemporaryDirectory() as compiled:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env |= {"PYTHONPYCACHEPREFIX": compiled}
        _process_ms(codes[-1], env)
        bare, package, search, commands = (min(_process_ms(code, env) for _ in range(IMPORTS)) for code in codes)
    return {
        "value": max(0.0, round(package - bare, 1)),
        "search_ms": round(search - bare, 1),
        "all_commands_ms": round(commands - bare, 1),
        "bare_ms": round(bare, 1),
        "target": IMPORT_TARGET_MS,
        "unit": "ms",
    }


def _process_ms(code: str, env: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output_of(sys.executable, "-c", code, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
