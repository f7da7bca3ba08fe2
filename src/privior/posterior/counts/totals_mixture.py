"""The probability of an event where the number of records is not known, as a mixture over it.

Given N records of which s are in the event it is Beta(a+s, b+N−s). Given N alone it is a mixture of these
over s, whose distribution function `BetaRows` has; the mixture over N is weighed by how probable each N is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.beta_mixture import BetaRows
from privior.posterior.counts.sum_with_total import SumWithTotal
from privior.posterior.counts.variance import VarianceParts

#: halvings of the interval in which a quantile lies, at most; it is found where that is so narrow
_MOST_STEPS, _CLOSE = 200, 1e-12
#: how many pairs of a sum and a total are computed at once
_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class TotalsMixture:
    """The posterior of the probability of an event.

    Attributes:
        counts: the law of the number of its records together with the total
        prior: the a of the event: the sum of those of its cells
        others: that of all other cells
    """

    counts: SumWithTotal
    prior: float
    others: float

    @cached_property
    def mean(self) -> Floats:
        """The expected probability, as one number in an array."""
        return np.array([self.counts.shares @ self._means])

    @cached_property
    def variance_parts(self) -> VarianceParts:
        """The variance given s and N, averaged, and that of the mean (a + s) / (A + N)."""
        shares, size = self.counts.shares, self._sizes
        within = np.array([law.variance for law in self.counts.sums]) / size**2
        privacy = float(shares @ within + shares @ (self._means - float(self.mean[0])) ** 2)
        sampling = float(shares @ ((self._means * (1 - self._means) - within) / (size + 1)))
        return VarianceParts(np.array([max(sampling, 0.0)]), np.array([privacy]))

    @cached_property
    def stddev(self) -> Floats:
        """The standard deviation."""
        return np.sqrt(self.variance_parts.total)

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval, as (1, 2)."""
        tail = (1 - level) / 2
        return np.array([[self._quantile(tail), self._quantile(1 - tail)]])

    def cdf(self, x: float) -> float:
        """Return the probability that it is at most x."""
        if not 0 < x < 1:
            return float(x >= 1)
        return self._value(math.log(x) - math.log1p(-x))[0]

    def _value(self, logit: float) -> tuple[float, float]:
        """Return F and its slope by log(x/(1−x))."""
        value = slope = 0.0
        for shares, rows in self._rows:
            found, rising = rows.cdf_and_slope(np.full((1, shares.size), logit))
            value, slope = value + float(shares @ found[0]), slope + float(shares @ rising[0])
        return value, slope

    def _quantile(self, share: float) -> float:
        """Return the point below which it lies with this probability: Newton's method within a bracket."""
        mean, stddev = float(self.mean[0]), float(self.stddev[0])
        scale = min(stddev / (mean * (1 - mean)), 1.0)
        low, high, at = -745.0, 37.0, math.log(mean) - math.log1p(-mean)
        for _ in range(_MOST_STEPS):
            value, slope = self._value(at)
            low, high = (low, at) if value >= share else (at, high)
            step = (share - value) / slope if slope > 0 else math.inf
            if abs(step) <= _CLOSE * scale or high - low <= _CLOSE * scale:
                break
            step = max(-2 * scale, min(step, 2 * scale))
            at = at + step if low < at + step < high else (low + high) / 2
        return 1 / (1 + math.exp(-at))

    @cached_property
    def _sizes(self) -> Floats:
        return np.asarray(self.prior + self.others + self.counts.totals, dtype=np.float64)

    @cached_property
    def _means(self) -> Floats:
        return np.asarray((self.prior + np.array([law.mean for law in self.counts.sums])) / self._sizes)

    @cached_property
    def _rows(self) -> list[tuple[Floats, BetaRows]]:
        """What is constant, for some totals at a time, with how probable each of these is."""
        laws = self.counts.sums
        few = max(1, _AT_ONCE // max(law.mass.size for law in laws))
        prior, spread = np.full(few, self.prior), np.full(few, float(self.stddev[0]))
        found = []
        for start in range(0, len(laws), few):
            some = slice(start, min(start + few, len(laws)))
            number = some.stop - start
            rows = BetaRows(laws[some], prior[:number], self._sizes[some], self._means[some], spread[:number])
            found.append((self.counts.shares[some], rows))
        return found
