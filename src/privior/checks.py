"""What constructors and doors ask of their arguments, and how a frozen value is filled and written.

No part's own words.

Every reader returns the number it was given, or says what is wrong with it, by the error of the part that
asks. `whole_number` takes integers only: no `True`, no 3.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeGuard, TypeVar

from privior.errors import NumberError, PriviorError, shown
from privior.exact import decimal, rational

T = TypeVar("T")


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


@contextmanager
def told_by(
    error: type[PriviorError], where: str | None = None, heard: type[PriviorError] = NumberError
) -> Iterator[None]:
    """Let what goes wrong inside be told by the part that asked: the same words, of its own kind and place.

    Args:
        error: what is raised
        where: the part that asks
        heard: what is raised inside
    """
    try:
        yield
    except heard as wrong:
        asked, allowed, advice = wrong.asked, wrong.allowed, wrong.advice
        raise error(wrong.what, where=where, asked=asked, allowed=allowed, advice=advice) from None


def fill(made: object, /, **fields: object) -> None:
    """Give fields to a frozen value that its own constructor is making; nobody else may.

    A dataclass with a constructor of its own says `fill(self, levels=levels, rate=rate)`.
    """
    known: Mapping[str, object] = getattr(type(made), "__dataclass_fields__", fields)
    for name, value in fields.items():
        if name not in known:
            raise AttributeError(f"{type(made).__name__} has no field {name!r}")
        object.__setattr__(made, name, value)


def plain_fields(made: object, *but: str) -> dict[str, object]:
    """Write the fields of a value as plain values that its constructor reads: exact numbers as text.

    Args:
        made: a dataclass; anything else has no fields
        but: the fields that are left out; so are those that are None
    """
    names = [one.name for one in fields(made) if one.name not in but] if is_dataclass(made) else []
    found = {name: getattr(made, name) for name in names}
    return {name: _plain(value) for name, value in found.items() if value is not None}


def _plain(value: object) -> object:
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    return decimal(value) if isinstance(value, Fraction) else value


def known_as(kind: type[T], value: object) -> T:
    """Return what is known to be of a kind, for those who read the code and for the type checker."""
    if not isinstance(value, kind):
        raise TypeError(f"not a {kind.__name__}")
    return value


def _refuse(value: object, name: str, allowed: str) -> Fraction:
    raise NumberError(f"{name} is out of range", asked=shown(value), allowed=allowed)
