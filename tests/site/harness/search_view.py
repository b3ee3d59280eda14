"""A view that only tests have: before it shows what `zero-memory` shows, it searches for layouts, as a long one would.

Python runs this in the browser, see ``teach``.
"""

from dataclasses import replace

from model.search import searching
from widgets.registry import BY_NAME

WIDGET = BY_NAME["zero-memory"]
PLAN = {
    "model": "llama-3.1-405b",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 1024},
    "recipe": {"preset": "megatron"},
    "batch": {"seq": 8192, "global_batch": 1024},
}


def view(params, messages):
    """The answer that the same controls give elsewhere: at once, after a search, or never."""
    if params["stage"] == "zero-2":
        yield from searching(PLAN | {"layout": {"cp": 1, "pp": 16}})
    while params["stage"] == "zero-3":
        yield from searching(PLAN)
    return WIDGET.view(params, messages)


BY_NAME["zero-memory"] = replace(WIDGET, view=view)
