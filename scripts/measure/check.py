"""A measured figure beside the model's. No torch here: records are compared on any machine."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """``measured`` and ``modelled`` in ``unit``; they may differ by ``tolerance`` of the model's figure, or absolutely.

    ``relative`` says which: 0.03 means 3 % where it is true, and 0.03 in the unit where it is not. ``why`` explains a
    figure that is known to differ, with a source: such a check is reported, and does not fail.
    """

    what: str
    measured: float
    modelled: float
    unit: str
    tolerance: float = 0
    relative: bool = True
    why: str = ""

    @property
    def off(self) -> float:
        """How far the measured figure is from the model's: a share of it, or in the unit."""
        difference = self.measured - self.modelled
        if not self.relative:
            return difference
        if self.modelled:
            return difference / self.modelled
        return float("inf") if difference else 0.0

    @property
    def holds(self) -> bool:
        """Whether the two agree within the tolerance."""
        return abs(self.off) <= self.tolerance
