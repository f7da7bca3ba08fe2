"""Columns of numbers: whole ones, points of a grid, or bins."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Literal

from privior.checks import fill, is_whole
from privior.errors import NumberError, SchemaError, shown
from privior.exact import decimal, rational
from privior.schema.column import DROP, MOST_LEVELS, Column, Missing, check_bounds, check_size, text, written


@dataclass(frozen=True)
class Integer(Column):
    """Whole numbers from `lower` to `upper`; others are rounded and clamped. A bad cell counts as `lower`."""

    lower: int
    upper: int
    missing: int | Literal[Missing.DROP] | None = None
    kind: ClassVar[str] = "integer"
    written_as: ClassVar[str] = "number"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if not is_whole(bound, -(2**53), 2**53):
                raise SchemaError(f"{name} is not a whole number", where=self.kind, asked=shown(bound))
        check_bounds(self.kind, self.lower, self.upper)
        check_size(self.kind, self.upper - self.lower + 1)
        if self.missing is None:
            fill(self, missing=self.lower)
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if out of bounds

    @property
    def ends(self) -> tuple[str, str]:
        """The smallest and the largest number."""
        return str(self.lower), str(self.upper)

    @property
    def size(self) -> int:
        """One code per whole number in the bounds."""
        return self.upper - self.lower + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The numbers as text."""
        return tuple(str(number) for number in range(self.lower, self.upper + 1))

    @property
    def values(self) -> tuple[object, ...]:
        """The whole numbers between the bounds."""
        return tuple(range(self.lower, self.upper + 1))

    def code(self, value: object) -> int:
        """Return the code of a whole number, without listing all of them (T40)."""
        number = text(value)
        if re.fullmatch(r"0|-?[1-9][0-9]{0,15}", number) and self.lower <= int(number) <= self.upper:
            return int(number) - self.lower
        return super().code(value)

    def own_code(self, cell: object) -> int:
        """Return the code of a number, moved to the bounds and rounded, halves away from 0."""
        number = min(max(_number(cell, self.kind), float(self.lower)), float(self.upper))
        return int(Decimal(number).quantize(Decimal(1), ROUND_HALF_UP)) - self.lower


