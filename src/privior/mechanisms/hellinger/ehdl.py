"""EHDL as published: the exponential mechanism with the local sensitivity, which is not epsilon-private."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Integers
from privior.exact import decimal, shortened_up
from privior.mechanisms.contract import Floats, on_request_for
from privior.mechanisms.hellinger.hellinger import inverse_local_sensitivities
from privior.mechanisms.hellinger.hellinger_tables import HellingerMechanism
from privior.mechanisms.tables.table_mechanism import PublicFacts
from privior.models import DirichletTable
from privior.privacy import REPLACE_ONE, Budget, Guarantee
from privior.privacy.hellinger import (
    MOST_TABLES,
    inverse_local_sensitivity,
    largest_local_change,
    local_change_above,
    number_of_tables,
)
from privior.privacy.pairs import BoundedRangePair
from privior.privacy.pairs.balls import ball


@final
@on_request_for(DirichletTable)
@dataclass(frozen=True)
class EHDL(HellingerMechanism):
    """Temperature t(x) = epsilon / (2 LS(x)), LS the local sensitivity: here for study.

    It is NOT epsilon-private, for LS itself tells about x: 1.065 times epsilon at prior (0.1, 0.1), n =
    1000, and 1.96 times at three cells, prior 50, n = 100. What holds: |H(x,r)/LS(x) - H(x',r)/LS(x')| <= 1
    + L with L the largest change of 1/LS between neighbours, by the proof of `EHDS`, so it costs (1 + L)
    epsilon. For two cells L <= W(a+1) - W(a), W = 1/sqrt(1 - phi), a the smaller prior parameter; for more
    it is enumerated where all tables can be listed. Otherwise there is no guarantee, and no ledger can be
    charged for it.
    """

    name: ClassVar[str] = "ehdl"
    about: ClassVar[str] = "as published, for study: costs more than its nominal epsilon"
    for_study: ClassVar[bool] = True

    def __init__(self, cells: int, epsilon: object, records: int, prior: object = 1) -> None:
        self._set(cells, epsilon, records, prior)
        self.check_drawable()

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it with a nominal epsilon so small that what it truly costs is in the budget."""
        cls.check_facts(facts)
        draft = cls(facts.cells, Fraction(1, 10**6), facts.records, facts.numbers)
        nominal = _shortened_down(_shortened_down(facts.budget.epsilon) / (1 + draft.local_change))
        return cls(facts.cells, nominal, facts.records, facts.numbers)

    @property
    def local_change(self) -> Fraction:
        """An upper bound of L; refused where none is known."""
        if self.cells == 2:
            return Fraction(local_change_above(self.parameters))
        if number_of_tables(self.records, self.cells) > MOST_TABLES:
            raise self.refusal(
                "no guarantee: local sensitivity is not private, and its change is known for few tables only",
                asked=f"{self.outputs} tables",
                allowed=f"two cells, or {MOST_TABLES} tables",
                advice="Use pv.EHDS, or pv.KNorm.",
            )
        return Fraction(largest_local_change(self.parameters, self.records))

    @property
    def guarantee(self) -> Guarantee:
        """(1 + L) epsilon; PlanError where L is not known."""
        cost = shortened_up((1 + self.local_change) * self.epsilon)
        reason = f"local sensitivity changes between neighbours; nominal epsilon {decimal(self.epsilon)}"
        return Guarantee(BoundedRangePair(cost), REPLACE_ONE, Budget(cost), f"{reason} (privior.EHDL)")

    def temperatures(self, tables: Integers) -> Floats:
        """Return epsilon / (2 LS(x))."""
        return np.asarray(float(self.epsilon) / 2 * inverse_local_sensitivities(tables, self._alpha))

    def enclosed_temperature(self, counts: list[int]) -> Any:
        """Enclose epsilon / (2 LS(x))."""
        return ball(self.epsilon / 2) * inverse_local_sensitivity(counts, self.parameters)


def _shortened_down(number: Fraction, digits: int = 12) -> Fraction:
    """Return the largest decimal of so many digits that is not above a positive number."""
    unit = Fraction(10) ** (math.floor(math.log10(number)) - digits + 1)
    return unit * math.floor(number / unit)
