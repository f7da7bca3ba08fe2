"""The posterior of a table: the probabilities of its cells, and the true counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

from privior.models import DirichletTable
from privior.pictures import IntervalChart, SplitBars
from privior.posterior.averages import has_places
from privior.posterior.contract import posterior_for
from privior.posterior.events import quoted
from privior.posterior.findings import MOST_ROWS, Finding, Table
from privior.posterior.quantity import check_level
from privior.posterior.seeds import drawing
from privior.posterior.tables.drawn import MOST_CELLS, affordable
from privior.posterior.tables.margins import TableMargins
from privior.posterior.tables.table_posterior import TablePosterior
from privior.posterior.tables.value_bins import ValueBins, value_bins


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
            self._expected_parameters,
            lambda: self._drawn.kept,
            check_level(level),
            self._note(level),
        )

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw each cell's interval; of very many ordered values those of neighbours together, in order."""
        if self._bins is None:
            return super().picture(level)
        return self._bins.picture(check_level(level), self._note(level))

    def uncertainty_picture(self) -> SplitBars:
        """Draw how uncertain each cell is, or likewise neighbours together."""
        return super().uncertainty_picture() if self._bins is None else self._bins.uncertainty()

    def _in_short(self, level: float) -> Table:
        return super()._in_short(level) if self._bins is None else self._bins.table(level)

    def _at_length(self, level: float) -> Table:
        return super()._at_length(level) if self._bins is None else self._bins.table(level)

    def _in_words(self, level: float) -> Callable[[], str] | None:
        column = self._ordered
        return None if column is None or column.size > MOST_CELLS else lambda: self._middle(level)

    def _middle(self, level: float) -> str:
        """State mean and median of an ordered column of the process behind the table."""
        name, middle = self.model.columns[0], self.median(self.model.columns[0])
        low, high = middle.interval(level)
        said = f"the median is {_written(middle.estimate)} ({_written(low)} to {_written(high)})"
        if not has_places(self.schema.column(name)):
            mean = self.average(name)
            first, last = mean.interval(level)
            said = f"the mean is {mean.mean:.6g} ({first:.6g} to {last:.6g}), {said}"
        return f"Of {quoted(name)} {said}; in brackets {100 * level:g}% intervals."

    @cached_property
    def _bins(self) -> ValueBins | None:
        """Runs of neighbouring values, if the table is of one column of so many ordered ones."""
        column = self._ordered
        if column is None or not MOST_ROWS < column.size <= MOST_CELLS:
            return None
        kept = self.latent.kept
        if kept is None:
            kept = self.latent.draws(affordable(column.size), drawing(0, self.seed))
        numbers = self.mean(), self._drawn.kept, self._expected_parameters, self.latent.mean, kept
        return value_bins(self.model.columns[0], column.labels, numbers)


def _written(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.10g}"
