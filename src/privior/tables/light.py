"""Codes of numbers in the operations that cost an engine least, for sums over many rows.

A choice between values (CASE, least, greatest) costs an engine as much as reading the column, a difference or
an absolute value a tenth of that. For a whole number f and a code from 0 to m

    2 clamp(f, 0, m) = |f| - |f - m| + m,

so twice the codes are summed and the sum is halved. Cells so large that floats lose their units, and bad
ones, take the ordinary way, row by row. Which form is taken follows from types and bounds alone (T45).

Each row is still clamped and rounded alone, and each value is a whole number: sums of floats are exact, in
any order, as long as they are below 2**53; with more than `MOST_ROWS` rows they are not taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, nextafter

from privior.schema import Bounded, Column, Integer
from privior.schema.column import MOST_LEVELS
from privior.tables import codes, sql

#: a whole float up to this, plus or minus a code, is exact too
_NEAR = 2.0**50
#: codes of so many rows are summed as floats: together they are below 2**53
MOST_ROWS = 2**53 // MOST_LEVELS
#: an engine looks at fewer different whole numbers once each, if they are few in a file too
_FEW = 2**16


@dataclass(frozen=True)
class Light:
    """A value of a cell and a shift add up to twice its code.

    Attributes:
        value: of a row, a whole number
        shift: a public whole number
    """

    value: sql.Value
    shift: int

    def total(self, selected: sql.Value, rows: sql.Value) -> sql.Value:
        """Return the sum of codes in a table, or in a group of it, by its values and how many rows it has."""
        twice = selected.sum().fill_null(0).cast("int64") + sql.literal(self.shift, "int64") * rows
        return twice >> sql.literal(1, "int64")


def light(cell: sql.Value, column: Column) -> Light | None:
    """Return the light form of the code of a cell; None if there is none for such a column."""
    missing = column.missing_code
    if missing is None:
        return None
    if isinstance(column, Integer) and codes.is_whole(cell) and column.size > _FEW and column.upper >= 0:
        return _whole(cell, column, missing) if codes.is_small(column) else None
    if isinstance(column, Bounded) and _nearest(float(column.upper), column) == column.size - 1:
        return _bounded(cell, column, missing)
    return None


def _whole(cell: sql.Value, column: Integer, missing: int) -> Light:
    """2 min(x - upper, 0) = u - |u|, u = x - upper: no overflow, for x >= lower and upper >= 0."""
    lower, upper = (sql.literal(end, "int64") for end in (column.lower, column.upper))
    number = cell.cast("int64").fill_null(sql.literal(column.lower + missing, "int64"))
    beyond = sql.greatest(number, lower) - upper
    return Light(beyond - beyond.abs(), 2 * (column.upper - column.lower))


def _bounded(cell: sql.Value, column: Bounded, missing: int) -> Light:
    """Halves are rounded up, as in `codes`; NaN and null are near nothing, and bad."""
    number = cell if cell.type().is_float64() else codes.as_number(cell)
    lower, upper = codes.exact(number, float(column.lower)), codes.exact(number, float(column.upper))
    last = column.size - 1
    code = _rounded(number, column)
    near = code.abs() - (code - codes.exact(number, float(last))).abs()
    far = sql.cases(
        (number < lower, codes.exact(number, float(-last))),
        ((number > upper) & ~number.isnan(), codes.exact(number, float(last))),
        else_=codes.exact(number, float(2 * missing - last)),
    )
    return Light(sql.ifelse(code.abs() <= codes.exact(number, _NEAR), near, far), last)


def _rounded(number: sql.Value, column: Bounded) -> sql.Value:
    """Return the nearest whole number of steps above the lower bound: halves up, but down where it is below.

    It is the engine's own rounding, of floats to floats.
    """
    above = number - codes.exact(number, float(column.lower)) if column.lower else number
    steps: sql.Value = above / codes.exact(number, float(column.grid))
    return steps.nearest()


def _nearest(number: float, column: Bounded) -> int:
    """Return the code that the engine gives a number which is not below the lower bound."""
    return floor((number - float(column.lower)) / float(column.grid) + nextafter(0.5, 0.0))
