"""The Content-Security-Policy that every page carries: what a page may run and fetch, written by the build.

Instant navigation keeps the policy of the page a visit began on, so every page carries the same one: it allows the
inline scripts of all pages by their hashes, and nothing else inline. Source of the terms: Content Security Policy
Level 3, https://www.w3.org/TR/CSP3/.
"""

import base64
import re
from hashlib import sha256
from pathlib import Path

SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*\btype=\"application/json\")[^>]*>(.*?)</script>", re.DOTALL)
CHARSET = '<meta charset="utf-8">'
# MkDocs writes a script of its own into every page that it serves, a new one each time.
WHILE_SERVING = ("'unsafe-inline'",)


def text(scripts: tuple[str, ...]) -> str:
    """The policy. ``scripts``: what allows inline scripts, as the policy names it."""
    rules = {
        "default-src": ("'self'",),
        # Compiling WebAssembly is all that the engine needs; no text ever becomes code.
        "script-src": ("'self'", "'wasm-unsafe-eval'", *scripts),
        # Plotly writes style rules and attributes.
        "style-src": ("'self'", "'unsafe-inline'"),
        # Plotly makes pictures of charts from data and blobs.
        "img-src": ("'self'", "data:", "blob:"),
        "object-src": ("'none'",),
        "frame-src": ("'none'",),
        "base-uri": ("'none'",),
        "form-action": ("'self'",),
    }
    return "; ".join(" ".join((name, *values)) for name, values in rules.items())


def hashes(pages: list[str]) -> tuple[str, ...]:
    """The hash of every inline script in these pages, as a policy names it."""
    found = {script for page in pages for script in SCRIPT.findall(page)}
    digests = (base64.b64encode(sha256(script.encode()).digest()).decode() for script in found)
    return tuple(sorted(f"'sha256-{digest}'" for digest in digests))


def impose(site: Path, *, serving: bool) -> None:
    """Write the policy into every page of a built site, before anything that a page loads."""
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    allowed = WHILE_SERVING if serving else hashes(list(pages.values()))
    for path, page in pages.items():
        path.write_text(_with_policy(page, allowed, path.relative_to(site).as_posix()), "utf-8")


def stamped(page: str, name: str) -> str:
    """A page that is in nobody's visit but its own, with the policy for its own scripts."""
    return _with_policy(page, hashes([page]), name)


def _with_policy(page: str, allowed: tuple[str, ...], name: str) -> str:
    if CHARSET not in page:
        raise ValueError(f"{name}: there is no {CHARSET} to write the policy after")
    meta = f'<meta http-equiv="Content-Security-Policy" content="{text(allowed)}">'
    return page.replace(CHARSET, f"{CHARSET}{meta}", 1)
