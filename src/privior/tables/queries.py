"""Ibis tables: rows that live in a database and are counted there.

A database may compare texts by its own rules, so rows are neither grouped nor joined by text in it, and it
may lack an operation or not take a type, so the whole question is asked of none of the rows before anything
is spent. An Ibis table that is a frame in memory is none of a database: it is read as that frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.models.summands import ONE, Factor, Summand
from privior.schema import Categorical, Column, Schema
from privior.schema.cell_kinds import read_as
from privior.tables import persons, summing
from privior.tables.arrays import is_text, plain, value_type
from privior.tables.headers import check_names, check_types, needed
from privior.tables.question import SumsQuestion
from privior.tables.relations import Relation, in_ibis, names
from privior.tables.writing import as_declared

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

#: in a database each level is one comparison
MOST_LEVELS = 1000


def in_memory(table: ir.Table) -> object | None:
    """Return the frame that an Ibis table is, None if it is a query, however small."""
    import ibis.expr.operations as ops
    from ibis.formats.pyarrow import PyArrowDatasetProxy

    made = table.op()
    if not isinstance(made, ops.InMemoryTable) or isinstance(made.data, PyArrowDatasetProxy):
        return None
    frame = made.data.obj
    names = getattr(frame, "column_names", None) or list(frame.columns)
    return frame if list(made.schema.names) == names else None


@dataclass(frozen=True, repr=False)
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
        return int(answer["n"][0])

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Use the database that the table lives in."""
        yield in_ibis(_repaired(self.chosen))


def open_ibis(table: ir.Table, schema: Schema, columns: tuple[str, ...]) -> Query:
    """Check the columns of an Ibis table."""
    check_names(table.columns, schema, columns, "ibis.Table")
    wanted = needed(schema, columns)
    for name in dict.fromkeys(wanted):
        check_types(_field(table, name), schema, "ibis.Table")
    for name in columns:
        _check_levels(name, schema.column(name))
    renamed = dict(zip(names(schema, columns), (table[name] for name in wanted), strict=True))
    chosen = table.select(**renamed)
    _check_moments(table, schema, columns)
    _rehearse(chosen, schema, columns)
    return Query(table, chosen)


def _check_levels(name: str, column: Column) -> None:
    column = read_as(column)
    if isinstance(column, Categorical) and column.size > MOST_LEVELS:
        raise TableError(
            "the column has too many levels to be matched in a database",
            where=f"ibis.Table, {name}",
            asked=column.size,
            allowed=MOST_LEVELS,
            advice="Export the needed columns to a Parquet file, where any number of levels will do.",
        )


def _rehearse(rows: ir.Table, schema: Schema, columns: tuple[str, ...]) -> None:
    """Ask the database everything that will be asked, of none of the rows.

    What is refused then follows from types and operations, for no row is read.
    """
    relation = as_declared(in_ibis(rows.limit(0)), schema, columns)
    product = Summand(tuple(Factor(name, absolute=True) for name in columns))
    try:
        relation.run(summing.totals(relation, SumsQuestion(schema, columns, columns, (ONE,))))
        relation.run(summing.totals(relation, SumsQuestion(schema, columns, (), (product,))))
        if schema.unit.column is not None:
            relation.run(persons.number(relation))
    except Exception as error:  # which one depends on the database
        raise TableError(
            "the database lacks an operation that counting or summing needs, or does not take a type",
            where="ibis.Table",
            asked=type(error).__name__,
            advice="Export the needed columns to a Parquet file.",
        ) from None


def _check_moments(table: ir.Table, schema: Schema, columns: tuple[str, ...]) -> None:
    """Refuse moments with a zone that an engine stops at one cell of: they are no microseconds.

    Databases hold microseconds; others come from frames in memory, and are converted as they are read.
    """
    import ibis.expr.operations as ops

    inside = [pair for made in table.op().find(ops.InMemoryTable) for pair in made.schema.items()]
    for name, kind in (*inside, *((name, table[name].type()) for name in needed(schema, columns))):
        if kind.is_timestamp() and kind.timezone is not None and kind.scale not in (None, 6):
            raise TableError(
                "moments with a zone cannot be read here unless they are microseconds",
                where=f"ibis.Table, {name}",
                asked=str(kind),
                allowed="timestamp('UTC', 6)",
                advice="Give the frame itself, or cast the column before Ibis gets it.",
            )


def _repaired(table: ir.Table) -> ir.Table:
    """Return the query over frames whose text is UTF-8, cell by cell: an engine may stop at other text."""
    import ibis.expr.operations as ops
    import pyarrow as pa
    from ibis.formats.pyarrow import PyArrowTableProxy

    def mended(made: ops.InMemoryTable) -> ops.InMemoryTable:
        given = made.data.obj
        columns = [plain(cells) if is_text(value_type(cells.type)) else cells for cells in given.columns]
        frame = pa.table(columns, names=given.column_names)
        return ops.InMemoryTable(
            name=f"{made.name}_repaired", schema=made.schema, data=PyArrowTableProxy(frame)
        )

    frames = table.op().find(ops.InMemoryTable)
    mends = {made: mended(made) for made in frames if isinstance(made.data, PyArrowTableProxy)}
    return table.op().replace(mends).to_expr() if mends else table


def _field(table: ir.Table, name: str) -> pa.Schema:
    import pyarrow as pa

    kind = table[name].type()
    try:
        if kind.is_unknown():  # which Ibis takes for text
            raise TypeError
        return pa.schema([(name, kind.to_pyarrow())])
    except Exception:  # types that Arrow has no match for; which exception depends on Ibis
        raise TableError(
            "the type of the column is unknown", where=f"ibis.Table, {name}", asked=str(kind)
        ) from None
