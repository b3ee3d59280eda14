"""What crosses from Python to the page is JSON that every browser can read, whatever a view computes."""

import json
import math
from dataclasses import replace

import pytest

from widgets import api
from widgets.registry import BY_NAME

EXACT = 2**53  # whole numbers beyond are no longer exact in a browser


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_sent(value, monkeypatch):
    widget = BY_NAME["zero-memory"]

    def broken(params, language):
        view = widget.view(params, language)
        view.figure["data"][0]["x"] = [value]
        return view

    monkeypatch.setitem(BY_NAME, widget.name, replace(widget, view=broken))
    with pytest.raises(ValueError, match="JSON"):
        api.render(widget.name, "{}")


@pytest.mark.parametrize("name", BY_NAME)
def test_whole_numbers_stay_exact_in_a_browser(name):
    whole = []
    json.loads(api.render(name, "{}"), parse_int=lambda text: whole.append(abs(int(text))))
    assert whole
    assert max(whole) < EXACT
