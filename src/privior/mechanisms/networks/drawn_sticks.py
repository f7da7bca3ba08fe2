"""What draws of a node's table say of its true counts: stick by stick.

Stick j of a row is the part of what the levels before left over that goes to level j. Given that c records of
a row have level j and d a later one, it is a draw from Beta(first + rate c, second + rate d), perhaps cut to
a box; sticks are independent. So every stick tells of one division of records into two parts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers
from privior.special import betaln

#: nodes of a quadrature over the part of a box where the law is, and how far down its logarithm is followed
_NODES, _DEPTH = 64, 40.0


@dataclass(frozen=True, eq=False)
class DrawnSticks:
    """The sticks of all draws of one table, as inference sees them: arrays (rows, levels - 1).

    Attributes:
        first: the prior parameter of each stick's level
        second: the sum of those of the levels after it
        rate: the weight of a record
        taken: the sum over the draws of log x
        left: the sum over the draws of log (1 - x)
        zeros: how many draws were rounded to 0, where x^a / a stands for x^(a-1)
        ones: how many were rounded to 1, likewise
        draws: how many there are
        smallest: sticks lie between this and 1 less this; 0 if they are not cut
    """

    first: Floats
    second: Floats
    rate: float
    taken: Floats
    left: Floats
    zeros: Floats
    ones: Floats
    draws: int
    smallest: float = 0.0

    @staticmethod
    def of(
        sticks: Integers, places: int, parameters: Floats, rate: float, smallest: float = 0.0
    ) -> DrawnSticks:
        """Take sticks (draws, rows, levels - 1) on a grid, and prior parameters (rows, levels)."""
        unit = 1 << places
        low, high = max(smallest, 0.5 / unit), 1 - max(smallest, 0.5 / unit)
        x = np.clip(sticks / unit, low, high)
        rest = np.clip((unit - sticks) / unit, low, high)
        after = np.cumsum(parameters[:, ::-1], axis=1)[:, ::-1][:, 1:]
        zeros, ones = ((sticks == end).sum(axis=0).astype(np.float64) for end in (0, unit))
        taken = np.log(x).sum(axis=0)
        left = np.where(x < 0.5, np.log1p(-np.minimum(x, 0.5)), np.log(rest)).sum(axis=0)
        return DrawnSticks(parameters[:, :-1], after, rate, taken, left, zeros, ones, len(sticks), smallest)

    def log_likelihood(self, row: int, stick: int, counts: Floats, rest: Floats) -> Floats:
        """Return the log density of the draws of a stick if c records have its level and d a later one.

        Up to a constant that depends on neither.
        """
        at = row, stick
        a = self.first[at] + self.rate * counts
        b = self.second[at] + self.rate * rest
        found = a * self.taken[at] + b * self.left[at]
        if self.smallest > 0:
            return np.asarray(found - self.draws * log_box(a, b, self.smallest))
        found = found - self.draws * betaln(a, b)
        if self.zeros[at]:
            found = found - self.zeros[at] * np.log(a)
        if self.ones[at]:
            found = found - self.ones[at] * np.log(b)
        return np.asarray(found)


def log_box(a: Floats, b: Floats, smallest: float) -> Floats:
    """Return the log of the integral of x^(a-1) (1-x)^(b-1) from w to 1 - w, in floating point.

    With t = log(x/(1-x)) the logarithm of what is integrated is a t - (a+b) log(1 + e^t): concave. It falls
    by 40 within a distance that its slope or its curvature at the largest value in the box tells; beyond
    that there is nothing. Gauss-Legendre within: right to ten
    digits for a smallest stick of 0.05 and more, to 0.001 for one of 1e-6.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    end = math.log((1 - smallest) / smallest)
    peak = np.clip(np.log(a / b), -end, end)
    share = 1 / (1 + np.exp(-peak))
    slope, bend = np.abs(a - (a + b) * share), (a + b) * share * (1 - share)
    # concave: it falls at least as fast as the straight line; the curve flattens, so more than the parabola's
    line = _DEPTH / np.maximum(slope, 1e-300)
    arc = 1.4 * np.sqrt(2 * _DEPTH / np.maximum(bend, 1e-300)) + 2 * _DEPTH / np.minimum(a, b)
    reach = np.minimum(line, arc)
    low, high = np.maximum(peak - reach, -end), np.minimum(peak + reach, end)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = (high - low) / 2
    t = ((low + high) / 2)[..., np.newaxis] + half[..., np.newaxis] * nodes
    sum_ = (a + b)[..., np.newaxis]
    logs = a[..., np.newaxis] * t - sum_ * np.logaddexp(0.0, t)
    top = logs.max(axis=-1, keepdims=True)
    return np.asarray(top[..., 0] + np.log((np.exp(logs - top) * weights).sum(axis=-1) * half))
