"""Lemmas 19 to 24 of "Differential Privacy for Bayesian Inference through Posterior Sampling".

Examples of likelihoods that satisfy its assumptions, with constants. Each function gives the printed numbers
of one lemma with a verdict, and the exact ones. Lemmas 19, 20 and 22 are of one kind: theta in [c1, c2] with
an Exponential prior of rate lambda cut to it, and log p(x) = e log theta - theta t(x) + a constant, e = 1 or
1/2 and t(x) >= 0 in [A, M]. With the metric under which l(theta) = theta their constants are

    c = lambda / (1 - e^(-lambda (c2 - c1)))    at L0 = c1: a cut Exponential law has a rising hazard
    C = the largest, over t in [A, M], of the largest likelihood over its mean, for ONE record
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.checks import above_zero, strictly_within, whole_number
from privior.errors import NumberError
from privior.exact import rational
from privior.papers.published import Published, Verdict
from privior.papers.published.posterior_sampling import PAPER
from privior.papers.published.posterior_sampling import lemma_21 as lemma_21_constants
from privior.privacy.pairs import TwoLevelsPair

Floats = NDArray[np.float64]
_RATIO = "largest likelihood over its mean, one record"


@dataclass(frozen=True)
class CutRate:
    """One record of a likelihood theta^each e^(-theta t), theta cut to [low, high], prior rate given."""

    low: float
    high: float
    rate: float
    each: float
    least: float
    most: float

    @staticmethod
    def of(
        low: object, high: object, rate: object, each: Fraction, least: Fraction, most: Fraction
    ) -> CutRate:
        """Read the numbers of a lemma."""
        c1, c2, steep = above_zero(low, "lower"), above_zero(high, "upper"), above_zero(rate, "rate")
        if not c1 < c2 or not 0 <= least < most:
            raise NumberError("not a range", asked=f"{c1} to {c2}, {least} to {most}", allowed="low < high")
        if (steep + most) * c2 > 600:
            raise NumberError(
                "too steep to be computed", asked=f"(rate + {most}) times {c2}", allowed="600 at most"
            )
        return CutRate(float(c1), float(c2), float(steep), float(each), float(least), float(most))

    @property
    def concentration(self) -> float:
        """The best c at L0 = c1, in units of theta."""
        return self.rate / -math.expm1(-self.rate * (self.high - self.low))

    @cached_property
    def ratio(self) -> float:
        """C of one record."""
        t = np.linspace(self.least, self.most, 2001)
        with np.errstate(divide="ignore"):
            best = np.clip(self.each / t, self.low, self.high)
        peaks = self.each * np.log(best) - best * t
        scale = math.log(self._mass(np.array([0.0]), np.array([self.rate]))[0])
        means = np.log(self._mass(np.full_like(t, self.each), t + self.rate)) - scale
        return float(np.exp((peaks - means).max()))

    @property
    def variation(self) -> float:
        """The total variation of one draw between the two ends of the records: the likelihood is monotone."""
        one, two = (np.array([self.rate + t]) for t in (self.least, self.most))
        powers = np.array([self.each])
        masses = [float(self._mass(powers, steep)[0]) for steep in (one, two)]
        cross = math.log(masses[0] / masses[1]) / (self.most - self.least)  # where both densities agree
        tail = CutRate(self.low, min(max(cross, self.low), self.high), self.rate, self.each, 0, 1)
        parts = [
            float(tail._mass(powers, steep)[0]) / mass for steep, mass in zip((one, two), masses, strict=True)
        ]
        return abs(parts[0] - parts[1])

    def _mass(self, powers: Floats, steep: Floats) -> Floats:
        """Return the integral of theta^power e^(-steep theta) over the interval."""
        from scipy.special import gammainc, gammaincc, gammaln

        shape = powers + 1
        ends = steep * self.low, steep * self.high
        lower = gammainc(shape, ends[1]) - gammainc(shape, ends[0])
        upper = gammaincc(shape, ends[0]) - gammaincc(shape, ends[1])
        share = np.where(ends[0] > shape, upper, lower)
        return np.asarray(share * np.exp(gammaln(shape) - shape * np.log(steep)))


def printed_variation(ratio: float, start: float, rate: float, distance: float = 1.0) -> float:
    """Return sqrt(C/2 (1 + 2 L0 + 1/c) rho), the delta of Theorem 8(2) as the lemmas use it."""
    return math.sqrt(ratio / 2 * (1 + 2 * start + 1 / rate) * distance)


def lemma_19(lower: object, upper: object, rate: object, bound: object) -> tuple[Published, ...]:
    """Lemma 19: an Exponential record in [0, B], rates in [c1, c2]: c, C and the delta that follows.

    c = lambda holds and is too small; C = c2/min(c1 e^(-c1 B), c2 e^(-c2 B)) holds for one record and is too
    large, for it divides the largest likelihood by the least instead of by the mean.

    Args:
        lower: c1
        upper: c2
        rate: lambda, of the prior
        bound: B
    """
    reach = above_zero(bound, "bound")
    one = CutRate.of(lower, upper, rate, Fraction(1), Fraction(0), reach)
    ratio = one.high / min(c * math.exp(-c * one.most) for c in (one.low, one.high))
    return _statements("Lemma 19", one, one.rate, ratio, one.low, one.most)


def lemma_20(
    lower: object, upper: object, rate: object, location: object, least: object, most: object
) -> tuple[Published, ...]:
    """Lemma 20: a Laplace record of known location in [least, most], one over its scale in [c1, c2].

    C is printed for the scale where its inverse is meant: false where it is below the true one.
    C = c2/min(c1 e^(-c1 M), c2 e^(-c2 M)), M the largest |x - location|, holds for one record (`sound_20`).
    """
    low, high, centre = rational(least, "least"), rational(most, "most"), rational(location, "location")
    one = CutRate.of(lower, upper, rate, Fraction(1), *_away(low, high, centre))
    sides = []
    if low < centre:
        sides.append(float(-max(abs(low), abs(high)) - centre))
    if high >= centre:
        sides.append(float(centre - max(abs(low), abs(high))))
    bounds = [min(1 / (2 * one.high), math.exp(side / one.low) / (2 * one.low)) for side in sides]
    ratio = one.high / (2 * min(bounds)) if min(bounds) > 0 else math.inf
    return _statements("Lemma 20", one, one.rate, ratio, one.low, float(high - low))


def sound_20(lower: object, upper: object, farthest: object) -> float:
    """Return C of one Laplace or Exponential record that is at most `farthest` from its origin: proved."""
    low, high, most = (float(above_zero(number, "number")) for number in (lower, upper, farthest))
    return high / min(c * math.exp(-c * most) for c in (low, high))


def lemma_22(
    lower: object, upper: object, rate: object, mean: object, least: object, most: object
) -> tuple[Published, ...]:
    """Lemma 22: a Normal record of known mean in [least, most], precisions in [c1, c2].

    C takes a minimum for a maximum and c2 for the range of the data: false where it is below the true one.
    max(sqrt(c2/c1) e^(c1 M^2/2), e^(c2 M^2/2)), M the largest |x - mean|, holds for one record (`sound_22`).
    In the metric |x^2 - y^2| + 2 |x - y| slopes are max(|mean|, 1)/2 times the precision.
    """
    low, high, centre = rational(least, "least"), rational(most, "most"), rational(mean, "mean")
    near, far = (away**2 / 2 for away in _away(low, high, centre))
    one = CutRate.of(lower, upper, rate, Fraction(1, 2), near, far)
    slope = max(abs(float(centre)), 1.0) / 2
    ratio = min(
        math.sqrt(one.high / one.low) * math.exp(one.low * one.high**2 / 2), math.exp(one.high**3 / 2)
    )
    distance = float(abs(high**2 - low**2) + 2 * (high - low))
    return _statements("Lemma 22", one, one.rate / slope, ratio, one.low * slope, distance, slope)


def sound_22(lower: object, upper: object, farthest: object) -> float:
    """Return C of one Normal record that is at most `farthest` from its known mean: proved."""
    low, high, most = (float(above_zero(number, "number")) for number in (lower, upper, farthest))
    return max(math.sqrt(high / low) * math.exp(low * most**2 / 2), math.exp(high * most**2 / 2))


def lemma_21(shape: object, records: int) -> tuple[Published, ...]:
    """Lemma 21: n Bernoulli records, prior Beta(shape, shape): L0, C and the delta that follows.

    Data are sequences in {0,1}^n, whose likelihood has no binomial coefficient: l = |log odds|, so L0 = 0
    does with the same c. The coefficient belongs to the number of ones, for which the proof is. C divides 1
    by the least mean, over different data: the largest quotient is at all ones or in between.
    """
    from scipy.special import betaln, xlogy

    a, n = above_zero(shape, "shape"), whole_number(records, "records")
    slope, base, ratio = (float(one) for one in lemma_21_constants(shape, records))
    ones = np.arange(n + 1.0)
    peaks = xlogy(ones, ones / n) + xlogy(n - ones, 1 - ones / n)
    both = float(a)
    exact = math.exp(float((peaks + betaln(both, both) - betaln(both + ones, both + n - ones)).max()))
    delta = printed_variation(ratio, base, slope)
    truth = TwoLevelsPair(a, a, Fraction(1), n).delta(0.0)
    return (
        PAPER.states(
            "Lemma 21",
            "L0 = ln n",
            "start of the exponential tail",
            base,
            (
                Verdict.SOUND if n == 1 else Verdict.LOOSE,
                "sequences have no binomial coefficient: 0 does, with the same c",
            ),
            better=0.0,
        ),
        PAPER.states(
            "Lemma 21",
            "C = B(a, a) / B((n + 2a - 1)/2, (n + 2a + 1)/2)",
            "largest likelihood over its mean, n records",
            ratio,
            (Verdict.LOOSE, "numerator and denominator are of different data"),
            better=exact,
        ),
        _delta("Lemma 21", delta, slope, truth),
    )


def lemma_23(lower: object, upper: object, dimension: int) -> tuple[Published, ...]:
    """Lemma 23: Normal records of mean 0 in the unit ball, eigenvalues of the precision in [lower, upper].

    Printed: 2 L rho with L = sqrt(sum of squared eigenvalues)/2 and, "for bounded data", rho at most 3. Two
    unit vectors are up to 4.709601 apart in |xx' - yy'|_F + 2 |x - y|: x'y = cos t gives sqrt 2 |sin t| + 4
    sin(t/2). What is lost there is more than won elsewhere: log p(x) - log p(y) = (y'Ay - x'Ax)/2 varies by
    u - l at most, as each quadratic form varies by (u - l) |x|^2, and in two dimensions it does.

    Args:
        lower: the least eigenvalue, l
        upper: the largest, u
        dimension: of the records, 2 or more
    """
    low, high = above_zero(lower, "lower"), above_zero(upper, "upper")
    size = whole_number(dimension, "dimension", 2)
    if not low < high:
        raise NumberError("not a range", asked=f"{low} to {high}", allowed="lower < upper")
    angles = np.linspace(0.0, math.pi, 200_001)
    farthest = float((math.sqrt(2) * np.sin(angles) + 4 * np.sin(angles / 2)).max())
    printed = 3 * math.sqrt(size) * float(high)
    return (
        PAPER.states(
            "Lemma 23",
            "rho <= 3",
            "distance of two records of the unit ball",
            3.0,
            (Verdict.FALSE, "unit vectors at an obtuse angle are farther apart"),
            better=farthest,
        ),
        PAPER.states(
            "Lemma 23",
            "epsilon = 3 (2 L), L = sqrt(sum of squared eigenvalues) / 2",
            "epsilon",
            printed,
            (Verdict.LOOSE, "the oscillation of the log likelihood ratio is u - l, whatever the dimension"),
            better=float(high - low),
        ),
    )


def lemma_24(floor: object, children: list[int]) -> Published:
    """Lemma 24: binary networks with conditional probabilities in [w, 1-w]: 2 max(1 + out-degree) ln(1/w).

    A record may change in all K variables, and each has a conditional probability of its own: its log ratio
    varies by 2 ln((1-w)/w), so all of them by 2 K ln((1-w)/w), and many equal records make a draw lose that.

    Args:
        floor: w
        children: for each variable, how many others depend on it
    """
    w = float(strictly_within(floor, "floor", Fraction(1, 2)))
    if not children or any(whole_number(count, "children", 0) < 0 for count in children):
        raise NumberError("a network has variables", asked=str(children))
    printed = 2 * (1 + max(children)) * math.log(1 / w)
    exact = 2 * len(children) * math.log((1 - w) / w)
    false = exact > printed
    reason = (
        "one record may change in all variables, and all of them count"
        if false
        else "only the oscillation counts: ln((1-w)/w) for ln(1/w), once for each variable"
    )
    verdict = Verdict.FALSE if false else Verdict.LOOSE
    formula = "epsilon = 2 max(1 + out-degree) ln(1/w)"
    return PAPER.states("Lemma 24", formula, "epsilon", printed, (verdict, reason), better=exact)


def _statements(
    place: str,
    one: CutRate,
    rate: float,
    ratio: float,
    start: float,
    distance: float,
    slope: float = 1.0,
) -> tuple[Published, ...]:
    """State c, C and delta; `rate`, `start` and `distance` in the units of the lemma's metric."""
    false = ratio < one.ratio * (1 - 1e-9)
    why = "it is below the true one" if false else "it divides by the least likelihood instead of the mean"
    verdict = Verdict.FALSE if false else Verdict.LOOSE
    delta = printed_variation(ratio, start, rate, distance)
    return (
        PAPER.states(
            place,
            "c = lambda, in units of theta",
            "rate of the exponential tail",
            rate,
            (Verdict.LOOSE, "a cut law has less beyond each level than the law itself"),
            better=one.concentration / slope,
        ),
        PAPER.states(place, "C", _RATIO, ratio, (verdict, why), better=one.ratio),
        _delta(place, delta, rate, one.variation),
    )


def _delta(place: str, value: float, rate: float, exact: float) -> Published:
    if value < exact:
        judged = Verdict.FALSE, "the draws are farther apart"
    elif rate <= 1:
        judged = Verdict.VACUOUS, "the theorem that it is taken from asks for c > 1"
    elif value >= 1:
        judged = Verdict.VACUOUS, "a total variation is never above 1"
    else:
        judged = Verdict.LOOSE, "C is that of the least likelihood, and Pinsker's inequality loses"
    formula = "delta = sqrt(C/2 (1 + 2 L0 + 1/c) rho)"
    return PAPER.states(place, formula, "delta", value, judged, better=exact)


def _away(low: Fraction, high: Fraction, centre: Fraction) -> tuple[Fraction, Fraction]:
    """Return the least and the largest distance of an interval from a point."""
    ends = sorted((abs(low - centre), abs(high - centre)))
    return (Fraction(0) if low <= centre <= high else ends[0]), ends[1]
