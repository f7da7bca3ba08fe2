"""The public mapping from a cell to a code, as expressions: for any cell whatever, a code or null.

Null stands for every bad cell (missing, unknown, unparseable); the column's rule replaces it later. A cell
is converted by its own content only and never raises (T14, T15): conversions are tried, numbers are
clamped before they are rounded, and comparisons come before casts.
"""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from math import nextafter
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import Binned, Boolean, Bounded, Column, Date, Integer
from privior.schema.columns import MOST_LEVELS

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

#: the last moment that has a text, as the first of the year 1 is the first
_LAST_MOMENT = datetime(9999, 12, 31, 23, 59, 59, 999_999)
#: more bins than this are looked up in a table, fewer by comparisons
MOST_COMPARED_BINS = 128


def is_looked_up(column: Column) -> bool:
    """Say whether codes of a column come from a table beside the rows rather than from an expression."""
    if isinstance(column, Binned):
        return column.size > MOST_COMPARED_BINS
    return not isinstance(column, (Integer, Bounded, Date))


def lookup(column: Column) -> pa.Table:
    """Return the table of a looked-up column: each text and its code, or the lower edge of each bin."""
    import pyarrow as pa

    if isinstance(column, Binned):
        edges = [-float("inf"), *_inner_edges(column)]
        return pa.table(
            {"edge": pa.array(edges, pa.float64()), "code": pa.array(range(len(edges)), pa.int64())}
        )
    words, codes = zip(*_words(column), strict=True)
    return pa.table({"text": pa.array(words, pa.string()), "code": pa.array(codes, pa.int64())})


def matched(text: ir.Value, column: Column) -> ir.Value:
    """Return the code of the first level that a text equals: never two codes, as a join might find."""
    import ibis

    return ibis.cases(*((text == word, ibis.literal(code, "int64")) for word, code in _words(column)))


def code(cell: ir.Value, column: Column) -> ir.Value:
    """Return the code of a cell in a column that is not looked up."""
    if isinstance(column, Integer):
        return _integer_code(cell, column)
    if isinstance(column, Bounded):
        return _bounded_code(cell, column)
    if isinstance(column, Binned):
        return _binned_code(as_number(cell), _inner_edges(column))
    if isinstance(column, Date):
        return _day_code(cell, column)
    raise TypeError(f"the codes of a {column.kind} column are looked up")


def ruled(cell: ir.Value, column: Column) -> tuple[ir.Value, int]:
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


def as_text(cell: ir.Value, column: Column | None = None) -> ir.Value:
    """Return a cell as the text that levels are matched with; empty text and NaN are null."""
    import ibis

    kind = cell.type()
    if kind.is_string():
        text = cell.nullif("")
    elif kind.is_floating():
        whole = cell.try_cast("int64")
        written = ibis.ifelse(whole.cast("float64") == cell, whole.cast("string"), cell.cast("string"))
        text = ibis.ifelse(cell.isnan(), ibis.null("string"), written)
    elif kind.is_decimal():
        text = cell.cast("string").re_replace(r"\.0+$", "")
        if kind.precision is not None and kind.precision == kind.scale:  # an engine may write no 0 in front
            digits = text.re_replace(r"^-?0?", "")
            text = ibis.ifelse(cell < 0, ibis.literal("-0") + digits, ibis.literal("0") + digits)
    elif kind.is_boolean():
        text = ibis.ifelse(cell.isnull(), ibis.null("string"), ibis.ifelse(cell, "true", "false"))
    elif kind.is_timestamp():
        moment = _comparable(cell)
        written = moment.between(_moment(datetime(1, 1, 1), moment), _moment(_LAST_MOMENT, moment))
        text = ibis.ifelse(written, moment.cast("timestamp(6)").cast("string"), ibis.null("string"))
    elif kind.is_date():
        written = cell.between(date(1, 1, 1), date(9999, 12, 31))
        text = ibis.ifelse(written, cell.cast("string"), ibis.null("string"))
    else:
        text = cell.cast("string")
    return text.lower() if isinstance(column, Boolean) else text


def as_number(cell: ir.Value) -> ir.Value:
    """Return a cell as a number, a 32-bit float as it prints; NaN and what cannot be read are null."""
    import ibis

    kind = cell.type()
    if kind.is_boolean():
        return cell.cast("int8").cast("float64")
    if kind.is_integer():
        return cell.cast("float64")
    text = cell if kind.is_float64() or kind.is_string() else cell.cast("string")
    number = text.try_cast("float64")
    if kind.is_string():  # a truth value whose column became text
        number = ibis.cases((cell == "true", exact(1.0)), (cell == "false", exact(0.0)), else_=number)
    return ibis.ifelse(number.isnan(), ibis.null("float64"), number)


