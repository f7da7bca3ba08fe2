"""The posterior of a table when the spread of its counts is learned with them.

The cells' rates are independent draws from an unknown law on the positive numbers, taken as a mixture of
Gammas on a public grid of means and shapes, the classes; counts are Poisson given their rates, and the cells'
probabilities are the rates divided by their sum. With weights w of the classes a count has the law
Σ_j w_j NB_j(c), a mixture of negative binomials, which may have a few large cells beside a long tail of small
ones, or hardly any spread, as a Dirichlet prior with one parameter may not.

The weights have a sparse Dirichlet prior and are drawn by Gibbs sampling, with a fixed seed; what is kept are
their means, and those of each cell's classes. With these the cells are taken as independent, or, if their
total is known, as independent given the total, and everything else is exact (`summation`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError
from privior.models import LearnedPrior
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.evidence import CellEvidence, Total, misfit
from privior.posterior.law import Law
from privior.posterior.summation import SumTree, sum_tree
from privior.posterior.table_draws import table_draws

Floats = NDArray[np.float64]

#: what is left out beyond a window weighs e^-this of its highest point
_FAR = 45.0
#: sweeps of the sampler: more for small tables, where the weights mix slowly
_FEWEST, _SWEEPS, _WORK, _SEED = 300, 4000, 2e7, 0
#: all windows together
_MOST = 50_000_000
_NOTHING = 1e-18


@dataclass(frozen=True, eq=False)
class LearnedCounts:
    """The posterior of the true counts, and of the law that they come from.

    Attributes:
        laws: of each cell
        tree: their joint law given the total, if that is known
        shapes: of each class
        means: of each class
        weights: the learned weight of each class
        diagnostics: how it was computed
    """

    laws: tuple[Law, ...]
    tree: SumTree | None
    shapes: Floats
    means: Floats
    weights: Floats
    diagnostics: Diagnostics

    @property
    def exact(self) -> bool:
        """The weights are sampled."""
        return False

    @cached_property
    def mean(self) -> Floats:
        """The expected count of each cell."""
        return np.array([law.mean for law in self.laws])

    @cached_property
    def stddev(self) -> Floats:
        """The standard deviation of each count."""
        return np.sqrt([law.variance for law in self.laws])

    def interval(self, level: float) -> Floats:
        """Return for each cell the smallest counts not exceeded with probability (1 ∓ level)/2."""
        return np.array([law.quantiles(level) for law in self.laws], dtype=np.float64)

    def draws(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return independent draws of the whole table, as (size, cells)."""
        if self.tree is not None:
            return table_draws(self.tree, size, rng)
        columns = [
            law.low + rng.choice(law.mass.size, size=size, p=law.mass / law.mass.sum()) for law in self.laws
        ]
        return np.array(columns, dtype=np.int64).T

    def beta_mixture(self) -> None:
        """There is no closed form."""
        return

    def log_rates(self, tables: NDArray[np.int64], rng: np.random.Generator) -> Floats:
        """Draw the logarithm of each cell's rate given its count: of a class, then of a Gamma law."""
        counts, where = np.unique(tables, return_inverse=True)
        spread = np.cumsum(self._chances(counts), axis=1)
        chosen = np.zeros(tables.shape, dtype=np.intp)
        uniform = rng.random(tables.shape)
        for column in range(self.means.size - 1):
            chosen += spread[where.reshape(tables.shape), column] < uniform
        shapes = self.shapes[chosen] + tables
        gammas = np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
        return np.asarray(gammas - np.log1p(self.shapes / self.means)[chosen])

    def expected_rates(self, tables: NDArray[np.int64]) -> Floats:
        """Return the expected rate of each cell given its count."""
        counts, where = np.unique(tables, return_inverse=True)
        narrower = 1 / (1 + self.shapes / self.means)
        expected = ((self.shapes + counts[:, None]) * self._chances(counts)) @ narrower
        return np.asarray(expected[where].reshape(tables.shape))

    def _chances(self, counts: NDArray[np.int64]) -> Floats:
        """Return the chance of each class given a count, as (count, class)."""
        logs = np.log(self.weights) + _log_binomials(counts, self.shapes, self.means)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def __str__(self) -> str:
        order = np.argsort(self.means, kind="stable")
        spread = np.cumsum(self.weights[order])
        quartiles = np.interp([0.1, 0.5, 0.9], spread, np.log(self.means[order]))
        low, middle, high = np.exp(quartiles)
        return f"prior learned: cells of {low:.2g}, {middle:.2g} and {high:.2g} records at 10%, 50% and 90%"


