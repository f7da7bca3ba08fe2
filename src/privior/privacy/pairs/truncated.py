"""Draws from posteriors of one parameter in a bounded interval: pure privacy.

A record has the log likelihood h x - A(h), h the natural parameter, in [a, b] under the prior; the statistic
x ranges over an interval of length D, n records are public, the posterior is tempered by the rate r. With S
the sum of the statistics and Lam(S) = log of the integral of the prior times e^(r (h S - n A(h))), the loss
of two neighbours is r h (S - S') - Lam(S) + Lam(S'): monotone in h, and Lam is convex. So the largest loss is

    epsilon = max( Lam(Smax) - Lam(Smax - D) - r D a,  Lam(Smin) - Lam(Smin + D) + r D b )

attained where all records are equal to one end and one moves to the other. It increases with n, to at most
eta = r D (b - a), which is the oscillation of the log likelihood ratio whatever n.

`pair` is randomised response at that epsilon. `bounded_range` is another valid pair, with a smaller curve
where epsilon is close to eta; concentrated bounds are taken from it, never from epsilon.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privior.errors import NumberError
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.bounded_range import BoundedRangePair
from privior.privacy.pairs.incomplete import gamma_above, gamma_below, log_beta
from privior.privacy.pairs.signed_steps import SignedSteps

if TYPE_CHECKING:
    from flint import arb


class TruncatedDraw(ABC):
    """One draw from the posterior of a bounded natural parameter."""

    @abstractmethod
    def log_mass(self, total: Any) -> arb:
        """Return Lam(S) in balls, up to a constant that does not depend on S."""

    @abstractmethod
    def corners(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Return S of the worst tables and of their neighbours: (Smax, Smax - D) and (Smin, Smin + D)."""

    @abstractmethod
    def steps(self) -> tuple[arb, arb]:
        """Return what the ends add to the losses of the two corners: r (S - S') h at the end, in balls."""

    def losses(self) -> tuple[arb, arb]:
        """Return the largest loss of each order, in balls."""
        (top, below), (bottom, above) = self.corners()
        first, last = self.steps()
        return (
            self.log_mass(top) - self.log_mass(below) + first,
            self.log_mass(bottom) - self.log_mass(above) + last,
        )

    @abstractmethod
    def width(self) -> arb:
        """Return eta = r D (b - a), in balls."""

    @property
    def oscillation(self) -> Fraction:
        """How far the log likelihood ratio of two records varies, rounded up; a limit for any n."""
        return Fraction(upper(self.width))

    @property
    def pure(self) -> Fraction:
        """The largest loss at n records, rounded up; never above the oscillation."""
        return min(self.oscillation, max(self._order(0), self._order(1)))

    def _order(self, order: int) -> Fraction:
        found = upper(lambda: self.losses()[order])
        return Fraction(found) if found != float("inf") else self.oscillation

    @property
    def pair(self) -> SignedSteps:
        """Randomised response at the largest loss."""
        return SignedSteps(self.pure)

    @property
    def bounded_range(self) -> BoundedRangePair:
        """The pair of all laws whose loss varies by no more than the oscillation."""
        return BoundedRangePair(self.oscillation)


