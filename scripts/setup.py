"""Set up what the project needs: `.venv` with the pinned Python packages and `node_modules`.

Runs on the host's Python (3.12 or newer), so it uses the standard library alone. Each half leaves a stamp
when it is done; make compares the stamps with the lock files and calls this script only when one is older.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_AT_LEAST = (18, 17)  # reads folders recursively
NODE = ".".join(map(str, NODE_AT_LEAST))
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


class SetupError(Exception):
    """One plain line that tells the reader which prerequisite is missing and how to get it."""


def say(text: str) -> None:
    """Print one line for one step, at once."""
    print(f"setup: {text}", flush=True)


def run(command: list[str | Path], failed: str) -> None:
    """Run a command in the repository; on failure say `failed` in one line."""
    try:
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(failed) from error


def pip_install(venv: Path, *arguments: str) -> None:
    """Install packages into a virtual environment, each checked against its recorded hash."""
    command = [venv / SCRIPTS / "python", "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check"]
    run([*command, "--require-hashes", *arguments], "pip could not install the pinned packages (see above).")


def setup_python(venv: Path) -> None:
    """Make a fresh virtual environment from this interpreter and fill it from requirements.txt."""
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Python {version}: making {venv.name} and installing the pinned packages (about a minute)")
    try:
        import ensurepip  # noqa: F401  Debian ships it apart from Python
        import venv as _  # noqa: F401
    except ImportError as error:
        raise SetupError(
            f"Python {version} has no venv module. On Debian or Ubuntu: apt-get install python3-venv"
        ) from error
    shutil.rmtree(venv, ignore_errors=True)
    run([sys.executable, "-m", "venv", venv], f"could not make a virtual environment in {venv}.")
    pip_install(venv, "-r", "requirements.txt")
    (venv / ".ready").touch()


def works(command: list[str | Path]) -> str:
    """Return what a command prints, or an empty text if it can't run."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def new_enough(version: list[str]) -> bool:
    """Whether a Node of this version, in its parts, will do."""
    return all(part.isdigit() for part in version[:2]) and tuple(map(int, version[:2])) >= NODE_AT_LEAST


def find_node(venv: Path) -> tuple[str, str] | None:
    """Return (node, npm): those in the virtual environment, else the system's if both run and are new enough."""
    for folder in (str(venv / SCRIPTS), None):
        node, npm = shutil.which("node", path=folder), shutil.which("npm", path=folder)
        if not (node and npm):
            continue
        version = works([node, "--version"]).removeprefix("v").split(".")
        if new_enough(version) and works([npm, "--version"]):
            return node, npm
    return None


def setup_node(venv: Path) -> None:
    """Fetch the npm packages of package-lock.json; get Node from PyPI first if the system has none."""
    found = find_node(venv)
    if not found:
        say(f"no Node {NODE} or newer with npm here: installing one into {venv.name}")
        pip_install(venv, "-r", "requirements-node.txt")
        found = find_node(venv)
    if not found:
        raise SetupError(f"Node {NODE} or newer with npm is needed and could not be installed.")
    node, npm = found
    say(f"Node {works([node, '--version'])}: fetching the npm packages")
    # npm's first line asks for `node` on the path, which an environment's folder is not.
    os.environ["PATH"] = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    run([npm, "ci", "--ignore-scripts", "--loglevel=error"], "npm could not fetch the pinned packages (see above).")
    (ROOT / "node_modules" / ".ready").touch()


def main(arguments: list[str]) -> int:
    """`setup.py python [FOLDER]` or `setup.py node`."""
    part, *rest = arguments
    venv = ROOT / (rest[0] if rest else ".venv")
    try:
        setup_python(venv) if part == "python" else setup_node(venv)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
