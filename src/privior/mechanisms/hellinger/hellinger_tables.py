"""Exponential mechanisms on Hellinger distances: what EHD, EHDS and EHDL have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Integers
from privior.checks import fill
from privior.errors import InferenceError
from privior.exact import positive
from privior.mechanisms.contract import Floats
from privior.mechanisms.hellinger.hellinger import distances
from privior.mechanisms.hellinger.hellinger_extremes import largest_over_tables
from privior.mechanisms.hellinger.hellinger_normalisers import interpolated
from privior.mechanisms.tables.table_mechanism import (
    FixedTotal,
    PriorParameters,
    check_cells,
    check_records,
    of_each_cell,
    true_counts,
)
from privior.models import ExactStatistics, Observed
from privior.privacy import Budget
from privior.privacy.hellinger import MOST_SUMMED, all_tables, log_sums, number_of_tables
from privior.randomness import MOST_BOXED, OPERATING_SYSTEM, HellingerTables

#: prior parameters in this range are covered by the lemma behind smooth sensitivities
PRIOR_RANGE = (Fraction(1, 10**6), Fraction(10**9))
#: a likelihood is a sum over all outputs, of which there may be so many
MOST_OUTPUTS = 1_000_000
#: likelihoods of all tables of two cells are interpolated up to so many
MOST_TWO_CELLS = 50_001
#: tables of up to eight cells are drawn up to this temperature
MOST_TEMPERATURE = 16


@dataclass(frozen=True)
class HellingerMechanism(FixedTotal):
    """Releases a table r of the same n records with probability proportional to e^(-t(x) H(x, r)).

    H is the Hellinger distance of Dirichlet(prior + r) from Dirichlet(prior + x), the posterior of the true
    counts x; every table with the public total n can come out. The kinds differ in the temperature t(x).
    From "Differentially Private Bayesian Inference" (2020), with its constants put right. Draws are exact;
    how long one takes depends on the data, which is mitigated but not proved away.
    """

    cells: int
    epsilon: Fraction
    records: int
    prior: PriorParameters
    name: ClassVar[str]
    about: ClassVar[str]
    randomness: ClassVar[str] = OPERATING_SYSTEM
    #: the law is no noise on the cells
    cell_noise: ClassVar[None] = None

    def _set(self, cells: int, epsilon: object, records: int, prior: object) -> None:
        """Check and keep the public facts."""
        fill(self, cells=check_cells(cells, self.name), records=check_records(records, self.name))
        several = isinstance(prior, (list, tuple))
        least, most = PRIOR_RANGE
        if several and len(prior) != cells:  # type: ignore[arg-type]
            raise self.refusal("not one prior parameter per cell", allowed=cells)
        read = [positive(a, "prior", least=least, most=most) for a in (prior if several else [prior])]  # type: ignore[attr-defined]
        fill(self, epsilon=Budget.of(epsilon).epsilon, prior=tuple(read) if several else read[0])

    @abstractmethod
    def temperatures(self, tables: Integers) -> Floats:
        """Return t(x) of each table, in floating point."""

    @abstractmethod
    def enclosed_temperature(self, counts: list[int]) -> Any:
        """Enclose t(x) in interval arithmetic at the working precision."""

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The prior parameter of each cell."""
        return of_each_cell(self.prior, self.cells)

    @property
    def outputs(self) -> int:
        """How many tables can be released."""
        return number_of_tables(self.records, self.cells)

    @property
    def _alpha(self) -> Floats:
        return np.array([float(a) for a in self.parameters])

    def _largest_temperature(self) -> float:
        return largest_over_tables(self.temperatures, self._alpha, self.records)

    def check_drawable(self) -> None:
        """Refuse, by public facts alone, what would take too long to draw for some table."""
        if self.cells > MOST_BOXED:
            raise self.refusal(f"is drawn for up to {MOST_BOXED} cells only", asked=self.cells)
        if (found := self._largest_temperature()) > MOST_TEMPERATURE:
            raise self.refusal(
                "would take too long to draw for some tables",
                asked=f"temperature {found:.4g}",
                allowed=MOST_TEMPERATURE,
                advice="Take a smaller epsilon or gamma.",
            )

    @property
    def drawback(self) -> str:
        """Say where only the table itself can be looked at."""
        if self.listable:
            return ""
        return (
            "A table can be drawn, but no posterior be computed from it: there are too many possible ones. "
            "Nothing but the released table itself could be looked at. Take k-norm, or fewer cells."
        )

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw a table, exactly."""
        counts = true_counts(statistics, self.cells).tolist()
        if sum(counts) != self.records:
            raise ValueError("the mechanism is for another number of records")
        sampler = HellingerTables(counts, self.parameters, lambda: self.enclosed_temperature(counts))
        return Observed.of(sampler.draw())

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return -t(x) H(x, r) - ln Z(x), Z a sum over all outputs; -infinity for what is none."""
        counts = true_counts(statistics, self.cells)
        if not self.admits(observed, self.records) or int(counts.sum()) != self.records:
            return -math.inf
        if self.outputs > MOST_OUTPUTS:
            raise InferenceError(
                "too many tables to sum over", where=self.name, asked=self.outputs, allowed=MOST_OUTPUTS
            )
        rate = float(self.temperatures(counts[None, :])[0])
        weights = -rate * distances(counts, _outputs(self.records, self.cells), self._alpha)
        far = -rate * float(distances(counts, observed.array()[None, :], self._alpha)[0])
        return far - float(np.logaddexp.reduce(weights))

    def log_likelihoods(self, observed: Observed) -> tuple[Integers, Floats]:
        """Return all tables, and the log probability of this release under each: a sum over all pairs."""
        self.check_listable()
        tables = _outputs(self.records, self.cells)
        rates = self.temperatures(tables)
        far = distances(observed.array(), tables, self._alpha)
        if self.outputs <= MOST_SUMMED:
            return tables, -rates * far - log_sums(self.parameters, self.records, rates)

        def log_sum(first: int) -> float:
            apart = distances(tables[first], tables, self._alpha)
            return float(np.log(np.exp(-rates[first] * apart).sum()))

        return tables, -rates * far - interpolated(log_sum, self.records)

    @property
    def listable(self) -> bool:
        """Whether a posterior can be computed from what is released."""
        return self.outputs <= (MOST_TWO_CELLS if self.cells == 2 else MOST_SUMMED)

    def check_listable(self) -> None:
        """Refuse what has too many pairs of tables for the likelihoods of all of them."""
        if not self.listable:
            raise InferenceError(
                "the posterior given this release is a sum over all pairs of tables, too many here",
                where=self.name,
                asked=f"{self.outputs} tables",
                allowed=f"{MOST_SUMMED} tables, {MOST_TWO_CELLS} of two cells",
                advice='Use pv.KNorm for larger tables, or look at the release with noise="ignore".',
            )

    def admits(self, observed: Observed, records: int) -> bool:
        """A release is itself a table of so many records."""
        return min(observed.counts) >= 0 and sum(observed.counts) == records == self.records


@lru_cache(maxsize=2)
def _outputs(records: int, cells: int) -> Integers:
    tables = all_tables(records, cells)
    tables.setflags(write=False)
    return tables
