"""A copy of the checkout, in which a protection may be missing for the length of a test run."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.tools import BUILD, ROOT

from .record import Removal

KEPT = (
    "vendor",
    "evidence",
)  # of build/: what is named by its content, so that only what a removal changes is made anew


class StaleError(Exception):
    """A removal no longer fits the code; the message says which one."""


def without(removal: Removal, text: str) -> str:
    """A file's text with a protection taken away."""
    found = text.count(removal.text)
    if found != 1:
        raise StaleError(f"{removal.file} has the text of “{removal.why}” {found} times, not once")
    return text.replace(removal.text, removal.instead)


class Scratch:
    """A copy of every file that git knows or would know, beside the packages and the build's stores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
        for name in KEPT:
            if (BUILD / name).is_dir():
                # Links will do: whatever is there is replaced as a whole, never written into.
                shutil.copytree(BUILD / name, folder / "build" / name, copy_function=os.link)

    @contextmanager
    def lacking(self, removal: Removal | None) -> Iterator[None]:
        """While the block runs, the copy lacks the protection."""
        if removal is None:
            yield
            return
        path = self.folder / removal.file
        whole = path.read_text("utf-8")
        path.write_text(without(removal, whole), "utf-8")
        try:
            yield
        finally:
            path.write_text(whole, "utf-8")
