"""The folder that holds Python for the browser: Pyodide, the wheel, and the memory snapshot it starts from."""

import json
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path

from scripts import wheel
from scripts.tools import NODE_MODULES, ROOT, node, output_of
from scripts.tree_hash import content_hash, files_hash

PYODIDE = NODE_MODULES / "pyodide"
# Name in the package, name in the site. A server that doesn't know `.mjs` would send it as text.
FILES = {
    "pyodide.mjs": "pyodide.js",
    "pyodide.asm.js": "pyodide.asm.js",
    "pyodide.asm.wasm": "pyodide.asm.wasm",
    "python_stdlib.zip": "python_stdlib.zip",
    "pyodide-lock.json": "pyodide-lock.json",
}
MAKERS = (
    "scripts/engine.py",
    "scripts/wheel.py",
    "scripts/browser_wheel/pyproject.toml",
    "scripts/snapshot.mjs",
    "scripts/snapshot.py",
    "scripts/fresh_memory.mjs",
    "widgets/runtime/memory.js",
)
SNAPSHOT = "snapshot.bin"

# What the browser checks before it hands a file to Pyodide: its type, and how its first bytes look.
KINDS = {
    "loader": ("pyodide.js", "text/javascript", None),
    "core": ("pyodide.asm.js", "text/javascript", None),
    "wasm": ("pyodide.asm.wasm", "application/wasm", b"\0asm"),
    "stdlib": ("python_stdlib.zip", "application/zip", b"PK\3\4"),
    "lock": ("pyodide-lock.json", "application/json", b"{"),
    "snapshot": (SNAPSHOT, "application/octet-stream", b"\x1f\x8b"),
}


def inputs(root: Path) -> str:
    """A name for everything that this folder is made from."""
    makers = files_hash(ROOT, [ROOT / name for name in MAKERS])
    sources = files_hash(root, wheel.sources(root))
    package = (PYODIDE / "package.json").read_bytes()
    return content_hash({"makers": makers.encode(), "sources": sources.encode(), "pyodide": package})


def describe(folder: Path, name: str, media_type: str, magic: bytes | None) -> dict:
    """What the browser's half needs to know about a file."""
    content = (folder / name).read_bytes()
    facts = {"name": name, "bytes": len(content), "sum": zlib.adler32(content), "type": media_type}
    return facts | {"magic": list(magic)} if magic else facts


def make_snapshot(wheel_file: Path, target: Path) -> dict:
    """Let Node start Pyodide with the wheel's packages and save its memory; return what it says about it."""
    with tempfile.TemporaryDirectory() as packages:
        with zipfile.ZipFile(wheel_file) as archive:
            # Pyodide would list a package with metadata among those it loaded, and refuse to save that list.
            archive.extractall(packages, [name for name in archive.namelist() if ".dist-info/" not in name])
        model = wheel.wheel_hash(wheel_file)
        told = output_of(node(), ROOT / "scripts" / "snapshot.mjs", PYODIDE, packages, target, model)
    return json.loads(told.splitlines()[-1])


def build(root: Path, aside: Path) -> tuple[Path, dict, dict]:
    """Make the folder inside `aside`; return it, the facts about its files, and the versions."""
    folder = aside / "engine"
    folder.mkdir()
    wheel_file = wheel.build_wheel(root, folder)
    for source, name in FILES.items():
        shutil.copyfile(PYODIDE / source, folder / name)
    made = make_snapshot(wheel_file, folder / SNAPSHOT)
    files = {key: describe(folder, *kind) for key, kind in KINDS.items()}
    files["snapshot"]["raw_bytes"] = made["raw_bytes"]
    files["wheel"] = describe(folder, wheel_file.name, "application/zip", b"PK\3\4")
    abi = json.loads((folder / FILES["pyodide-lock.json"]).read_text("utf-8"))["info"]["abi_version"]
    versions = {"pyodide": made["version"], "abi": abi, "model": wheel.wheel_hash(wheel_file)}
    return folder, files, versions
