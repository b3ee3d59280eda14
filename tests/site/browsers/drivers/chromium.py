"""Chromium, through the Playwright that all other tests use."""

from collections.abc import Iterator
from contextlib import contextmanager

from .driver import PATIENCE_S, Driver

LOUD = {"error", "warning"}


class Chromium(Driver):
    """A page of Playwright's."""

    name = "chromium"

    def __init__(self, page, version: str) -> None:
        self._page, self.version = page, version
        page.set_default_timeout(PATIENCE_S * 1000)
        self._said: list[str] = []
        self._asked: list[str] = []
        page.on("console", lambda said: said.type in LOUD and self._said.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: self._said.append(f"page error: {error}"))
        page.on("request", lambda request: self._asked.append(request.url))

    def open(self, address: str) -> None:
        self._page.goto(address)

    def call(self, function: str, text: str) -> str:
        return self._page.evaluate(function, text)

    def press(self, key: str) -> None:
        self._page.keyboard.press(key)

    def click(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def picture(self) -> bytes:
        return self._page.screenshot()

    def complaints(self) -> list[str]:
        heard, self._said = self._said, []
        return heard

    def asked(self) -> list[str]:
        heard, self._asked = self._asked, []
        return heard


@contextmanager
def chromium(browser) -> Iterator[Driver]:
    """A window of the browser that the session has already; it is cut off from the outside."""
    with browser.new_context() as context:
        yield Chromium(context.new_page(), browser.version)