@dataclass(frozen=True)
class TruncatedBernoulli(TruncatedDraw):
    """A chance in [lower, upper], prior Beta(first, second) cut to it; x is 0 to `trials`, h = logit."""

    lower: Fraction
    upper: Fraction
    records: int
    first: Fraction = Fraction(1)
    second: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)
    trials: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper < 1:
            raise NumberError("the chance must stay away from 0 and 1", allowed="0 < lower < upper < 1")

    def log_mass(self, ones: int) -> arb:
        """Lam(S): the integral of theta^(first + rS - 1) (1-theta)^(second + r(N-S) - 1), N all trials."""
        a = ball(self.first + self.rate * ones)
        b = ball(self.second + self.rate * (self.records * self.trials - ones))
        low, high = ball(self.lower), ball(self.upper)
        mean = a.mid() / (a + b).mid()  # chooses the tails that are small; each way is correct everywhere
        if high.mid() < mean:
            return (high.beta_lower(a, b) - low.beta_lower(a, b)).log()
        if mean < low.mid():
            return ((1 - low).beta_lower(b, a) - (1 - high).beta_lower(b, a)).log()
        outside = low.beta_lower(a, b, regularized=True) + (1 - high).beta_lower(b, a, regularized=True)
        return log_beta(a, b) + (1 - outside).log()

    def corners(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """All ones and one record of zeros, all zeros and one of ones."""
        every, step = self.records * self.trials, self.trials
        return (every, every - step), (0, step)

    def steps(self) -> tuple[arb, arb]:
        """By the logits of the ends."""
        each = ball(self.rate * self.trials)
        return -each * _logit(self.lower), each * _logit(self.upper)

    def width(self) -> arb:
        """Return eta = r D (b - a) with D = trials."""
        return ball(self.rate * self.trials) * (_logit(self.upper) - _logit(self.lower))


@dataclass(frozen=True)
class TruncatedExponential(TruncatedDraw):
    """A rate in [lower, upper], prior Gamma(shape, prior_rate) cut to it; x in [least, most], h = -rate.

    `each` is what one record adds to the shape: 1, or 1/2 for a Normal precision.
    """

    lower: Fraction
    upper: Fraction
    records: int
    least: Fraction
    most: Fraction
    prior_rate: Fraction = Fraction(1)
    shape: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)
    each: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper or not 0 <= self.least < self.most:
            raise NumberError("not a range", allowed="0 < lower < upper and 0 <= least < most")

    def log_mass(self, total: Fraction) -> arb:
        """Lam(S): the integral of rate^(shape + rn - 1) e^(-rate (prior_rate + rS))."""
        shape = self.shape + self.each * self.rate * self.records
        steep = self.prior_rate + self.rate * total
        return _log_gamma_mass(shape, steep, self.lower, self.upper)

    def corners(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """All records at the most and one at the least, all at the least and one at the most."""
        return _corners(self.records, self.least, self.most)

    def steps(self) -> tuple[arb, arb]:
        """h = -rate: the largest rate first."""
        span = self.rate * (self.most - self.least)
        return ball(span * self.upper), -ball(span * self.lower)

    def width(self) -> arb:
        """Return eta = r D (b - a) with D = most - least."""
        return ball(self.rate * (self.most - self.least) * (self.upper - self.lower))


@dataclass(frozen=True)
class TruncatedPoisson(TruncatedDraw):
    """A mean in [lower, upper], prior Gamma(shape, prior_rate) cut to it; x in [0, most], h = log mean."""

    lower: Fraction
    upper: Fraction
    records: int
    most: int
    prior_rate: Fraction = Fraction(1)
    shape: Fraction = Fraction(1)
    rate: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not 0 < self.lower < self.upper or self.most < 1:
            raise NumberError("not a range", allowed="0 < lower < upper and 0 < most")

    def log_mass(self, total: int) -> arb:
        """Lam(S): the integral of mean^(shape + rS - 1) e^(-mean (prior_rate + rn))."""
        steep = self.prior_rate + self.rate * self.records
        shape = self.shape + self.rate * total
        return _log_gamma_mass(shape, steep, self.lower, self.upper)

    def corners(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """All records at the most and one at 0, all at 0 and one at the most."""
        top = self.records * self.most
        return (top, top - self.most), (0, self.most)

    def steps(self) -> tuple[arb, arb]:
        """By the logarithms of the ends."""
        each = ball(self.rate * self.most)
        return -each * ball(self.lower).log(), each * ball(self.upper).log()

    def width(self) -> arb:
        """Return eta = r D (b - a) with D = most."""
        return ball(self.rate * self.most) * ball(self.upper / self.lower).log()


@dataclass(frozen=True)
class TruncatedNormal(TruncatedDraw):
    """A mean in [lower, upper], prior Normal(centre, prior_variance) cut to it; x in [least, most].

    Records have a known variance; h = mean / variance.
    """

    lower: Fraction
    upper: Fraction
    records: int
    least: Fraction
    most: Fraction
    variance: Fraction
    centre: Fraction
    prior_variance: Fraction
    rate: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not self.lower < self.upper or not self.least < self.most:
            raise NumberError("not a range", allowed="lower < upper and least < most")

    def log_mass(self, total: Fraction) -> arb:
        """Lam(S): completing the square, exp(m^2 p / 2) times the mass of Normal(m, 1/p)."""
        precision = 1 / self.prior_variance + self.rate * self.records / self.variance
        mean = (self.centre / self.prior_variance + self.rate * total / self.variance) / precision
        root = (ball(precision) / 2).sqrt()
        low, high = root * ball(self.lower - mean), root * ball(self.upper - mean)
        if low.mid() > 0:
            mass = low.erfc() - high.erfc()
        elif high.mid() < 0:
            mass = (-high).erfc() - (-low).erfc()
        else:
            mass = high.erf() - low.erf()
        return mass.log() + ball(mean**2 * precision / 2)

    def corners(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """All records at the most and one at the least, all at the least and one at the most."""
        return _corners(self.records, self.least, self.most)

    def steps(self) -> tuple[arb, arb]:
        """By the ends in units of the variance."""
        span = self.rate * (self.most - self.least) / self.variance
        return -ball(span * self.lower), ball(span * self.upper)

    def width(self) -> arb:
        """Return eta = r D (b - a) with D = most - least."""
        return ball(self.rate * (self.most - self.least) * (self.upper - self.lower) / self.variance)


@dataclass(frozen=True)
class FiniteBernoulli(TruncatedDraw):
    """A chance theta out of finitely many `points` inside (0, 1), with prior `weights` (any scale)."""

    points: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    records: int
    rate: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not 0 < min(self.points) < max(self.points) < 1:
            raise NumberError("the chances must be inside (0, 1), and two at least")
        if len(self.points) != len(self.weights) or min(self.weights) <= 0:
            raise NumberError("every chance needs a positive weight")

    def log_mass(self, ones: int) -> arb:
        """Lam(S): a sum over the points."""
        zeros = self.records - ones
        terms = (
            ball(weight) * (ball(self.rate) * (ones * ball(p).log() + zeros * ball(1 - p).log())).exp()
            for p, weight in zip(self.points, self.weights, strict=True)
        )
        return sum(terms, start=ball(0)).log()

    def corners(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """All ones and one zero, all zeros and one one."""
        return (self.records, self.records - 1), (0, 1)

    def steps(self) -> tuple[arb, arb]:
        """By the logits of the outer points."""
        each = ball(self.rate)
        return -each * _logit(min(self.points)), each * _logit(max(self.points))

    def width(self) -> arb:
        """Return eta = r D (b - a) with D = 1."""
        return ball(self.rate) * (_logit(max(self.points)) - _logit(min(self.points)))


def _log_gamma_mass(shape: Fraction, steep: Fraction, lower: Fraction, upper: Fraction) -> arb:
    """Return the log of the integral of x^(shape-1) e^(-steep x) over [lower, upper]."""
    k = ball(shape)
    low, high = ball(lower * steep), ball(upper * steep)
    if high.mid() < k.mid():
        mass = gamma_below(high, k) - gamma_below(low, k)
    else:
        mass = gamma_above(low, k) - gamma_above(high, k)
    return mass.log() + k.lgamma() - k * ball(steep).log()


def _corners(
    records: int, least: Fraction, most: Fraction
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    top, bottom, span = records * most, records * least, most - least
    return (top, top - span), (bottom, bottom + span)


def _logit(chance: Fraction) -> arb:
    return ball(chance / (1 - chance)).log()
