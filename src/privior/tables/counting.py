"""Exact counts of the cells of a table: sums in which each record adds 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privior.models.summands import ONE
from privior.schema import Schema
from privior.tables import summing
from privior.tables.question import Question
from privior.tables.relations import Expression, Relation


def counts(relation: Relation, schema: Schema, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Count the records in each cell of these columns, row-major in the given order."""
    answer = relation.run(totals(relation, schema, names))
    return summing.placed(answer, _question(schema, names))[:, 0]


def totals(relation: Relation, schema: Schema, names: tuple[str, ...]) -> Expression:
    """Return the expression of the cells that occur and how often."""
    return summing.totals(relation, _question(schema, names))


def _question(schema: Schema, names: tuple[str, ...]) -> Question:
    return Question(schema, names, names, (ONE,))
