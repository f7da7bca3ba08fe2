"""The public facts of a table: the names and types of its columns, checked before any row is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import Binned, Bounded, Column, Date, Integer, Schema
from privior.schema.cell_kinds import read_as
from privior.tables.arrays import plain_type, value_type

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_LISTED = 30
_LONGEST_LISTED = 60


def needed(schema: Schema, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the columns to read: those counted, then the one that names the person."""
    return columns if schema.unit.column is None else (*columns, schema.unit.column)


def check_names(
    found: Sequence[str], schema: Schema, columns: tuple[str, ...], where: str, *, declared: bool = True
) -> None:
    """Refuse a header without a needed column or with one name for two columns.

    Args:
        found: the names in the table
        schema: the public facts
        columns: the columns to count
        where: what to call the table
        declared: whether the names are surely names; the first line of a text file may be a record
            after all, and is not shown if none of the schema's names is in it
    """
    absent = [name for name in needed(schema, columns) if name not in found]
    if absent and not declared and not any(name in found for name in (*schema.columns, schema.unit.column)):
        raise TableError(
            "the first line names none of the schema's columns",
            where=where,
            asked=", ".join(absent),
            advice=(
                f"It has {len(found)} cell(s) at the declared delimiter. For another one say [csv] delimiter "
                "in the file, or csv=pv.CsvDialect(delimiter=...); for a file without a header header=False."
            ),
        )
    if absent:
        whose = " that names the person" if absent == [schema.unit.column] else ""
        raise TableError(
            f"the table has no such column{whose}", where=where, asked=", ".join(absent), allowed=_some(found)
        )
    check_unique(found, where)


def check_unique(found: Sequence[str], where: str, *, declared: bool = True) -> None:
    """Refuse one name for two columns, and show it if it surely is a name; several may have none."""
    seen: set[str] = set()
    for name in filter(None, found):
        if name in seen:
            raise TableError(
                "two columns have the same name",
                where=where,
                asked=name[:_LONGEST_LISTED] if declared else None,
            )
        seen.add(name)


def check_types(fields: pa.Schema, schema: Schema, where: str) -> None:
    """Refuse types none of whose cells could be a value of the column, where types are public facts."""
    for field in fields:
        known = schema.columns.get(field.name)
        allowed = _allowed(None if known is None else read_as(known))
        if _family(field.type) not in allowed:
            raise TableError(
                "the type of the column cannot hold its values",
                where=f"{where}, {field.name}",
                asked=str(field.type)[:_LONGEST_LISTED],
                allowed=", ".join(allowed),
            )


def _allowed(column: Column | None) -> tuple[str, ...]:
    if isinstance(column, (Integer, Bounded, Binned)):
        return ("number", "text", "boolean")
    return ("date", "text") if isinstance(column, Date) else ("number", "text", "boolean", "date")


def _family(given: pa.DataType) -> str:
    import pyarrow.types as kinds

    plain = plain_type(given)
    if plain is None:
        return "other"
    if kinds.is_decimal(value_type(given)):
        return "number"
    if kinds.is_temporal(plain):
        return "date"
    if kinds.is_boolean(plain):
        return "boolean"
    return "text" if kinds.is_large_string(plain) else "number"


def _some(names: Sequence[str]) -> str:
    listed = [name[:_LONGEST_LISTED] for name in names[:_MOST_LISTED]]
    return ", ".join(listed) + (", ..." if len(names) > _MOST_LISTED else "")
