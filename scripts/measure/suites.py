"""What a suite measures: the cases of every kind, the cheapest first. No torch here."""

import importlib
import os
from importlib.util import find_spec
from types import ModuleType

from .case import Case
from .errors import wrong
from .sizes import SIZES

# In the order in which a page shows them.
KINDS = ("states", "maths", "collectives", "pipeline", "scale", "peaks", "throughput")
# What each suite is for. The ranks of the first two talk to each other; one process at a time measures the others.
SUITES = {
    "ci": "real ranks on the processor, over gloo",
    "scale": "true model sizes, one process plays one rank of many; no GPU needed",
    "one-gpu": "one card, which plays one rank of many",
    "gpu": "real ranks on GPUs, over nccl",
}
TOGETHER = ("ci", "gpu")
CI_WORLDS = (2, 4)
OWN = "MEASURE_KINDS"  # modules of your own, by dotted names with commas between, in place of KINDS


def modules() -> dict[str, ModuleType]:
    """The kinds by name."""
    own = os.environ.get(OWN)
    names = own.split(",") if own else [f"{__package__}.kinds.{kind}" for kind in KINDS]
    return {name.rpartition(".")[2]: importlib.import_module(name) for name in names if find_spec(name)}


def kind_of(name: str) -> ModuleType:
    """The module of a kind. Raises `errors.RefusalError` for a name that is none."""
    known = modules()
    if name not in known:
        raise wrong(f"{name!r} is no kind; there are {', '.join(known)}")
    return known[name]


def device_of(suite: str) -> str:
    """Where a suite measures if nothing else is asked."""
    return "cuda" if suite in ("gpu", "one-gpu") else "cpu"


def cases_of(suite: str, world: int, device: str, *, only: tuple[str, ...] = (), match: str = "") -> list[Case]:
    """The suite's cases, the cheapest first: a short booking still leaves the most records.

    ``only`` names kinds, and ``match`` is a part of the case's name. Raises `errors.RefusalError` for a number of ranks that the
    networks cannot be split over, and where nothing is left to measure.
    """
    if suite in TOGETHER:
        split(world)
    kinds = [kind_of(name) for name in only] or list(modules().values())
    try:
        found = [case for kind in kinds for case in kind.cases(suite, world, device) if match in case.name]
    except ValueError as error:
        raise wrong(str(error)) from None
    return sorted(found, key=lambda case: case.seconds)


def split(world: int) -> None:
    """Raise `errors.RefusalError` for a number of ranks that heads and layers of the measured networks cannot be split over."""
    if world < 2:
        raise wrong(f"{world} rank has nobody to talk to: give 2 or more, or take the suite scale or one-gpu")
    factors = factors_of(world)
    known = sorted({factor for size in SIZES.values() for factor in factors_of(size.heads)})
    odd = [factor for factor in factors if factor not in known]
    if odd:
        product = " × ".join(map(str, factors))
        raise wrong(
            f"{world} ranks do not divide: {world} = {product}, and {odd[0]} divides no network that is measured; use a "
            f"number of ranks whose only factors are {' and '.join(map(str, known))}, such as {nearest(world, known)}"
        )


def factors_of(number: int) -> list[int]:
    """The prime factors, the smallest first."""
    found, factor = [], 2
    while number > 1:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return found


def nearest(world: int, known: list[int]) -> int:
    """The largest number of ranks up to ``world`` with no other factors than the ``known``."""
    return max(ranks for ranks in range(2, world + 1) if set(factors_of(ranks)) <= set(known))
