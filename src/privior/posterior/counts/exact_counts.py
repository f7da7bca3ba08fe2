"""The exact posterior of a table of counts: a sum over all tables, none left out that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.mechanisms import CellGammas
from privior.posterior.counts.beta_mixture import BetaMixture
from privior.posterior.counts.cell_sums import law_of_sum
from privior.posterior.counts.contract import CellProbabilities, SummedCounts
from privior.posterior.counts.dirichlet_blocks import DirichletBlocks
from privior.posterior.counts.dirichlet_weights import DirichletWeights
from privior.posterior.counts.evidence import CellEvidence, Total, misfit
from privior.posterior.counts.law import IntegerLaw, mixture
from privior.posterior.counts.sum_with_total import SumWithTotal
from privior.posterior.counts.summation import SumTree
from privior.posterior.counts.table_draws import table_draws
from privior.posterior.counts.totals_mixture import TotalsMixture
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.kept import kept


@kept
@dataclass(frozen=True, eq=False)
class ExactCounts(SummedCounts):
    """The posterior of the true counts, summed exactly.

    Attributes:
        trees: the tables whose total lies in one block each
        shares: the posterior probability of each block
        prior: the a of each cell
        total: what was known of the number of records
        diagnostics: what it cost and how exact it is
    """

    trees: tuple[SumTree, ...]
    shares: Floats
    prior: Floats
    total: Total
    diagnostics: Diagnostics

    @cached_property
    def marginals(self) -> tuple[IntegerLaw, ...]:  # type: ignore[override]
        """The posterior of each cell's count."""
        return tuple(
            mixture(laws, self.shares) for laws in zip(*(tree.marginals for tree in self.trees), strict=True)
        )

    @cached_property
    def totals(self) -> IntegerLaw:
        """The posterior of the number of records."""
        return mixture([tree.total for tree in self.trees], self.shares)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return independent draws of the whole table, as (size, cells)."""
        if len(self.trees) == 1:
            return table_draws(self.trees[0], size, rng)
        block = rng.choice(len(self.trees), size=size, p=self.shares)
        tables = np.empty((size, self.prior.size), dtype=np.int64)
        for index in np.unique(block):
            tables[block == index] = table_draws(self.trees[index], int(np.sum(block == index)), rng)
        return tables

    def sum_of(self, cells: NDArray[np.bool_]) -> IntegerLaw | None:
        """Return the law of the sum of some cells, if the total is known."""
        return law_of_sum(self.trees[0], cells) if self.total.known else None

    def beta_mixture(self) -> BetaMixture | None:
        """Return the posterior of each cell's probability, in closed form if the total is known."""
        return BetaMixture(self.marginals, self.prior, self.total.most) if self.total.known else None

    def of_event(self, cells: NDArray[np.bool_]) -> CellProbabilities | None:
        """Return the probabilities of some cells together and of all others."""
        if not self.total.known:
            return self._of_event_and_total(cells)
        law = None if cells.all() else self.sum_of(cells)
        if law is None:
            return None
        others = IntegerLaw(self.total.most - law.high, law.mass[::-1])
        return BetaMixture((law, others), self._prior_of(cells), self.total.most)

    def _of_event_and_total(self, cells: NDArray[np.bool_]) -> CellProbabilities | None:
        """Return them where the total is not known: the sum is summed together with it."""
        found = self.sum_with_total(cells)
        if found is None:
            return None
        first, second = self._prior_of(cells)
        return TotalsMixture(found, float(first), float(second))

    def sum_with_total(self, cells: NDArray[np.bool_]) -> SumWithTotal | None:
        """Return the joint law of the sum of some cells and the total; None where that is too much."""
        if self.total.known or cells.all() or not cells.any():
            return None
        return SumWithTotal.of(self.trees, self.shares, cells)

    def _prior_of(self, cells: NDArray[np.bool_]) -> Floats:
        return np.array([self.prior[cells].sum(), self.prior[~cells].sum()])


def exact_counts(
    evidence: Sequence[CellEvidence],
    prior: Floats,
    total: Total,
    gammas: Sequence[CellGammas] = (),
) -> ExactCounts | None:
    """Return the exact posterior; None if it would cost too much."""
    blocks = DirichletBlocks(DirichletWeights.of(evidence, prior, total.most, gammas), known=total.known)
    if not blocks.add_all():
        return None
    logs = np.array(blocks.log_masses)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    diagnostics = Diagnostics.of_exact("summed over all tables", blocks.cost, error=blocks.error)
    summed = ExactCounts(tuple(blocks.trees), shares, prior, total, diagnostics)
    fit = misfit(evidence, summed.mean, summed.stddev**2)
    said = "; ".join(one.approximate for one in gammas if one.approximate) or None
    fill(summed, diagnostics=replace(diagnostics, misfit=fit, warning=said))
    return summed
