"""The public mapping from a cell to a code, as expressions: for any cell whatever, a code or null.

Null stands for every bad cell (missing, unknown, unparseable); the column's rule replaces it later. A cell
is converted by its own content only and never raises (T14, T15): conversions are tried, numbers are
clamped before they are rounded, and comparisons come before casts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import nextafter
from typing import TYPE_CHECKING

import numpy as np

from privior.errors import TableError
from privior.schema import Binned, Boolean, Bounded, Column, Date, Integer
from privior.schema.cell_kinds import MISSING, CellKinds, read_as
from privior.schema.column import MOST_LEVELS
from privior.tables import sql
from privior.tables.arrays import number_array, text_array
from privior.tables.relations import Expression, language

if TYPE_CHECKING:
    import pyarrow as pa

#: the last moment that has a text, as the first of the year 1 is the first
_LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59, 999_999)
#: more bins than this are looked up in a table, fewer by comparisons
MOST_COMPARED_BINS = 128


def is_looked_up(column: Column) -> bool:
    """Say whether codes of a column come from a table beside the rows rather than from an expression."""
    if isinstance(column, Binned):
        return column.size > MOST_COMPARED_BINS
    if isinstance(column, CellKinds):
        return column.of_levels
    return not isinstance(column, (Integer, Bounded, Date))


def lookup(column: Column) -> pa.Table:
    """Return the table of a looked-up column: each text and its code, or the lower edge of each bin."""
    import pyarrow as pa

    if isinstance(column, Binned):
        edges = [-float("inf"), *_inner_edges(column)]
        first, known = "edge", number_array(np.array(edges))
        codes: Sequence[int] = range(len(edges))
    else:
        words, codes = zip(*_words(column), strict=True)
        first, known = "text", text_array(words)
    return pa.Table.from_arrays([known, number_array(np.array(codes))], names=[first, "code"])


def matched(text: Expression, column: Column) -> Expression:
    """Return the code of the first level that a text equals: never two codes, as a join might find."""
    made = language(text)
    return made.cases(*((text == word, made.literal(code, "int64")) for word, code in _words(column)))


def code(cell: Expression, column: Column) -> Expression:
    """Return the code of a cell in a column that is not looked up."""
    if isinstance(column, CellKinds):
        return _kind_code(cell, column)
    if isinstance(column, Integer):
        return _integer_code(cell, column)
    if isinstance(column, Bounded):
        return _bounded_code(cell, column)
    if isinstance(column, Binned):
        return _binned_code(as_number(cell), _inner_edges(column))
    if isinstance(column, Date):
        return _day_code(cell, column)
    raise TypeError(f"the codes of a {column.kind} column are looked up")


def ruled(cell: Expression, column: Column) -> tuple[Expression, int]:
    """Return a value and a public number that add up to the code of a cell, its rule for bad cells applied.

    The same as `code` with nulls replaced, in the operations that cost an engine least: a sum over many rows
    of a column that is not looked up and has a rule.
    """
    missing = column.missing_code
    if missing is None:
        raise TypeError("a column that drops records has no code for every cell")
    if isinstance(column, Integer) and is_whole(cell):
        return _whole_value(cell, column, missing)
    if isinstance(column, Bounded):
        return _bounded_code(cell, column, float(missing)), 0
    return code(cell, column).fill_null(missing), 0


def reach(column: Column) -> int:
    """Return what neither a code nor the two parts of `ruled` together exceed, whatever the type of cells."""
    if isinstance(column, Integer) and is_small(column):
        return max(abs(column.lower), abs(column.upper)) + abs(column.lower)
    return column.size - 1


def as_text(cell: Expression, column: Column | None = None) -> Expression:
    """Return a cell as the text that levels are matched with; empty text and NaN are null."""
    made, kind = language(cell), cell.type()
    if kind.is_string():
        text = cell.nullif("")
    elif kind.is_floating():
        whole = cell.try_cast("int64")
        written = made.ifelse(whole.cast("float64") == cell, whole.cast("string"), cell.cast("string"))
        text = made.ifelse(cell.isnan(), made.null("string"), written)
    elif kind.is_decimal():
        text = cell.cast("string").re_replace(r"\.0+$", "")
        if kind.precision is not None and kind.precision == kind.scale:  # an engine may write no 0 in front
            digits = text.re_replace(r"^-?0?", "")
            text = made.ifelse(cell < 0, made.literal("-0").concat(digits), made.literal("0").concat(digits))
    elif kind.is_boolean():
        text = made.ifelse(cell.isnull(), made.null("string"), made.ifelse(cell, "true", "false"))
    elif kind.is_timestamp():
        exactly = moment(cell)
        written = exactly.between(_moment(datetime(1, 1, 1), exactly), _moment(_LAST_MOMENT, exactly))
        text = made.ifelse(written, exactly.cast("timestamp(6)").cast("string"), made.null("string"))
    elif kind.is_date():
        written = cell.between(date(1, 1, 1), date(9999, 12, 31))
        text = made.ifelse(written, cell.cast("string"), made.null("string"))
    else:
        text = cell.cast("string")
    if column is None:
        return text
    lowered = text.lower() if isinstance(read_as(column), Boolean) else text
    return lowered.fill_null("") if isinstance(column, CellKinds) else lowered


def as_number(cell: Expression) -> Expression:
    """Return a cell as a number, a 32-bit float as it prints; NaN and what cannot be read are null."""
    made, kind = language(cell), cell.type()
    if kind.is_boolean():
        return cell.cast("int8").cast("float64")
    if kind.is_integer():
        return cell.cast("float64")
    text = cell if kind.is_float64() or kind.is_string() else cell.cast("string")
    number = text.try_cast("float64")
    if kind.is_string():  # a truth value whose column became text
        one, zero = exact(cell, 1.0), exact(cell, 0.0)
        number = made.cases((cell == "true", one), (cell == "false", zero), else_=number)
    return made.ifelse(number.isnan(), made.null("float64"), number)


def check_floats(name: str, column: Column) -> None:
    """Refuse bounds that a 64-bit float cannot tell apart."""
    column = read_as(column)
    if isinstance(column, Bounded):
        points, step = [column.lower, column.upper], column.grid
    elif isinstance(column, Binned):
        points, step = list(column.edges), Fraction(1)
    else:
        return
    try:
        fine = float(step) > 0 and all(low < high for low, high in pairwise(map(float, points)))
    except OverflowError:
        fine = False
    if not fine:
        raise TableError(
            "the bounds of the column are too large or too close for 64-bit floats",
            where=name,
            advice="Measure the column in another unit.",
        )


def _words(column: Column) -> list[tuple[str, int]]:
    """Return each text that has a code; a level that is no valid Unicode can be in no table.

    A truth value is written "true" or "false" whatever column it comes from, so these texts also stand for
    a level that the schema writes otherwise, such as "True". Among kinds of cells no text at all is missing.
    """
    if isinstance(column, CellKinds):
        return [("", column.labels.index(MISSING)), *((word, 0) for word, _ in _words(column.of))]
    if isinstance(column, Boolean):
        known = [(word, code) for code in (0, 1) for word in column.SPELLINGS[code]]
    else:
        labels = column.labels
        known = [(label, code) for code, label in enumerate(labels)]
        lowered = [label.lower() for label in labels]
        truths = (word for word in ("true", "false") if word not in labels and word in lowered)
        known += [(word, lowered.index(word)) for word in truths]
    return [(word, code) for word, code in known if word.encode(errors="ignore").decode() == word]


def _integer_code(cell: Expression, column: Integer) -> Expression:
    low, high = _whole_bounds(cell, column)
    if is_whole(cell):
        return _clamped(cell.cast("int64"), low, high) - low
    bounds = exact(cell, float(column.lower)), exact(cell, float(column.upper))
    return _clamped(as_number(cell), *bounds).round().cast("int64") - low


def _whole_value(cell: Expression, column: Integer, missing: int) -> tuple[Expression, int]:
    """Clamp whole numbers without a null among them: engines differ in what `least` makes of null."""
    made = language(cell)
    low, high = _whole_bounds(cell, column)
    number = cell.cast("int64").fill_null(made.literal(column.lower + missing, "int64"))
    value = made.least(made.greatest(number, low), high)
    return (value, -column.lower) if is_small(column) else (value - low, 0)


def _whole_bounds(cell: Expression, column: Integer) -> tuple[Expression, Expression]:
    literal = language(cell).literal
    return literal(column.lower, "int64"), literal(column.upper, "int64")


def is_whole(cell: Expression) -> bool:
    """Say whether cells are whole numbers of up to 64 bits with a sign."""
    kind = cell.type()
    return bool(kind.is_integer() and not kind.is_uint64())


def is_small(column: Integer) -> bool:
    """Say whether the numbers themselves are no larger than codes may be."""
    return max(abs(column.lower), abs(column.upper)) <= MOST_LEVELS


def _bounded_code(cell: Expression, column: Bounded, missing: float | None = None) -> Expression:
    """Return the code; most cells are in bounds, and NaN is above them for some engines.

    Halves are rounded up: adding the float below 1/2 does that for every float from 0 to 2**50.
    """
    made = language(cell)
    number = cell if cell.type().is_float64() else as_number(cell)
    lower, upper, grid = (float(value) for value in (column.lower, column.upper, column.grid))
    steps = (number - exact(cell, lower)) / exact(cell, grid)
    last, reached = column.size - 1, (upper - lower) / grid
    if reached > last:  # floats are rough; inside the bounds no step is beyond `reached`
        steps = _clamped(steps, exact(cell, 0.0), exact(cell, float(last)))
    nearest = made.cases(
        (number.between(exact(cell, lower), exact(cell, upper)), steps),
        (number < exact(cell, lower), exact(cell, 0.0)),
        ((number > exact(cell, upper)) & ~number.isnan(), exact(cell, min(reached, float(last)))),
        else_=made.null("float64") if missing is None else exact(cell, missing),
    )
    return (nearest + exact(cell, nextafter(0.5, 0.0))).floor()


def _day_code(cell: Expression, column: Date) -> Expression:
    made, kind = language(cell), cell.type()
    low, high = made.literal(column.lower, "date"), made.literal(column.upper, "date")
    if kind.is_timestamp():
        exactly = moment(cell)
        first, last = (midnight(one, cell) for one in (column.lower, column.upper))
        inside = exactly.cast("timestamp(6)").date()
        clamped = made.ifelse(exactly >= last, high, made.ifelse(exactly <= first, low, inside))
    else:
        clamped = _clamped(day(cell), low, high)
    return clamped.delta(low, unit="day").cast("int64")


def day(cell: Expression) -> Expression:
    """Return the day of a cell that is one, or text that begins with one; null where there is none."""
    return cell if cell.type().is_date() else _iso_day(cell.cast("string"))


def _kind_code(cell: Expression, column: CellKinds) -> Expression:
    """Return the code of the kind of a cell in a column of numbers or days."""
    made, given, of = language(cell), cell.type(), column.of
    valid, missing, unparseable, outside = (made.literal(place, "int64") for place in range(column.size))

    branches = [(cell.nullif("").isnull() if given.is_string() else cell.isnull(), missing)]
    if given.is_floating():
        branches.append((cell.isnan(), missing))
    if isinstance(of, Date) and given.is_timestamp():
        branches.append((_moments_inside(cell, of), valid))
    else:
        value = day(cell) if isinstance(of, Date) else as_number(cell)
        low, high = _ends(cell, of)
        branches += [(value.isnull(), unparseable), (value.between(low, high), valid)]
    return made.cases(*branches, else_=outside)


def _ends(cell: Expression, of: Column) -> tuple[Expression, Expression]:
    if isinstance(of, Date):
        literal = language(cell).literal
        return literal(of.lower, "date"), literal(of.upper, "date")
    if isinstance(of, (Integer, Bounded)):
        return exact(cell, float(of.lower)), exact(cell, float(of.upper))
    if isinstance(of, Binned):
        return exact(cell, float(of.edges[0])), exact(cell, float(of.edges[-1]))
    raise TypeError(f"the cells of a {of.kind} column are in no range")


def _moments_inside(cell: Expression, of: Date) -> Expression:
    """Say whether a moment is on one of the days."""
    first = midnight(of.lower, cell)
    inside = moment(cell) >= first
    if of.upper == date.max:
        return inside
    return inside & (moment(cell) < midnight(of.upper + timedelta(days=1), cell))


def _iso_day(text: Expression) -> Expression:
    """Return the day that text begins with, if it is written in ISO's order: engines guess at others."""
    made = language(text)
    return made.ifelse(text.re_search(r"^ *\d{4}-\d{2}-\d{2}"), text.try_cast("date"), made.null("date"))


