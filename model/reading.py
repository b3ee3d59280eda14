"""Reads a JSON object field by field: each value is checked once, and every refusal names the field."""

import sys
from collections.abc import Iterable

from .errors import Invalid, plain, shown, unknown_value

REQUIRED = object()
LARGEST = sys.float_info.max
DEEPEST = 32  # levels in a config.json; published ones have three


class Reader:
    """A JSON object being read. It remembers which fields were asked for, so that the others can be named."""

    def __init__(self, given: object, path: str = "") -> None:
        """``path`` is where the object stands, such as ``model``. Raises ``Invalid`` for anything but an object."""
        if not isinstance(given, dict):
            raise Invalid(path, "wrong_type", {"value": shown(given)}, f"it must be an object, not {shown(given)}")
        self.given = given
        self.path = path
        self.asked: set[str] = set()

    def at(self, name: str) -> str:
        """The path of a field of this object."""
        return f"{self.path}.{name}" if self.path else name

    def get(self, name: str, default: object = None) -> object:
        """The raw value; the default where the field is absent. Raises ``Invalid`` for an absent required field."""
        self.asked.add(name)
        if name not in self.given and default is REQUIRED:
            raise Invalid(self.at(name), "missing_field", {}, "it is required; add it")
        return self.given.get(name, default)

    def whole(self, name: str, default: object = REQUIRED, *, least: int = 1, most: int = 10**9) -> int | None:
        """A whole number in a range; null only where the default is None. Raises ``Invalid`` for anything else."""
        return self._checked(name, default, lambda value, path: checked_whole(value, path, least, most))

    def flag(self, name: str, default: object = REQUIRED) -> bool | None:
        """True or false; null only where the default is None. Raises ``Invalid`` for anything else."""
        return self._checked(name, default, _checked_flag)

    def token(self, name: str, allowed: Iterable[str], default: object = REQUIRED) -> str | None:
        """A word of a list; null only where the default is None. Raises ``Invalid`` for anything else."""

        def check(value: object, path: str) -> str:
            if not isinstance(value, str) or value not in allowed:
                raise unknown_value(path, value, allowed)
            return value

        return self._checked(name, default, check)

    def wholes(self, name: str, default: object = REQUIRED, *, most: int = 10**6) -> list[int] | None:
        """A list of whole numbers from 0; null only where the default is None. Raises ``Invalid`` for anything else."""

        def check(value: object, path: str) -> list[int]:
            if not isinstance(value, list):
                message = f"it must be a list of whole numbers, not {shown(value)}"
                raise Invalid(path, "wrong_type", {"value": shown(value)}, message)
            return [checked_whole(item, f"{path}[{index}]", 0, most) for index, item in enumerate(value)]

        return self._checked(name, default, check)

    def unread(self) -> tuple[str, ...]:
        """Fields that nobody asked for, in the order they were given."""
        return tuple(plain(name) for name in self.given if name not in self.asked)

    def _checked(self, name: str, default: object, check: object) -> object:
        value = self.get(name, default)
        if value is None and default is None:
            return None
        if value is None:
            raise Invalid(self.at(name), "wrong_type", {"value": None}, "it must not be null")
        return check(value, self.at(name))


def check_carried(value: object, path: str, depth: int = 0) -> None:
    """Raises ``Invalid`` for the part of a value that JSON cannot carry back: infinity, a number beyond it, or nesting without end."""
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:  # also NaN
        raise Invalid(path, "out_of_range", {"value": shown(value)}, f"no number is as large; it is {shown(value)}")
    if not isinstance(value, dict | list):
        return
    if depth == DEEPEST:
        message = f"it is nested more than {DEEPEST} levels deep; leave it out"
        raise Invalid(path[:80], "out_of_range", {"most": DEEPEST}, message)
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        check_carried(item, f"{path}.{plain(key)}" if isinstance(value, dict) else f"{path}[{key}]", depth + 1)


def checked_whole(value: object, path: str, least: int, most: int) -> int:
    """``value`` if it is a whole number from ``least`` to ``most``; raises ``Invalid`` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid(path, "wrong_type", {"value": shown(value)}, f"it must be a whole number, not {shown(value)}")
    if not least <= value <= most:  # also NaN and the infinities
        limits = {"value": shown(value), "least": least, "most": most}
        message = f"it must be a whole number from {least} to {most}; it is {shown(value)}"
        raise Invalid(path, "out_of_range", limits, message)
    if value != int(value):
        raise Invalid(path, "wrong_type", {"value": shown(value)}, f"it must be a whole number, not {shown(value)}")
    return int(value)


def _checked_flag(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise Invalid(path, "wrong_type", {"value": shown(value)}, f"it must be true or false, not {shown(value)}")
    return value
