"""What a person asked `run` for, and how its processes are asked in turn. No torch here."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from .budget import Budget
from .case import Case
from .suites import cases_of

DEFAULT_OUT = Path("build/measured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One suite on one device, into ``out``; ``only`` names kinds, and ``match`` is a part of the cases' names."""

    suite: str
    device: str
    out: Path
    minutes: float | None = None
    only: tuple[str, ...] = ()
    match: str = ""
    skip: tuple[str, ...] = ()  # keys of cases that failed a moment ago

    def cases(self, world: int) -> list[Case]:
        """The cases that were asked for, the cheapest first."""
        return cases_of(self.suite, world, self.device, only=self.only, match=self.match)

    def arguments(self, budget: Budget, skip: list[str]) -> list[str]:
        """The same, as the arguments of a rank that has what is left of the budget."""
        told = ["run", "--suite", self.suite, "--device", self.device, "--out", str(self.out), "--match", self.match]
        told += [f"--only={kind}" for kind in self.only] + [f"--skip={key}" for key in skip]
        return told if budget.minutes is None else [*told, "--minutes", str(budget.minutes)]


def asked_of(told: Namespace, suite: str, device: str) -> Asked:
    """The command line, for one of the suites that it asks for, on this device."""
    return Asked(
        suite=suite,
        device=device,
        out=told.out,
        minutes=told.minutes,
        only=tuple(told.only),
        match=told.match,
        skip=tuple(told.skip),
    )
