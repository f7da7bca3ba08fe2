"""Facts as people type them: a name and a number, or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from privior.errors import NumberError, shown
from privior.exact import rational

Facts = Mapping[str, object]


def number(facts: Facts, name: str) -> Fraction:
    """Read the fact of this name as a number, exactly."""
    return rational(facts[name], name)


def count(facts: Facts, name: str) -> int:
    """Read the fact of this name as a whole number."""
    found = number(facts, name)
    if found.denominator != 1:
        raise NumberError(f"{name} is not a whole number", asked=shown(facts[name]))
    return int(found)


def numbers(value: object) -> list[object]:
    """Read one number, or several with commas between them."""
    if isinstance(value, str):
        return list(value.split(","))
    return [value] if isinstance(value, (Fraction, int)) else list(value)  # type: ignore[call-overload]


def cells(facts: Facts) -> list[object]:
    """Read a prior; one number stands for every level of a table of three or more."""
    found = numbers(facts["prior"])
    return found * 3 if len(found) == 1 else found


def tables(facts: Facts) -> Sequence[Sequence[object]]:
    """Read the prior of each node, with semicolons between them."""
    value = facts["nodes"]
    listed = [part for part in value.split(";") if part.strip()] if isinstance(value, str) else value
    return [numbers(part) for part in listed]  # type: ignore[attr-defined]
