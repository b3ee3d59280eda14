"""Two widgets on one page, even two of a kind, keep to themselves: state, link, ids and charts."""

import pytest
from playwright.sync_api import expect

from tests.site.harness.instrument import Instrument
from tests.site.harness.lab import engine_workers

NAME = "zero-memory"
TAG = {"stage": "zero-3", "gpus": 64}  # what the second one's tag says


@pytest.mark.site
def test_each_shows_its_own_default(enter_fixture):
    page = enter_fixture("two/")
    Instrument(page, NAME).shows()
    Instrument(page, NAME, 1).shows(**TAG)
    Instrument(page, "data-parallel").shows()


@pytest.mark.site
def test_every_id_is_there_once(enter_fixture):
    page = enter_fixture("two/")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert sorted(ids) == sorted(set(ids))
    names = page.evaluate("[...document.querySelectorAll('input[type=radio]')].map(({ name }) => name)")
    assert len(set(names)) == 3  # two choices of stage, and the theme's own palette


@pytest.mark.engine
def test_driving_one_leaves_the_others_and_the_link_tells_them_apart(enter_fixture):
    page = enter_fixture("two/")
    first, second, third = Instrument(page, NAME), Instrument(page, NAME, 1), Instrument(page, "data-parallel")
    second.set(gpus=16)
    second.shows(stage="zero-3", gpus=16)
    first.shows()
    third.shows()
    first.set(stage="zero-1")
    first.shows(stage="zero-1")
    second.shows(stage="zero-3", gpus=16)
    third.set(gpus=7)
    third.shows(gpus=7)
    for each in (first, second, third):
        each.settled()
    assert sorted(page.url.partition("?")[2].split("&")) == ["b.gpus=16", "c.gpus=7", "stage=zero-1"]
    assert len(engine_workers(page)) == 1
    first.action("Reset").click()
    first.shows()
    second.shows(stage="zero-3", gpus=16)
    assert sorted(page.url.partition("?")[2].split("&")) == ["b.gpus=16", "c.gpus=7"]


@pytest.mark.engine
def test_a_link_sets_each_of_them(enter_fixture):
    page = enter_fixture("two/?gpus=2&b.stage=zero-1&c.gpus=33&gpu=9&d.gpus=4")
    Instrument(page, NAME).shows(gpus=2)
    Instrument(page, NAME, 1).shows(stage="zero-1", gpus=64)
    Instrument(page, "data-parallel").shows(gpus=33)


@pytest.mark.engine
def test_a_link_beats_the_tag_and_reset_goes_back_to_the_tag(enter_fixture):
    page = enter_fixture("two/?b.stage=replicated&b.gpus=8")
    second = Instrument(page, NAME, 1)
    second.shows()
    second.action("Reset").click()
    second.shows(**TAG)
    assert "?" not in page.url


@pytest.mark.engine
def test_a_failed_start_is_told_once_the_reader_comes_near(enter_fixture, record):
    record.excuse("^Failed to load resource")
    page = enter_fixture("two/", prepare=lambda page: page.context.route("**/*.wasm", lambda route: route.abort()))
    first, third = Instrument(page, NAME), Instrument(page, "data-parallel")
    first.set(gpus=64)
    expect(first.alert).to_be_visible()
    expect(third.alert).to_be_hidden()
    third.number("gpus").focus()
    expect(third.alert).to_be_visible()
    page.context.unroute("**/*.wasm")
    third.action("Retry").click()
    first.shows(gpus=64)
    expect(first.alert).to_be_hidden()
    expect(third.alert).to_be_hidden()
