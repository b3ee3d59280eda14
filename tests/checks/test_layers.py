"""Who may import what: the arrows of the architecture, read from the code itself."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODEL = sorted((ROOT / "model").glob("*.py"))
WIDGETS = sorted((ROOT / "widgets").glob("*.py"))
MEASURE = sorted((ROOT / "scripts" / "measure").rglob("*.py"))
RUNTIME = sorted((ROOT / "widgets" / "runtime").glob("*.js"))
# What browsers give only to pages with special headers, or to pages that may install something.
PRIVILEGES = r"SharedArrayBuffer|Atomics|serviceWorker|crossOriginIsolated|COOP|COEP"
# Inside the model each file may import only files that stand before it.
ORDER = (
    "units",
    "errors",
    "reading",
    "shape",
    "architecture",
    "tensors",
    "parameters",
    "family",
    "families_gpt",
    "families",
    "config",
    "operations",
    "flush",
    "zero_bubble",
    "dualpipe",
    "schedules",
    "pipeline",
    "closed_forms",
    "schedule_report",
    "recipe",
    "offload",
    "layout",
    "memory",
    "catalog",
    "speeds",
    "published",
    "models",
    "links",
    "collectives",
    "schema",
    "contract",
    "counted",
    "placement",
    "held",
    "sharding",
    "model_states",
    "memo",
    "training",
    "kept",
    "attention_kept",
    "mlp_kept",
    "layer_kept",
    "logits",
    "in_flight",
    "unit_sizes",
    "gathers",
    "shares",
    "engine_buffers",
    "instants",
    "overhead",
    "report",
    "plan",
    "flops",
    "megatron",
    "facts",
    "compiled",
    "waves",
    "pipeline_time",
    "kernels",
    "layer_time",
    "groups",
    "traffic",
    "host",
    "stage_time",
    "step",
    "step_report",
    "candidates",
    "fitting",
    "search",
    "solve",
    "arguments",
    "documents",
    "columns",
    "remarks",
    "memory_command",
    "step_command",
    "search_command",
    "solve_command",
    "params_command",
    "schedule_command",
    "collective_command",
    "__main__",
)


def imports(path):
    """Absolute names that a file imports; relative ones start with a dot."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            stem = "." * node.level + (node.module or "")
            yield from (f"{stem}{alias.name}" for alias in node.names) if node.module is None else (stem,)


def is_standard(name):
    return name.partition(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", MODEL, ids=lambda path: path.stem)
def test_the_model_imports_the_standard_library_and_itself_relatively(path):
    assert [name for name in imports(path) if not name.startswith(".") and not is_standard(name)] == []


@pytest.mark.parametrize("path", [path for path in MODEL if path.stem != "__init__"], ids=lambda path: path.stem)
def test_inside_the_model_the_arrows_point_one_way(path):
    own = {name.strip(".") for name in imports(path) if name.startswith(".")}
    assert own - {"__version__"} <= set(ORDER[: ORDER.index(path.stem)])


@pytest.mark.parametrize("path", [path for path in MODEL if path.stem != "__main__"], ids=lambda path: path.stem)
def test_the_model_does_no_input_or_output(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"print", "open", "input", "exec", "eval"} == set()


@pytest.mark.parametrize("path", WIDGETS, ids=lambda path: path.stem)
def test_widgets_import_the_model_and_the_standard_library(path):
    assert [name for name in imports(path) if not name.startswith((".", "model")) and not is_standard(name)] == []


@pytest.mark.parametrize("path", WIDGETS, ids=lambda path: path.stem)
def test_a_widget_never_imports_another(path):
    from widgets.registry import WIDGETS as REGISTERED

    views = {widget.view.__module__.rpartition(".")[2] for widget in REGISTERED}
    own = {name.strip(".") for name in imports(path) if name.startswith(".")}
    assert path.stem == "registry" or own & views == set()


@pytest.mark.parametrize("path", [*MODEL, *WIDGETS], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_model_and_widgets_are_written_in_python_3_11(path):
    ast.parse(path.read_text("utf-8"), feature_version=(3, 11))


@pytest.mark.parametrize(
    ("word", "owner"),
    [(r"loadPyodide|pyodide\.js", {"worker", "engine"}), (r"\bPlotly\.", {"plot"}), (r"data-md-color", {"theme"})],
    ids=["pyodide", "plotly", "material"],
)
def test_one_file_of_the_runtime_knows_each_outsider(word, owner):
    def code(path):
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)

    assert {path.stem for path in RUNTIME if re.search(word, code(path))} <= owner


def test_torch_is_imported_by_the_measuring_scripts_alone():
    users = [
        path for path in ROOT.glob("[mws]*/**/*.py") if "torch" in {name.partition(".")[0] for name in imports(path)}
    ]
    assert [path for path in users if "measure" not in path.parts] == []


@pytest.mark.parametrize("path", MEASURE, ids=lambda path: path.stem)
def test_the_measuring_scripts_import_the_model_and_torch_and_nothing_of_the_site(path):
    allowed = ("model", "torch", "numpy")
    outside = [name for name in imports(path) if not name.startswith(".") and not is_standard(name)]
    assert [name for name in outside if name.partition(".")[0] not in allowed] == []
    # Relative ones stay inside of scripts/measure.
    up = max((len(name) - len(name.lstrip(".")) for name in imports(path)), default=0)
    assert up <= len(path.relative_to(ROOT / "scripts" / "measure").parts)


def test_measurements_are_planned_collected_and_compared_without_torch():
    kinds = [f"scripts.measure.kinds.{path.stem}" for path in MEASURE if path.parent.name == "kinds"]
    commands = [f"scripts.measure.{name}" for name in ("run", "worker", "plan", "collect", "compare", "suites")]
    code = "import sys, importlib; sys.modules['torch'] = sys.modules['numpy'] = None; "
    code += f"[importlib.import_module(name) for name in {[*kinds, *commands]}]"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("path", [*MODEL, *WIDGETS, *RUNTIME], ids=lambda path: f"{path.parent.name}-{path.name}")
def test_files_stay_small(path):
    assert len(path.read_text("utf-8").splitlines()) <= (200 if path.suffix == ".js" else 260)


def test_the_runtime_asks_for_nothing_that_a_plain_server_cannot_give():
    found = {path.name for path in RUNTIME if re.search(PRIVILEGES, path.read_text("utf-8"))}
    assert found == set()
