"""The wheel that the browser gets: `model` and `widgets`, built with hatchling, the same bytes for the same files."""

import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from scripts.tools import output_of
from scripts.tree_hash import content_hash

PACKAGES = ("model", "widgets")
RECIPE = Path(__file__).parent / "browser_wheel" / "pyproject.toml"
# A fixed date makes the archive depend on the files alone; this one is hatchling's own choice.
BUILD_DATE = "1580601600"
# The runtime is served as files of its own, and the browser reads compiled messages.
OTHER_FOLDERS = {"runtime", "__pycache__"}
OTHER_SUFFIXES = {".po", ".pot", ".pyc"}


def sources(root: Path) -> list[Path]:
    """Every file that the wheel holds, sorted."""
    found = []
    for path in (path for package in PACKAGES for path in (root / package).rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") for part in parts)
        if path.is_file() and not hidden and not OTHER_FOLDERS & set(parts) and path.suffix not in OTHER_SUFFIXES:
            found.append(path)
    return sorted(found)


def build_wheel(root: Path, target: Path) -> Path:
    """Build the wheel into `target` and return its path."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copy(RECIPE, project)
        for source in sources(root):
            copy = project / source.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": BUILD_DATE}
        build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target.resolve())
        output_of(*build, cwd=project, env=environment)
    (wheel,) = target.glob("*.whl")
    return wheel


def wheel_hash(wheel: Path) -> str:
    """The name for what a wheel holds, whatever compressed it."""
    with zipfile.ZipFile(wheel) as archive:
        return content_hash({name: archive.read(name) for name in archive.namelist()})