@dataclass(frozen=True)
class Bounded(Column):
    """Numbers from `lower` to `upper` on a public grid; others are clamped and rounded to the grid.

    A bad cell counts as `missing`, by default `lower`.
    """

    lower: Fraction
    upper: Fraction
    grid: Fraction
    missing: Fraction | Literal[Missing.DROP]
    kind: ClassVar[str] = "bounded"
    written_as: ClassVar[str] = "number"
    ordered: ClassVar[bool] = True

    def __init__(self, lower: object, upper: object, *, grid: object, missing: object = None) -> None:
        try:
            low, high, step = (
                rational(value, name) for value, name in ((lower, "lower"), (upper, "upper"), (grid, "grid"))
            )
            bad = missing if missing is DROP else low if missing is None else rational(missing, "missing")
        except Exception as error:
            raise SchemaError(
                "a bound is not a number", where=self.kind, asked=str(error).split("\n")[0]
            ) from None
        check_bounds(self.kind, low, high)
        if step <= 0 or (high - low) % step:
            raise SchemaError(
                "the grid does not divide the range",
                where=self.kind,
                asked=f"grid {decimal(step)} on [{decimal(low)}, {decimal(high)}]",
                allowed="(upper - lower) / grid a whole number",
            )
        check_size(self.kind, int((high - low) / step) + 1, _coarser(high - low, step))
        fill(self, lower=low, upper=high, grid=step, missing=bad)
        if missing is None:
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if off the grid

    @property
    def ends(self) -> tuple[str, str]:
        """The smallest and the largest number."""
        return decimal(self.lower), decimal(self.upper)

    @property
    def size(self) -> int:
        """One code per point of the grid."""
        return int((self.upper - self.lower) / self.grid) + 1

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The points of the grid, which may be a million: written once."""
        below = math.lcm(self.lower.denominator, self.grid.denominator)
        first, step = int(self.lower * below), int(self.grid * below)
        return tuple(decimal(Fraction(first + code * step, below)) for code in range(self.size))

    def code(self, value: object) -> int:
        """Return the code of a point of the grid."""
        steps = (rational(value, "value") - self.lower) / self.grid
        if steps.denominator != 1 or not 0 <= steps < self.size:
            raise SchemaError("not a point of the grid", where=self.kind, asked=shown(value))
        return int(steps)

    def own_code(self, cell: object) -> int:
        """Return the code of a number, moved to the bounds and then to the nearest point of the grid."""
        lower, upper = float(self.lower), float(self.upper)
        steps = (min(max(_number(cell, self.kind), lower), upper) - lower) / float(self.grid)
        return min(math.floor(steps + math.nextafter(0.5, 0.0)), self.size - 1)


@dataclass(frozen=True)
class Binned(Column):
    """Numbers sorted into public bins [edge, next edge), the last one closed; outside: the nearest bin.

    A bad cell counts as `missing`, the label or number of a bin, by default the first.
    """

    edges: tuple[Fraction, ...]
    missing: str | Literal[Missing.DROP]
    kind: ClassVar[str] = "binned"
    written_as: ClassVar[str] = "number"
    ordered: ClassVar[bool] = True

    def __init__(
        self, edges: Sequence[object], missing: str | int | Literal[Missing.DROP] | None = None
    ) -> None:
        if isinstance(edges, str) or not isinstance(edges, Sequence):
            raise SchemaError("edges are not a list", where=self.kind, asked=shown(edges))
        if len(edges) < 3:
            raise SchemaError(
                "too few edges", where=self.kind, asked=shown(edges), allowed="3 or more: 2 bins"
            )
        try:
            cuts = tuple(rational(edge, "edge") for edge in edges)
        except Exception:
            raise SchemaError("an edge is not a number", where=self.kind, asked=shown(list(edges))) from None
        if any(low >= high for low, high in pairwise(cuts)):
            raise SchemaError("the edges do not increase", where=self.kind, asked=shown(list(edges)))
        check_size(self.kind, len(cuts) - 1)
        fill(self, edges=cuts)
        if is_whole(missing, 0, self.size - 1):
            missing = self.labels[missing]
        fill(self, missing=self.labels[0] if missing is None else missing)
        if missing is None:
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if not a bin

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last edge."""
        return decimal(self.edges[0]), decimal(self.edges[-1])

    @property
    def size(self) -> int:
        """One code per bin."""
        return len(self.edges) - 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The bins as half-open intervals; the last one is closed."""
        ends = [decimal(edge) for edge in self.edges]
        last = len(ends) - 2
        return tuple(f"[{ends[i]}, {ends[i + 1]}{']' if i == last else ')'}" for i in range(last + 1))

    def code(self, value: object) -> int:
        """Return the code of a bin's label, or of the bin in which a number falls."""
        if text(value) in self.labels:
            return self.labels.index(text(value))
        try:
            number = rational(value, "value")
        except NumberError:
            return super().code(value)
        return sum(number >= edge for edge in self.edges[1:-1])

    def own_code(self, cell: object) -> int:
        """Return the code of a bin's label, or of the bin in which a number falls."""
        if written(cell) in self.labels:
            return self.labels.index(written(cell))
        number = _number(cell, self.kind)
        return sum(number >= float(edge) for edge in self.edges[1:-1])


def _number(cell: object, where: str) -> float:
    """Read a cell as a number: truth values are 0 and 1."""
    if cell in ("true", "false"):
        return float(cell == "true")
    if not isinstance(cell, str) or "_" not in cell:
        try:
            number = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isnan(number):
            return number
    raise SchemaError("not a number", where=where, asked=shown(cell))


def _coarser(length: Fraction, step: Fraction) -> str:
    """Name the finest grid that has few enough points: round numbers of steps that divide the range."""
    rounds = (step * times * 10**zeros for zeros in range(18) for times in (2, 5, 10))
    fits = (one for one in rounds if length % one == 0 and length / one < MOST_LEVELS)
    found = next(fits, None)
    return "" if found is None else f", such as {decimal(found)},"
