"""Ibis tables: rows that live in a database and are counted there.

A database may compare texts by its own rules, so rows are neither grouped nor joined by text in it, and it
may lack an operation, so the whole question is translated once before anything is spent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.models.summands import ONE, Factor, Summand
from privior.schema import Categorical, Column, Schema
from privior.tables import persons, summing
from privior.tables.headers import check_names, check_types, needed
from privior.tables.question import Question
from privior.tables.relations import Relation, in_ibis, names

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

#: in a database each level is one comparison
MOST_LEVELS = 1000


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
        yield in_ibis(self.chosen)


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
    _rehearse(in_ibis(chosen), schema, columns)
    return Query(table, chosen)


def _check_levels(name: str, column: Column) -> None:
    if isinstance(column, Categorical) and column.size > MOST_LEVELS:
        raise TableError(
            "the column has too many levels to be matched in a database",
            where=f"ibis.Table, {name}",
            asked=column.size,
            allowed=MOST_LEVELS,
            advice="Export the needed columns to a Parquet file, where any number of levels will do.",
        )


def _rehearse(relation: Relation, schema: Schema, columns: tuple[str, ...]) -> None:
    """Translate what will be asked into the language of the database, without asking it."""
    import ibis
    from ibis.common.exceptions import IbisError

    product = Summand(tuple(Factor(name, absolute=True) for name in columns))
    questions = [
        summing.totals(relation, Question(schema, columns, columns, (ONE,))),
        summing.totals(relation, Question(schema, columns, (), (product,))),
    ]
    if schema.unit.column is not None:
        questions.append(persons.number(relation))
    try:
        for question in questions:
            ibis.to_sql(question)
    except IbisError as error:
        raise TableError(
            "the database lacks an operation that counting or summing needs",
            where="ibis.Table",
            asked=type(error).__name__,
            advice="Export the needed columns to a Parquet file.",
        ) from None


def _field(table: ir.Table, name: str) -> pa.Schema:
    import pyarrow as pa

    kind = table[name].type()
    try:
        return pa.schema([(name, kind.to_pyarrow())])
    except Exception:  # types that Arrow has no match for; which exception depends on Ibis
        raise TableError(
            "the type of the column is unknown", where=f"ibis.Table, {name}", asked=str(kind)
        ) from None
