"""The posterior of each cell's probability, as a mixture of Beta laws over the cell's unknown count.

Given its count c among n records, the probability θ of a cell with prior a, of A in all, is Beta(a+c, b−c)
with b = A − a + n. Its posterior is the mixture over c with the marginal law p of the count. Since
I_x(α+1, β−1) = I_x(α, β) − x^α (1−x)^(β−1) / (α B(α, β)), its distribution function telescopes:

    F(x) = I_x(a+l, b−l) − Σ_{c>=l} P(count > c) t_c(x),
    t_c(x) = x^(a+c) (1−x)^(b−c−1) / ((a+c) B(a+c, b−c)),

one incomplete Beta function at the lowest count l, and a sum with constants that are computed once. The
density is Σ p_c (a+c) t_c(x) / x, so Newton's method needs no more. Quantiles are sought for log(x/(1−x)),
kept in a bracket, until a step is below 10⁻¹¹ of the scale on which that varies.

log t_c(x) is taken relative to a count m and to x_m = (a+m)/(A+n), where by Stirling's formula all large
terms cancel: log t_m(x_m) = ½ log(s/(αβ)) − ½ log 2π + r(s) − r(α) − r(β), with α = a+m, β = b−m, s = A+n.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.posterior.counts.incomplete_beta import expit, first_guess, incomplete_beta
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.stirling import HALF_LOG_TWO_PI, stirling_remainder
from privior.posterior.counts.variance import VarianceParts

#: how much is computed at once, in values
_AT_ONCE = 1 << 19
_MOST_STEPS = 100
#: log(x/(1−x)) is sought between these, beyond which x is taken as 0 or 1
_LOWEST, _HIGHEST = -700.0, 37.0
#: t_c(x) is negligible for counts this many standard deviations of a binomial from x
_FAR = 12.0
#: a quantile is found once Newton's step is below this share of the scale on which log(x/(1−x)) varies
_CLOSE = 1e-11


@dataclass(frozen=True, eq=False)
class BetaMixture:
    """The posterior of each cell's probability.

    Attributes:
        marginals: the posterior of each cell's count
        prior: the a of each cell
        records: the number of records n
    """

    marginals: Sequence[IntegerLaw]
    prior: Floats
    records: int

    @cached_property
    def mean(self) -> Floats:
        """The expected probability of each cell: E[a + c] / (A + n)."""
        counts = np.array([law.mean for law in self.marginals])
        return np.asarray((self.prior + counts) / self._size)

    @cached_property
    def variance_parts(self) -> VarianceParts:
        """The variance of each: of a Beta law, averaged over the count, and of its mean (a + c) / (A + n)."""
        share = self.mean
        privacy = np.array([law.variance for law in self.marginals]) / self._size**2
        sampling = (share * (1 - share) - privacy) / (self._size + 1)
        return VarianceParts(np.maximum(sampling, 0), privacy)

    @cached_property
    def stddev(self) -> Floats:
        """The standard deviation of each."""
        return np.sqrt(self.variance_parts.total)

    def cdf(self, cell: int, x: float) -> float:
        """Return the probability that a cell's probability is at most x."""
        if not 0 < x < 1 or len(self.marginals) == 1:
            return 1.0 if x >= 1 else 0.0
        rows = self._rows(np.array([cell]))
        return float(rows.cdf_and_slope(np.array([[math.log(x) - math.log1p(-x)]]))[0][0, 0])

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each cell's probability, as (cells, 2)."""
        ends = np.ones((len(self.marginals), 2))
        if len(self.marginals) > 1:
            for cells in self._parts():
                ends[cells] = self._rows(cells).quantiles((1 - level) / 2).T
        return ends

    def _rows(self, cells: NDArray[np.intp]) -> BetaRows:
        laws, sizes = [self.marginals[cell] for cell in cells], np.full(cells.size, self._size)
        return BetaRows(laws, self.prior[cells], sizes, self.mean[cells], self.stddev[cells])

    @cached_property
    def _size(self) -> float:
        return float(self.prior.sum()) + self.records

    def _parts(self) -> Iterator[NDArray[np.intp]]:
        """Yield cells whose windows are of similar width, as many as fit at once."""
        width = np.array([law.mass.size for law in self.marginals])
        order = np.argsort(width, kind="stable")
        start = 0
        while start < order.size:
            part = order[start : start + max(1, _AT_ONCE // int(width[order[start]]))]
            if part.size * width[part[-1]] > _AT_ONCE // 8:
                part = part[width[part] <= 2 * width[part[0]]]
            start += part.size
            yield part


class BetaRows:
    """The constants of some cells, one row each, padded to a common width with zero probability.

    Args:
        laws: of the count of each cell
        prior: the a of each
        size: A + n of each
        mean: of each probability
        stddev: of each
    """

    def __init__(
        self, laws: Sequence[IntegerLaw], prior: Floats, size: Floats, mean: Floats, stddev: Floats
    ) -> None:
        width = max(law.mass.size for law in laws)
        low = np.array([law.low for law in laws])
        self.first = prior + low
        self.second = size - prior - low
        # Where a parameter is tiny, a quantile may be 0 or 1 as a float.
        last = self.second - np.array([law.mass.size - 1 for law in laws])
        self.tiny = bool(min(self.first.min(), last.min()) < 0.05)
        self.mean, self.stddev = mean, stddev
        mass = np.zeros((len(laws), width))
        for row, law in zip(mass, laws, strict=True):
            row[: law.mass.size] = law.mass
        beyond = np.zeros_like(mass)
        beyond[:, :-1] = np.cumsum(mass[:, :0:-1], axis=1)[:, ::-1]
        offset = np.arange(width)
        alpha = self.first[:, None] + offset
        middle = np.array([min(max(round(law.mean) - law.low, 0), law.mass.size - 1) for law in laws])
        a, b = self.first + middle, np.maximum(self.second - middle, 1e-300)
        self.at, self.rest = a / size, b / size
        # Steps of log t from one count to the next, at x_m; beyond n there may be padding, but no law.
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (self.second[:, None] - offset[1:]) / alpha[:, 1:] * (self.at / self.rest)[:, None]
            steps = np.where(ratio > 0, np.log(ratio), -np.inf)
        logs = np.zeros_like(mass)
        np.cumsum(steps, axis=1, out=logs[:, 1:])
        logs -= logs[np.arange(len(laws)), middle][:, None]
        anchor = np.log(size / a / b) / 2 - HALF_LOG_TWO_PI
        anchor += stirling_remainder(size) - stirling_remainder(a) - stirling_remainder(b)
        logs += anchor[:, None]
        self.logs, self.mass_alpha, self.beyond, self.size = logs, mass * alpha, beyond, size

    def cdf_and_slope(self, logit: Floats) -> tuple[Floats, Floats]:
        """Return F(x) and dF/d logit(x) for points (any number, row)."""
        x, y = expit(logit), expit(-logit)
        upper = x > 0.5
        away = np.where(upper, self.rest - y, x - self.at)
        with np.errstate(divide="ignore", invalid="ignore"):
            near_x, near_y = np.log1p(away / self.at), np.log1p(-away / self.rest)
            from_x = np.where(np.abs(away) < self.at / 2, near_x, np.log(x / self.at))
            from_y = np.where(np.abs(away) < self.rest / 2, near_y, np.log(y / self.rest))
        columns = self._near(x)
        logs = np.multiply.outer(from_x - from_y, np.arange(columns.start, columns.stop))
        logs += self.logs[:, columns]
        logs += (self.first * from_x + (self.second - 1) * from_y)[..., None]
        terms = np.exp(logs, out=logs)
        lost = np.einsum("tij,ij->ti", terms, self.beyond[:, columns])
        slope = np.einsum("tij,ij->ti", terms, self.mass_alpha[:, columns]) * y
        return incomplete_beta(self.first, self.second, x, y) - lost, slope

    def quantiles(self, tail: float) -> Floats:
        """Return the points (2, row) below and above which each row has this probability, at most 1/2."""
        tails, side = np.array([[tail], [1 - tail]]), np.array([[0.0], [1.0]])
        sign = 1 - 2 * side
        share, scale = self.mean * (1 - self.mean), self.stddev
        guess = np.log(self.mean / (1 - self.mean)) - sign * first_guess(tail) * scale / share
        at = np.clip(guess, _LOWEST, _HIGHEST)
        close = _CLOSE * np.minimum(scale / share, 1.0)
        low, high = np.full(at.shape, _LOWEST), np.full(at.shape, _HIGHEST)
        found = np.zeros(at.shape, dtype=np.bool_)
        if self.tiny:
            edges = np.broadcast_to([[_LOWEST], [_HIGHEST]], at.shape)
            found = sign * (self.cdf_and_slope(edges)[0] - tails) >= 0
            at = np.where(found, edges, at)
        for _ in range(_MOST_STEPS):
            value, slope = self.cdf_and_slope(at)
            over = value >= tails
            low, high = np.where(over, low, at), np.where(over, at, high)
            # Newton for log F, or log(1 − F): nearly straight in the tails, and concave as a rule.
            left = np.maximum(sign * (value - side), 1e-300)
            step = sign * left * np.log(tail / left) / np.maximum(slope, 1e-290)
            newton, small = at + step, np.abs(step) <= close
            near = small & (np.abs(value - tails) <= 1e-6)
            within = (newton >= low) & (newton <= high) & ~small & (left > 1e-14) | near
            at = np.where(found, at, np.where(within, newton, (low + high) / 2))
            found |= near | (high - low <= 4e-16 * np.abs(at))
            if found.all():
                break
        return np.where(at <= _LOWEST + 1e-6, 0.0, expit(at))

    def _near(self, x: Floats) -> slice:
        """Return the columns whose terms are not negligible at any point."""
        middle = self.size * x - self.first
        reach = _FAR * np.sqrt(self.size * x * (1 - x)) + _FAR**2
        start = min(max(math.floor((middle - reach).min()), 0), self.logs.shape[1])
        return slice(start, max(start, min(math.ceil((middle + reach).max()) + 1, self.logs.shape[1])))
