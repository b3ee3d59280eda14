"""JSON documents that the command line is given: a file, or standard input for ``-``."""

import errno
import json
import os
import sys
from pathlib import Path

from .errors import Invalid

MOST_DIGITS = 400


def read_json(path: str, field: str) -> object:
    """The document at ``path``; raises ``Invalid`` naming ``field`` for none, a folder, or no JSON."""
    name = "standard input" if path == "-" else path
    if not path:
        raise Invalid(
            field, "not_found", {"path": path}, "the name of the file is empty; name one, or - for standard input"
        )
    if path != "-" and Path(path).is_dir():
        raise Invalid(field, "wrong_type", {"path": path}, f"{name} is a folder; name a file in it")
    try:
        text = _standard_input() if path == "-" else Path(path).read_text("utf-8")
        # Some editors begin a file with a byte-order mark, which is no part of what it says.
        return json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_unique, parse_int=_whole, parse_constant=_no_number
        )
    except _RefusedError as error:
        raise Invalid(field, error.code, {"path": path}, f"{name}: {error}") from error
    except OSError as error:
        raise Invalid(field, "not_found", {"path": path}, f"{name}: {error.strerror}") from error
    except RecursionError as error:
        message = f"{name} is nested too deep to be read; no plan or config.json needs that many levels"
        raise Invalid(field, "not_json", {"path": path}, message) from error
    except ValueError as error:  # also text that is not UTF-8
        raise Invalid(field, "not_json", {"path": path}, f"{name} is not JSON: {error}") from error


def _standard_input() -> str:
    """Standard input as UTF-8, as JSON is, whatever the terminal's encoding; one replaced by a text stream has no bytes."""
    if sys.stdin is None:  # what Python makes of a closed one
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    bytes_in = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if bytes_in is None else bytes_in.read().decode("utf-8")


class _RefusedError(Exception):
    """JSON that no field could take."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _unique(pairs: list[tuple[str, object]]) -> dict:
    """An object; one that says the same thing twice, perhaps differently, is not guessed at."""
    read = dict(pairs)
    if len(read) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError("contradiction", f"the field {twice!a} stands twice in one object; keep one")
    return read


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise _RefusedError(
            "out_of_range", f"it holds a whole number of {len(text)} digits; no field takes one that long"
        )
    return int(text)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
