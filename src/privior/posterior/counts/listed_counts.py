"""The posterior of a table of counts by listing all tables: for releases that are no noise on the cells.

The probability of a table r released by an exponential mechanism, e^(-t(x) H(x, r)) / Z(x), has a
normaliser that depends on the true counts x. It is summed over all outputs for every x, so the posterior
is exact; chains that left Z out would be wrong. All pairs of tables are needed, hence few tables only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.posterior.counts.beta_mixture import BetaMixture
from privior.posterior.counts.contract import SummedCounts
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.diagnostics import Diagnostics
from privior.release import Release
from privior.special import gammaln


@dataclass(frozen=True, eq=False)
class ListedCounts(SummedCounts):
    """The posterior of the true counts.

    Attributes:
        tables: all tables of the public total, as (number, cells)
        chances: their posterior probabilities
        prior: the Dirichlet parameter of each cell
    """

    tables: Integers
    chances: Floats
    prior: Floats

    @property
    def records(self) -> int:
        """The public total."""
        return int(self.tables[0].sum())

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Say that all tables and all outputs were listed, so that no chain has to be judged."""
        number = len(self.tables)
        return Diagnostics.of_exact("listed all tables and outputs", float(number) ** 2, error=1e-7)

    @cached_property
    def marginals(self) -> tuple[IntegerLaw, ...]:  # type: ignore[override]
        """The posterior of each cell's count."""
        return tuple(
            IntegerLaw(0, np.asarray(np.bincount(cell, self.chances, self.records + 1), dtype=np.float64))
            for cell in self.tables.T
        )

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return independent draws of the whole table, as (size, cells)."""
        return self.tables[rng.choice(len(self.tables), size=size, p=self.chances)]

    def beta_mixture(self) -> BetaMixture:
        """Return the posterior of each cell's probability."""
        return BetaMixture(self.marginals, self.prior, self.records)


def listed_counts(releases: Sequence[Release], prior: Floats) -> ListedCounts:
    """Return the posterior given releases of one table, one of them at least by an exponential mechanism."""
    tables: Integers | None = None
    logs: Floats | float = 0.0
    for release in releases:
        mechanism = release.plan.mechanism
        if mechanism.cell_noise is None:
            tables, found = mechanism.log_likelihoods(release.statistics)
            logs = logs + found
    if tables is None:
        raise InferenceError("no release needs all tables to be listed")
    for release in releases:
        for term in release.plan.mechanism.cell_terms(release.statistics, release.plan.records) or ():
            away = np.abs(term.observed - tables)
            logs = logs - away @ term.rates - (away * away) @ term.curvatures / 2
    logs = logs + (gammaln(tables + prior) - gammaln(tables + 1)).sum(axis=1)
    chances = np.exp(logs - np.max(logs))
    return ListedCounts(tables, chances / chances.sum(), prior)
