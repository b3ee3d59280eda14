"""What the suite asks of a browser, whoever drives it: a few verbs. Everything else is said in the page's own language."""

import json
from abc import ABC, abstractmethod

PATIENCE_S = 120  # how long a browser may take for anything on a busy machine
# A function of the page's, called with values and answering one: as JSON they pass through every protocol.
CALL = "async (text) => JSON.stringify((await ({function})(...JSON.parse(text))) ?? null)"
# Keys without a letter, where WebDriver has put them.
KEYS = {"End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowRight": "\ue014"}


class Driver(ABC):
    """One window of one browser, open for the whole session."""

    name: str
    version: str

    @abstractmethod
    def open(self, address: str) -> None:
        """Go to an address; wait until it has loaded."""

    @abstractmethod
    def call(self, function: str, text: str) -> str:
        """Call a function of one text in the page; the text that it promises."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Press a key where the focus is, and let it go."""

    @abstractmethod
    def click(self, x: float, y: float) -> None:
        """Click at a point of the window."""

    @abstractmethod
    def picture(self) -> bytes:
        """The window as a PNG."""

    @abstractmethod
    def complaints(self) -> list[str]:
        """What the browser itself has said about the page since it was last asked, where a driver can hear that."""

    @abstractmethod
    def asked(self) -> list[str]:
        """The addresses that were asked for since it was last asked, as far as they come from pages."""

    def evaluate(self, function: str, *arguments):
        """What a function of the page answers."""
        return json.loads(self.call(CALL.format(function=function), json.dumps(arguments)))


def through(proxy: str) -> dict:
    """The session that both kinds of WebDriver are asked for: all but this machine is reached through the proxy."""
    manual = {"proxyType": "manual", "httpProxy": proxy, "sslProxy": proxy, "noProxy": ["127.0.0.1"]}
    return {"alwaysMatch": {"proxy": manual}}


def key_actions(key: str) -> list[dict]:
    """A key, pressed and let go, as both kinds of WebDriver say it."""
    strokes = [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
    return [{"type": "key", "id": "keyboard", "actions": strokes}]


def click_actions(x: float, y: float) -> list[dict]:
    """A click at a point, as both kinds of WebDriver say it."""
    move = {"type": "pointerMove", "x": round(x), "y": round(y)}
    press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
    return [{"type": "pointer", "id": "mouse", "actions": [move, *press]}]
