"""The one formatter: a number or a quantity becomes text in the reader's language, for widgets, tables and prose."""

from fractions import Fraction

from model.units import Quantity, half_up
from model.units import quantity as gigabytes

from .messages import Messages

NO_BREAK_SPACE = "\u00a0"
DECIMALS = 3
# Scale words for large counts, in the short scale that English uses; translations give their own words.
BILLION, MILLION = 10**9, 10**6


def number(value: int | float | Fraction, messages: Messages) -> str:
    """At most three decimals, trailing zeros cut, separators of the language: 31.40625 is "31.406"."""
    text = f"{float(half_up(value, DECIMALS)):,.{DECIMALS}f}" if not isinstance(value, int) else f"{value:,}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text == "-0":
        text = "0"
    point, comma = messages.tp("decimal point", "."), messages.tp("thousands separator", ",")
    return text.translate({ord("."): point, ord(","): comma})


def quantity(amount: Quantity, messages: Messages) -> str:
    """A quantity with its unit: "41.25 GB", "8 GPUs", "4×", "7.5 billion"."""
    return UNITS[amount.unit](amount.value, messages)


def memory(amount_bytes: int, messages: Messages) -> str:
    """Bytes as the lesson prints them, in GB of 1e9 bytes: "41.25 GB"."""
    return quantity(gigabytes(amount_bytes), messages)


def fraction(value: Fraction, messages: Messages) -> str:
    """A share as the reader would write it: "1/3"; a whole is "1"."""
    top, bottom = number(value.numerator, messages), number(value.denominator, messages)
    return top if value.denominator == 1 else f"{top}/{bottom}"


def gpus(count: int, messages: Messages) -> str:
    """ "1 GPU", "8 GPUs"."""
    return messages.tn("{n} GPU", "{n} GPUs", count).replace(" ", NO_BREAK_SPACE)


def samples(count: int, messages: Messages) -> str:
    """ "1 sample", "32 samples"."""
    return messages.tn("{n} sample", "{n} samples", count).replace(" ", NO_BREAK_SPACE)


def layers(count: int, messages: Messages) -> str:
    """ "1 layer", "24 layers"."""
    return messages.tn("{n} layer", "{n} layers", count).replace(" ", NO_BREAK_SPACE)


def times(value: int | float | Fraction, messages: Messages) -> str:
    """A factor: "4×"."""
    return f"{number(value, messages)}×"


def _count(value: int, messages: Messages) -> str:
    for scale, word in ((BILLION, messages.t("billion")), (MILLION, messages.t("million"))):
        if value >= scale:
            return f"{number(value / scale, messages)}{NO_BREAK_SPACE}{word}"
    return number(value, messages)


def _bytes(value: int | Fraction, messages: Messages) -> str:
    word = messages.tn("byte", "bytes", 1 if value == 1 else 2)
    return f"{number(value, messages)}{NO_BREAK_SPACE}{word}"


def _symbol(symbol: str):
    def with_symbol(value: int | float | Fraction, messages: Messages) -> str:
        return f"{number(value, messages)}{NO_BREAK_SPACE}{symbol}"

    return with_symbol


UNITS = {
    "bytes": _bytes,
    "GB": _symbol("GB"),
    "GiB": _symbol("GiB"),
    "MiB": _symbol("MiB"),
    "percent": _symbol("%"),
    "count": _count,
    "times": times,
    "GPUs": gpus,
    "samples": samples,
    "layers": layers,
    "fraction": fraction,
}
