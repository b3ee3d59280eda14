"""The site on a port of this machine. A test can hold a file's bytes back and hand them out piece by piece."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore

from scripts.httpd import TYPES, Site

from .pages import ROOT

PATIENCE = 60  # seconds that a held file waits for a test that has gone wrong
PRELUDE = "prelude.js"
SMALL = 4096  # a head is smaller than this, a file worth holding is larger


class Gate:
    """Holds a file: each of its ``parts`` leaves when the test says so."""

    def __init__(self, parts: int) -> None:
        self.parts = parts
        self._allowed = Semaphore(0)

    def let_through(self, parts: int = 1) -> None:
        """Hand out the next pieces."""
        self._allowed.release(parts)

    def write(self, real, content: bytes) -> None:
        step = -(-len(content) // self.parts)
        for start in range(0, len(content), step):
            self._allowed.acquire(timeout=PATIENCE)
            real.write(content[start : start + step])
            real.flush()


class _Held:
    """A connection's output whose large writes go through a gate."""

    def __init__(self, real, gate: Gate) -> None:
        self._real, self._gate = real, gate

    def write(self, content: bytes) -> None:
        if len(content) < SMALL:
            self._real.write(content)
        else:
            self._gate.write(self._real, content)

    def __getattr__(self, name: str):
        return getattr(self._real, name)


class Host(Site):
    """A built site, served under /repo/ as a project's page is."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, prefix="/repo/", compress=True)
        self.folder = folder
        self.origin = self.url.removesuffix("/repo/")
        self.gates: dict[str, Gate] = {}
        self.served: Counter[str] = Counter()  # by file name: what browsers really fetched, not what they had kept
        self.missing: set[str] = set()
        self.prelude = ""
        host, gates, served, plain = self, self.gates, self.served, self.server.RequestHandlerClass

        class Handler(plain):
            def do_GET(self) -> None:  # noqa: N802
                name = self.path.partition("?")[0].rpartition("/")[2]
                served[name] += 1
                if name in host.missing:
                    return self.tell(TYPES[".txt"], "Not found", 404)
                if host.prelude and (text := self.told(name)):
                    return self.tell(*text)
                gate = gates.get(name)
                if gate is None:
                    return super().do_GET()
                real = self.wfile
                self.wfile = _Held(real, gate)
                try:
                    return super().do_GET()
                finally:
                    self.wfile = real

            def told(self, name: str) -> tuple[str, str] | None:
                """What stands in for a file while pages get a prelude: the prelude itself, and every page."""
                if name == PRELUDE:
                    return TYPES[".js"], host.prelude
                page = self.find()
                if page is None or page.suffix != ".html":
                    return None
                script = f'<head><script src="{self.settings.prefix}{PRELUDE}"></script>'
                return TYPES[".html"], page.read_text("utf-8").replace("<head>", script, 1)

            def tell(self, kind: str, text: str, status: int = 200) -> None:
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def send_header(self, keyword: str, value: str) -> None:
                # What a browser has kept it does not ask for, and would never miss.
                kept = keyword == "Cache-Control" and host.prelude
                super().send_header(keyword, "no-store" if kept else value)

        self.server.RequestHandlerClass = Handler

    @contextmanager
    def held(self, name: str, parts: int = 4) -> Iterator[Gate]:
        """While the block runs, the file ``name`` arrives only as the gate lets it."""
        gate = self.gates[name] = Gate(parts)
        try:
            yield gate
        finally:
            del self.gates[name]
            gate.let_through(1000)

    @contextmanager
    def observed(self, prelude: str) -> Iterator[None]:
        """While the block runs, every page runs a script before all others, and browsers ask for each file anew."""
        before, self.prelude = self.prelude, prelude
        try:
            yield
        finally:
            self.prelude = before

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """While the block runs, the file ``name`` is not there."""
        self.missing.add(name)
        try:
            yield
        finally:
            self.missing.remove(name)

    def build(self, config: Path = ROOT / "mkdocs.yml") -> "Host":
        """Build for the very address that is served: with another one, instant navigation is silently off."""
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", config, "-d", self.folder]
        environment = {**os.environ, "SITE_URL": self.url, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(
            list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"the site was not built:\n{done.stdout}{done.stderr}"
        return self
