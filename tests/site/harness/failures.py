"""The list of what may go wrong with a file on its way: every file, every way, and what the page says to it."""

import pytest

LOADER, CORE, WASM, SNAPSHOT = "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "snapshot.bin"
STDLIB, WHEEL, WORKER, CHARTS = "python_stdlib.zip", "*.whl", "worker.js", "plotly-basic.min.js"


def quiet(*ways: str) -> dict[str, list[str]]:
    """Ways that the page has no sentence of its own for."""
    return {way: [] for way in ways}


# The ways, and the words that a true sentence holds beside the file's name.
WAYS = {
    "missing": ["404"],
    "server error": ["503"],
    "a web page": ["web page"],
    "a web page with its type": ["web page"],
    "truncated": ["not whole"],
    "damaged": ["damaged"],
    "aborted": ["network"],
    "stalled": ["stopped arriving"],
}
SCRIPT = {"plain text": ["text/plain", "text/javascript"], "a web page with its type": ["not whole"]}
# A worker's script and the browser's own words about it: only the start finds out that it isn't whole.
REFUSED = {way: ["background worker"] for way in ("truncated", "damaged", "a web page with its type")}
ENGINE = {
    WASM: WAYS | {"octet-stream": ["application/octet-stream", "application/wasm"], "corrupt": ["damaged"]},
    LOADER: WAYS | SCRIPT,
    CORE: WAYS | SCRIPT,
    WORKER: WAYS | SCRIPT | REFUSED,
}
# Only a start without the snapshot needs these. Their type says nothing: hosts disagree about it.
STOCK = {STDLIB: WAYS, WHEEL: WAYS | {"corrupt": ["damaged"]}}
# In place of a snapshot the stock start answers; it takes longer, and nothing is said.
REPLACED = {SNAPSHOT: quiet(*WAYS, "corrupt", "another model", "another build")}
DRAWING = {CHARTS: WAYS | {"a web page with its type": ["not whole"], "stalled": ["has not arrived"]}}
# Each of these stands for all modules that the page loads for the widgets: one missing, and none runs.
RUNTIME = {
    "main.js": quiet("missing", "a web page", "plain text", "truncated", "aborted", "stalled"),
    "manifest.js": quiet("missing", "truncated"),
    "view.js": quiet("a web page", "stalled"),
    "keys.js": quiet("missing", "aborted"),
}
# What the buttons at a widget's foot do.
BUTTONS = {"actions.js": quiet("missing", "truncated", "stalled"), "snippet.js": quiet("a web page", "aborted")}
# Without these the page looks or moves otherwise, and all of it works.
DECORATION = {
    "shardscope.css": quiet("missing", "a web page", "aborted"),
    "*.woff2": quiet("missing", "aborted"),
    "bundle.*.min.js": quiet("missing", "truncated"),
}
# What `make test` tries: every file and every way at least once. The long form tries all.
PAIRS = {
    (WASM, "octet-stream"),
    (WASM, "damaged"),
    (WASM, "aborted"),
    (LOADER, "plain text"),
    (LOADER, "truncated"),
    (CORE, "a web page"),
    (CORE, "server error"),
    (WORKER, "missing"),
    (WORKER, "stalled"),
    (STDLIB, "truncated"),
    (WHEEL, "a web page with its type"),
    (SNAPSHOT, "corrupt"),
    (SNAPSHOT, "another model"),
    (SNAPSHOT, "stalled"),
    (CHARTS, "missing"),
    (CHARTS, "stalled"),
    ("main.js", "missing"),
    ("view.js", "stalled"),
    ("keys.js", "aborted"),
    ("actions.js", "stalled"),
    ("snippet.js", "a web page"),
    ("shardscope.css", "missing"),
}


def rows(part):
    """The rows of one part of the list, as (file, way, words)."""
    return [
        pytest.param(file, way, words, id=f"{file} {way}", marks=() if (file, way) in PAIRS else (pytest.mark.full,))
        for file, ways in part.items()
        for way, words in ways.items()
    ]
