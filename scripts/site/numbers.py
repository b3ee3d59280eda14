"""The version of a widget's numbers, which a copied link carries: it changes when one of them does, and only then.

A hash of the code would change with every comment, and a page that warned of that would soon be warning of nothing. The
numbers are those of the read-outs, of the table and of what the chart shows, at every setting that the controls allow.
Other ranges of the controls are other numbers as well; words, looks and places in the drawing are none.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from math import prod
from random import Random

from model import __version__
from widgets.api import render
from widgets.registry import BY_NAME
from widgets.spec import Slider

DIGITS = 9  # of a number that count: the last ones differ between machines
NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
MOST = 500  # settings of a widget, so that the build stays quick


@cache
def version(name: str) -> str:
    """The release and a fingerprint of what the widget shows, as in ``0.1.0-3f9ac01b``."""
    told = [[params, *_numbers(json.loads(render(name, json.dumps(params))))] for params in asked(name)]
    return f"{__version__}-{sha256(json.dumps(told).encode()).hexdigest()[:8]}"


def asked(name: str) -> list[dict]:
    """Every setting that the controls allow; where they are more than ``MOST``, so many, always the same, and the defaults."""
    widget = BY_NAME[name]
    allowed = {
        control.name: range(control.least, control.most + 1) if isinstance(control, Slider) else tuple(control.options)
        for control in widget.controls
    }
    total = prod(map(len, allowed.values()))
    if total <= MOST:
        return [_setting(place, allowed) for place in range(total)]
    return [widget.defaults, *(_setting(place, allowed) for place in Random(0).sample(range(total), MOST))]


def _setting(place: int, allowed: dict) -> dict:
    """The setting with this place in the product of what the controls allow."""
    setting = {}
    for name, values in allowed.items():
        place, index = divmod(place, len(values))
        setting[name] = values[index]
    return setting


def _numbers(view: dict) -> Iterator[str]:
    """Every number that a view shows, and its verdicts."""
    for series in view["figure"]["data"]:
        yield from _within(_data(series, view["figure"]["layout"]))
    for item in view["readouts"]:
        yield from (*NUMBER.findall(f"{item['value']} {item['note']}"), item["state"])
    for row in view["table"]["rows"]:
        yield from NUMBER.findall(" ".join(row))


def _data(series: dict, layout: dict) -> list:
    """What a series says: the values behind its marks, and where they lie along an axis that the reader can see."""
    along = {"x": ["x"], "y": ["y"]}
    along["x" if series.get("orientation") == "h" else "y"].append("base")
    seen = [
        field
        for axis, fields in along.items()
        if layout[series.get(f"{axis}axis", axis).replace(axis, f"{axis}axis")].get("visible", True)
        for field in fields
    ]
    return [series.get(field, []) for field in ("customdata", *seen)]


def _within(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _within(each)
    elif isinstance(value, int | float):
        yield f"{value:.{DIGITS}g}"
