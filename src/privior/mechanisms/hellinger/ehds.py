"""EHDS: the exponential mechanism with a smooth sensitivity of the Hellinger distance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Integers
from privior.checks import fill
from privior.errors import PlanError
from privior.exact import decimal, positive
from privior.mechanisms.contract import Floats, on_request_for
from privior.mechanisms.hellinger.hellinger import inverse_smooth_sensitivities
from privior.mechanisms.hellinger.hellinger_tables import HellingerMechanism
from privior.mechanisms.tables.table_mechanism import PublicFacts
from privior.models import DirichletTable
from privior.privacy import REPLACE_ONE, Budget, Guarantee
from privior.privacy.hellinger import inverse_smooth_sensitivity
from privior.privacy.pairs import BoundedRangePair
from privior.privacy.pairs.balls import ball

#: gamma may be anything in this range; for_facts tries 2^-j up to this j
_GAMMAS = (Fraction(1, 2**60), Fraction(10**6))
_MOST_HALVINGS = 60


@final
@on_request_for(DirichletTable)
@dataclass(frozen=True)
class EHDS(HellingerMechanism):
    """Temperature t(x) = epsilon / (2 (1+gamma) S(x)), S the gamma-smooth sensitivity.

    Proof of epsilon: 1/S changes by at most gamma between neighbours (it is a least 1/LS(y) + gamma d(x,
    y)), H by at most LS(x') <= S(x'), and H <= 1. So |H(x,r)/S(x) - H(x',r)/S(x')| <= H(x,r) |1/S(x) -
    1/S(x')| + |H(x,r) - H(x',r)|/S(x') <= gamma + 1: the exponent moves by at most epsilon/2, its
    normaliser by as much again, and the loss has a range of at most epsilon. The published epsilon/4 is
    gamma = 1. A larger gamma is nearer to the local sensitivity.
    """

    gamma: Fraction
    name: ClassVar[str] = "ehds"
    about: ClassVar[str] = "a table near in Hellinger distance, nearer where one record matters less"

    def __init__(
        self, cells: int, epsilon: object, records: int, prior: object = 1, *, gamma: object = 1
    ) -> None:
        self._set(cells, epsilon, records, prior)
        least, most = _GAMMAS
        fill(self, gamma=positive(gamma, "gamma", least=least, most=most))
        self.check_drawable()

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it for a public total with the largest gamma of 1, 1/2, 1/4, ... for which draws are fast."""
        cls.check_facts(facts)
        given = (facts.cells, facts.budget.epsilon, facts.records, facts.numbers)
        slow, fast = -1, _MOST_HALVINGS
        best = cls(*given, gamma=Fraction(1, 2**fast))
        while fast - slow > 1:
            middle = (slow + fast) // 2
            try:
                best, fast = cls(*given, gamma=Fraction(1, 2**middle)), middle
            except PlanError:
                slow = middle
        return best

    @property
    def _rate(self) -> Fraction:
        return self.epsilon / (2 * (1 + self.gamma))

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, and a loss of bounded range."""
        smooth = f"smooth sensitivity, gamma {decimal(self.gamma)}"
        reason = f"exponential mechanism on a metric with {smooth} (proof: privior.EHDS)"
        return Guarantee(BoundedRangePair(self.epsilon), REPLACE_ONE, Budget(self.epsilon), reason)

    def temperatures(self, tables: Integers) -> Floats:
        """Return epsilon / (2 (1+gamma) S(x))."""
        return np.asarray(
            float(self._rate) * inverse_smooth_sensitivities(tables, self._alpha, float(self.gamma))
        )

    def enclosed_temperature(self, counts: list[int]) -> Any:
        """Enclose epsilon / (2 (1+gamma) S(x))."""
        return ball(self._rate) * inverse_smooth_sensitivity(counts, self.parameters, self.gamma)
