"""Codes of numbers in the operations that cost an engine least, for sums over many rows.

A choice between values (CASE, least, greatest) costs an engine as much as reading the column, a difference or
an absolute value a tenth of that. For a whole number f and a code from 0 to m

    2 clamp(f, 0, m) = |f| - |f - m| + m,

so twice the codes are summed and the sum is halved. Each row is still clamped and rounded alone, and each
value is a whole number: sums of floats are exact, in any order, as long as they are below 2**53; with more
than `MOST_ROWS` rows they are not taken. Cells so large that floats lose their units, and bad ones, take the
ordinary way, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nextafter
from typing import TYPE_CHECKING

from privior.schema import Bounded, Column, Integer
from privior.schema.columns import MOST_LEVELS
from privior.tables import codes

if TYPE_CHECKING:
    import ibis.expr.types as ir

#: a whole float up to this, plus or minus a code, is exact too
_NEAR = 2.0**50
#: codes of so many rows are summed as floats: together they are below 2**53
MOST_ROWS = 2**53 // MOST_LEVELS
#: an engine looks at fewer different whole numbers once each, if they are few in a file too
_FEW = 2**16


@dataclass(frozen=True)
class Light:
    """Half of value + shift is the code of a cell, its rule for bad cells applied.

    Attributes:
        value: of a row; a whole number
        shift: a public whole number
    """

    value: ir.Value
    shift: int

    def total(self, values: ir.Value, count: ir.Value) -> ir.Value:
        """Return the sum of codes, given the column of values and the number of rows (there may be none)."""
        import ibis

        twice = values.sum().fill_null(0).cast("int64") + ibis.literal(self.shift, "int64") * count
        return twice >> ibis.literal(1, "int64")


def light(cell: ir.Value, column: Column) -> Light | None:
    """Return the light form of the code of a cell; None if there is none for such a column."""
    missing = column.missing_code
    if missing is None:
        return None
    if isinstance(column, Integer) and codes.is_whole(cell) and column.size > _FEW and column.upper >= 0:
        return _whole(cell, column, missing) if codes.is_small(column) else None
    if isinstance(column, Bounded):
        return _bounded(cell, column, missing)
    return None


def _whole(cell: ir.Value, column: Integer, missing: int) -> Light:
    """2 min(x - upper, 0) = u - |u|, u = x - upper: no overflow, for x >= lower and upper >= 0."""
    import ibis

    lower, upper = (ibis.literal(end, "int64") for end in (column.lower, column.upper))
    number = cell.cast("int64").fill_null(ibis.literal(column.lower + missing, "int64"))
    beyond = ibis.greatest(number, lower) - upper
    return Light(beyond - beyond.abs(), 2 * (column.upper - column.lower))


def _bounded(cell: ir.Value, column: Bounded, missing: int) -> Light:
    """Halves are rounded up, as in `codes`; NaN and null are near nothing, and bad."""
    import ibis

    number = cell if cell.type().is_float64() else codes.as_number(cell)
    lower, upper, grid = (codes.exact(float(one)) for one in (column.lower, column.upper, column.grid))
    last = column.size - 1
    code = _floor((number - lower) / grid + codes.exact(nextafter(0.5, 0.0)))
    near = code.abs() - (code - codes.exact(float(last))).abs()
    far = ibis.cases(
        (number < lower, codes.exact(float(-last))),
        ((number > upper) & ~number.isnan(), codes.exact(float(last))),
        else_=codes.exact(float(2 * missing - last)),
    )
    value = ibis.ifelse(code.abs() <= codes.exact(_NEAR), near, far)
    return Light(value, last)


def _floor(number: ir.Value) -> ir.Value:
    """Return the whole float below: the engine's own function, where Ibis would make an integer of it."""
    import ibis

    @ibis.udf.scalar.builtin(name="floor", signature=(("float64",), "float64"))
    def floor(value):  # type: ignore[no-untyped-def]
        """Never called: the name stands for the engine's function."""

    return floor(number)
