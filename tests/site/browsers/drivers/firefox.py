"""Firefox as it is, over WebDriver BiDi: it listens itself, so nothing stands between."""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from tempfile import TemporaryDirectory

from websockets.sync.client import connect

from .driver import PATIENCE_S, Driver, click_actions, key_actions, through

LISTENS = "WebDriver BiDi listening on "
LOUD = {"error", "warn"}
SAYS, ASKS = "log.entryAdded", "network.beforeRequestSent"
# While it is driven, Firefox leaves Mozilla's servers alone, all but one, which it has to be allowed to do without.
ALONE = {"MOZ_REMOTE_SETTINGS_DEVTOOLS": "1"}


class Firefox(Driver):
    """A window of Firefox behind a socket."""

    name = "firefox"

    def __init__(self, socket, proxy: str) -> None:
        self._socket, self._serial = socket, count(1)
        self._heard: dict[str, list[dict]] = {SAYS: [], ASKS: []}
        session = self._send("session.new", capabilities=through(proxy))
        self.version = session["capabilities"]["browserVersion"]
        self._send("session.subscribe", events=list(self._heard))
        self._window = self._send("browsingContext.getTree")["contexts"][0]["context"]

    def _send(self, method: str, **params):
        """The answer to a command; what is said before it comes is kept."""
        serial = next(self._serial)
        self._socket.send(json.dumps({"id": serial, "method": method, "params": params}))
        while (said := json.loads(self._socket.recv(PATIENCE_S))).get("id") != serial:
            self._heard[said["method"]].append(said["params"])
        assert said["type"] == "success", f"{method}: {said}"
        return said["result"]

    def _here(self, method: str, **params):
        return self._send(method, context=self._window, **params)

    def _take(self, event: str) -> list[dict]:
        heard, self._heard[event] = self._heard[event], []
        return heard

    def open(self, address: str) -> None:
        self._here("browsingContext.navigate", url=address, wait="complete")

    def call(self, function: str, text: str) -> str:
        given = {"arguments": [{"type": "string", "value": text}], "target": {"context": self._window}}
        said = self._send("script.callFunction", functionDeclaration=function, awaitPromise=True, **given)
        assert said["type"] == "success", said
        return said["result"]["value"]

    def press(self, key: str) -> None:
        self._here("input.performActions", actions=key_actions(key))

    def click(self, x: float, y: float) -> None:
        self._here("input.performActions", actions=click_actions(x, y))

    def picture(self) -> bytes:
        return base64.b64decode(self._here("browsingContext.captureScreenshot")["data"])

    def complaints(self) -> list[str]:
        return [f"{entry['type']}: {entry['text']}" for entry in self._take(SAYS) if entry["level"] in LOUD]

    def asked(self) -> list[str]:
        return [entry["request"]["url"] for entry in self._take(ASKS)]

    def leave(self) -> None:
        """End the browser."""
        self._send("browser.close")


def address_of(process: subprocess.Popen) -> str:
    """Where a Firefox that was just started listens."""
    late = threading.Timer(PATIENCE_S, process.kill)  # which ends what it says
    late.start()
    try:
        address = next((line.partition(LISTENS)[2].strip() for line in process.stderr if LISTENS in line), "")
    finally:
        late.cancel()
    assert address, f"{process.args[0]} ended before it listened, or did not within {PATIENCE_S} s"
    return address


@contextmanager
def firefox(program: str, outside) -> Iterator[Driver]:
    """A Firefox without a screen, on a profile that goes when it goes."""
    with TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True) as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env={**os.environ, **ALONE}, **pipes) as process:
            try:
                address = address_of(process)
                threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop it
                with connect(f"{address}/session", max_size=None, proxy=None) as socket:
                    driver = Firefox(socket, outside.address)
                    yield driver
                    driver.leave()
            finally:
                process.terminate()
