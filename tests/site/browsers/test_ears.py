"""What the suite listens for can be heard in every browser: a page that complained, or asked another server, would fail."""

from time import monotonic

import pytest

from tests.site.harness.host import PRELUDE
from tests.site.harness.pages import QUIET

from .drivers.driver import PATIENCE_S

pytestmark = pytest.mark.site

COMPLAIN = """() => {
  console.error("said aloud");
  setTimeout(() => { throw new Error("thrown"); });
  Promise.reject(new Error("refused"));
  document.body.append(Object.assign(new Image(), { src: "no-such-picture.png" }));
  fetch("https://outside.invalid/policy").catch(() => {});
}"""
WORDS = ("console error: said aloud", "thrown", "refused", "no-such-picture.png", "connect-src https://outside.invalid")
ASK = """() => fetch("http://outside.invalid/file", { mode: "no-cors" }).catch(() => {})"""


def hear(reader, listen, enough):
    """What is heard until it is enough: what a driver says by itself goes its own way, and may come later."""
    said, end = listen(), monotonic() + PATIENCE_S
    while len(said) < enough and monotonic() < end:
        reader.evaluate("() => 0")
        said += listen()
    return said


def test_complaints_are_heard(reader):
    reader.open(QUIET.path)
    reader.evaluate(COMPLAIN)
    reader.until("(count) => heard.length >= count", len(WORDS))
    problems = reader.ears.problems()
    for word in WORDS:
        assert any(word in problem for problem in problems), (word, problems)
    reader.ears.forget()


def test_what_the_browser_itself_says_is_heard_where_its_driver_can(reader):
    reader.open(QUIET.path)
    reader.evaluate("() => setTimeout(() => { throw new Error('thrown'); })")
    reader.until("() => heard.length")
    enough = 0 if reader.driver.name == "webkit" else 1
    said = hear(reader, reader.driver.complaints, enough)
    assert [line for line in said if "thrown" in line] == said
    assert len(said) == enough
    reader.evaluate("() => { heard.length = 0; }")


def test_a_request_to_another_server_is_heard(reader, site):
    reader.driver.open(site.url + PRELUDE)  # a file without a policy, which would keep the page from asking
    reader.evaluate(ASK)
    assert hear(reader, lambda: [each for each in reader.driver.asked() if "outside.invalid" in each], 1)
    reader.evaluate(ASK)
    assert hear(reader, lambda: [each for each in reader.ears.problems() if "outside.invalid" in each], 1)
    reader.ears.forget()
