"""Rows as codes, in blocks of small whole numbers: what every reading can be made of in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from privior.arrays import Codes
from privior.schema import Column
from privior.tables import codes
from privior.tables.question import SumsQuestion
from privior.tables.relations import Expression, Relation
from privior.tables.summing import chosen, key, looked_up
from privior.tables.tallies import Block

if TYPE_CHECKING:
    import pyarrow as pa


def blocks(relation: Relation, question: SumsQuestion) -> Iterator[Block]:
    """Yield the codes of the columns that are asked about, by their names; -1 where there is no code."""
    made = _coded(relation, question)
    given = {question.place(name): name for name in question.names}
    for batch in relation.batches(made):
        if batch.num_rows:
            yield {given[field.name]: _numbers(batch.column(field.name)) for field in batch.schema}


def _numbers(cells: pa.Array) -> Codes:
    """Look at whole numbers where they are: Arrow would load pandas to do this."""
    return np.frombuffer(cells.buffers()[1], str(cells.type))[cells.offset : cells.offset + len(cells)]


def good(block: Block, columns: Iterable[tuple[str, Column]]) -> Block:
    """Leave out the records with a bad cell in a column that has no code for it."""
    dropping = [block[name] for name, kind in columns if kind.missing_code is None]
    bad = [column for column in dropping if (column < 0).any()]
    if not bad:
        return block
    kept = np.logical_and.reduce([column >= 0 for column in bad])
    return {name: column[kept] for name, column in block.items()}


def _coded(relation: Relation, question: SumsQuestion) -> Expression:
    rows, columns = relation.rows, question.columns
    if question.schema.unit.column is not None:
        rows = chosen(relation, question, list(columns))
        return rows.select(**{name: _narrow(rows[name], kind, relation) for name, kind in columns.items()})
    keyed = rows.select(
        **{
            name: key(rows[name], kind) if codes.is_looked_up(kind) else _code(rows[name], kind)
            for name, kind in columns.items()
        }
    )
    found = looked_up(keyed, relation, columns)
    return found.select(**{name: _narrow(found[name], kind, relation) for name, kind in columns.items()})


def _code(cell: Expression, kind: Column) -> Expression:
    if kind.missing_code is None:
        return codes.code(cell, kind)
    value, offset = codes.ruled(cell, kind)
    return value + offset if offset else value


def _narrow(code: Expression, kind: Column, relation: Relation) -> Expression:
    """Replace null, and take as few bits as will do, where the engine has whole numbers of so few."""
    missing = -1 if kind.missing_code is None else kind.missing_code
    size = "int8" if kind.size <= 2**7 else "int16" if kind.size <= 2**15 else "int32"
    return code.fill_null(missing).cast(size if relation.exact else "int64")
