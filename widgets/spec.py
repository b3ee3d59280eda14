"""What a widget is: its controls with their ranges, and a function from their values to what the reader sees."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from model.errors import Invalid

from .format import number
from .messages import Messages

SHOWN_BELOW = 10**15  # a longer number is not worth printing


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """A whole number. The slider moves over ``stops``; the number box and the link take any value in the range."""

    name: str
    label: str
    least: int
    most: int
    stops: tuple[int, ...]
    default: int
    text: Callable[[int, Messages], str]  # a value as a screen reader says it: "8 GPUs"
    help: str

    def check(self, value: object, messages: Messages) -> int:
        """The value, if it is a whole number in range; raises ``Invalid`` with what to change."""
        label = messages.t(self.label)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value % 1:
            text = messages.t(
                "{label} must be a whole number from {least} to {most}.", label=label, least=self.least, most=self.most
            )
            raise Invalid(self.name, "wrong_type", {"least": self.least, "most": self.most}, text)
        if not self.least <= value <= self.most:
            shown = number(value, messages) if abs(value) < SHOWN_BELOW else messages.t("far outside")
            text = messages.t(
                "{label} must be a whole number from {least} to {most}; it is {value}.",
                label=label,
                least=self.least,
                most=self.most,
                value=shown,
            )
            values = {"value": repr(value), "least": self.least, "most": self.most}
            raise Invalid(self.name, "out_of_range", values, text)
        return int(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of a few named options, in their order: token to label."""

    name: str
    label: str
    options: dict[str, str]
    default: str

    def check(self, value: object, messages: Messages) -> str:
        """The token, if it is one of the options; raises ``Invalid`` with the list of them."""
        if not isinstance(value, str) or value not in self.options:
            text = messages.t(
                "{label} must be one of: {options}.", label=messages.t(self.label), options=", ".join(self.options)
            )
            raise Invalid(self.name, "unknown_value", {"value": repr(value), "allowed": list(self.options)}, text)
        return value


Control = Slider | Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """A labelled value. ``state``: ``yes`` or ``no`` where it answers a question; ``main``: the one that matters."""

    key: str
    label: str
    value: str
    note: str = ""
    state: str = ""
    main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The chart in figures. The first column heads its row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything that the reader sees for one set of values. ``summary`` is the chart in one sentence; ``plan`` is the
    same question as `python -m model memory` reads it."""

    figure: dict
    legend: tuple[tuple[str, str], ...]  # role, label
    readouts: tuple[Readout, ...]
    caption: str
    summary: str
    table: Table
    plan: dict


class Step(Protocol):
    """How far a long view is: ``done`` of ``total`` pieces of its work, as a search counts its candidates."""

    done: int
    total: int


# A view that takes long is a generator: what it yields on the way, nothing else than None if it can't say how far it is,
# tells the reader that it goes on, and each time it may be stopped. `report = yield from searching(plan)` does all that.
Steps = Generator[Step | None, None, View]


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """An instrument: a name for tags and links, a title, the question it answers, controls, and its view."""

    name: str
    title: str
    question: str
    instruction: str
    controls: tuple[Control, ...]
    view: Callable[[dict, Messages], View | Steps]

    @property
    def defaults(self) -> dict:
        """Every control's default value by name."""
        return {control.name: control.default for control in self.controls}

    def control(self, name: str) -> Control | None:
        """The control with this name, or None."""
        return next((control for control in self.controls if control.name == name), None)
