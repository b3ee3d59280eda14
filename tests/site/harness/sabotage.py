"""Ways to break one file on its way to the page, and a record of everything that the page then went through."""

import gzip
import json
from contextlib import contextmanager

from scripts.tools import VENDOR

# Notes every stage and every cause that a widget ever showed: a busy test would miss the short ones.
WATCH = """(() => {
  const seen = (globalThis.seen = { stages: [], causes: [], lines: [], percents: [], answers: [] });
  const note = (list, value) => value && list.at(-1) !== value && list.push(value);
  const look = () => {
    const widget = document.querySelector("shard-widget");
    if (!widget) return;
    const text = (selector) => widget.querySelector(selector)?.textContent.trim() ?? "";
    note(seen.stages, widget.dataset.stage);
    if (widget.dataset.stage === "failed") note(seen.causes, text(".sw-error-cause"));
    note(seen.lines, text(".sw-status").replace(/:? *[0-9]+ *%/, ""));
    note(seen.percents, widget.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow"));
    note(seen.answers, text(".sw-readout--main .sw-value"));
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
})()"""

PAGE = "<!doctype html><title>Blocked</title><p>This address is not allowed here.</p>"


def _fulfill(**answer):
    return lambda route: route.fulfill(**answer)


def _with_its_type(route, change):
    response = route.fetch()
    route.fulfill(status=200, content_type=response.headers["content-type"], body=change(response.body()))


def _typed(content_type):
    def answer(route):
        route.fulfill(status=200, content_type=content_type, body=route.fetch().body())

    return answer


def _flip(body):
    """One chunk near the end has other bits, as a broken line or disk gives them."""
    place = len(body) * 9 // 10
    return body[:place] + bytes(byte ^ 0x15 for byte in body[place : place + 512]) + body[place + 512 :]


def _other_model(packed):
    """The snapshot as another version of the model would leave it, unpacked as a server may send it."""
    ours = json.loads((VENDOR / "manifest.json").read_text("utf-8"))["versions"]["model"].encode()
    snapshot = gzip.decompress(packed)
    assert ours in snapshot
    return snapshot.replace(ours, b"0" * len(ours))


def _other_build(packed):
    """The snapshot as another build of Pyodide would mark it: words 4 to 11 of its head name the build."""
    snapshot = gzip.decompress(packed)
    return snapshot[:16] + bytes(32) + snapshot[48:]


# What happens to the file, by name. A stalled one is never answered.
MODES = {
    "missing": _fulfill(status=404, content_type="text/plain", body="Not found"),
    "server error": _fulfill(status=503, content_type="text/plain", body="Busy"),
    "a web page": _fulfill(status=200, content_type="text/html", body=PAGE),
    "a web page with its type": lambda route: _with_its_type(route, lambda _: PAGE.encode()),
    "octet-stream": _typed("application/octet-stream"),
    "plain text": _typed("text/plain"),
    "truncated": lambda route: _with_its_type(route, lambda body: body[: len(body) // 2]),
    "empty": lambda route: _with_its_type(route, lambda _: b""),
    "corrupt": lambda route: _with_its_type(route, lambda body: body[:8] + bytes(len(body) - 8)),
    "damaged": lambda route: _with_its_type(route, _flip),
    "another model": lambda route: _with_its_type(route, _other_model),
    "another build": lambda route: _with_its_type(route, _other_build),
    "aborted": lambda route: route.abort(),
    "stalled": lambda route: None,
}


def ruin(page, mode, file):
    """From now on requests for ``file`` end as ``mode`` says."""
    page.context.route(f"**/{file}", MODES[mode])


@contextmanager
def sabotage(page, mode, file):
    """While the block runs, requests for ``file`` end as ``mode`` says."""
    ruin(page, mode, file)
    try:
        yield
    finally:
        page.context.unroute(f"**/{file}", MODES[mode])


def watch(page):
    """Note what the page's first widget goes through from now on, in ``seen``."""
    page.context.add_init_script(WATCH)


def seen(page, what):
    """What was noted: "stages", "causes", "lines", "percents" or "answers", in their order."""
    return page.evaluate(f"seen.{what}")
