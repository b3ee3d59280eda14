"""Every supported CPython that this machine has."""

import shutil
import subprocess
import sys

SUPPORTED = [f"python3.{minor}" for minor in range(11, 20)]


def _runs(name: str) -> str | None:
    """The path of a Python of that name that starts, or None: a version manager may only know the name."""
    path = shutil.which(name)
    done = path and subprocess.run([path, "-c", "import json"], capture_output=True, check=False)
    return path if done and done.returncode == 0 else None


PYTHONS = {"this one": sys.executable} | {name: path for name in SUPPORTED if (path := _runs(name))}
