"""A wrong number is reported with the plan and the version, to the repository that the site names; nothing is sent before."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from scripts.site.numbers import version
from tests.site.harness.instrument import Instrument, answer
from tests.site.harness.workshop import REPOSITORY

pytestmark = pytest.mark.engine

NAME = "zero-memory"


def whole(text, **params):
    view = answer(NAME, **params)
    assert f"Model {version(NAME)}" in text
    assert json.dumps(view["plan"], separators=(",", ":")) in text
    for item in view["readouts"]:
        assert f"{item['label']}: {item['value']}" in text
    assert text.splitlines()[-1].startswith("http")


def test_the_link_leads_to_the_repositorys_form_filled_in(enter_fixture, record):
    page = enter_fixture("folded/")
    page.get_by_text("Open me").click()
    instrument = Instrument(page, NAME)
    link = instrument.element.get_by_role("link", name="Report a wrong number on git.example")
    expect(link).to_have_attribute("rel", "noopener")
    expect(link).to_have_attribute("target", "_blank")
    for params in ({}, {"stage": "zero-3", "gpus": 64}):
        instrument.set(**params)
        instrument.shows(**params)
        link.focus()
        expect(link).to_have_attribute("href", re.compile("body="))
        address = urlsplit(link.get_attribute("href"))
        assert address._replace(query="").geturl() == f"{REPOSITORY}/issues/new"
        fields = parse_qs(address.query)
        assert instrument.widget.title in fields["title"][0]
        whole(fields["body"][0], **params)
        assert len(link.get_attribute("href")) < 4000
    assert [request.url for request in record.requests if "git.example" in request.url] == []


def test_without_a_repository_the_report_is_copied(enter):
    page = enter("zero-fsdp/", permissions=["clipboard-read", "clipboard-write"])
    instrument = Instrument(page, NAME)
    expect(instrument.element.get_by_role("link", name="Report")).to_have_count(0)
    instrument.set(gpus=64)
    instrument.shows(gpus=64)
    instrument.action("Copy a report of a wrong number").click()
    expect(instrument.note).to_contain_text("Report copied")
    whole(page.evaluate("navigator.clipboard.readText()"), gpus=64)
