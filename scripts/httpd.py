"""A small static server for tests and the bench: like a plain host, under a prefix, with types said explicitly.

``with Site(folder, prefix="/repo/") as site:`` serves a folder at ``site.url`` for as long as the block runs.
"""

import gzip
import re
import sys
import threading
import time
from dataclasses import dataclass
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/vnd.microsoft.icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
}
# Folders that are named after what they hold may be kept; ten minutes is what Pages' own host says of every file.
LASTING = re.compile(r"/assets/\w+/[0-9a-f]{12}/")
PIECE = 16 * 1024
UNKNOWN = "application/octet-stream"
# What hosts usually compress. Pages' own host leaves unknown types alone, so this does too.
COMPRESSED = {".html", ".css", ".js", ".mjs", ".json", ".xml", ".txt", ".svg", ".wasm"}


@lru_cache(maxsize=512)
def packed(path: Path, _changed: float) -> bytes:
    """A file's contents, compressed once."""
    return gzip.compress(path.read_bytes(), 6)


class Line:
    """One line that all answers share, as fast as it is told to be. It counts what it carries."""

    def __init__(self) -> None:
        self.bytes_per_s = 0.0
        self.sent_bytes = 0  # bodies of answers, without their heads
        self.answers = 0
        self.free_at = 0.0
        self.turn = threading.Lock()

    def write(self, stream: BinaryIO, body: bytes) -> None:
        """Send bytes, piece by piece if the line is limited, so that answers share it fairly."""
        with self.turn:
            self.sent_bytes += len(body)
            self.answers += 1
        for start in range(0, len(body), PIECE) if self.bytes_per_s else ():
            piece = body[start : start + PIECE]
            with self.turn:
                self.free_at = max(self.free_at, time.monotonic()) + len(piece) / self.bytes_per_s
                arrival = self.free_at
            time.sleep(max(0.0, arrival - time.monotonic()))
            stream.write(piece)
        if not self.bytes_per_s:
            stream.write(body)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a site is served: from where, under which prefix, compressed or not, over which line."""

    folder: Path
    line: Line
    prefix: str = "/"
    compress: bool = False


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD below the prefix; anything else gets the site's own 404 page."""

    protocol_version = "HTTP/1.1"
    settings: Settings

    def find(self) -> Path | None:
        """The file that an address names, or None."""
        path = unquote(urlsplit(self.path).path)
        if not path.startswith(self.settings.prefix):
            return None
        file = (self.settings.folder / path.removeprefix(self.settings.prefix)).resolve()
        if file.is_dir():
            file = file / "index.html"
        inside = file.is_relative_to(self.settings.folder)
        return file if inside and file.is_file() else None

    def redirect_to_folder(self) -> bool:
        """Send `/page` on to `/page/`, as hosts do; relative links would break otherwise."""
        address = urlsplit(self.path)
        folder = self.settings.folder / unquote(address.path).removeprefix(self.settings.prefix).lstrip("/")
        if address.path.endswith("/") or not address.path.startswith(self.settings.prefix) or not folder.is_dir():
            return False
        self.send_response(301)
        self.send_header("Location", address.path + "/" + ("?" + address.query if address.query else ""))
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def do_GET(self) -> None:
        """Answer with the file, or with the 404 page and its status."""
        if self.redirect_to_folder():
            return
        found = self.find()
        file = found or self.settings.folder / "404.html"
        if not file.is_file():
            self.send_error(404)
            return
        accepts = "gzip" in self.headers.get("Accept-Encoding", "")
        compress = self.settings.compress and accepts and file.suffix in COMPRESSED
        body = packed(file, file.stat().st_mtime) if compress else file.read_bytes()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", TYPES.get(file.suffix, UNKNOWN))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600" if LASTING.search(self.path) else "no-cache")
        if compress:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.settings.line.write(self.wfile, body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the reader went away; that is no fault of the site

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Stay quiet: a test reads the browser's own record of requests."""


class Server(ThreadingHTTPServer):
    """Many requests at once, as browsers make them."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Report what goes wrong, but not that a page went away while it was asking."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Site:
    """A folder, served on a free port of this machine while the `with` block runs."""

    def __init__(self, folder: Path, *, prefix: str = "/repo/", compress: bool = False, port: int = 0) -> None:
        self.line = Line()
        settings = Settings(folder.resolve(), self.line, prefix, compress)
        handler = type("SiteHandler", (Handler,), {"settings": settings})
        self.server = Server(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}{prefix}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def limit(self, mbit: float) -> None:
        """Slow the line down to so many million bits a second; 0 is as fast as it goes."""
        self.line.bytes_per_s = mbit * 1e6 / 8

    def __enter__(self) -> "Site":
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
