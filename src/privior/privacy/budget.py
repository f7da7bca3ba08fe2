"""Budgets: an exact pair (epsilon, delta), as it is asked for, capped and spent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privior.errors import NumberError, shown
from privior.exact import decimal, positive, rational

#: outside this range epsilon protects nothing or allows nothing
EPSILON_RANGE = (Fraction(1, 10**9), Fraction(10**4))
#: a positive delta below this is refused rather than computed inexactly
LEAST_DELTA = Fraction(1, 10**15)


@dataclass(frozen=True)
class Budget:
    """An amount of privacy loss, exact. Budgets add up coordinate by coordinate (basic composition)."""

    epsilon: Fraction
    delta: Fraction

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

    def __add__(self, other: Budget) -> Budget:
        return Budget(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Budget) -> Budget:
        return Budget(self.epsilon - other.epsilon, self.delta - other.delta)

    def fits(self, cap: Budget) -> bool:
        """Say whether this amount is within the cap, exactly."""
        return self.epsilon <= cap.epsilon and self.delta <= cap.delta

    def __str__(self) -> str:
        return f"epsilon {decimal(self.epsilon)}, delta {decimal(self.delta)}"


#: nothing spent yet
NOTHING = Budget(Fraction(0), Fraction(0))
