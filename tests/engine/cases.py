"""Calls that every Python must answer alike: each control's ends, default and odd values, and every kind of mistake."""

import itertools
import json

from widgets.registry import WIDGETS
from widgets.spec import Choice, Control, Widget

# Each is wrong for a slider, for a choice, or for both, in its own way.
WRONG = (
    "null", "true", "1.5", "-1", "0", "9007199254740993", "1e300", "1e999", "-0.0", "NaN", '"8"', '""', "[]", "{}",
    '"ZeRO-3 ✕ \\ud83d\\ude00"', "[[1]]", "12345678901234567890123",
)  # fmt: skip
BROKEN = ("", "[]", "1", "null", "{", '{"gpus": }', '{"zzz": 1}', "nonsense", '{"a": 1, "a": 2}', '"…"')


def values(control: Control) -> list:
    """All options; or the ends, the default, a stop and a value that is no stop."""
    if isinstance(control, Choice):
        return list(control.options)
    between = next((value for value in range(control.least, control.most) if value not in control.stops), control.most)
    return sorted({control.least, control.default, control.most, control.stops[1], between})


def settings(widget: Widget) -> list[dict]:
    """Every combination of its controls' values."""
    names = [control.name for control in widget.controls]
    return [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*map(values, widget.controls))]


def cases() -> list[list[str]]:
    """Every call as [widget, parameters, locale]."""
    return [[widget.name, text, "en"] for widget in WIDGETS for text in texts(widget)]


def texts(widget: Widget) -> list[str]:
    """The parameters of a widget's calls, as JSON."""
    right = [json.dumps(setting) for setting in [{}, *settings(widget)]]
    wrong = [f'{{"{control.name}": {text}}}' for control in widget.controls for text in WRONG]
    return [*right, *wrong, *BROKEN]
