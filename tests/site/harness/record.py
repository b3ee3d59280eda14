"""What the pages of a test said and asked for: a page that complains, or asks another server, fails its test."""

import re
from collections import Counter
from urllib.parse import urlsplit

LOUD = {"error", "warning"}
# What Chromium itself says where a test took a file away; the page's own words are never excused by it.
FILE_GONE = r"^Failed to load resource: "


class Record:
    """Listens to every page of every context that a test opens."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.guests: set[str] = set()
        self.complaints: list[str] = []
        self.requests: list = []
        self.finished: list = []
        self._excused: list[str] = []

    def listen(self, context) -> None:
        """Hear a context: its pages' consoles, their errors, and their requests."""
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"page error: {error.error}"))
        context.on("request", lambda request: self.requests.append(request))
        context.on("requestfinished", lambda request: self.finished.append(request))

    def welcome(self, origin: str) -> None:
        """Expect requests to another server as well: a page that embeds ours comes from there."""
        self.guests.add(origin)

    def excuse(self, *patterns: str) -> None:
        """Expect complaints that match: a test that breaks something says what the browser will say to that."""
        self._excused.extend(patterns)

    def forget(self) -> None:
        """Start anew."""
        for heard in (self.complaints, self.requests, self.finished, self._excused):
            heard.clear()

    def _console(self, message) -> None:
        if message.type in LOUD:
            self.complaints.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def paths(self) -> list[str]:
        """The requested paths in their order, below the site's address."""
        return [urlsplit(request.url).path.removeprefix("/repo/") for request in self.requests if self._own(request)]

    def times_asked(self, ending: str) -> int:
        """How often a file was requested."""
        return sum(path.endswith(ending) for path in self.paths())

    def wait_for(self, page, ending: str) -> None:
        """Wait until a file was requested."""
        if not self.times_asked(ending):
            page.context.wait_for_event("request", lambda request: urlsplit(request.url).path.endswith(ending))

    def _own(self, request) -> bool:
        return request.url.startswith(self.origin + "/")

    def _expected(self, request) -> bool:
        return self._own(request) or any(request.url.startswith(f"{guest}/") for guest in self.guests)

    def problems(self) -> list[str]:
        """Everything that fails a test: complaints that nobody expected, and requests to anybody else."""
        loud = [text for text in self.complaints if not any(re.search(each, _words(text)) for each in self._excused)]
        outside = [
            f"asked another server: {request.url}"
            for request in self.requests
            if urlsplit(request.url).scheme not in ("data", "blob") and not self._expected(request)
        ]
        return [f"{text} ×{times}" if times > 1 else text for text, times in Counter(loud + outside).items()]


def _words(complaint: str) -> str:
    return complaint.partition(": ")[2]
