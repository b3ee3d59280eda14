"""Where this project's tools lie: the repository, its build folder, its Node."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
VENDOR = BUILD / "vendor"
NODE_MODULES = ROOT / "node_modules"


def node() -> str:
    """The Node that `make setup` found: the virtual environment's, else the system's."""
    found = shutil.which("node", path=str(Path(sys.prefix) / "bin")) or shutil.which("node")
    if not found:
        raise FileNotFoundError("Node was not found; run `make setup`.")
    return found


class ToolError(Exception):
    """A tool failed; the message says which one, and what it said."""


def output_of(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run a tool and return what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-20:])
        raise ToolError(f"{' '.join(words[:3])} failed:\n{said}")
    return done.stdout
