"""Precision matrices of known mean and bounded eigenvalues, under the eyes of the analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privior.models.families import MultivariateNormalPrecision
from privior.models.families.family import numeric
from privior.models.laws.matrices import floats
from privior.schema import Schema
from privior.smoothness.distances import MOST_VALUES, Distance
from privior.smoothness.normal_vectors import UP, SeveralColumns, checked, vectors
from privior.smoothness.subject import Cut, subject_of

Floats = NDArray[np.float64]

#: an integrand so far below its largest value, as a logarithm, is left out; points in each direction
_DEPTH, _NODES = 45.0, 160


@dataclass(frozen=True)
class Precisions(SeveralColumns):
    """X with eigenvalues in [a, b], u and v two deviations from the known mean.

    log p(x) - log p(y) = trace(X M) / 2, M = v v' - u u', which has an eigenvalue s >= 0, one t <= 0, and
    else 0: s, t = ((|v|^2 - |u|^2) +- D) / 2, D = sqrt((|u|^2 + |v|^2)^2 - 4 (u'v)^2). As a <= X <= b,
    trace(X M) is between a s + b t and b s + a t, and reaches both where X has the eigenvectors of M. So L is
    the largest (b s + a t) / 2, at most b |v|^2 / 2, and the oscillation the largest (b - a) D / 2, at most
    (b - a) R^2, R the largest deviation: at a corner. A draw from the posterior of any prior on these X has
    a loss in a range of that length (as for every likelihood: docs/guarantees.md).
    """

    model: MultivariateNormalPrecision
    schema: Schema
    distance: Distance
    smoothest: ClassVar[float] = 0.0
    computed: ClassVar[str] = (  # type: ignore[misc]
        "bounds in floating point, rounded up. The chance of smoother matrices has no closed form under a "
        "Wishart law with bounded eigenvalues: nothing is said of it. Theorem 6 in floating point, for two "
        "columns only. The guarantee is that of draws made exactly, which privior does not make of this "
        "family"
    )
    ratio_bounded: ClassVar[bool] = True  # type: ignore[misc]

    @cached_property
    def _records(self) -> Floats | None:
        """All deviations, if there are few records."""
        grids = [numeric(self.schema, name, self.model.family) for name in self.model.vector]
        if math.prod(size for _, _, size in grids) > MOST_VALUES:
            return None
        axes = [[float(lower + step * i - centre) for i in range(size)] for (lower, step, size), centre in
                zip(grids, self.model.mean, strict=True)]  # fmt: skip
        return np.array(list(product(*axes)))

    @cached_property
    def _farthest(self) -> float:
        """R^2."""
        ends = zip(self.sides, self.model.mean, strict=True)
        return sum(max((low - float(c)) ** 2, (high - float(c)) ** 2) for (low, high), c in ends) * UP

    @cached_property
    def _eigenvalues(self) -> tuple[Floats, Floats] | None:
        """s and t of all pairs."""
        records = self._records
        if records is None:
            return None
        inner = records @ records.T
        squares = np.diag(inner)
        plus, minus = squares[:, np.newaxis] + squares, squares[:, np.newaxis] - squares
        root = np.sqrt(np.maximum(plus**2 - 4 * inner**2, 0.0))
        return (minus + root) / 2, (minus - root) / 2

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self.model.prior.lower), float(self.model.prior.upper)

    @cached_property
    def roughest(self) -> float:
        """Over all pairs of records if there are few; else by the corner."""
        low, high = self._ends
        if self._eigenvalues is None:
            return high * self._farthest / 2
        above, below = self._eigenvalues
        slopes = (high * above + low * below) / 2
        size = range(len(slopes))
        apart = np.array([[self.distance.apart(one, two) for two in size] for one in size])
        return float((slopes[apart > 0] / apart[apart > 0]).max()) * UP

    @cached_property
    def oscillation(self) -> float:
        """Likewise."""
        low, high = self._ends
        if self._eigenvalues is None:
            return (high - low) * self._farthest
        above, below = self._eigenvalues
        return (high - low) * float((above - below).max()) / 2 * UP

    def outside(self, levels: Floats) -> Floats:
        """All that is known: none is rougher than L."""
        return np.where(np.asarray(levels) >= self.roughest, 0.0, 1.0)

    def log_ratio(self, records: int) -> float | None:
        """At most n times how far the log likelihood of one record varies: most for the farthest.

        The largest has the eigenvalue nearest to 1 / R^2 along the deviation and b across it, the least at
        least a for the determinant and b along.
        """
        (low, high), size = self._ends, len(self.sides)
        along = min(max(1 / self._farthest, low), high)
        largest = (size - 1) * math.log(high) + math.log(along) - along * self._farthest
        least = size * math.log(low) - high * self._farthest
        return records * (largest - least) / 2 * UP

    def necessary(self, records: int) -> float | None:
        """Theorem 6 for two columns: one record replaced and all others alike, at places of a 3 x 3 grid."""
        if len(self.sides) != 2:
            return None
        low, high = self._ends
        grids = [numeric(self.schema, name, self.model.family) for name in self.model.vector]
        marks = ([float(lower + step * i) for i in (0, size // 2, size - 1)] for lower, step, size in grids)
        places = np.array(list(product(*marks))) - [float(one) for one in self.model.mean]
        rate = np.linalg.inv(floats(self.model.prior.scale))
        degrees = float(self.model.prior.degrees) + records
        found = 0.0
        for other in places:
            common = rate + (records - 1) * np.outer(other, other)
            means = [_log_mass(common + np.outer(one, one), degrees, low, high) for one in places]
            for (one, x), (two, y) in permutations(zip(means, places, strict=True), 2):
                least, most = np.linalg.eigvalsh(np.outer(y, y) - np.outer(x, x))
                likelihoods = (high * most + low * least) / 2
                found = max(found, 2 * min(likelihoods, two - one))
        return found / (self.distance.reach * UP)

    def cuts(self, records: int) -> Sequence[Cut]:
        """None: what a cut leaves is not known."""
        return ()

    def _top(self) -> float:
        return self.roughest


def _log_mass(rate: Floats, degrees: float, low: float, high: float) -> float:
    """Return the log of the integral of |X|^((v - 3)/2) e^(-trace(rate X)/2) over 2 x 2 matrices X.

    Their eigenvalues p > q are between low and high. If X is turned by an angle from the rate, of trace t and
    eigenvalues d apart, trace(rate X) / 2 = (p + q) t / 4 + (p - q) d cos(2 angle) / 4; the integral over the
    angle is a Bessel function, and p - q is the volume. Over log p - log q, and log p + log q given that, the
    integrand is smooth: both are scaled to [0, 1] and summed at Gauss points where it is not negligible.
    """
    from scipy.special import i0e, logsumexp

    trace, gap = float(np.trace(rate)), float(np.ptp(np.linalg.eigvalsh(rate)))
    width, middle = math.log(high / low), math.log(high * low) / 2

    def logs(first: Floats, second: Floats) -> Floats:
        ratio = width * first
        room = width - ratio
        centre = middle + room * (second - 0.5)
        larger, smaller = np.exp(centre + ratio / 2), np.exp(centre - ratio / 2)
        turned = (larger - smaller) * gap / 4
        with np.errstate(divide="ignore"):
            volume = np.log((larger - smaller) * room * width)
        powers = (degrees - 1) * centre  # of p q, and of both logarithms
        return np.asarray(powers + volume - (larger + smaller) * trace / 4 + turned + np.log(i0e(turned)))

    ends = [(0.0, 1.0), (0.0, 1.0)]
    for _ in range(6):  # nearer each time
        axes = [np.linspace(start, stop, 65) for start, stop in ends]
        found = logs(*np.meshgrid(*axes, indexing="ij"))
        seen = np.argwhere(found > found.max() - _DEPTH)
        first, last = np.maximum(seen.min(axis=0) - 1, 0), np.minimum(seen.max(axis=0) + 1, 64)
        ends = [(axis[i], axis[j]) for axis, i, j in zip(axes, first, last, strict=True)]
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    axes = [(start + stop + (stop - start) * nodes) / 2 for start, stop in ends]
    found = logs(*np.meshgrid(*axes, indexing="ij"))
    area = math.prod((stop - start) / 2 for start, stop in ends)
    return float(logsumexp(found, b=np.outer(weights, weights))) + math.log(area)


@subject_of.register
def _(model: MultivariateNormalPrecision, schema: Schema | None, distance: object) -> Precisions:
    schema = checked(model, schema)
    return Precisions(model, schema, vectors(model, schema, distance))