def check_floats(name: str, column: Column) -> None:
    """Refuse bounds that a 64-bit float cannot tell apart."""
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
    a level that the schema writes otherwise, such as "True".
    """
    if isinstance(column, Boolean):
        known = [(word, code) for code in (0, 1) for word in column.SPELLINGS[code]]
    else:
        labels = column.labels
        known = [(label, code) for code, label in enumerate(labels)]
        lowered = [label.lower() for label in labels]
        truths = (word for word in ("true", "false") if word not in labels and word in lowered)
        known += [(word, lowered.index(word)) for word in truths]
    return [(word, code) for word, code in known if word.encode(errors="ignore").decode() == word]


def _integer_code(cell: ir.Value, column: Integer) -> ir.Value:
    low, high = _whole_bounds(column)
    if is_whole(cell):
        return _clamped(cell.cast("int64"), low, high) - low
    bounds = _literal(Fraction(column.lower)), _literal(Fraction(column.upper))
    return _clamped(as_number(cell), *bounds).round().cast("int64") - low


def _whole_value(cell: ir.Value, column: Integer, missing: int) -> tuple[ir.Value, int]:
    """Clamp whole numbers without a null among them: engines differ in what `least` makes of null."""
    import ibis

    low, high = _whole_bounds(column)
    number = cell.cast("int64").fill_null(ibis.literal(column.lower + missing, "int64"))
    value = ibis.least(ibis.greatest(number, low), high)
    return (value, -column.lower) if is_small(column) else (value - low, 0)


def _whole_bounds(column: Integer) -> tuple[ir.Value, ir.Value]:
    import ibis

    return ibis.literal(column.lower, "int64"), ibis.literal(column.upper, "int64")


def is_whole(cell: ir.Value) -> bool:
    """Say whether cells are whole numbers of up to 64 bits with a sign."""
    kind = cell.type()
    return bool(kind.is_integer() and not kind.is_uint64())


def is_small(column: Integer) -> bool:
    """Say whether the numbers themselves are no larger than codes may be."""
    return max(abs(column.lower), abs(column.upper)) <= MOST_LEVELS


def _bounded_code(cell: ir.Value, column: Bounded, missing: float | None = None) -> ir.Value:
    """Return the code; most cells are in bounds, and NaN is above them for some engines.

    Halves are rounded up: adding the float below 1/2 does that for every float from 0 to 2**50.
    """
    import ibis

    number = cell if cell.type().is_float64() else as_number(cell)
    lower, upper, grid = (float(value) for value in (column.lower, column.upper, column.grid))
    steps = (number - exact(lower)) / exact(grid)
    last, reached = column.size - 1, (upper - lower) / grid
    if reached > last:  # floats are rough; inside the bounds no step is beyond `reached`
        steps = _clamped(steps, exact(0.0), exact(float(last)))
    nearest = ibis.cases(
        (number.between(exact(lower), exact(upper)), steps),
        (number < exact(lower), exact(0.0)),
        ((number > exact(upper)) & ~number.isnan(), exact(min(reached, float(last)))),
        else_=ibis.null("float64") if missing is None else exact(missing),
    )
    return (nearest + exact(nextafter(0.5, 0.0))).floor()


def _day_code(cell: ir.Value, column: Date) -> ir.Value:
    import ibis

    kind = cell.type()
    low, high = ibis.literal(column.lower, "date"), ibis.literal(column.upper, "date")
    if kind.is_timestamp():
        moment = _comparable(cell)
        first, last = (_moment(_midnight(day), moment) for day in (column.lower, column.upper))
        inside = moment.cast("timestamp(6)").date()
        day = ibis.ifelse(moment >= last, high, ibis.ifelse(moment <= first, low, inside))
    else:
        day = _clamped(cell if kind.is_date() else _iso_day(cell.cast("string")), low, high)
    return day.delta(low, unit="day").cast("int64")


def _iso_day(text: ir.Value) -> ir.Value:
    """Return the day that text begins with, if it is written in ISO's order: engines guess at others."""
    import ibis

    return ibis.ifelse(text.re_search(r"^ *\d{4}-\d{2}-\d{2}"), text.try_cast("date"), ibis.null("date"))


def _binned_code(number: ir.Value, edges: list[float]) -> ir.Value:
    """Find the bin by halving; edges[i] is where bin i + 1 begins."""
    import ibis

    def among(low: int, high: int) -> ir.Value:
        if low == high:
            return ibis.literal(low, "int64")
        middle = (low + high + 1) // 2
        return ibis.ifelse(number >= exact(edges[middle - 1]), among(middle, high), among(low, middle - 1))

    return ibis.ifelse(number.isnull(), ibis.null("int64"), among(0, len(edges)))


def _inner_edges(column: Binned) -> list[float]:
    return [float(edge) for edge in column.edges[1:-1]]


def _clamped(value: ir.Value, low: ir.Value, high: ir.Value) -> ir.Value:
    """Clamp a value; null stays null, which `least` and `greatest` do not promise. Most are in bounds."""
    import ibis

    return ibis.cases((value.between(low, high), value), (value > high, high), (value < low, low))


def _comparable(cell: ir.Value) -> ir.Value:
    """Return moments as microseconds, unless a cast might stop at one: coarse ones, and those with a zone."""
    kind = cell.type()
    return cell if kind.timezone is not None or kind.scale in (0, 3) else cell.cast("timestamp(6)")


def _moment(moment: datetime, cell: ir.Value) -> ir.Value:
    """Return a moment in the type of a cell: of two types the engine casts the cell, and may stop at it."""
    import ibis

    kind = cell.type()
    if kind.timezone is None and kind.scale not in (0, 3):
        return ibis.literal(moment, "timestamp(6)")
    step = {0: "seconds", 3: "milliseconds"}.get(kind.scale, "microseconds")
    zone = "" if kind.timezone is None else "+00:00"
    return ibis.literal(moment.isoformat(" ", step) + zone).cast(kind)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _literal(number: Fraction) -> ir.Value:
    return exact(float(number))


def exact(number: float) -> ir.Value:
    """Return a float that the engine reads as text: a decimal literal may be read as another number."""
    import ibis

    return ibis.literal(repr(number)).cast("float64")
