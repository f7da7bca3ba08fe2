"""Comparisons: which codes of an ordered column lie below or above a cut."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

from privior.errors import InferenceError, NumberError
from privior.exact import decimal, rational
from privior.schema.days import Date
from privior.schema.numbers import Binned, Bounded, Integer

#: columns whose values can be compared
Ordered = Integer | Bounded | Date | Binned


def codes_compared(name: str, column: Ordered, operator: str, cut: str) -> range:
    """Return the codes whose values are below or above a cut. Bins can be cut at their edges only.

    Args:
        name: of the column, for messages
        column: what is known of it
        operator: "<", "<=", ">" or ">="
        cut: the value to compare with
    """
    match column:
        case Integer():
            at = _number(name, cut) - column.lower
        case Bounded():
            at = (_number(name, cut) - column.lower) / column.grid
        case Date():
            at = Fraction((_day(name, cut) - column.lower).days)
        case Binned():
            at = _edge(name, column, operator, cut)
    first = math.ceil(at) if operator in ("<", ">=") else math.floor(at) + 1
    first = min(max(first, 0), column.size)
    return range(first) if operator in ("<", "<=") else range(first, column.size)


def _number(name: str, cut: str) -> Fraction:
    try:
        return rational(cut, name)
    except NumberError as error:
        raise InferenceError(f"{name} is compared with what is not a number", allowed=error.allowed) from None


def _day(name: str, cut: str) -> date:
    try:
        return date.fromisoformat(cut)
    except ValueError:
        raise InferenceError(f"{name} is compared with what is not a day", allowed="YYYY-MM-DD") from None


def _edge(name: str, column: Binned, operator: str, cut: str) -> Fraction:
    """Return where a cut lies among the bins.

    Each bin holds its lower edge and not its upper one, but the last holds both. So only `<` and `>=` cut
    between bins, and only `<=` and `>` at the very end.
    """
    number, edges = _number(name, cut), column.edges
    if number not in edges:
        raise InferenceError(
            f"{name} is known in bins, which can be cut at their edges only", allowed=_listed(edges)
        )
    last = number == edges[-1]
    if last and operator in ("<", ">="):
        raise InferenceError(
            f"the last bin of {name} holds its upper edge, so it cannot be cut off there",
            allowed=f"<= with {decimal(number)}; < and >= with {_listed(edges[:-1])}",
        )
    if not last and operator in ("<=", ">"):
        raise InferenceError(
            f"the bins of {name} hold their lower edges, so they are cut by < and >=",
            allowed=f"< and >= with {decimal(number)}",
        )
    return Fraction(edges.index(number))


def _listed(edges: tuple[Fraction, ...]) -> str:
    return ", ".join(map(decimal, edges[:12])) + (", ..." if len(edges) > 12 else "")
