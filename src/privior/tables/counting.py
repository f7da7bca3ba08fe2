"""Exact counts of the cells of a table, made in the engine: at most one row per cell comes back.

Levels come from the schema in its order (T17, T18, T22), a bad cell follows the missing rule of its column,
and sums are sums of integers (T03). Where each row counts, rows are first grouped by what is in them, so
that levels are matched once per different text and not once per row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privior.schema import Binned, Column, Schema
from privior.tables import codes, persons
from privior.tables.relations import PERSON, Relation, column

if TYPE_CHECKING:
    import ibis.expr.types as ir

_TIMES = "times"
_CELL = "cell"


def counts(relation: Relation, schema: Schema, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Count the records in each cell of these columns, row-major in the given order."""
    import pyarrow as pa

    answer = relation.run(totals(relation, schema, names))
    cells, times = (answer.column(name).cast(pa.int64()).to_numpy() for name in (_CELL, _TIMES))
    result = np.zeros(schema.cells(names), np.int64)
    result[cells] = times
    return result


def totals(relation: Relation, schema: Schema, names: tuple[str, ...]) -> ir.Table:
    """Return the expression of the cells that occur and how often."""
    columns = [schema.column(name) for name in names]
    if schema.unit.column is None:
        found = _numbered(_looked_up(_repeated(relation, columns), relation, columns), columns, _TIMES)
        return found.group_by(_CELL).agg(**{_TIMES: found[_TIMES].sum()})
    found = _numbered(_looked_up(_named(relation.rows, columns), relation, columns), columns, PERSON)
    kept = persons.at_most(found, _CELL, schema.unit.max_rows)
    return kept.group_by(_CELL).agg(**{_TIMES: kept.count()})


def _repeated(relation: Relation, columns: list[Column]) -> ir.Table:
    """Reduce rows to their keys and say how often each occurs, once by once where grouping is not exact."""
    import ibis

    keys = _keys(relation.rows, columns)
    if not relation.exact:
        return relation.rows.select(**keys, **{_TIMES: ibis.literal(1, "int64")})
    keyed = relation.rows.select(**keys)
    return keyed.group_by(keyed.columns).agg(**{_TIMES: keyed.count()})


def _named(rows: ir.Table, columns: list[Column]) -> ir.Table:
    """Reduce rows to their keys and persons; rows that belong to nobody are left out."""
    named = rows.select(**_keys(rows, columns), **{PERSON: persons.name(rows)})
    return named.filter(named[PERSON].notnull())


def _keys(rows: ir.Table, columns: list[Column]) -> dict[str, ir.Value]:
    return {column(place): _key(rows[column(place)], kind) for place, kind in enumerate(columns)}


def _key(cell: ir.Value, kind: Column) -> ir.Value:
    """Return the code of a cell, or what its code will be looked up by."""
    if not codes.is_looked_up(kind):
        return codes.code(cell, kind)
    return codes.as_number(cell) if isinstance(kind, Binned) else cell


def _looked_up(keyed: ir.Table, relation: Relation, columns: list[Column]) -> ir.Table:
    """Replace the keys that are not codes yet by codes, null where there is none."""
    for place, kind in enumerate(columns):
        if not codes.is_looked_up(kind):
            continue
        name = column(place)
        others = {other: keyed[other] for other in keyed.columns if other != name}
        if isinstance(kind, Binned):
            known = relation.lookup(codes.lookup(kind))
            keyed = keyed.asof_join(known, on=keyed[name] >= known.edge).select(
                **others, **{name: known.code}
            )
            continue
        text = codes.as_text(keyed[name], kind)
        if relation.exact:
            known = relation.lookup(codes.lookup(kind))
            keyed = keyed.left_join(known, text == known.text).select(**others, **{name: known.code})
        else:
            keyed = keyed.select(**others, **{name: codes.matched(text, kind)})
    return keyed


def _numbered(coded: ir.Table, columns: list[Column], beside: str) -> ir.Table:
    """Replace the codes by the number of the cell; a record whose bad cell has no rule is left out."""
    rules = [(column(place), kind.size, kind.missing_code) for place, kind in enumerate(columns)]
    for name, _, missing in rules:
        if missing is None:
            coded = coded.filter(coded[name].notnull())
    number = 0
    for name, size, missing in rules:
        code = coded[name] if missing is None else coded[name].fill_null(missing)
        number = number * size + code
    return coded.select(**{_CELL: number, beside: coded[beside]})
