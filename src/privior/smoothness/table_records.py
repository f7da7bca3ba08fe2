"""Records that are cells of a table: what they must be like, and how far they are apart."""

from __future__ import annotations

from itertools import product

import numpy as np

from privior.arrays import Floats
from privior.models.table_model import TableModel
from privior.privacy import REPLACE_ONE
from privior.schema import Schema
from privior.smoothness.distances import Distance, Replaced, to_distance

#: tables with more cells have distance "records" only
_MOST_COMPARED = 300


def schema_of_table(model: TableModel, schema: Schema | None) -> Schema:
    """Return the schema after checking that each unit is one record of the model, and is never left out."""
    if schema is None:
        raise model.refusal("a table needs the schema of its columns")
    model.size(schema)
    model.sensitivity(schema, REPLACE_ONE)  # refuses records that are dropped
    if schema.unit.max_rows != 1:
        raise model.refusal(
            "the analysis takes one row of each unit",
            asked=f"max_rows {schema.unit.max_rows}",
            allowed="max_rows 1",
            advice="Plans count all rows of a unit. To see what one row reveals, analyse with max_rows 1.",
        )
    return schema


def distance_of_cells(model: TableModel, schema: Schema, asked: object, likelihoods: Floats) -> Distance:
    """Return the distance of cells that was asked for; one that is not sufficient is refused.

    Args:
        model: of the table
        schema: its columns
        asked: a name, a function of two cells (of two tuples, if there are several columns), or None
        likelihoods: one number for each cell, the same for cells whose likelihoods are the same
    """
    if asked is None or asked == "records":
        return Replaced()
    if likelihoods.size > _MOST_COMPARED:
        raise model.refusal(
            "too many cells for this distance",
            asked=f"{likelihoods.size} cells",
            allowed=f"'records', or {_MOST_COMPARED} cells",
        )
    levels = [schema.column(name).values for name in model.columns]
    values = list(levels[0]) if len(levels) == 1 else list(product(*levels))
    return to_distance(asked, values, None, likelihoods[:, np.newaxis], model.family)
