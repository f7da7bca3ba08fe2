"""What plans for tables of counts have in common, whatever is modelled by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError
from privior.models import ONE, DirichletCategorical, FiniteFamily, Summand
from privior.plans.plan import Plan


@dataclass(frozen=True, repr=False)
class CountsPlan(Plan):
    """Counts of the cells of a table."""

    model: DirichletCategorical | FiniteFamily

    def _check_unit(self) -> None:
        """Refuse a mechanism that protects another unit than the schema's."""
        needed, honoured = self.model.sensitivity(self.schema, self.neighbours), self.mechanism.sensitivity
        if needed != honoured:
            raise PlanError(
                "the mechanism is for another neighbour relation or unit of protection",
                where=self.mechanism.name,
                asked=f"{honoured.neighbours}, L1 {honoured.l1}",
                allowed=f"{needed.neighbours}, L1 {needed.l1}",
            )

    def _check_cells(self) -> None:
        """Refuse a mechanism that is for another number of cells."""
        if self.mechanism.levels != self.model.size(self.schema):
            raise PlanError(
                "the mechanism is for another number of cells",
                where=self.mechanism.name,
                asked=self.mechanism.levels,
                allowed=self.model.size(self.schema),
            )

    @property
    def by(self) -> tuple[str, ...]:
        """The group's column and the model's."""
        return (*(() if self.group is None else (self.group.column,)), *self.model.columns)

    @property
    def summands(self) -> tuple[Summand, ...]:
        """Every record counts once."""
        return (ONE,)

    def statistics(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts, those of the group if there is one."""
        counts = sums[:, 0]
        return counts if self.group is None else self.group.counts(counts, self.schema)
