"""What the model offers, read from its code by griffe without running it: modules, records, functions, constants."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "model"
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
LONGEST = 72  # of a constant's value that is worth a line; longer ones are tables


@cache
def package() -> griffe.Module:
    """The package as griffe reads it."""
    return griffe.load(PACKAGE, search_paths=[ROOT], resolve_aliases=False)


def module(name: str) -> griffe.Module | None:
    """A module of the package, or None."""
    return package().modules.get(name)


def own(parent: griffe.Module | griffe.Class) -> Iterator[griffe.Object]:
    """Public functions and classes that a module or class defines itself, in the order of its lines."""
    members = (each for each in parent.members.values() if not each.is_alias and not each.name.startswith("_"))
    return iter(sorted((each for each in members if each.is_function or each.is_class), key=lambda each: each.lineno))


def fields(record: griffe.Class) -> list[griffe.Attribute]:
    """The fields of a record and the properties of a class, in the order of its lines."""
    found = [each for each in record.members.values() if not each.is_alias and each.is_attribute]
    return sorted((each for each in found if not each.name.startswith("_")), key=lambda each: each.lineno)


def constants(parent: griffe.Module) -> list[griffe.Attribute]:
    """Public constants of a module whose value fits a line, or that say where it comes from."""
    found = [each for each in parent.members.values() if not each.is_alias and each.is_attribute]
    named = [each for each in found if CONSTANT.fullmatch(each.name) and each.value is not None]
    return sorted((each for each in named if brief(each) or remark(each)), key=lambda each: each.lineno)


def brief(thing: griffe.Attribute) -> str:
    """A field's or constant's value where it is worth a line, else nothing."""
    value = "" if thing.value is None else str(thing.value)
    return value if len(value) <= LONGEST else ""


def remark(thing: griffe.Attribute) -> str:
    """What the code says beside a field or constant, or in the lines above it: its meaning, unit or source."""
    lines = thing.module.lines
    _, mark, beside = lines[thing.lineno - 1].partition("  # ")
    if mark:
        return beside.strip()
    above, at = [], thing.lineno - 2
    while at >= 0 and lines[at].lstrip().startswith("# "):
        above.insert(0, lines[at].strip("# "))
        at -= 1
    return " ".join(above)
