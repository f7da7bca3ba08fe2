"""What constructors and doors ask of their arguments, and how a frozen value is filled. No part's own words.

Every reader returns the number it was given, or says what is wrong with it, by the error of the part that
asks. `whole_number` takes integers only: no `True`, no 3.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeGuard

from privior.errors import NumberError, PriviorError, shown
from privior.exact import rational


def is_whole(value: object, least: int | None = None, most: int | None = None) -> TypeGuard[int]:
    """Whether a value is an integer from `least` to `most`; truth values are none.

    >>> is_whole(3), is_whole(3, 1, 2), is_whole(True), is_whole(3.0)
    (True, False, False, False)
    """
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and (least is None or value >= least)
        and (most is None or value <= most)
    )


def whole_number(
    value: object,
    name: str,
    least: int = 1,
    most: int | None = None,
    *,
    what: str | None = None,
    where: str | None = None,
    error: type[PriviorError] = NumberError,
) -> int:
    """Read a whole number from `least` to `most`.

    Args:
        value: what was given
        name: its name, for the message
        least: the smallest that is allowed
        most: the largest, if there is one
        what: what the message says instead of "NAME is out of range"
        where: the part that asks
        error: what is raised

    >>> whole_number(3, "draws", 1, 10)
    3
    """
    if is_whole(value, least, most):
        return value
    allowed = f"a whole number from {least}" if most is None else f"{least} to {most}"
    raise error(what or f"{name} is out of range", where=where, asked=shown(value), allowed=allowed)


def above_zero(value: object, name: str) -> Fraction:
    """Read a number above 0, exactly.

    >>> above_zero("0.1", "rate")
    Fraction(1, 10)
    """
    number = rational(value, name)
    return number if number > 0 else _refuse(value, name, "above 0")


def zero_or_above(value: object, name: str) -> Fraction:
    """Read a number that is 0 or above, exactly."""
    number = rational(value, name)
    return number if number >= 0 else _refuse(value, name, "0 or more")


def strictly_within(value: object, name: str, high: Fraction = Fraction(1)) -> Fraction:
    """Read a number above 0 and below `high`, exactly."""
    number = rational(value, name)
    return number if 0 < number < high else _refuse(value, name, f"above 0 and below {high}")


def fill(made: object, /, **fields: object) -> None:
    """Give fields to a frozen value that its own constructor is making; nobody else may.

    A dataclass with a constructor of its own says `fill(self, levels=levels, rate=rate)`.
    """
    known: Mapping[str, object] = getattr(type(made), "__dataclass_fields__", fields)
    for name, value in fields.items():
        if name not in known:
            raise AttributeError(f"{type(made).__name__} has no field {name!r}")
        object.__setattr__(made, name, value)


def _refuse(value: object, name: str, allowed: str) -> Fraction:
    raise NumberError(f"{name} is out of range", asked=shown(value), allowed=allowed)
