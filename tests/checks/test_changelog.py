"""The page of changes: every version first says which numbers moved, and the version of the numbers follows them alone."""

import json

import pytest

from scripts.site import changelog, numbers
from widgets.registry import BY_NAME, WIDGETS

TEXT = """# Changelog

Words.

## [Unreleased]

### Added

- A *thing*.

### Numbers that moved

- None.

## [0.1.0] - 2026-01-02

### Numbers that moved

- 3 became 4, [see](https://a.example/).
"""


def test_each_version_begins_with_the_numbers_that_moved():
    html = changelog.render(TEXT)
    parts = ("Unreleased", "Numbers that moved", "None.", "Added", "<em>thing</em>", "0.1.0, 2026-01-02", "3 became 4")
    places = [html.index(part) for part in parts]
    assert places == sorted(places)
    assert 'id="0.1.0"' in html
    assert 'href="https://a.example/"' in html


def test_a_version_that_does_not_say_so_stops_the_build():
    with pytest.raises(ValueError, match=r"0\.2\.0 does not say"):
        changelog.render("## [0.2.0]\n\n### Added\n\n- A thing.\n")


MOVES = "### Numbers that moved\n\n- None.\n"


def test_a_heading_that_stands_twice_in_a_version_stops_the_build():
    with pytest.raises(ValueError, match=r"0\.2\.0.*### Added"):
        changelog.render(f"## [0.2.0]\n\n### Added\n\n- One.\n\n{MOVES}\n### Added\n\n- Two.\n")
    changelog.render(f"## [0.2.0]\n\n### Added\n\n- One.\n\n{MOVES}\n## [0.1.0]\n\n### Added\n\n- Two.\n\n{MOVES}")


def test_text_before_the_first_heading_of_a_version_stops_the_build():
    with pytest.raises(ValueError, match=r"0\.2\.0.*- Lost\."):
        changelog.render(f"## [0.2.0]\n\n- Lost.\n- Too.\n\n{MOVES}")


def test_the_changelog_of_this_repository_can_be_printed():
    assert changelog.html().count("Numbers that moved</h3>") >= 1


@pytest.fixture
def answers(monkeypatch):
    """Let the views answer otherwise: ``answers(change, name)`` gives the version of a widget whose answers were changed."""
    real = numbers.render

    def version_after(change, name="zero-memory"):
        def render(name, params, locale="en"):
            view = json.loads(real(name, params, locale))
            change(view)
            return json.dumps(view)

        monkeypatch.setattr(numbers, "render", render)
        return numbers.version.__wrapped__(name)

    return version_after


def test_a_number_that_moves_moves_the_version_and_words_do_not(answers):
    usual = answers(lambda view: None)
    assert usual == numbers.version("zero-memory")
    assert answers(lambda view: view.update(caption="Other words.", summary="And more.")) == usual
    assert answers(lambda view: view["readouts"][0].update(label="Another label")) == usual

    def moved(view):
        view["readouts"][0]["value"] = view["readouts"][0]["value"].replace("1", "2")

    assert answers(moved) != usual

    def bars(view):
        view["figure"]["data"][0]["y"] = [value * 1.001 for value in view["figure"]["data"][0]["y"]]

    assert answers(bars) != usual

    def slightly(view):
        view["figure"]["data"][0]["y"] = [value * (1 + 1e-15) for value in view["figure"]["data"][0]["y"]]

    assert answers(slightly) == usual


@pytest.mark.parametrize("gpus", [16, 48])
def test_a_number_that_moves_at_one_setting_alone_moves_the_version(answers, gpus):
    def there(view):
        if view["params"] == {"stage": "zero-3", "gpus": gpus}:
            view["readouts"][0]["value"] = "1 GB"

    assert answers(there) != numbers.version("zero-memory")


def drawn(**looks):
    """Give every series other looks."""

    def change(view):
        for series in view["figure"]["data"]:
            series.update(looks)

    return change


def elsewhere(view):
    """Move every mark along the axes that only place things."""
    for series in view["figure"]["data"]:
        series["x"] = [place + 0.01 for place in series["x"]]


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
@pytest.mark.parametrize("change", [drawn(width=[0.5]), drawn(showlegend=True, textangle=9), elsewhere])
def test_looks_do_not_move_the_version(answers, widget, change):
    assert answers(change, widget.name) == numbers.version(widget.name)


@pytest.mark.parametrize("name", ["data-parallel", "model-split"])
def test_the_values_behind_marks_that_are_only_placed_do(answers, name):
    def behind(view):
        view["figure"]["data"][0]["customdata"][0][0] += 1

    assert answers(behind, name) != numbers.version(name)


def test_a_verdict_that_turns_moves_the_version(answers):
    def turned(view):
        view["readouts"][1]["state"] = "yes"

    assert answers(turned) != numbers.version("zero-memory")


def test_of_too_many_settings_the_same_few_are_asked_spread_over_all_and_the_defaults(monkeypatch):
    assert len(numbers.asked("zero-memory")) == 4 * 64
    monkeypatch.setattr(numbers, "MOST", 60)
    few = numbers.asked("zero-memory")
    assert few == numbers.asked("zero-memory")
    assert len(few) == 61
    assert few[0] == BY_NAME["zero-memory"].defaults
    assert len({json.dumps(each) for each in few[1:]}) == 60
    assert {each["stage"] for each in few} == {"replicated", "zero-1", "zero-2", "zero-3"}
    assert min(each["gpus"] for each in few) < 8
    assert max(each["gpus"] for each in few) > 56


@pytest.mark.parametrize("widget", WIDGETS, ids=lambda widget: widget.name)
def test_no_control_takes_a_name_that_links_need(widget):
    assert {control.name for control in widget.controls} & {"v", "embed", "scheme"} == set()
