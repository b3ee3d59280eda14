"""One thing to measure, and where it is measured. No torch here: cases are planned without it."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SCHEMA = 1  # of a record; a record of another one is measured again
Option = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One measurement: what, on how many ranks, and what it takes.

    ``transport`` is "real" where ``world`` processes talk to each other, and "fake" where one process plays one rank of
    ``world`` (torch's fake process group: memory only, results are wrong by design). ``device`` is "cpu" or "cuda".
    ``seconds`` and ``ram`` (bytes a process needs) are what was seen on two cores; they plan a run, and are no part of
    what the case is.
    """

    kind: str
    world: int
    transport: str
    device: str
    options: tuple[tuple[str, Option], ...]
    seconds: float
    ram: int

    @property
    def asked(self) -> dict[str, Any]:
        """What is measured, as a record keeps it."""
        return {
            "kind": self.kind,
            "world": self.world,
            "transport": self.transport,
            "device": self.device,
            **dict(self.options),
        }

    @property
    def name(self) -> str:
        """The case in a line, for a person."""
        told = in_words(self.options)
        ranks = "1 rank" if self.world == 1 else f"{self.world} ranks"
        return f"{self.kind}: {told}, {'one of ' if self.transport == 'fake' else ''}{ranks}"


def in_words(options: Iterable[tuple[str, Option]]) -> str:
    """Options for a person: numbers with their names, texts alone, and of what is true or false the name of what is true."""

    def told(key: str, value: Option) -> str:
        name = key.replace("_", " ")
        return name if value is True else value if isinstance(value, str) else f"{name} {value}"

    return " ".join(told(key, value) for key, value in options if value is not False)


def case(
    kind: str,
    world: int,
    *,
    transport: str = "real",
    device: str = "cpu",
    seconds: float = 2,
    ram: int = 10**9,
    **options: Option,
) -> Case:
    """A case of these options, which are sorted so that equal cases are equal."""
    return Case(
        kind=kind,
        world=world,
        transport=transport,
        device=device,
        options=tuple(sorted(options.items())),
        seconds=seconds,
        ram=ram,
    )


def key_of(asked: dict[str, Any], *, backend: str, device_name: str, torch: str) -> str:
    """The name of a case's record: the same case on the same kind of machine and release of torch has the same."""
    told = [SCHEMA, asked, backend, device_name, torch]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
