"""Axes hold every value and name few, round numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privior.pictures.axis import Axis, number

POSITIVE = st.floats(min_value=5e-324, max_value=1.7976931348623157e308)


@given(st.floats(min_value=0, max_value=1.7976931348623157e308))
def test_an_axis_from_zero_holds_its_largest_value(high: float) -> None:
    axis = Axis.from_zero(high)
    assert axis.low == 0
    assert axis.high * (1 + 1e-9) >= high
    assert 2 <= len(axis.ticks) <= 7
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert 0 <= axis.place(high) <= 1


@given(st.lists(POSITIVE, min_size=1, max_size=5))
def test_an_axis_by_ratio_holds_all_values_in_order(values: list[float]) -> None:
    axis = Axis.by_ratio(values)
    places = [axis.place(value) for value in sorted(values)]
    assert all(0 <= place <= 1 for place in places)
    assert places == sorted(places)
    assert len(axis.ticks) <= 9
    assert all(axis.low <= tick <= axis.high * (1 + 1e-9) for tick in axis.ticks)


def test_ticks_are_round() -> None:
    assert Axis.from_zero(0.37).labels == ("0", "0.1", "0.2", "0.3", "0.4")
    assert Axis.from_zero(1).labels == ("0", "0.2", "0.4", "0.6", "0.8", "1")
    assert Axis.from_zero(0).high == 1
    assert Axis.by_ratio([0.1, 4]).labels == ("0.1", "0.2", "0.5", "1", "2")
    assert Axis.by_ratio([0.01, 10]).labels == ("0.01", "0.03", "0.1", "0.3", "1", "3", "10")
    assert Axis.by_ratio([1]).labels == ("0.5", "1", "2")
    assert len(Axis.by_ratio([0.31, 0.33]).ticks) >= 2


def test_positive_values_of_different_size_are_shown_by_ratio() -> None:
    assert Axis.fitting([0.01, 1]).ratios
    assert not Axis.fitting([0.5, 1]).ratios
    assert not Axis.fitting([0, 1]).ratios


@given(st.floats(min_value=-1e6, max_value=0), st.floats(min_value=1e-3, max_value=1e6))
def test_wide_labels_have_fewer_ticks(low: float, high: float) -> None:
    """Drawn as short as on a phone, half of each label and all of the last one fit between ticks."""
    axis = Axis.legible(lambda most: Axis.over_zero(low, high, most), 48)
    assert 2 <= len(axis.ticks) <= 7
    assert axis.low <= low + 1e-9 * high
    assert high <= axis.high * (1 + 1e-9)
    longest = max(map(len, axis.labels))
    assert len(axis.ticks) <= 4 or 48 / (len(axis.ticks) - 1) >= 1.5 * longest + 1.5


def test_short_labels_keep_their_ticks() -> None:
    axis = Axis.legible(lambda most: Axis.from_zero(1, most), 48)
    assert axis == Axis.from_zero(1)
    assert len(Axis.legible(lambda most: Axis.over_zero(-8_000, 25_000, most), 48).ticks) < 8


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (0.12345, "0.123"), (12345, "12300"), (1e6, "1e6"), (1.5e-7, "1.5e-7"), (1e-320, "1e-320")],
)
def test_numbers_are_short(value: float, written: str) -> None:
    assert number(value) == written
    assert math.isclose(float(written), value, rel_tol=0.01)
