"""The posterior of a table when the law of its cells' rates is learned with them.

The cells' rates are independent draws from an unknown law on a public list (`ExchangeablePrior`); counts are
Poisson given their rates, and the cells' probabilities are the rates divided by their sum. How probable each
law is, all cells say together (`learned_laws`). Each cell's law is then averaged over the laws, exactly.

Draws of whole tables draw the law too. If the total is known, the cells are taken as independent with these
averages, given the total; the rest is exact (`summation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import ExchangeablePrior
from privior.posterior.counts.contract import LearnedShape, SummedCounts
from privior.posterior.counts.evidence import CellEvidence, Total, misfit
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.learned_draws import learned_draws
from privior.posterior.counts.learned_laws import LearnedRates, learned, log_binomials
from privior.posterior.counts.summation import SumTree, sum_tree
from privior.posterior.counts.table_draws import table_draws
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.kept import kept

_NOTHING = 1e-18


@kept
@dataclass(frozen=True, eq=False)
class LearnedCounts(SummedCounts, LearnedShape):
    """The posterior of the true counts, and of the law that they come from.

    Attributes:
        marginals: the law of each cell
        tree: their joint law given the total, if that is known
        learned: what is known of the law of their rates
        diagnostics: how it was computed
    """

    marginals: tuple[IntegerLaw, ...]
    tree: SumTree | None
    learned: LearnedRates
    diagnostics: Diagnostics

    @property
    def exact(self) -> bool:
        """Cells are not independent when the law of their rates is unknown: their averages are taken so."""
        return False

    @property
    def shapes(self) -> Floats:
        """The shape of each class, a Gamma law."""
        return self.learned.prior.shapes

    @property
    def means(self) -> Floats:
        """The mean of each class."""
        return self.learned.prior.means

    @cached_property
    def weights(self) -> Floats:
        """The learned weight of each class."""
        return self.learned.weights

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return independent draws of the whole table, as (size, cells)."""
        if self.tree is not None:
            return table_draws(self.tree, size, rng)
        return learned_draws(self.learned, size, rng)

    def log_draws(self, size: int, of_tables: np.random.Generator, rng: np.random.Generator) -> Floats:
        """Draw tables, then the log rate of each cell given them."""
        return self.log_rates(self.draws(size, of_tables), rng)

    def log_rates(self, tables: Integers, rng: np.random.Generator) -> Floats:
        """Draw the logarithm of each cell's rate given its count: of a class, then of a Gamma law."""
        counts, where = np.unique(tables, return_inverse=True)
        # All counts in one rising list: the classes of place t go from t to t + 1.
        upwards = np.cumsum(self._chances(counts), axis=1)
        upwards = (upwards / upwards[:, -1:] + np.arange(counts.size)[:, None]).ravel()
        place = where.reshape(tables.shape)
        goals = np.minimum(place + rng.random(tables.shape), np.nextafter(place + 1.0, 0))
        chosen = np.searchsorted(upwards, goals, side="right") - place * self.means.size
        shapes = self.shapes[chosen] + tables
        gammas = np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
        return np.asarray(gammas - np.log1p(self.shapes / self.means)[chosen])

    def expected_rates(self, tables: Integers) -> Floats:
        """Return the expected rate of each cell given its count."""
        counts, where = np.unique(tables, return_inverse=True)
        narrower = 1 / (1 + self.shapes / self.means)
        expected = ((self.shapes + counts[:, None]) * self._chances(counts)) @ narrower
        return np.asarray(expected[where].reshape(tables.shape))

    def _chances(self, counts: Integers) -> Floats:
        """Return the chance of each class given a count, as (count, class)."""
        logs = np.log(self.weights) + log_binomials(counts, self.shapes, self.means)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def __str__(self) -> str:
        order = np.argsort(self.means, kind="stable")
        spread = np.cumsum(self.weights[order])
        quartiles = np.interp([0.1, 0.5, 0.9], spread, np.log(self.means[order]))
        low, middle, high = np.exp(quartiles)
        return f"prior learned: cells of {low:.2g}, {middle:.2g} and {high:.2g} records at 10%, 50% and 90%"


def learned_counts(
    evidence: Sequence[CellEvidence], cells: int, prior: ExchangeablePrior, total: Total
) -> LearnedCounts:
    """Learn the law of the rates from all cells, then sum."""
    found = learned(evidence, cells, prior.laws(total.most, cells), total)
    laws = [found.laws[group] for group in found.group]
    tree = None
    if total.known:
        tree = sum_tree(laws, total.most, total.most, lambda first, last: np.zeros(1), _NOTHING)
        if tree is None:
            raise InferenceError("no table of this number of records fits the noisy counts")
        laws = list(tree.marginals)
    fit = misfit(evidence, np.array([law.mean for law in laws]), np.array([law.variance for law in laws]))
    diagnostics = Diagnostics.of_exact("summed over all tables, prior learned", found.cost, misfit=fit)
    return LearnedCounts(tuple(laws), tree, found, diagnostics)
