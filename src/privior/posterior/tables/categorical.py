"""The posterior of a table: the probabilities of its cells, and the true counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from privior.models import DirichletTable
from privior.posterior.contract import posterior_for
from privior.posterior.tables.table_posterior import TablePosterior


@final
@posterior_for(DirichletTable)
@dataclass(frozen=True, repr=False)
class CategoricalPosterior(TablePosterior):
    """The posterior of the cell probabilities theta of a table."""
