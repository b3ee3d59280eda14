"""The single entry: build, browser and tests all render here, so that they cannot disagree."""

import json
from collections.abc import Generator
from dataclasses import asdict

from model.errors import Invalid, unknown_field

from .messages import Messages, messages
from .registry import BY_NAME
from .spec import Slider, View, Widget


def render(name: str, params_json: str, locale: str = "en") -> str:
    """What the widget ``name`` shows for ``params_json``, an object of control values, as JSON.

    Controls left out take their default. Wrong values give ``{"error": {field, code, values, message}}``.
    Raises KeyError for an unknown widget: that is a mistake of the page, not of the reader.
    """
    steps = rendering(name, params_json, locale)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def rendering(name: str, params_json: str, locale: str = "en") -> Generator[float | None, None, str]:
    """The same in steps, for who shows how far a long view is; ``close`` it to stop early.

    Yields the share that is done, from 0 to 1, or None for a sign of life alone; a quick view yields nothing.
    """
    widget, language = BY_NAME[name], messages(locale)
    try:
        params = read_params(widget, params_json, language)
    except Invalid as error:
        return _dumps({"error": error.as_dict()})
    seen = widget.view(params, language)
    view = asdict(seen if isinstance(seen, View) else (yield from _shares(seen)))
    view["legend"] = [{"role": role, "label": label} for role, label in view["legend"]]
    return _dumps({"widget": name, "params": params, **view, "controls": _texts(widget, params, language)})


def read_params(widget: Widget, params_json: str, language: Messages) -> dict:
    """All control values, checked and complete; raises ``Invalid`` with the name of the wrong one."""
    try:
        given = json.loads(params_json)
    except (ValueError, RecursionError) as error:
        raise Invalid("", "not_json", {}, language.t("The values are not JSON.")) from error
    if not isinstance(given, dict):
        raise Invalid("", "wrong_type", {}, language.t("The values must be a JSON object."))
    for key in given:
        if widget.control(key) is None:
            raise unknown_field(key, widget.defaults)
    return {
        control.name: control.check(given.get(control.name, control.default), language) for control in widget.controls
    }


def _shares(steps: Generator) -> Generator[float | None, None, View]:
    """The steps of a long view as shares of the whole."""
    while True:
        try:
            step = next(steps)
        except StopIteration as done:
            return done.value
        yield step.done / step.total if step and step.total else None


def _texts(widget: Widget, params: dict, language: Messages) -> dict:
    """Each slider's value as a screen reader says it."""
    sliders = (control for control in widget.controls if isinstance(control, Slider))
    return {slider.name: {"text": slider.text(params[slider.name], language)} for slider in sliders}


def _dumps(answer: dict) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
