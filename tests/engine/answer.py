"""What a call is answered: a widget's view, or what the command line prints.

Runs under every Python here, and inside Pyodide, so it uses nothing but the two packages.
"""

import contextlib
import io
import sys

from widgets.api import render


def answer(name: str, text: str, locale: str) -> str:
    """The view of the widget ``name``; or, where that is ``python -m model …``, what it prints with this input."""
    if not name.startswith("python -m model "):
        return render(name, text, locale)
    from model.__main__ import main  # the saved memory has the widgets' modules alone

    printed, kept = io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            main(name.split()[3:])
    finally:
        sys.stdin = kept
    return printed.getvalue()
