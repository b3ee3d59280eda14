"""How the command line reads its words: one line for every mistake, with the field that it is in."""

import argparse
import re
from typing import NoReturn

from .errors import Invalid
from .schema import Field

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
MOST_DIGITS = 30


class Parser(argparse.ArgumentParser):
    """An argument parser that raises ``Invalid`` where argparse would print its usage and leave."""

    def __init__(self, **options: object) -> None:
        """Takes argparse's options; words are never completed, so that a new flag cannot change an old command."""
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raises ``Invalid`` with the flag in argparse's message as its field."""
        text = " ".join(message.split())
        named = re.match(r"argument ([^\s:/]+)[^:]*: (.*)", text)
        if named:
            codes = {"invalid": "unknown_value", "expected": "missing_field"}
            code = codes.get(named[2].partition(" ")[0], "wrong_type")
            raise Invalid(_field(named[1]), code, {}, f"{named[2]}; try --help")
        listed = re.match(r"(the following arguments are required|unrecognized arguments): (.*)", text)
        if listed:
            code = "missing_field" if listed[1].startswith("the") else "unknown_field"
            first = re.split(r"[\s,]", listed[2])[0]
            raise Invalid(_field(first), code, {"arguments": ascii(listed[2])}, f"{ascii(text)[1:-1]}; try --help")
        raise Invalid("", "wrong_type", {}, f"{ascii(text)[1:-1]}; try --help")


def read(field: str, kind: Field, text: str | None) -> object:
    """A flag's value, checked; None, for a flag that was not given, is the field's default. Raises ``Invalid``."""
    if text is None:
        return kind.default
    return kind.read(field, _number(text) if kind.kind in ("int", "number") else text)


def _number(text: str) -> object:
    """The number that a text spells, or the text itself, which the field then refuses with its own words."""
    if not NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        return text
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


def _field(word: str) -> str:
    """A flag's name as the JSON contract spells fields: ``--micro-batches`` is ``micro_batches``."""
    name = ascii(word)[1:-1]
    return name.lstrip("-").partition("=")[0].replace("-", "_") if name.startswith("-") else name
