"""Every widget of the lesson, in the order of its pages. A new widget adds one line here."""

from . import data_parallel, model_split, zero_memory
from .spec import Widget

WIDGETS: tuple[Widget, ...] = (
    data_parallel.WIDGET,
    model_split.WIDGET,
    zero_memory.WIDGET,
)
BY_NAME: dict[str, Widget] = {widget.name: widget for widget in WIDGETS}
