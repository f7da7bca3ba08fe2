"""The error of one cell: what the posterior mean of a count misses, integrated over truth and noise.

A count c has a prior law and is seen with noise, y = c + z; the estimate is E[c | y]. All three integrals
(over c, over z, and the one in the estimate) are sums over whole numbers: every one of them near 0, near n
and near y, fewer and fewer farther away, each standing for the numbers that are nearest to it. Where all
are taken the sums are exact. The other cells of the table enter through the variance of the noise only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privior.arrays import Floats, distinct
from privior.special import betaincinv, gammaln, xlog1py, xlogy

#: places on one side of the centre of a law, in standard deviations: many for estimates, up to where even
#: 10^12 counts weigh nothing, fewer for truths
_NEAR = np.array(
    [*(0.12, 0.25, 0.4, 0.6, 0.85, 1.15, 1.5, 2, 2.6, 3.4, 4.5), *(6, 8, 11, 15, 20, 27, 37, 50)]
)
_FEWER = np.array([0.3, 0.65, 1.05, 1.55, 2.2, 3.1, 4.4, 6.5])
#: shares of a law at which a count is looked at
_SHARES = (np.arange(21) + 0.5) / 21
#: a Beta law with larger parameters is looked at like a normal one
_ROUND = 4.0
#: whole numbers from an end of 0..n on: all up to 4, then each this much larger than the last
_GROWTH = 1.8
_FEW = 30
#: chances below this are left out
_NEGLIGIBLE = 1e-9
#: tables of no more records have their log weights listed
_LISTED = 1 << 15
_LARGE = 1e4
#: whole numbers for which a product of so many counts is a float: (10^12)^16 is
_FACTORS = frozenset(map(float, range(1, 18)))
#: normal noise of a smaller standard deviation is listed
_SMALL = 500.0


@dataclass(frozen=True)
class CountLaw:
    """The law of one count: Beta-binomial with parameters `first` and `second`, or binomial of a share.

    Attributes:
        records: n
        first: the parameter of the cell, or its share if `second` is None
        second: the sum of the parameters of all other cells
    """

    records: int
    first: float
    second: float | None = None

    def log_mass(self, counts: Floats) -> Floats:
        """Return log P(c) up to a constant."""
        left = self.records - counts
        if self.second is not None:
            found = log_rising(left, self.second)
            found += log_rising(counts, self.first)
            return found
        ways = gammaln(counts + 1) + gammaln(left + 1)
        return np.asarray(xlogy(counts, self.first) + xlog1py(left, -self.first) - ways)

    def looked_up(self, counts: Floats) -> Floats:
        """Return the same, for many counts."""
        if self.records > _LISTED or self.records > counts.size:
            return self.log_mass(counts)
        return self.log_mass(np.arange(self.records + 1.0))[counts.astype(np.intp)]

    def nodes(self) -> Floats:
        """Return the whole numbers that stand for all."""
        return _nodes(self)

    def summed(self) -> tuple[Floats, Floats]:
        """Return the nodes and their chances."""
        return _chances(self)


@lru_cache(maxsize=64)
def _nodes(law: CountLaw) -> Floats:
    """Return the whole numbers that stand for all; every budget that is compared asks for the same."""
    records = law.records
    if records <= _FEW:
        return np.arange(records + 1.0)
    grown = _GROWTH ** np.arange(3, math.log(records) / math.log(_GROWTH))
    ends = np.concatenate([np.arange(5), grown[grown <= records / 2]])
    if law.second is not None and min(law.first, law.second) < _ROUND:
        middle = records * betaincinv(law.first, law.second, _SHARES)
    else:
        total = math.inf if law.second is None else law.first + law.second
        share = law.first if law.second is None else law.first / total
        deviation = math.sqrt(records * share * (1 - share) * (1 + (records - 1) / (total + 1)))
        middle = records * share + _both_sides(_FEWER) * max(deviation, 0.5)
    found = distinct(np.clip(np.round(np.concatenate([ends, records - ends, middle])), 0, records))
    found.setflags(write=False)
    return found


@lru_cache(maxsize=64)
def _chances(law: CountLaw) -> tuple[Floats, Floats]:
    """Return the nodes that matter and their chances."""
    nodes = law.nodes()
    counts, chances = _summed(nodes, law.log_mass(nodes))
    counts.setflags(write=False)
    chances.setflags(write=False)
    return counts, chances


@dataclass(frozen=True)
class CountNoise:
    """Noise on one count: whole numbers with this variance, Laplace or normal."""

    variance: float
    laplace: bool

    def log_mass(self, noise: Floats) -> Floats:
        """Return log P(z) up to a constant."""
        found = np.abs(noise) if self.laplace else np.square(noise)
        found *= -self.rate if self.laplace else -1 / (2 * self.parameter)
        return np.asarray(found)

    @property
    def rate(self) -> float:
        """The rate of a discrete Laplace law of this variance: 2 q / (1-q)^2 is 1 / (2 sinh(rate/2)^2)."""
        return 2 * math.asinh(1 / math.sqrt(2 * self.variance))

    @property
    def parameter(self) -> float:
        """The variance parameter of a discrete Gaussian of this variance: 2 e^(-1/(2p)) for small p."""
        small = 1 / (2 * math.log(2 / self.variance)) if self.variance < 0.5 else 0.0
        return max(self.variance, small)

    def change(self) -> tuple[float, Floats | None]:
        """Return the chance of noise that is not 0, and where it is normal and small P(|z| <= m | z != 0)."""
        if self.laplace:
            return 2 / (math.exp(min(self.rate, 700.0)) + 1), None
        deviation = math.sqrt(self.parameter)
        if deviation > _SMALL:
            return 1 - 1 / (deviation * math.sqrt(2 * math.pi)), None
        mass = np.cumsum(np.exp(self.log_mass(np.arange(1.0, 10 * deviation + 3))))
        return float(2 * mass[-1] / (1 + 2 * mass[-1])), mass / mass[-1]

    def nodes(self, places: Floats) -> Floats:
        """Return the whole numbers that stand for all."""
        return distinct(np.append(np.round(_both_sides(places) * math.sqrt(self.variance)), [-1.0, 1.0]))

    def summed(self) -> tuple[Floats, Floats]:
        """Return the nodes and their chances."""
        nodes = self.nodes(_FEWER)
        return _summed(nodes, self.log_mass(nodes))


@dataclass(frozen=True, eq=False)
class SeenCell:
    """One cell and its noise, summed over the truth and the noise.

    Attributes:
        counts: true counts
        chances: of each of them with each noise (truth, noise)
        places: counts that are possible given each truth and noise (truth, noise, place)
        log_mass: their log posterior weight, up to a constant
        stand_for: how many counts each of them stands for
    """

    counts: Floats
    chances: Floats
    places: Floats
    log_mass: Floats
    stand_for: Floats

    @staticmethod
    def of(truth: CountLaw, noise: CountNoise, prior: CountLaw) -> SeenCell:
        """Look at a count with this law through this noise, with this prior."""
        counts, truth_chances = truth.summed()
        noises, noise_chances = noise.summed()
        seen = (counts[:, None] + noises[None, :])[:, :, None]
        near = np.clip(seen - noise.nodes(_NEAR), 0, prior.records)
        far = prior.nodes()
        places = np.concatenate([near, np.broadcast_to(far, (*near.shape[:2], far.size))], axis=2)
        places.sort(axis=2)
        logs = prior.looked_up(places)
        logs += noise.log_mass(seen - places)
        return SeenCell(counts, truth_chances[:, None] * noise_chances, places, logs, widths(places))

    def estimates(self, tilt: float) -> tuple[Floats, float]:
        """Return E[c | y] if every count c weighs e^(tilt c) times as much, and the expected Var[c | y]."""
        logs = self.log_mass + tilt * self.places if tilt else self.log_mass
        mass = logs - logs.max(axis=2, keepdims=True)
        np.exp(mass, out=mass)
        mass *= self.stand_for
        mass /= mass.sum(axis=2, keepdims=True)
        means = np.einsum("tzp,tzp->tz", mass, self.places)
        gaps = self.places - means[:, :, None]
        variances = np.einsum("tzp,tzp,tzp->tz", mass, gaps, gaps)
        return means, self.expected(variances)

    def expected(self, values: Floats) -> float:
        """Average over truth and noise."""
        return float((self.chances * values).sum())


def log_rising(counts: Floats, parameter: float | Floats) -> Floats:
    """Return log Gamma(c+a) / c!, by (a-1) log(c + a/2) where the difference would lose its digits.

    For a small whole number a it is the log of (c+1) ... (c+a-1).
    """
    first = float(np.ravel(parameter)[0])
    if first in _FACTORS and bool(np.all(parameter == first)):
        shape = np.broadcast_shapes(np.shape(counts), np.shape(parameter))
        if first == 1:
            return np.zeros(shape)
        product, larger = np.ones(shape), np.array(counts, dtype=float)
        for _ in range(1, int(first)):
            larger += 1
            product *= larger
        return np.log(product, out=product)
    large = counts > _LARGE * np.maximum(1.0, parameter)
    if not large.any():
        return np.asarray(gammaln(counts + parameter) - gammaln(counts + 1))
    found, few = np.asarray((parameter - 1) * np.log(counts + parameter / 2)), ~large
    found[few] = gammaln((counts + parameter)[few]) - gammaln(np.broadcast_to(counts, few.shape)[few] + 1)
    return found


def _both_sides(places: Floats) -> Floats:
    return np.concatenate([-places[::-1], [0.0], places])


def _summed(nodes: Floats, log_mass: Floats) -> tuple[Floats, Floats]:
    """Return sorted whole numbers that matter, and their chances."""
    mass = widths(nodes) * np.exp(log_mass - log_mass.max())
    mass /= mass.sum()
    kept = mass > _NEGLIGIBLE
    return nodes[kept], mass[kept] / mass[kept].sum()


def widths(nodes: Floats) -> Floats:
    """Return how many whole numbers are nearest to each of these, sorted along the last axis."""
    found = np.full(nodes.shape, 0.5)
    found[..., 1:] = half = np.diff(nodes, axis=-1) / 2
    found[..., :-1] += half
    found[..., -1] += 0.5
    return found
