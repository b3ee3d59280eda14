"""Versions: what runs is what the page was built for, and anything else is told with both versions."""

import re

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME

NAME = "zero-memory"


@pytest.mark.sabotage
def test_an_engine_of_another_version_is_told_with_both_versions(enter):
    page = enter(None)

    def older(route):
        response = route.fetch()
        body, changed = re.subn(r'(\bpyodide"?:\s*")[^"]*', r"\g<1>0.0.1", response.text(), count=1)
        assert changed
        route.fulfill(response=response, body=body)

    page.context.route("**/manifest.js", older)
    page.goto(HOME[NAME].path)
    instrument = Instrument(page, NAME).drawn()
    instrument.set(gpus=64)
    cause = instrument.alert.locator(".sw-error-cause")
    expect(cause).to_contain_text("pyodide.js is version")
    expect(cause).to_contain_text("expected 0.0.1")
    instrument.shows()
