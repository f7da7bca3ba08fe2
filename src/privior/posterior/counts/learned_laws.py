"""What all cells of a table together say of the law that their rates come from.

Counts are Poisson given their rates, so that under a class, a Gamma law of shape a and mean m, a count is
negative binomial, NB(c). Cells with the same noisy counts are alike; with ℓ(c) the likelihood of a cell's
count, a class fits it as F_j = Σ_c ℓ(c) NB_j(c), a law with weights w as Σ_j w_j F_j, and a law fits the
table as the product over its cells. All sums are finite and taken as they stand: nothing is sampled.

If the total n is known, a law is also judged by how well it agrees with n: the probability of n given the
law and the noisy counts is taken from the normal law with the mean and variance of the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import RateLaws
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.kept import kept
from privior.special import gammaln

#: what is left out beyond a window weighs e^-this of its highest point
_FAR = 45.0
#: all windows together
_MOST = 20_000_000
#: negative binomials are listed for so many counts at once
_TILE = 256
_TINY, _NOTHING = 1e-290, 1e-18


kept(RateLaws)


@kept
@dataclass(frozen=True, eq=False)
class LearnedRates:
    """What is learned from a table.

    Attributes:
        prior: the laws that rates may come from
        chances: how probable each of them is now
        laws: of the count in each group of cells that are alike, averaged over the laws of rates
        group: of each cell
        windows: the counts that are possible in each group, first and last
        likelihoods: of these counts
    """

    prior: RateLaws
    chances: Floats
    laws: tuple[IntegerLaw, ...]
    group: Integers
    windows: tuple[tuple[int, int], ...]
    likelihoods: tuple[Floats, ...]

    @property
    def weights(self) -> Floats:
        """The expected weight of each class."""
        return np.maximum(self.chances @ self.prior.weights, 1e-300)

    @property
    def cost(self) -> float:
        """The arithmetic it took, in multiply-adds."""
        return 2.0 * sum(likelihood.size for likelihood in self.likelihoods) * self.prior.means.size


def learned(evidence: Sequence[CellEvidence], cells: int, laws: RateLaws, total: Total) -> LearnedRates:
    """Weigh the laws by how well they fit all cells, and average over them."""
    rows = [np.zeros(cells)]
    for release in evidence:
        rows += [release.observed.astype(np.float64), release.rates, release.curvatures]
    _, first, group, sizes = np.unique(
        np.column_stack(rows), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    windows = _windows(evidence, first, total.most)
    likelihoods = [
        _likelihood(evidence, int(cell), low, high) for cell, (low, high) in zip(first, windows, strict=True)
    ]
    moments = np.zeros((3, first.size, laws.means.size))
    for at, counts, binomials in tiles(windows, laws):
        above = counts - windows[at][0]
        powers = above.astype(np.float64) ** np.arange(3 if total.known else 1)[:, None]
        moments[: len(powers), at] += (powers * likelihoods[at][above]) @ binomials
    fits = np.maximum(moments[0], _TINY)
    law_fits = np.maximum(fits @ laws.weights.T, _TINY)
    logs = np.log(laws.chances) + sizes @ np.log(law_fits)
    if total.known:
        lowest = int(sizes @ np.array([low for low, _ in windows]))
        logs += _agreement(moments[1:], law_fits, laws.weights, sizes, total.most - lowest)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    # The expected weight of each class in each group, over what the class fits.
    shares = (chances / law_fits) @ laws.weights
    masses = [np.zeros(likelihood.size) for likelihood in likelihoods]
    for at, counts, binomials in tiles(windows, laws):
        masses[at][counts - windows[at][0]] = binomials @ shares[at]
    found = []
    for (low, _), likelihood, mass in zip(windows, likelihoods, masses, strict=True):
        whole = likelihood * mass
        if not whole.sum() > 0:
            raise InferenceError("no law of counts fits a noisy count", where="evidence")
        found.append(IntegerLaw(low, whole / whole.sum()).trimmed(_NOTHING))
    return LearnedRates(laws, chances, tuple(found), group.ravel(), tuple(windows), tuple(likelihoods))


def log_binomials(counts: Integers, shapes: Floats, means: Floats) -> Floats:
    """Log of the negative binomial law of each class, as (count, class)."""
    at = counts.astype(np.float64)[:, None]
    kinds, which = np.unique(shapes, return_inverse=True)
    ways = (gammaln(at + kinds) - gammaln(kinds) - gammaln(at + 1))[:, which]
    whole = np.log(shapes + means)
    return np.asarray(ways + shapes * (np.log(shapes) - whole) + at * (np.log(means) - whole))


def _windows(evidence: Sequence[CellEvidence], cells: NDArray[np.intp], most: int) -> list[tuple[int, int]]:
    """Return for each of these cells the counts that its noisy counts leave possible."""
    low: Floats = np.zeros(cells.size)
    high: Floats = np.full(cells.size, float(most))
    for release in evidence:
        rates, curvatures = release.rates[cells], release.curvatures[cells]
        with np.errstate(divide="ignore"):
            away = np.minimum(_FAR / rates, np.sqrt(2 * _FAR / curvatures)) + 2
        at = np.clip(release.observed[cells], 0, most)
        low, high = np.maximum(low, at - away), np.minimum(high, at + away)
    low, high = np.minimum(low, high), np.maximum(low, high)
    if float((high - low).sum()) > _MOST:
        raise InferenceError(
            "this table is too large, or its noise too wide, for a prior that is learned",
            asked=f"{cells.size} different noisy counts",
            advice="Give a number, such as prior=1.",
        )
    return [
        (math.floor(one), math.ceil(other)) for one, other in zip(low, np.minimum(high, most), strict=True)
    ]


def _likelihood(evidence: Sequence[CellEvidence], cell: int, low: int, high: int) -> Floats:
    """Return the likelihood of each count of a window; the largest is 1."""
    counts = np.arange(low, high + 1, dtype=np.float64)
    logs = np.zeros(counts.size)
    for release in evidence:
        away = np.abs(float(release.observed[cell]) - counts)
        logs -= release.rates[cell] * away + release.curvatures[cell] * away**2 / 2
    return np.asarray(np.exp(logs - logs.max()))


def tiles(windows: Sequence[tuple[int, int]], laws: RateLaws) -> Iterator[tuple[int, Integers, Floats]]:
    """Go through all windows piece by piece: (window, counts, negative binomials of these counts).

    Pieces end at multiples of the tile, and a tile is listed once for all windows that need it.
    """
    needed: dict[int, list[int]] = {}
    for at, (low, high) in enumerate(windows):
        for tile in range(low // _TILE, high // _TILE + 1):
            needed.setdefault(tile, []).append(at)
    for tile, several in needed.items():
        start = tile * _TILE
        first = max(start, min(windows[at][0] for at in several))
        last = min(start + _TILE - 1, max(windows[at][1] for at in several))
        listed = np.exp(log_binomials(np.arange(first, last + 1), laws.shapes, laws.means))
        for at in several:
            low, high = max(first, windows[at][0]), min(last, windows[at][1])
            yield at, np.arange(low, high + 1), listed[low - first : high + 1 - first]


def _agreement(moments: Floats, law_fits: Floats, weights: Floats, sizes: Integers, total: int) -> Floats:
    """Return the log density of the total under each law, given the noisy counts.

    Counts, and the total, are what exceeds the lowest count of each window.
    """
    means = moments[0] @ weights.T / law_fits
    squares = moments[1] @ weights.T / law_fits
    variance = np.maximum(sizes @ (squares - means**2), 1e-6)
    return np.asarray(-((total - sizes @ means) ** 2) / (2 * variance) - np.log(variance) / 2)
