"""WebKit, as GTK has it, over classic WebDriver: by the driver that comes with it, on a screen that nobody sees."""

import base64
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from .driver import PATIENCE_S, Driver, click_actions, key_actions, through

DIRECT = build_opener(ProxyHandler({}))  # the driver is on this machine, whatever the environment says of proxies
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PORTS = 3  # to try: a driver whose port was taken in the meantime ends at once
STARTS = 3  # to try: now and then WebKit's browser starts and never tells its driver so
START_S = 25
PAUSE_S = 0.1  # from one question to the next
# All of 127.0.0.0/8 is this machine. With an address of its own, no test process ever talks to the driver of another.
HOME = "127.{}.{}.{}".format(*os.getpid().to_bytes(3, "big"))


class WebKit(Driver):
    """A window of WebKit's smallest browser. Its driver hears neither the console nor requests; the proxy hears some."""

    name = "webkit"

    def __init__(self, base: str, outside) -> None:
        self._base, self._outside = base, outside
        wanted = json.dumps({"capabilities": through(outside.address)}).encode()
        session = ask("POST", base + "/session", wanted, START_S)
        self.version = session["capabilities"]["browserVersion"]
        self._base += f"/session/{session['sessionId']}"
        self._post("/timeouts", script=PATIENCE_S * 1000)

    def _post(self, path: str, **params):
        try:
            return ask("POST", self._base + path, json.dumps(params).encode())
        except HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()}") from None

    def open(self, address: str) -> None:
        self._post("/url", url=address)

    def call(self, function: str, text: str) -> str:
        return self._post("/execute/sync", script=f"return ({function})(arguments[0])", args=[text])

    def press(self, key: str) -> None:
        self._post("/actions", actions=key_actions(key))

    def click(self, x: float, y: float) -> None:
        self._post("/actions", actions=click_actions(x, y))

    def picture(self) -> bytes:
        return base64.b64decode(ask("GET", self._base + "/screenshot"))

    def complaints(self) -> list[str]:
        return []

    def asked(self) -> list[str]:
        return self._outside.take()

    def leave(self) -> None:
        """End the browser."""
        ask("DELETE", self._base)


def ask(method: str, address: str, body: bytes | None = None, patience_s: float = PATIENCE_S):
    """The value that a driver answers with."""
    request = Request(address, body, {"Content-Type": "application/json"}, method=method)
    with DIRECT.open(request, timeout=patience_s) as answer:
        return json.load(answer)["value"]


def listens(base: str, process: subprocess.Popen) -> bool:
    """Wait until a driver takes orders; whether it still runs then."""
    end = time.monotonic() + PATIENCE_S
    while process.poll() is None:
        with suppress(OSError, HTTPException):  # nobody is there yet, or hangs up
            if ask("GET", base + "/status")["ready"]:
                return True
        assert time.monotonic() < end, f"{process.args[0]} took no orders within {PATIENCE_S} s"
        with suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE_S)  # one that ends is known at once
    return False


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """A program that ends with the block, and all that it started with it."""
    with subprocess.Popen(command, start_new_session=True, **QUIET, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)


@contextmanager
def screen() -> Iterator[str]:
    """A screen in memory; its name."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with running(command, pass_fds=[writer]), os.fdopen(reader) as said:
        os.close(writer)
        number = said.readline().strip()
        assert number, "Xvfb ended before it had a screen"
        yield f":{number}"


def free_port() -> int:
    """A port of this process's own address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOME, 0))
        return probe.getsockname()[1]


def started(stack: ExitStack, program: str, environment: dict[str, str]) -> str:
    """Where a driver takes orders that ends with the stack."""
    for _ in range(PORTS):
        port = free_port()
        base = f"http://{HOME}:{port}"
        command = [program, f"--host={HOME}", f"--port={port}"]
        if listens(base, stack.enter_context(running(command, env=environment))):
            return base
    raise AssertionError(f"{program} ended {PORTS} times before it took orders")


@contextmanager
def webkit(program: str, outside) -> Iterator[Driver]:
    """A WebKit that sees the outside through a proxy that lets nothing pass."""
    for _ in range(STARTS):
        with ExitStack() as stack:
            environment = {**os.environ, "DISPLAY": stack.enter_context(screen()), "GDK_BACKEND": "x11"}
            base = started(stack, program, environment)
            try:
                driver = WebKit(base, outside)
            except TimeoutError:
                continue
            yield driver
            driver.leave()
            return
    raise AssertionError(f"{program} opened no window in {STARTS} starts of {START_S} s")
