"""The posterior of a table: the probabilities of its cells, and the true counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from privior.models import DirichletTable
from privior.posterior.contract import posterior_for
from privior.posterior.findings import Finding
from privior.posterior.quantity import check_level
from privior.posterior.tables.margins import TableMargins
from privior.posterior.tables.table_posterior import TablePosterior


@final
@posterior_for(DirichletTable)
@dataclass(frozen=True, repr=False)
class CategoricalPosterior(TablePosterior):
    """The posterior of the cell probabilities theta of a table."""

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the numbers of each cell, then what a joint table says of its columns."""
        return [*self._of_cells(level), *self.margins(level).findings()]

    def margins(self, level: float = 0.9) -> TableMargins:
        """Return what the table says of each column alone, and of one given another."""
        return TableMargins(
            self.model.columns,
            self.schema,
            self.prior + self.latent.mean,
            lambda: self._drawn.kept,
            check_level(level),
            self._note(level),
        )
