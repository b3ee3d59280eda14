"""A worker that answers what and when a test says: for answers that come late, twice, wrong or never."""

import json
from pathlib import Path

from .instrument import answer

SCRIPT = (Path(__file__).parent / "puppet.js").read_text("utf-8")
HAND = """
globalThis.asked = [];
globalThis.puppet = new BroadcastChannel("puppet");
puppet.addEventListener("message", ({ data }) => asked.push(data));
"""


class Puppet:
    """Pulls the strings of the worker of one page."""

    def __init__(self, page) -> None:
        self.page = page
        page.context.add_init_script(HAND)
        page.context.route("**/worker.js", self._serve)

    def _serve(self, route) -> None:
        route.fulfill(content_type="text/javascript", body=SCRIPT)

    def retire(self) -> None:
        """From the next start on, the real worker works."""
        self.page.context.unroute("**/worker.js", self._serve)

    def calls(self, at_least: int = 0) -> list[dict]:
        """What it was asked so far, once it was asked that often."""
        return self._heard("call", at_least)

    def stops(self, at_least: int = 0) -> list[int]:
        """The numbers of the calls that it was told to stop, once there are that many."""
        return [message["id"] for message in self._heard("stop", at_least)]

    def _heard(self, kind: str, at_least: int) -> list[dict]:
        heard = "([kind, least]) => asked.filter(({ type }) => type === kind).length >= least"
        self.page.wait_for_function(heard, arg=[kind, at_least])
        return [message for message in self.page.evaluate("asked") if message["type"] == kind]

    def starts(self) -> int:
        """How often it was told to start."""
        return sum(message["type"] == "start" for message in self.page.evaluate("asked"))

    def echo(self) -> None:
        """Wait until all that the puppet and the page have said to each other has arrived: a question goes the same ways."""
        asked = len(self._heard("memory", 0))
        self.page.evaluate("() => { globalThis.echo = shardscope.memory(); }")
        self._heard("memory", asked + 1)
        self.say(type="memory", bytes=0)
        self.page.evaluate("() => echo")

    def say(self, **message) -> None:
        """Let it say something to the page."""
        self.page.evaluate("message => puppet.postMessage(message)", message)

    def answer(self, call: dict) -> None:
        """Let it answer a call as Python would."""
        view = answer(call["name"], **json.loads(call["params"]))
        self.say(type="answer", id=call["id"], view=json.dumps(view))
