"""Queries to an engine of privior's own, in SQL, by the few operations of Ibis that reading a table takes.

Expressions are written once, in these operations; `relations.language` says who makes them. Ibis puts them
to whatever database an Ibis table lives in. What privior reads itself needs DuckDB alone and is spared Ibis,
which loads for longer than ten million rows are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_TYPES = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "string": "VARCHAR",
    "date": "DATE",
    "timestamp(6)": "TIMESTAMP",
}


@dataclass(frozen=True)
class CellType:
    """The type of the cells of a column, one of the plain types."""

    given: pa.DataType

    def is_string(self) -> bool:
        """Say whether cells are text."""
        return str(self.given) in ("string", "large_string")

    def is_floating(self) -> bool:
        """Say whether cells are floats."""
        return str(self.given) in ("float", "double")

    def is_float64(self) -> bool:
        """Say whether cells are floats of 64 bits."""
        return str(self.given) == "double"

    def is_integer(self) -> bool:
        """Say whether cells are whole numbers."""
        return str(self.given).lstrip("u").startswith("int")

    def is_uint64(self) -> bool:
        """Say whether cells are whole numbers of 64 bits without a sign."""
        return str(self.given) == "uint64"

    def is_decimal(self) -> bool:
        """Say whether cells are decimals."""
        return str(self.given).startswith("decimal")

    def is_boolean(self) -> bool:
        """Say whether cells are truth values."""
        return str(self.given) == "bool"

    def is_timestamp(self) -> bool:
        """Say whether cells are moments."""
        return str(self.given).startswith("timestamp")

    def is_date(self) -> bool:
        """Say whether cells are days."""
        return str(self.given).startswith("date")

    @property
    def precision(self) -> int:
        """The digits of a decimal number, before and behind its point."""
        return int(self.given.precision)

    @property
    def scale(self) -> int:
        """The digits of decimals that are after the point."""
        return int(self.given.scale)


@dataclass(frozen=True, eq=False, repr=False)
class Value:
    """A value of each row, or of all rows of a group.

    Attributes:
        text: in SQL
        kind: the type of cells that are as they were read; None of what was made of them
    """

    text: str
    kind: CellType | None = None

    def type(self) -> Any:
        """Return the type of cells as they were read."""
        return self.kind

    def cast(self, kind: str) -> Value:
        """Convert, and raise where that is not possible."""
        return Value(f"CAST({self.text} AS {_TYPES[kind]})")

    def try_cast(self, kind: str) -> Value:
        """Convert; null where that is not possible."""
        return Value(f"TRY_CAST({self.text} AS {_TYPES[kind]})")

    def fill_null(self, other: object) -> Value:
        """Return a value that has another one in the place of null."""
        return _call("COALESCE", self, other)

    def nullif(self, other: object) -> Value:
        """Return null where it equals another value."""
        return _call("NULLIF", self, other)

    def isnan(self) -> Value:
        """Say whether it is no number."""
        return _call("ISNAN", self)

    def isnull(self) -> Value:
        """Say whether it is null."""
        return Value(f"({self.text} IS NULL)")

    def notnull(self) -> Value:
        """Say whether it is not null."""
        return Value(f"({self.text} IS NOT NULL)")

    def between(self, low: object, high: object) -> Value:
        """Say whether it is in bounds, both included."""
        return Value(f"({self.text} BETWEEN {_text(low)} AND {_text(high)})")

    def lower(self) -> Value:
        """Return text in lower case."""
        return _call("LOWER", self)

    def concat(self, *others: object) -> Value:
        """Put texts after one another; null if one is."""
        return Value(f"({' || '.join(map(_text, (self, *others)))})")

    def re_search(self, pattern: str) -> Value:
        """Say whether text matches somewhere."""
        return _call("REGEXP_MATCHES", self, pattern)

    def re_replace(self, pattern: str, other: str) -> Value:
        """Replace all that matches in text."""
        return _call("REGEXP_REPLACE", self, pattern, other, "g")

    def hash(self) -> Value:
        """Return a number of 64 bits that says little about a text."""
        return Value(f"CAST(CAST(HASH({self.text}) AS BIT) AS BIGINT)")

    def abs(self) -> Value:
        """Drop the sign."""
        return _call("ABS", self)

    def nearest(self) -> Value:
        """Round a float to a whole one, halves away from zero."""
        return _call("ROUND", self)

    def round(self) -> Value:
        """Round a float to a whole number, halves away from zero."""
        return Value(f"CAST(ROUND({self.text}, 0) AS BIGINT)")

    def floor(self) -> Value:
        """Round a float down to a whole number."""
        return Value(f"CAST(FLOOR({self.text}) AS BIGINT)")

    def date(self) -> Value:
        """Return the day of a moment."""
        return self.cast("date")

    def delta(self, other: Value, unit: str) -> Value:
        """Return how many days, or other units, lie between another day and this one."""
        return _call("DATE_DIFF", unit, other, self)

    def sum(self) -> Value:
        """Add up the rows of a group; null if there are none."""
        return _call("SUM", self)

    def nunique(self) -> Value:
        """Count the different values in the rows of a group, without null."""
        return Value(f"COUNT(DISTINCT {self.text})")

    def over(self, group_by: str | Sequence[str], order_by: Sequence[Value] = ()) -> Value:
        """Number the rows of each group from 0, in this order."""
        names = [group_by] if isinstance(group_by, str) else group_by
        order = f" ORDER BY {', '.join(value.text for value in order_by)}" if order_by else ""
        return Value(f"({self.text} OVER (PARTITION BY {', '.join(names)}{order}) - 1)")

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return _between(self, "=", other)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: object) -> Value:
        return _between(self, "<", other)

    def __le__(self, other: object) -> Value:
        return _between(self, "<=", other)

    def __gt__(self, other: object) -> Value:
        return _between(self, ">", other)

    def __ge__(self, other: object) -> Value:
        return _between(self, ">=", other)

    def __and__(self, other: Value) -> Value:
        return _between(self, "AND", other)

    def __invert__(self) -> Value:
        return Value(f"(NOT {self.text})")

    def __add__(self, other: object) -> Value:
        return _between(self, "+", other)

    def __sub__(self, other: object) -> Value:
        return _between(self, "-", other)

    def __mul__(self, other: object) -> Value:
        return _between(self, "*", other)

    def __truediv__(self, other: object) -> Value:
        return _between(self, "/", other)

    def __rshift__(self, other: object) -> Value:
        return _between(self, ">>", other)


@dataclass(frozen=True, repr=False)
class SqlTable:
    """Rows, by a name or a query.

    Attributes:
        source: what stands after FROM
        kinds: the columns, and the types of those that are as they were read
        alias: what the rows are called where they are used; those of both sides of a join must differ
    """

    source: str
    kinds: dict[str, CellType | None]
    alias: str = "t"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.kinds)

    def __getitem__(self, name: str) -> Value:
        return Value(f"{self.alias}.{name}", self.kinds[name])

    def count(self) -> Value:
        """Count the rows of a group."""
        return Value("COUNT(*)")

    def select(self, *names: str, **made: Value) -> SqlTable:
        """Return these columns, and what is made of them."""
        return self._selected({name: self[name] for name in names} | made, "")

    def mutate(self, **made: Value) -> SqlTable:
        """Return all columns, some of them made anew or in addition."""
        return self._selected({name: self[name] for name in self.columns} | made, "")

    def filter(self, condition: Value) -> SqlTable:
        """Return the rows for which something holds."""
        return self._selected({name: self[name] for name in self.columns}, f" WHERE {condition.text}")

    def agg(self, **made: Value) -> SqlTable:
        """Make one row of all rows."""
        return self._selected(made, "")

    def group_by(self, names: str | Sequence[str]) -> Grouped:
        """Put rows into groups that are alike in these columns."""
        return Grouped(self, [names] if isinstance(names, str) else list(names))

    def left_join(self, other: SqlTable, condition: Value) -> SqlTable:
        """Put the row of another table beside each row for which something holds, or null."""
        return self._joined("LEFT JOIN", other, condition)

    def asof_join(self, other: SqlTable, on: Value) -> SqlTable:
        """Put the nearest row of another table beside each row for which something holds, or null."""
        return self._joined("ASOF LEFT JOIN", other, on)

    def _joined(self, kind: str, other: SqlTable, condition: Value) -> SqlTable:
        both = f"{self.source} AS {self.alias} {kind} {other.source} AS {other.alias} ON {condition.text}"
        return SqlTable(both, self.kinds | other.kinds, "")

    def _selected(self, made: dict[str, Value], rest: str) -> SqlTable:
        listed = ", ".join(f"{value.text} AS {name}" for name, value in made.items())
        alias = f" AS {self.alias}" if self.alias else ""
        kinds = {name: value.kind for name, value in made.items()}
        return SqlTable(f"(FROM {self.source}{alias} SELECT {listed}{rest})", kinds)


@dataclass(frozen=True, repr=False)
class Grouped:
    """Rows in groups that are alike in some columns."""

    table: SqlTable
    names: list[str]

    def agg(self, **made: Value) -> SqlTable:
        """Make one row of each group."""
        keys = {name: self.table[name] for name in self.names}
        places = ", ".join(str(place + 1) for place in range(len(keys)))
        return self.table._selected(keys | made, f" GROUP BY {places}")


def literal(value: object, kind: str | None = None) -> Value:
    """Return a value that is the same in each row."""
    return Value(_text(value))


def null(kind: str) -> Value:
    """Return null of a type."""
    return Value(f"CAST(NULL AS {_TYPES[kind]})")


def cases(*branches: tuple[Value, object], else_: object = None) -> Value:
    """Return the value of the first condition that holds."""
    chosen = " ".join(f"WHEN {condition.text} THEN {_text(value)}" for condition, value in branches)
    return Value(f"CASE {chosen} ELSE {_text(else_)} END")


def ifelse(condition: Value, one: object, other: object) -> Value:
    """Return one of two values."""
    return cases((condition, one), else_=other)


def least(*values: object) -> Value:
    """Return the smallest."""
    return _call("LEAST", *values)


def greatest(*values: object) -> Value:
    """Return the largest."""
    return _call("GREATEST", *values)


def row_number() -> Value:
    """Return the number of a row, to be said `over` what."""
    return Value("ROW_NUMBER()")


def _call(name: str, *values: object) -> Value:
    return Value(f"{name}({', '.join(map(_text, values))})")


def _between(one: Value, sign: str, other: object) -> Value:
    return Value(f"({one.text} {sign} {_text(other)})")


def _text(value: object) -> str:
    """Write a value; a moment before a day, which it also is."""
    if isinstance(value, Value):
        return value.text
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, datetime):
        seconds = f"{value.second}.{value.microsecond:06}"
        day = f"{value.year}, {value.month}, {value.day}"
        return f"MAKE_TIMESTAMP({day}, {value.hour}, {value.minute}, {seconds})"
    if isinstance(value, date):
        return f"MAKE_DATE({value.year}, {value.month}, {value.day})"
    return f"({value:d})" if isinstance(value, int) else repr(value)
