"""EHD: the exponential mechanism with the global sensitivity of the Hellinger distance."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Integers
from privior.checks import fill
from privior.errors import PlanError
from privior.exact import decimal, rational, round_down
from privior.mechanisms.contract import Floats, on_request_for
from privior.mechanisms.hellinger.hellinger_tables import HellingerMechanism
from privior.mechanisms.tables.table_mechanism import PublicFacts
from privior.models import DirichletTable
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, SignedSteps
from privior.privacy.hellinger import MOST_LISTED, Enumeration, global_sensitivity_above, number_of_tables
from privior.privacy.pairs import BoundedRangePair
from privior.privacy.pairs.balls import ball

#: a uniform table is accepted with probability e^-t at least; less than this is refused
_LEAST_ACCEPTANCE = 1e-4


@final
@on_request_for(DirichletTable)
@dataclass(frozen=True)
class EHD(HellingerMechanism):
    """One temperature t for all tables: P(r) proportional to e^(-t H(x, r)).

    Proof of epsilon: H is a metric, so |H(x, r) - H(x', r)| <= H(x, x') <= GS for neighbours. The loss at r
    is t (H(x', r) - H(x, r)) + ln Z(x') - ln Z(x): it varies by at most 2 t GS over r, and so, being 0
    somewhere in its range, is at most that. t = epsilon / (2 GS), rounded down. (The published constant
    sqrt(1 - pi/4) is GS only if the two smallest prior parameters are 1; a smaller prior needs more.)

    Calibrated: where all outputs can be listed, the true cost of that t is only 0.50 to 0.66 epsilon.
    Then t is the largest whose enumerated cost is at most epsilon, which uses the public n, k and prior
    alone; a release stores it, and loading enumerates again.
    """

    calibrated: bool
    temperature: Fraction
    name: ClassVar[str] = "ehd"
    about: ClassVar[str] = "a table near in Hellinger distance"

    def __init__(
        self,
        cells: int,
        epsilon: object,
        records: int,
        prior: object = 1,
        *,
        calibrated: bool = False,
        temperature: object = None,
    ) -> None:
        self._set(cells, epsilon, records, prior)
        if not isinstance(calibrated, bool):
            raise self.refusal("calibrated is true or false")
        fill(self, calibrated=calibrated)
        found = self._largest() if temperature is None else rational(temperature, "temperature")
        fill(self, temperature=found)
        if not found > 0 or not self._enough():
            raise self.refusal("this temperature does not give the stated guarantee", asked=decimal(found))
        if found > Fraction(-math.log(_LEAST_ACCEPTANCE)):
            raise self.refusal(
                "would take too long to draw for some tables",
                asked=f"acceptance e^-{float(found):.4g}",
                allowed=f"{_LEAST_ACCEPTANCE:g} or more",
                advice="Take a smaller epsilon.",
            )

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it for a public total, calibrated where all outputs can be listed."""
        cls.check_facts(facts)
        given = (facts.cells, facts.budget.epsilon, facts.records, facts.numbers)
        if number_of_tables(facts.records, facts.cells) <= MOST_LISTED:
            with suppress(PlanError):  # too cold to draw, or too small an epsilon to certify
                return cls(*given, calibrated=True)
        return cls(*given)

    def _largest(self) -> Fraction:
        if self.calibrated:
            return Enumeration.of(self.parameters, self.records).temperature(self.epsilon)
        return Fraction(round_down(self.epsilon / (2 * self._sensitivity)))

    def _enough(self) -> bool:
        if self.calibrated:
            listed = Enumeration.of(self.parameters, self.records)
            return Fraction(listed.cost(self.temperature)) <= self.epsilon
        return 2 * self.temperature * self._sensitivity <= self.epsilon

    @property
    def _sensitivity(self) -> Fraction:
        some = self.parameters if isinstance(self.prior, tuple) else self.parameters[:3]
        return Fraction(global_sensitivity_above(some, self.records))

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon; not calibrated, the loss also has a bounded range."""
        pair: DominatingPair = BoundedRangePair(self.epsilon)
        reason = "exponential mechanism on a metric with its global sensitivity (proof: privior.EHD)"
        if self.calibrated:
            pair = SignedSteps(self.epsilon)
            reason = f"all {self.outputs} outputs of all neighbouring tables enumerated (privior.EHD)"
        return Guarantee(pair, REPLACE_ONE, Budget(self.epsilon), reason)

    def temperatures(self, tables: Integers) -> Floats:
        """Return the one temperature, once for each table."""
        return np.full(len(tables), float(self.temperature))

    def enclosed_temperature(self, counts: list[int]) -> Any:
        """Enclose the one temperature, a rational number."""
        return ball(self.temperature)
