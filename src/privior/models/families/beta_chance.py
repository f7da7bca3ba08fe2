"""What one trial a record and several have in common: a Beta prior of the chance of success."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import known_as
from privior.models.families.family import Family, Floats, pure_draws
from privior.models.laws import Beta, Conjugate
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BetaPair, DominatingPair, TruncatedBernoulli, TwoLevelsPair, both_orders
from privior.schema import Schema
from privior.special import bdtr, gammaln


class BetaChance(Family):
    """x ~ Binomial(trials, theta), theta ~ Beta(a, b): theta | x ~ Beta(a + sum x, b + n trials - sum x).

    Attributes:
        trials: of each record
    """

    trials: int
    parameter: ClassVar[str] = "probability"
    conjugate: ClassVar[type[Conjugate]] = Beta

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Sums are of the values themselves."""
        return Fraction(0), Fraction(1)

    def update(self, law: Conjugate, records: Fraction, total: Fraction) -> Beta:
        """Add successes and failures."""
        beta = known_as(Beta, law)
        return Beta(beta.first + total, beta.second + self.trials * records - total)

    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Add successes and failures."""
        beta = known_as(Beta, self.law)
        failures = self.trials * records - totals
        return float(beta.first) + totals, float(beta.second) + failures, np.zeros_like(totals)

    def natural(self, theta: Floats) -> Floats:
        """Return the log odds."""
        return np.asarray(np.log(theta) - np.log1p(-theta))

    def partition(self, theta: Floats) -> Floats:
        """Return -trials log(1 - theta)."""
        return np.asarray(-self.trials * np.log1p(-theta))

    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """Return log C(n trials, T)."""
        every = self.trials * records
        inside = (totals >= 0) & (totals <= every)
        safe = np.where(inside, totals, 0.0)
        ways = gammaln(every + 1) - gammaln(safe + 1) - gammaln(every - safe + 1)
        return np.asarray(np.where(inside, ways, -np.inf))

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the distribution function of the binomial law."""
        return np.asarray(bdtr(np.floor(value), self.trials, theta))

    def mean_of(self, theta: Floats) -> Floats:
        """Return trials times the chance."""
        return self.trials * theta

    def cut_pair(self, schema: Schema, records: int, weight: Fraction) -> TruncatedBernoulli:
        """A chance in an interval."""
        beta = known_as(Beta, self.law)
        return TruncatedBernoulli(*self.ends, records, beta.first, beta.second, weight, self.trials)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Two cells, successes and failures; cut to an interval inside (0, 1) the draw is pure.

        A record replaced moves d <= trials successes: Beta(A + r d, B) against Beta(A, B + r d), A and B at
        least the prior's, is dominated by the pair of the prior's own parameters and d. The best tests are
        thresholds, the likelihood ratio being monotone, and both of their chances move apart as d grows.
        """
        self.check(schema)
        self.check_unit(schema)
        beta, each = known_as(Beta, self.law), self.bounded_pair(schema, records, weight)
        if each is not None:
            return pure_draws(each, draws)
        one: DominatingPair = TwoLevelsPair(beta.first, beta.second, weight, records)
        if self.trials > 1:
            one = both_orders(BetaPair(beta.first, beta.second, weight * self.trials))
        return compose_symmetric([(one, draws)])
