"""Ibis tables: rows that live in a database and are counted there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import Schema
from privior.tables.headers import check_names, check_types, needed
from privior.tables.relations import Relation, in_ibis, names

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


@dataclass(frozen=True)
class Query:
    """An Ibis table, cut down to the needed columns.

    Attributes:
        table: the table as it was given
        chosen: the needed columns, called as in a relation
    """

    table: ir.Table
    chosen: ir.Table

    def rows(self) -> int:
        """Let the database count the rows."""
        answer = in_ibis(self.table).run(self.table.agg(n=self.table.count()))
        return int(answer.column("n")[0].as_py())

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Use the database that the table lives in."""
        yield in_ibis(self.chosen)

    def careful(self) -> None:
        """Say that there is no other way to read."""


def open_ibis(table: ir.Table, schema: Schema, columns: tuple[str, ...]) -> Query:
    """Check the columns of an Ibis table."""
    check_names(table.columns, schema, columns, "ibis.Table")
    wanted = needed(schema, columns)
    for name in dict.fromkeys(wanted):
        check_types(_field(table, name), schema, "ibis.Table")
    renamed = dict(zip(names(schema, columns), (table[name] for name in wanted), strict=True))
    return Query(table, table.select(**renamed))


def _field(table: ir.Table, name: str) -> pa.Schema:
    import pyarrow as pa

    kind = table[name].type()
    try:
        return pa.schema([(name, kind.to_pyarrow())])
    except Exception:  # types that Arrow has no match for; which exception depends on Ibis
        raise TableError(
            "the type of the column is unknown", where=f"ibis.Table, {name}", asked=str(kind)
        ) from None
