"""The mechanisms on Hellinger distances, by enumeration: every candidate posterior and its probability."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
Counts = tuple[int, ...]


def tables(records: int, levels: int) -> NDArray[np.int64]:
    """All tables of counts with this sum."""
    bars = itertools.combinations(range(records + levels - 1), levels - 1)
    edges = np.array([(-1, *bar, records + levels - 1) for bar in bars])
    return np.diff(edges, axis=1) - 1


def log_beta(parameters: Floats) -> Floats:
    return np.asarray(gammaln(parameters).sum(-1) - gammaln(parameters.sum(-1)))


def hellinger(one: Floats, other: Floats) -> Floats:
    """Between Dirichlet laws."""
    overlap = log_beta((one + other) / 2) - (log_beta(one) + log_beta(other)) / 2
    return np.asarray(np.sqrt(np.maximum(0.0, -np.expm1(overlap))))


def phi(at: float) -> float:
    return math.exp(math.lgamma(at + 0.5) - math.lgamma(at)) / math.sqrt(at)


def local_sensitivity(counts: Counts, prior: tuple[float, ...]) -> float:
    cells = range(len(counts))
    moves = ((i, j) for i in cells for j in cells if i != j and counts[i] >= 1)
    return math.sqrt(1 - min(phi(prior[i] + counts[i] - 1) * phi(prior[j] + counts[j]) for i, j in moves))


def log_law(counts: Counts, prior: tuple[float, ...], slope: float) -> Floats:
    """Log probabilities of all candidates, weight e^(-slope H)."""
    alpha = np.array(prior)
    distances = hellinger(tables(sum(counts), len(counts)) + alpha, np.array(counts) + alpha)
    weights = -slope * distances
    return np.asarray(weights - np.logaddexp.reduce(weights))


def neighbours(records: int, levels: int) -> Iterator[tuple[Counts, Counts]]:
    for row in tables(records, levels):
        counts = tuple(int(c) for c in row)
        for i, j in itertools.permutations(range(levels), 2):
            if counts[i] > 0:
                moved = list(counts)
                moved[i], moved[j] = moved[i] - 1, moved[j] + 1
                yield counts, tuple(moved)


def largest_loss(
    records: int,
    prior: tuple[float, ...],
    slope: Callable[[Counts], float],
    pairs: list[tuple[Counts, Counts]] | None = None,
) -> float:
    """The largest log ratio over all neighbours, or over the given ones in both orders."""
    laws: dict[Counts, Floats] = {}
    worst = 0.0
    for one, other in pairs if pairs is not None else neighbours(records, len(prior)):
        for counts in (one, other):
            if counts not in laws:
                laws[counts] = log_law(counts, prior, slope(counts))
        worst = max(worst, float(np.abs(laws[one] - laws[other]).max()))
    return worst
