"""The ends of what a record can add are exact, however large: a plan refuses by them."""

from __future__ import annotations

from privior.models.summands import ONE, Factor, Summand
from privior.schema import Integer, Schema

SCHEMA = Schema({"x": Integer(1, 1_000_000), "y": Integer(0, 3)}, population="people", unit="person")


def test_powers_that_64_bits_cannot_hold_are_not_wrapped() -> None:
    assert Summand((Factor("x"),) * 4).bounds(SCHEMA) == (0, 999_999**4)
    assert Summand((Factor("x", 2**70, -1),)).bounds(SCHEMA) == (-1, 2**70 * 999_999 - 1)


def test_small_products_have_the_ends_that_listing_finds() -> None:
    summand = Summand((Factor("y", 2, -3), Factor("y"), Factor("x", -1, 5, absolute=True)))
    listed = [(2 * y - 3) * y * abs(5 - x) for y in range(4) for x in (0, 5, 999_999)]
    assert summand.bounds(SCHEMA) == (min(listed), max(listed))
    assert ONE.bounds(SCHEMA) == (1, 1)
