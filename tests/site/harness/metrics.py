"""What a page holds on to, as the browser counts it once it has collected its garbage."""

from typing import NamedTuple


class Held(NamedTuple):
    """Counts, and bytes of JavaScript's heap."""

    documents: int
    nodes: int
    listeners: int
    heap_bytes: int


class Metrics:
    """A page's meter."""

    def __init__(self, page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def held(self) -> Held:
        """What is held now."""
        for _ in range(2):  # what a first collection finishes, a second one frees
            self._session.send("HeapProfiler.collectGarbage")
        found = {item["name"]: item["value"] for item in self._session.send("Performance.getMetrics")["metrics"]}
        names = ("Documents", "Nodes", "JSEventListeners", "JSHeapUsedSize")
        return Held(*(int(found[name]) for name in names))