def learned_counts(
    evidence: Sequence[CellEvidence], cells: int, prior: LearnedPrior, total: Total
) -> LearnedCounts:
    """Learn the weights from all cells, then sum."""
    shapes, means = np.array(prior.classes(total.most)).T
    windows = _windows(evidence, cells, total.most)
    likelihoods = [_log_likelihood(evidence, cell, low, high) for cell, (low, high) in enumerate(windows)]
    fits = np.empty((cells, means.size))
    for cell, ((low, high), logs) in enumerate(zip(windows, likelihoods, strict=True)):
        each = _log_binomials(np.arange(low, high + 1), shapes, means) + logs[:, None]
        top = each.max()
        fits[cell] = top + np.log(np.exp(each - top).sum(axis=0) + 1e-300)
    weights, classes = _learned(fits)
    laws = []
    for cell, ((low, high), logs) in enumerate(zip(windows, likelihoods, strict=True)):
        each = _log_binomials(np.arange(low, high + 1), shapes, means) + logs[:, None]
        mass = np.exp(each - fits[cell]) @ classes[cell]
        laws.append(Law(low, mass / mass.sum()).trimmed(_NOTHING))
    tree = None
    if total.known:
        tree = sum_tree(laws, total.most, total.most, lambda first, last: np.zeros(1), _NOTHING)
        if tree is None:
            raise InferenceError("no table of this number of records fits the noisy counts")
        laws = list(tree.marginals)
    found = np.array([law.mean for law in laws]), np.array([law.variance for law in laws])
    diagnostics = Diagnostics.of_exact("summed over all tables, prior learned", fits.size * _FEWEST)
    object.__setattr__(diagnostics, "misfit", misfit(evidence, *found))
    return LearnedCounts(tuple(laws), tree, shapes, means, weights, diagnostics)


def _windows(evidence: Sequence[CellEvidence], cells: int, most: int) -> list[tuple[int, int]]:
    """Return for each cell the counts that its noisy counts leave possible."""
    low: Floats = np.zeros(cells)
    high: Floats = np.full(cells, float(most))
    for release in evidence:
        with np.errstate(divide="ignore"):
            away = np.minimum(_FAR / release.rates, np.sqrt(2 * _FAR / release.curvatures)) + 2
        at = np.clip(release.observed, 0, most)
        low, high = np.maximum(low, at - away), np.minimum(high, at + away)
    low, high = np.minimum(low, high), np.maximum(low, high)
    if float((high - low).sum()) > _MOST:
        raise InferenceError(
            "this table is too large, or its noise too wide, for a prior that is learned",
            asked=f"{cells} cells",
            advice="Give a number, such as prior=1.",
        )
    return [
        (math.floor(one), math.ceil(other)) for one, other in zip(low, np.minimum(high, most), strict=True)
    ]


def _log_likelihood(evidence: Sequence[CellEvidence], cell: int, low: int, high: int) -> Floats:
    counts = np.arange(low, high + 1, dtype=np.float64)
    logs = np.zeros(counts.size)
    for release in evidence:
        away = np.abs(float(release.observed[cell]) - counts)
        logs -= release.rates[cell] * away + release.curvatures[cell] * away**2 / 2
    return np.asarray(logs - logs.max())


def _log_binomials(counts: NDArray[np.int64], shapes: Floats, means: Floats) -> Floats:
    """Log of the negative binomial law of each class, as (count, class)."""
    from scipy.special import gammaln

    at = counts.astype(np.float64)[:, None]
    kinds, which = np.unique(shapes, return_inverse=True)
    ways = (gammaln(at + kinds) - gammaln(kinds) - gammaln(at + 1))[:, which]
    whole = np.log(shapes + means)
    return np.asarray(ways + shapes * (np.log(shapes) - whole) + at * (np.log(means) - whole))


def _learned(fits: Floats) -> tuple[Floats, Floats]:
    """Return the posterior means of the weights, and of the chance of each class for each cell.

    The weights' prior is one cell shared by all classes.
    """
    rng = np.random.default_rng(_SEED)
    cells, size = fits.shape
    likely = np.exp(fits - fits.max(axis=1, keepdims=True))
    weights: Floats = np.full(size, 1 / size)
    kept, classes = np.zeros(size), np.zeros((cells, size))
    sweeps = int(min(max(_FEWEST, _WORK / fits.size), _SWEEPS))
    for sweep in range(sweeps):
        chances = likely * weights
        chances /= chances.sum(axis=1, keepdims=True)
        chosen = (np.cumsum(chances, axis=1) < rng.random((cells, 1))).sum(axis=1)
        weights = rng.dirichlet(1 / size + np.bincount(np.minimum(chosen, size - 1), minlength=size))
        if sweep >= sweeps // 4:
            kept += weights
            classes += chances
    return np.maximum(kept / kept.sum(), 1e-300), classes / (sweeps - sweeps // 4)
