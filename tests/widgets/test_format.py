"""One formatter for widgets, tables and prose."""

from fractions import Fraction

import pytest

from model.units import Quantity
from widgets.format import fraction, number, quantity
from widgets.messages import messages

ENGLISH = messages("en")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (120, "120"),
        (120.0, "120"),
        (41.25, "41.25"),
        (31.40625, "31.406"),
        (16.640625, "16.641"),
        # Ties go away from zero, so that the parts 15, 0.9375 and 5.625 add up to what their total shows.
        (0.9375, "0.938"),
        (21.5625, "21.563"),
        (1.0005, "1.001"),
        (Fraction(-43125, 2000), "-21.563"),
        (0.0004, "0"),
        (-0.0001, "0"),
        (1234567, "1,234,567"),
        (Fraction(3, 2), "1.5"),
        (100.10, "100.1"),
        (1000.0, "1,000"),
    ],
)
def test_at_most_three_decimals_and_no_trailing_zeros(value, text):
    assert number(value, ENGLISH) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (15.0, "GB", "15 GB"),
        (79.6475, "GiB", "79.648 GiB"),
        (1, "GPUs", "1 GPU"),
        (8, "GPUs", "8 GPUs"),
        (1, "samples", "1 sample"),
        (24, "layers", "24 layers"),
        (1, "bytes", "1 byte"),
        (16, "bytes", "16 bytes"),
        (4, "times", "4×"),
        (75, "percent", "75 %"),
        (7_500_000_000, "count", "7.5 billion"),
        (2_000_000, "count", "2 million"),
        (12, "count", "12"),
    ],
)
def test_quantities_carry_their_unit(value, unit, text):
    assert quantity(Quantity(value=value, unit=unit), ENGLISH).replace("\u00a0", " ") == text


@pytest.mark.parametrize(("value", "text"), [(Fraction(1, 3), "1/3"), (Fraction(1), "1"), (Fraction(2, 4), "1/2")])
def test_shares_are_written_as_fractions(value, text):
    assert fraction(value, ENGLISH) == text
