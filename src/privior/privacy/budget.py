"""Budgets: an exact pair (epsilon, delta), as it is asked for, capped and spent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from privior.errors import NumberError, shown
from privior.exact import decimal, from_decimal, positive, rational

if TYPE_CHECKING:
    from privior.pictures import BudgetBar

#: outside this range epsilon protects nothing or allows nothing
EPSILON_RANGE = (Fraction(1, 10**9), Fraction(10**4))
#: a positive delta below this is refused rather than computed inexactly
LEAST_DELTA = Fraction(1, 10**15)


@dataclass(frozen=True)
class Budget:
    """An amount of privacy loss, exact. Budgets add up coordinate by coordinate (basic composition)."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    @staticmethod
    def of(epsilon: object, delta: object = 0) -> Budget:
        """Read a budget from text, whole numbers, Fractions, or floats read as their shortest decimal."""
        least, most = EPSILON_RANGE
        chance = rational(delta, "delta")
        if chance != 0 and not LEAST_DELTA <= chance < 1:
            raise NumberError(
                "delta is out of range",
                asked=shown(delta),
                allowed=f"0, or {decimal(LEAST_DELTA)} to below 1",
            )
        return Budget(positive(epsilon, "epsilon", least=least, most=most), chance)

    def to_document(self) -> dict[str, str]:
        """Write the budget exactly, as text."""
        return {"epsilon": decimal(self.epsilon), "delta": decimal(self.delta)}

    @staticmethod
    def from_document(document: object) -> Budget:
        """Read what `to_document` wrote; sums may be larger than what one release may ask for."""
        if not isinstance(document, dict) or set(document) != {"epsilon", "delta"}:
            raise NumberError("not a budget", asked=shown(document))
        epsilon, delta = (from_decimal(document[name], name) for name in ("epsilon", "delta"))
        if epsilon < 0 or delta < 0:
            raise NumberError("a budget is never negative", asked=shown(document))
        return Budget(epsilon, delta)

    def __add__(self, other: Budget) -> Budget:
        return Budget(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Budget) -> Budget:
        return Budget(self.epsilon - other.epsilon, self.delta - other.delta)

    def fits(self, cap: Budget) -> bool:
        """Say whether this amount is within the cap, exactly."""
        return self.epsilon <= cap.epsilon and self.delta <= cap.delta

    def __str__(self) -> str:
        return f"epsilon {decimal(self.epsilon)}, delta {decimal(self.delta)}"


def budget_bar(before: Budget, this: Budget, cap: Budget, population: str) -> BudgetBar:
    """Draw what was spent before, what this release costs and what is left of the cap."""
    total = before + this
    drawn = min(before.epsilon, cap.epsilon)
    delta = f"delta: {decimal(total.delta)} of {decimal(cap.delta)} spent"
    beyond = "" if total.fits(cap) else "; more than the cap was spent"
    from privior.pictures import BudgetBar

    return BudgetBar(
        drawn,
        min(total.epsilon, cap.epsilon) - drawn,
        cap.epsilon,
        title=f"Budget of {population}",
        note=("pure guarantees only" if cap.delta == 0 else delta) + beyond,
        before_label=decimal(before.epsilon),
        this_label=decimal(this.epsilon),
        left_label=decimal(max(cap.epsilon - total.epsilon, Fraction(0))),
        cap_label=decimal(cap.epsilon),
    )


#: nothing spent yet
NOTHING = Budget(Fraction(0))