def _binned_code(number: Expression, edges: list[float]) -> Expression:
    """Find the bin by halving; edges[i] is where bin i + 1 begins."""
    made = language(number)

    def among(low: int, high: int) -> Expression:
        if low == high:
            return made.literal(low, "int64")
        middle = (low + high + 1) // 2
        edge = exact(number, edges[middle - 1])
        return made.ifelse(number >= edge, among(middle, high), among(low, middle - 1))

    return made.ifelse(number.isnull(), made.null("int64"), among(0, len(edges)))


def _inner_edges(column: Binned) -> list[float]:
    return [float(edge) for edge in column.edges[1:-1]]


def _clamped(value: Expression, low: Expression, high: Expression) -> Expression:
    """Clamp a value; null stays null, which `least` and `greatest` do not promise. Most are in bounds."""
    inside = value.between(low, high)
    return language(value).cases((inside, value), (value > high, high), (value < low, low))


def moment(cell: Expression) -> Expression:
    """Return moments as microseconds, unless a cast might stop at one: coarse ones, and those with a zone."""
    return cell if _is_delicate(cell) else cell.cast("timestamp(6)")


def _moment(time: datetime, cell: Expression) -> Expression:
    """Return a moment in the type of a cell: of two types the engine casts the cell, and may stop at it."""
    made = language(cell)
    if not _is_delicate(cell):
        return made.literal(time, "timestamp(6)")
    kind = cell.type()
    step = {0: "seconds", 3: "milliseconds"}.get(kind.scale, "microseconds")
    zone = "" if kind.timezone is None else "+00:00"
    return made.literal(time.isoformat(" ", step) + zone).cast(kind)


def _is_delicate(cell: Expression) -> bool:
    """Say whether moments of a database have a zone or coarse units; an engine of ours has plain ones."""
    if language(cell) is sql:
        return False
    kind = cell.type()
    return kind.timezone is not None or kind.scale in (0, 3)


def midnight(first: date, cell: Expression) -> Expression:
    """Return when a day begins, in the type of `moment` of a cell."""
    return _moment(datetime(first.year, first.month, first.day), moment(cell))


def exact(near: Expression, number: float) -> Expression:
    """Return a float that the engine reads as text: a decimal literal may be read as another number."""
    return language(near).literal(repr(number)).cast("float64")
