"""What models of tables have in common: columns, cells, counts, and how far a unit moves these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from privior.checks import fill
from privior.errors import ModelError, shown
from privior.models.model import Model
from privior.models.statistics import ExactStatistics
from privior.models.summands import ONE, Summand
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema

#: tables with more cells than this are refused at planning time
MOST_CELLS = 1_000_000


class TableModel(Model):
    """A model whose statistic is the number of records in each cell of the table of `columns`.

    Attributes:
        columns: the columns whose joint table is counted, in order; the last varies fastest
    """

    columns: tuple[str, ...]

    @property
    def by(self) -> tuple[str, ...]:
        """Every cell of the table is counted."""
        return self.columns

    @property
    def cell_prior(self) -> Fraction | tuple[Fraction, ...] | None:
        """The Dirichlet parameters that a mechanism may depend on; 1 where the model knows of none.

        None if they are learned.
        """
        return Fraction(1)

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Every record counts once."""
        return (ONE,)

    def _set_columns(self, columns: str | Sequence[str]) -> None:
        names = (columns,) if isinstance(columns, str) else columns
        if not isinstance(names, Sequence):
            raise self.refusal("columns are not names", asked=shown(columns))
        names = tuple(names)
        if not names or not all(isinstance(name, str) for name in names):
            raise self.refusal("no columns", asked=shown(columns))
        if len(set(names)) < len(names):
            raise self.refusal("a column is named twice", asked=", ".join(names))
        fill(self, columns=names)

    @abstractmethod
    def size(self, schema: Schema) -> int:
        """Return the number of cells k, after checking that the model fits the schema."""

    def cells(self, schema: Schema) -> int:
        """Return the number of cells, which must not be too many."""
        cells = schema.cells(self.columns)
        if cells > MOST_CELLS:
            raise self.refusal("the table has too many cells", asked=cells, allowed=MOST_CELLS)
        return cells

    def statistic(self, schema: Schema, codes: ArrayLike) -> ExactStatistics:
        """Count records given as codes, (records, columns): what engines compute, said in one line."""
        shape = [schema.column(name).size for name in self.columns]
        cells = np.ravel_multi_index(tuple(np.asarray(codes).T), shape)
        return ExactStatistics(np.bincount(cells, minlength=self.size(schema)))

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one unit moves the counts, by `Sensitivity.of_counts`."""
        self.size(schema)
        self._check_drops(schema, neighbours)
        return Sensitivity.of_counts(neighbours, schema.unit.max_rows)

    def width_in_words(self, schema: Schema) -> str:
        """What the width in a plan is of: intervals of cells."""
        return f"90% intervals of cell probabilities, average over {self.size(schema)} cells"


def column_names(columns: object, family: str) -> str | list[str]:
    """Return the columns that a file names: one or a list."""
    if not isinstance(columns, (str, list)):
        raise ModelError("columns are not names", where=f"model, {family}", asked=shown(columns))
    return columns
