"""The numbers that a published formula takes, read exactly and refused outside its range."""

from __future__ import annotations

from fractions import Fraction

from privior.errors import NumberError, shown
from privior.exact import rational


def above(value: object, name: str) -> Fraction:
    """Read a number above 0."""
    number = rational(value, name)
    if number <= 0:
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed="above 0")
    return number


def least(value: object, name: str) -> Fraction:
    """Read a number that is 0 or above."""
    number = rational(value, name)
    if number < 0:
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed="0 or more")
    return number


def within(value: object, name: str, high: Fraction = Fraction(1)) -> Fraction:
    """Read a number above 0 and below `high`."""
    number = rational(value, name)
    if not 0 < number < high:
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed=f"above 0 and below {high}")
    return number


def many(value: int, name: str, low: int = 1) -> int:
    """Read a whole number from `low` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise NumberError(f"{name} is out of range", asked=shown(value), allowed=f"a whole number from {low}")
    return value
