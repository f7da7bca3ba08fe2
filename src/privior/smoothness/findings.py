"""What is found by analysing a model: the numbers, without a word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.exact import rational
from privior.privacy.pairs import DominatingPair, both_orders
from privior.privacy.published import Published
from privior.privacy.published.posterior_sampling import theorem_8_stochastic
from privior.smoothness.distances import Replaced
from privior.smoothness.subject import Contrast, Cut, Subject
from privior.theory.distinguishing import le_cam, lemma_12, most_parts, theorem_13
from privior.theory.likelihood_ratio import Bounds
from privior.theory.sampling_utility import theorem_17
from privior.theory.stochastic_lipschitz import Concentration

#: a constant C beyond this, as a logarithm, is never put into a formula
_LARGEST_LOG = 300.0
_FALSE_ALARM = 0.05
_COARSE = 1 << 12


def _up(number: Fraction | float) -> float:
    return math.nextafter(float(number), math.inf)


@dataclass(frozen=True)
class Findings:
    """A model, its prior and a distance of records, analysed for n records and N posterior draws.

    Attributes:
        subject: what the model says of itself
        records: n, public
        draws: N
        failure: the chance that bounds about draws may fail
    """

    subject: Subject
    records: int
    draws: int
    failure: str

    # The assumptions

    @property
    def slope(self) -> float:
        """L of Assumption 1; infinite if it does not hold."""
        return self.subject.roughest

    @cached_property
    def concentration(self) -> Concentration | None:
        """The best c and L0 of Assumption 2; None if no c does."""
        return self.subject.concentration()

    def mass(self, level: float) -> float:
        """Return the prior's chance of parameters of slope at most `level`."""
        return 1 - float(self.subject.outside(np.array([float(level)]))[0])

    @cached_property
    def log_ratio(self) -> float | None:
        """The natural logarithm of C, for all n records together; None if it was not computed."""
        return self.subject.log_ratio(self.records)

    @cached_property
    def necessary(self) -> float | None:
        """Theorem 6 rules out every epsilon below this, per unit of distance."""
        return self.subject.necessary(self.records)

    # What is exact

    @cached_property
    def pair(self) -> DominatingPair | None:
        """What dominates N draws, one record replaced."""
        return self.subject.pair(self.records, self.draws)

    @cached_property
    def _ranges(self) -> DominatingPair | None:
        """What dominates them by the oscillation alone."""
        return Subject.pair(self.subject, self.records, self.draws)

    @property
    def epsilon(self) -> float:
        """The largest loss of N draws that is proved, rounded up; infinite if it has no bound."""
        pures = [pair.pure for pair in (self.pair, self._ranges) if pair is not None]
        return min((_up(pure) for pure in pures if pure is not None), default=math.inf)

    def delta(self, epsilon: float = 0.0) -> float:
        """Return delta at an epsilon, the least that is proved; at 0 it is the total variation."""
        found = [both_orders(pair).delta(epsilon) for pair in (self.pair, self._ranges) if pair is not None]
        return min(found, default=1.0)

    # Robustness

    @property
    def printed_epsilon(self) -> float:
        """2 N L rho, Theorem 8(1)."""
        return 2 * self.draws * self.slope * self.subject.distance.reach

    @cached_property
    def divergence(self) -> tuple[float, float]:
        """Theorem 7(1), 2 L rho, and the Kullback-Leibler divergence of one draw at most."""
        pairs = (self.subject.pair(self.records, 1), Subject.pair(self.subject, self.records, 1))
        exact = min((both_orders(pair).renyi(1.0) for pair in pairs if pair is not None), default=math.inf)
        return 2 * self.slope * self.subject.distance.reach, exact

    @cached_property
    def variation(self) -> Published | None:
        """Theorem 8(2): as printed and as proved anew; None if its constants are not known or huge."""
        found, ratio = self.concentration, self.log_ratio
        if found is None or ratio is None or ratio > _LARGEST_LOG:
            return None
        c, base = Fraction(min(found.rate, 1e300)), Fraction(found.start)
        return theorem_8_stochastic(
            c, base, Fraction(math.exp(ratio)), Fraction(self.subject.distance.reach), self.draws
        )

    @cached_property
    def corollary_9(self) -> tuple[float, bool | None]:
        """The level at which it promises 2L-privacy but for `failure`, and whether that is so, if known.

        It is so from L of Assumption 1 on. Below, what is proved may do, if all records are as far apart; it
        is not so where Theorem 6 rules it out, or where some neighbours reach what is proved.
        """
        found = self.concentration
        if found is None:
            return math.inf, None
        level = found.level(float(rational(self.failure, "failure")))
        promised = 2 * level * self.subject.distance.reach
        proved = Findings(self.subject, self.records, 1, self.failure).epsilon
        alike = isinstance(self.subject.distance, Replaced)
        if level >= self.slope or (alike and proved <= promised):
            return level, True
        if (self.necessary or 0.0) > 2 * level or (proved > promised and self.subject.tight(self.records)):
            return level, False
        return level, None

    # Adversaries

    @cached_property
    def _contrasts(self) -> list[Contrast]:
        return list(self.subject.contrasts(self.records))

    @cached_property
    def _neighbours(self) -> list[Contrast]:
        """Neighbours, best told apart first."""
        found = [one for one in self._contrasts if one.replaced == 1]

        def told_apart(one: Contrast) -> tuple[float, float]:
            test = one.with_draws(1, _COARSE)
            return -round(test.total_variation.low, 4), -test.power(_FALSE_ALARM).low

        return sorted(found, key=told_apart)

    @cached_property
    def tests(self) -> list[tuple[int, str, Bounds, Bounds]]:
        """For several N: the neighbours, how often the best guess is right, and the power at 5%."""
        numbers = sorted({1, *(n for n in (2, 5, 10, 20, 50, 100) if n <= max(self.draws, 10)), self.draws})
        found = []
        for number in numbers[:8]:
            if not self._neighbours:
                break
            one = self._neighbours[0]
            test = one.with_draws(number)
            found.append((number, one.about, test.accuracy, test.power(_FALSE_ALARM)))
        return found

    @cached_property
    def accuracy(self) -> Bounds:
        """How often the best guess between the worst neighbours is right, given N draws."""
        known = [one.with_draws(self.draws).accuracy.low for one in self._neighbours[:1]]
        high = (1 + self.delta(0.0)) / 2
        return Bounds(min(max(known, default=0.5), high), high)

    @cached_property
    def theorem_13(self) -> Published | None:
        """What Theorem 13 says of the worst neighbours; None if neither assumption gives a number."""
        steep = self.slope
        if math.isinf(steep):
            found, ratio = self.concentration, self.log_ratio
            if found is None or ratio is None or ratio > _LARGEST_LOG:
                return None
            steep = math.exp(ratio) * found.scale / 2
        if steep == 0:
            return None
        distance = Fraction(self.subject.distance.reach)
        return theorem_13(Fraction(steep), self.draws, self.failure, distance, self.accuracy.high)

    @property
    def lemma_12(self) -> Published:
        """Lemma 12 for as many parts as it allows, two at least."""
        return lemma_12(max(2, most_parts(self.failure)), self.draws, self.failure)

    @cached_property
    def le_cam(self) -> tuple[float, str]:
        """How far any guess of the data is off on average, for some data; and for which."""
        reach = self.subject.distance.reach
        best = le_cam(Fraction(reach), self.delta(0.0)), "one record replaced"
        mirrored = {one.about: one for one in self._contrasts}  # alike: keep one
        for one in mirrored.values() if self.draws <= 1000 else ():
            apart = one.with_draws(self.draws, _COARSE).total_variation.high
            found = le_cam(Fraction(one.distance), apart)
            if found > best[0]:
                best = found, one.about
        return best

    # Utility against privacy

    @cached_property
    def trade(self) -> list[tuple[Cut, int, float, float]]:
        """For each cut of the prior and number of draws: the loss of privacy and of expected utility.

        The loss of utility is on average over the data that the uncut prior expects, for utilities of one
        quantity that vary by 1 at most, but for a chance of `failure` (Theorem 17, corrected).
        """
        found = []
        for cut in self.subject.cuts(self.records):
            for number in sorted({1, 10, 100, self.draws}):
                share = Fraction(min(1.0, cut.outside))
                claim = theorem_17(share, number, self.failure, variation=1)
                found.append((cut, number, number * cut.epsilon, claim.better or 0.0))
        return found

    def mass_rows(self) -> list[tuple[float, float, float]]:
        """Return levels, the prior's mass of smoother parameters, and what (c, L0) promise of it."""
        one, found = self.subject, self.concentration
        top = one.roughest
        if math.isinf(top):
            top = one.farthest if found is None else found.start + 7 / found.rate
        start = max(one.smoothest, top / 50)
        levels = np.unique(np.linspace(start, top, 25))
        inside = 1 - one.outside(levels)
        return [
            (float(at), float(mass), 0.0 if found is None else found.inside(float(at)))
            for at, mass in zip(levels, inside, strict=True)
        ]
