"""The one error that bad input raises: it names the field, the numbers that clash, and what to change."""

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr

_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist = 2, 3, 4
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


class Invalid(ValueError):  # noqa: N818 - it says what is wrong with the input, not with the program
    """Input that the model refuses.

    ``field``    path of the wrong field, such as ``layout.tp``
    ``code``     what kind of mistake: ``unknown_field missing_field wrong_type out_of_range
                 unknown_value not_divisible contradiction not_supported not_json``
    ``values``   the numbers or names that clash, for a page that says it in another language
    ``message``  one English sentence that tells what to change
    """

    def __init__(self, field: str, code: str, values: dict, message: str) -> None:
        """Keeps the four parts; see the class."""
        super().__init__(message)
        self.field = field
        self.code = code
        self.values = values
        self.message = message

    def __str__(self) -> str:
        """The field and the sentence, in one line."""
        return f"{self.field}: {self.message}" if self.field else self.message

    def as_dict(self) -> dict:
        """The error as JSON carries it: ``{field, code, values, message}``."""
        return {"field": self.field, "code": self.code, "values": self.values, "message": self.message}


def unknown_value(field: str, value: object, allowed: Iterable[str], hint: str = "") -> Invalid:
    """An error for a name that is not on a list; it offers the nearest name that is."""
    allowed = list(allowed)
    message = f"{shown(value)} is not known{_meant(value, allowed)} Choose one of: {', '.join(allowed)}{hint}"
    return Invalid(field, "unknown_value", {"value": shown(value), "allowed": allowed}, message)


def unknown_field(field: str, allowed: Iterable[str]) -> Invalid:
    """An error for a key that the object does not have."""
    allowed = list(allowed)
    message = f"there is no such field{_meant(field.rsplit('.', 1)[-1], allowed)} Fields here: {', '.join(allowed)}"
    return Invalid(plain(field), "unknown_field", {"allowed": allowed}, message)


def _meant(name: object, allowed: list[str]) -> str:
    """The end of a sentence that asks for the nearest name: one much like it, else the first that starts with it."""
    if not isinstance(name, str) or not name:
        return "."
    near = get_close_matches(name[:80], allowed, n=1) or [each for each in allowed if each.startswith(name)]
    return f"; did you mean {near[0]!r}?" if near else "."


def shown(value: object) -> str:
    """A value as an error prints it, in JSON's own words: one short line, whatever somebody sent."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    try:
        return _SHORT.repr(value)
    except (ValueError, RecursionError):  # an integer of more digits than Python prints
        return f"a value of type {type(value).__name__}"


def plain(name: str) -> str:
    """A key that somebody sent, as one printable line of at most 80 characters."""
    return (name if name.isprintable() else ascii(name)[1:-1])[:80] or '""'
