"""How much time is left, and for what. No torch here."""

import time
from collections.abc import Callable, Sequence

from .case import Case


class Budget:
    """``minutes`` to spend from now on, or all the time there is. ``now`` is a clock in seconds."""

    def __init__(self, minutes: float | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.end = None if minutes is None else now() + 60 * minutes
        self.expected = self.taken = 0.0

    @property
    def pace(self) -> float:
        """How much longer cases take here than they say, from those that were measured; 1 before the first."""
        return self.taken / self.expected if self.expected else 1

    @property
    def minutes(self) -> float | None:
        """What is left of the budget, in minutes; None where there is no limit."""
        return None if self.end is None else max(0.0, self.end - self.now()) / 60

    def took(self, case: Case, seconds: float) -> None:
        """A case was measured in so many seconds."""
        self.expected += case.seconds
        self.taken += seconds

    def fits(self, case: Case) -> bool:
        """Whether the case is likely to end in time."""
        return self.end is None or self.now() + self.pace * case.seconds <= self.end

    def needs(self, cases: Sequence[Case]) -> str:
        """About how long the cases will take here, for a person."""
        return lasting(self.pace * sum(case.seconds for case in cases))


def lasting(seconds: float) -> str:
    """A duration for a person: "40 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
