"""One short name for the contents of a folder: equal folders get equal names, on every machine."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

DIGITS = 12


def content_hash(contents: Mapping[str, bytes]) -> str:
    """First hex digits of a SHA-256 over the sorted names and their contents."""
    digest = hashlib.sha256()
    for name in sorted(contents):
        digest.update(f"{name}\0{len(contents[name])}\0".encode())
        digest.update(contents[name])
    return digest.hexdigest()[:DIGITS]


def tree_hash(folder: Path) -> str:
    """The name for everything below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return content_hash({path.relative_to(folder).as_posix(): path.read_bytes() for path in files})


def files_hash(root: Path, paths: Iterable[Path]) -> str:
    """The name for a list of files, each known by its path below `root`."""
    return content_hash({path.relative_to(root).as_posix(): path.read_bytes() for path in paths})
