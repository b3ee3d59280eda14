"""Units: the only place where 1e9 and 2**30 are written. It converts and rounds; it never formats."""

from dataclasses import dataclass
from fractions import Fraction

# SI prefixes, as card labels and published tables use them (BIPM, The International System of Units, 9th ed., table 7).
GB = 10**9
# Binary prefixes, as nvidia-smi and torch.cuda.memory_stats use them (IEC 80000-13).
MIB = 2**20
GIB = 2**30
US_PER_S = 10**6
NS_PER_S = 10**9
TFLOP = 10**12

BYTES_PER = {"bytes": 1, "GB": GB, "MiB": MIB, "GiB": GIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A value with its unit, the thing that a fact returns.

    ``unit`` is one of ``bytes GB GiB MiB count percent times GPUs samples layers fraction``.
    ``value`` is an int, a float or a ``Fraction`` in that unit.
    """

    value: int | float | Fraction
    unit: str


def convert(amount_bytes: int | Fraction, unit: str) -> float:
    """Bytes in another unit: ``convert(2**30, "GiB")`` is 1.0. Raises KeyError for an unknown unit."""
    return float(Fraction(amount_bytes) / BYTES_PER[unit])


def half_up(value: int | float | Fraction, decimals: int) -> Fraction:
    """``value`` at so many decimals, a tie away from zero as readers round: 0.9375 is 0.938 and 21.5625 is 21.563.

    A float is what it prints as: 1.0005 is a tie, though the number that stands for it is a little less.
    """
    scale = 10**decimals
    exact = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    steps = int(abs(exact) * scale + Fraction(1, 2))
    return Fraction(steps if value > 0 else -steps, scale)


def quantity(amount_bytes: int, unit: str = "GB") -> Quantity:
    """A number of bytes as a quantity in ``unit``."""
    return Quantity(value=convert(amount_bytes, unit), unit=unit)
