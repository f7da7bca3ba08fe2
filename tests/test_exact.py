"""Exact numbers: read, written, rounded in the safe direction."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privior.errors import NumberError
from privior.exact import decimal, rational, round_down, round_up


@given(st.fractions(max_denominator=10**12))
def test_what_is_written_is_read_back(number: Fraction) -> None:
    assert rational(decimal(number), "number") == number


@given(st.integers(-(2**53), 2**53), st.integers(-60, 60))
def test_binary_fractions_keep_all_their_digits(mantissa: int, exponent: int) -> None:
    number = mantissa * Fraction(2) ** exponent
    assert rational(decimal(number), "number") == number


@given(st.fractions(max_denominator=10**9))
def test_rounding_goes_the_safe_way(number: Fraction) -> None:
    assert Fraction(round_down(number)) <= number <= Fraction(round_up(number))


def test_every_way_to_type_a_tenth() -> None:
    for tenth in ("0.1", " .1 ", "1/10", "1e-1", 0.1, np.float64(0.1), Decimal("0.1"), Fraction(1, 10)):
        assert rational(tenth, "number") == Fraction(1, 10)
    assert rational(np.int64(3), "number") == 3


@pytest.mark.parametrize(
    "bad",
    ["", "abc", "1e99999", "9" * 500, "1/0", "0x10", "1_0", None, True, [], float("nan"), Decimal("NaN")],
)
def test_what_is_no_number_is_refused(bad: object) -> None:
    with pytest.raises(NumberError, match="cannot be read as a number"):
        rational(bad, "number")
