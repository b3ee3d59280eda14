"""Changes to the real worker that only tests make, such as Python that it runs once it has started."""

import json
from pathlib import Path

from .pages import ROOT

LESSON = """
handlers.start = async (message) => {
  await start(message);
  pyodide?.runPython(%s);
};
"""
LONG = (Path(__file__).parent / "search_view.py").read_text("utf-8")
WORKER = "**/worker.js"
SOURCE = ROOT / "widgets" / "runtime" / "worker.js"  # with the names that the built one has shortened


def rewrite(page, change):
    """Serve the worker's source as ``change`` makes it; what ``unroute`` needs to end that."""

    def answer(route):
        route.fulfill(response=route.fetch(), body=change(SOURCE.read_text("utf-8")))

    page.context.route(WORKER, answer)
    return WORKER, answer


def teach(page, python: str, before: str = "") -> None:
    """Let the real engine run ``python`` as soon as it has started, each time; ``before`` is script that runs first."""
    rewrite(page, lambda script: before + script + LESSON % json.dumps(python))
