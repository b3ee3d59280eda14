"""A page whose engine runs: tests go from page to page by instant navigation, so that Python starts once."""

from urllib.parse import urlsplit

from widgets.registry import BY_NAME
from widgets.spec import Slider

from .instrument import Instrument
from .pages import HOME, QUIET
from .record import Record

# A link that is not in the page, for a query that no page links to. The theme treats it as any other.
FOLLOW = """(address) => {
  window.lastContainer = document.querySelector("[data-md-component=container]");
  const link = Object.assign(document.createElement("a"), { href: address, textContent: "go" });
  document.querySelector("main").append(link);
  link.click();
}"""
ARRIVED = "(path) => location.pathname === path && !window.lastContainer.isConnected"


def follow(page, address: str) -> None:
    """Go to a page of the site by instant navigation; wait until its content is there."""
    page.evaluate(FOLLOW, address)
    page.wait_for_function(ARRIVED, arg=urlsplit(address).path)


def engine_workers(page) -> list:
    """The page's workers that run Python; the theme's search has one of its own."""
    return [worker for worker in page.workers if worker.url.endswith("/worker.js")]


class Lab:
    """The shared page. A test that fails costs the next one a fresh start."""

    def __init__(self, browser, site, new_context) -> None:
        self._parts, self.site = (browser, site), site
        self._new_context = new_context
        self.record = Record(site.origin)
        self.context = self.page = None

    def begin(self) -> None:
        """A running engine, on a page without widgets."""
        if self.page is None:
            self.context = self._new_context(*self._parts, self.record)
            self.page = self.context.new_page()
            self.page.goto(next(iter(HOME.values())).path)
            name = next(iter(HOME))
            Instrument(self.page, name).slider(self._any_slider(name)).focus()
            Instrument(self.page, name).ready()
        self.leave()
        self.record.forget()

    def end(self, *, failed: bool) -> None:
        if failed:
            self.close()

    def close(self) -> None:
        if self.context:
            self.context.close()
        self.context = self.page = None

    def leave(self) -> None:
        """Go to the page without widgets."""
        if self.page.url.partition("?")[0].partition("#")[0] != self.site.url + QUIET.path:
            follow(self.page, self.site.url + QUIET.path)

    def open(self, name: str, query: str = "") -> Instrument:
        """The widget on the page that is about it, freshly arrived at."""
        self.leave()
        follow(self.page, self.site.url + HOME[name].path + query)
        return Instrument(self.page, name).ready()

    def _any_slider(self, name: str) -> str:
        return next(control.name for control in BY_NAME[name].controls if isinstance(control, Slider))
