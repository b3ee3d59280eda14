"""Every control of every widget by mouse and by keyboard: what it says, the chart, the read-outs and the table follow."""

import pytest
from playwright.sync_api import expect

from widgets.registry import WIDGETS
from widgets.spec import Choice, Slider

pytestmark = pytest.mark.engine

SLIDERS = [(widget.name, control) for widget in WIDGETS for control in widget.controls if isinstance(control, Slider)]
CHOICES = [(widget.name, control) for widget in WIDGETS for control in widget.controls if isinstance(control, Choice)]


def names(case):
    return case if isinstance(case, str) else case.name


def powers(control):
    return sorted({control.least} | {stop for stop in control.stops if stop & (stop - 1) == 0})


def expected_keys(control):
    """Keys with the value that each leads to, from the default on."""
    stops, at = control.stops, control.stops.index(control.default)
    big = powers(control)
    up = next((power for power in big if power > control.least), control.most)
    return [
        ("ArrowRight", stops[at + 1]),
        ("ArrowUp", stops[min(at + 2, len(stops) - 1)]),
        ("ArrowLeft", stops[at + 1] if at + 2 < len(stops) else stops[at]),
        ("ArrowDown", stops[at] if at + 2 < len(stops) else stops[at - 1]),
        ("Home", control.least),
        ("ArrowLeft", control.least),
        ("PageUp", up),
        ("PageUp", big[2]),
        ("PageDown", up),
        ("End", control.most),
        ("ArrowRight", control.most),
        ("PageDown", big[-2]),
    ]


def thumb(box, place, places):
    """The point of a slider's groove for its place."""
    inset = 10
    return box["x"] + inset + (box["width"] - 2 * inset) * place / (places - 1), box["y"] + box["height"] / 2


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
def test_a_slider_moves_by_keyboard_and_says_its_value_in_words(lab, name, control):
    instrument = lab.open(name)
    slider = instrument.slider(control.name)
    slider.focus()
    said = []
    for key, value in expected_keys(control):
        slider.press(key)
        said.append((key, instrument.values()[control.name]))
        expect(slider).to_have_attribute("aria-valuetext", control.text(value, _english()))
    assert said == expected_keys(control)
    instrument.shows(**{control.name: said[-1][1]})


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
def test_a_slider_follows_the_mouse(lab, name, control):
    instrument = lab.open(name)
    slider, mouse = instrument.slider(control.name), lab.page.mouse
    slider.scroll_into_view_if_needed()
    box, places = slider.bounding_box(), len(control.stops)
    mouse.move(*thumb(box, control.stops.index(control.default), places))
    mouse.down()
    mouse.move(*thumb(box, places // 2, places), steps=4)
    mouse.move(*thumb(box, places - 1, places), steps=4)
    mouse.up()
    assert instrument.values() == instrument.widget.defaults | {control.name: control.most}
    instrument.shows(**{control.name: control.most})
    slider.scroll_into_view_if_needed()  # to look at the chart may have moved the page
    mouse.click(*thumb(slider.bounding_box(), 0, places))
    instrument.shows(**{control.name: control.least})


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
def test_the_number_box_takes_what_lies_between_the_stops(lab, name, control):
    instrument = lab.open(name)
    between = [value for value in range(control.least, control.most + 1) if value not in control.stops] or [
        control.most
    ]
    for value in {between[0], between[-1]}:
        instrument.set(**{control.name: value})
        instrument.shows(**{control.name: value})
        expect(instrument.slider(control.name)).to_have_attribute("aria-valuetext", control.text(value, _english()))


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
def test_the_number_box_moves_by_keyboard(lab, name, control):
    instrument = lab.open(name)
    box = instrument.number(control.name)
    box.press("ArrowUp")
    instrument.shows(**{control.name: control.default + 1})
    box.press("ArrowDown")
    instrument.shows()
    box.press("PageDown")
    below = [power for power in powers(control) if power < control.default]
    instrument.shows(**{control.name: below[-1]})


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
@pytest.mark.parametrize("wrong", ["most + 1", "least - 1", "a fraction"])
def test_an_illegal_number_is_kept_and_explained_and_the_chart_stays(lab, name, control, wrong):
    typed = {"most + 1": str(control.most + 1), "least - 1": str(control.least - 1), "a fraction": "2.5"}[wrong]
    instrument = lab.open(name)
    box = instrument.number(control.name)
    box.fill(typed)
    expect(box).to_have_attribute("aria-invalid", "true")
    message = lab.page.locator(f"#{box.get_attribute('aria-describedby').split()[-1]}")
    expect(message).to_be_visible()
    expect(message).to_contain_text(f"from {control.least} to {control.most}")
    assert box.input_value() == typed
    instrument.shows()
    box.press("Escape")
    expect(box).not_to_have_attribute("aria-invalid", "true")
    expect(message).to_be_hidden()
    assert instrument.values()[control.name] == control.default


@pytest.mark.parametrize(("name", "control"), SLIDERS, ids=names)
def test_an_empty_number_box_is_explained_and_mended_by_the_slider(lab, name, control):
    instrument = lab.open(name)
    box = instrument.number(control.name)
    box.fill("")
    expect(box).to_have_attribute("aria-invalid", "true")
    instrument.slider(control.name).press("End")
    expect(box).not_to_have_attribute("aria-invalid", "true")
    instrument.shows(**{control.name: control.most})


@pytest.mark.parametrize(("name", "control"), CHOICES, ids=names)
def test_a_choice_follows_the_mouse(lab, name, control):
    instrument = lab.open(name)
    for token in [*reversed(control.options)]:
        instrument.option(control.name, token).click()
        instrument.shows(**{control.name: token})


@pytest.mark.parametrize(("name", "control"), CHOICES, ids=names)
def test_a_choice_moves_by_the_arrow_keys(lab, name, control):
    instrument = lab.open(name)
    tokens = list(control.options)
    at = tokens.index(control.default)
    instrument.option(control.name, control.default).focus()
    for step in range(1, len(tokens)):
        token = tokens[(at + step) % len(tokens)]
        lab.page.keyboard.press("ArrowRight")
        expect(instrument.option(control.name, token)).to_be_focused()
        expect(instrument.option(control.name, token)).to_be_checked()
    instrument.shows(**{control.name: token})


@pytest.mark.parametrize("widget", WIDGETS, ids=names)
def test_tab_reaches_the_controls_in_their_order(lab, widget):
    instrument = lab.open(widget.name)
    wanted = []
    for control in widget.controls:
        if isinstance(control, Choice):
            wanted.append(instrument.option(control.name, control.default))
        else:
            wanted += [instrument.slider(control.name), instrument.number(control.name)]
    wanted[0].focus()
    for control in wanted[1:]:
        lab.page.keyboard.press("Tab")
        expect(control).to_be_focused()
    lab.page.keyboard.press("Shift+Tab")
    expect(wanted[-2]).to_be_focused()


def _english():
    from widgets.messages import messages

    return messages("en")
