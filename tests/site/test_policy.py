"""Every page carries a strict policy for its content, under which everything works; a server may send it as well."""

import re

import pytest
from playwright.sync_api import expect

from scripts.site.policy import hashes, text
from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import follow
from tests.site.harness.pages import HOME

META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
REPORTS = """globalThis.refused = [];
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
  refused.push(`${violatedDirective} ${blockedURI} ${sourceFile}`));"""
# What a hole would let in: each marks the page if it runs.
INJECTED = """() => {
  const add = (html) => document.querySelector("main").insertAdjacentHTML("beforeend", html);
  add('<img src="data:," onerror="globalThis.injected = true">');
  add('<a id="trap" href="javascript:void (globalThis.injected = true)">x</a>');
  document.querySelector("#trap").click();
  const script = document.createElement("script");
  script.textContent = "globalThis.injected = true";
  document.body.append(script);
  // Out of the test's own call, which may make code of text.
  setTimeout(() => { try { Function("globalThis.injected = true")(); } catch { globalThis.caught = true; } });
}"""


def policy(site, *, wasm=True):
    """What a careful server would send."""
    whole = text(hashes([path.read_text("utf-8") for path in site.folder.rglob("*.html")]))
    return whole if wasm else whole.replace(" 'wasm-unsafe-eval'", "")


@pytest.mark.site
def test_every_page_carries_the_same_policy(site):
    found = {META.search(path.read_text("utf-8"))[1] for path in site.folder.rglob("*.html")}
    assert found == {policy(site)}
    assert "'unsafe-eval'" not in "".join(found)
    assert "http" not in "".join(found)


@pytest.mark.site
def test_what_somebody_injects_does_not_run(enter, record):
    record.excuse("Content Security Policy", "ERR_INVALID_URL")
    page = enter(HOME["zero-memory"].path, prepare=lambda page: page.context.add_init_script(REPORTS))
    Instrument(page, "zero-memory").drawn()
    page.evaluate(INJECTED)
    page.wait_for_function("() => globalThis.caught && refused.length === 4")
    assert page.evaluate("globalThis.injected") is None
    assert {entry.split()[0] for entry in page.evaluate("refused")} <= {
        "script-src",
        "script-src-elem",
        "script-src-attr",
    }


def impose(page, text):
    """Send the policy with every page and every script, as a server does; returns what ends it."""

    def answer(route):
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "content-security-policy": text})

    page.context.add_init_script(REPORTS)
    where = re.compile(r"/repo/(?:[a-z-]+/)?(?:[?#].*)?$|worker\.js$")
    page.context.route(where, answer)
    return where


@pytest.mark.engine
@pytest.mark.parametrize("start", ["snapshot", "stock"])
def test_under_a_strict_policy_nothing_is_refused(enter, site, start):
    page = enter(None, settings={"start": start})
    impose(page, policy(site))
    page.goto(HOME["zero-memory"].path)
    instrument = Instrument(page, "zero-memory").drawn()
    instrument.set(gpus=64, stage="zero-3")
    instrument.shows(gpus=64, stage="zero-3")
    follow(page, site.url + HOME["model-split"].path)
    Instrument(page, "model-split").set(degree=8)
    Instrument(page, "model-split").shows(degree=8)
    assert page.evaluate("refused") == []


@pytest.mark.sabotage
def test_without_that_permission_the_page_says_what_was_refused_and_retry_works_once_it_is_given(enter, site, record):
    record.excuse("WebAssembly|wasm|Content Security Policy")
    page = enter(None)
    where = impose(page, policy(site, wasm=False))
    page.goto(HOME["zero-memory"].path)
    instrument = Instrument(page, "zero-memory").drawn()
    instrument.set(gpus=64)
    cause = instrument.alert.locator(".sw-error-cause")
    expect(cause).to_contain_text("The browser refused to compile pyodide.asm.wasm")
    expect(cause).to_contain_text("Content Security Policy")
    instrument.shows()
    page.context.unroute(where)
    instrument.action("Retry").click()
    instrument.shows(gpus=64)
