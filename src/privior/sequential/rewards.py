"""Rewards: numbers in declared bounds, counted in whole units, and what is believed of their means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import above_zero, fill, plain_fields, whole_number
from privior.errors import PlanError, shown
from privior.exact import rational

#: a reward is one of at most so many levels above the lowest
MOST_UNITS = 1000


@dataclass(frozen=True)
class Rewards(ABC):
    """Rewards in [low, high], whatever is outside being taken for the nearer end; one unit is
    (high-low)/units.

    What is counted of a row is the sum of its rewards in units above `low` and, for `powers` = 2, of their
    squares.
    """

    low: Fraction
    high: Fraction
    units: int
    name: ClassVar[str]
    powers: ClassVar[int]

    def _set(self, low: object, high: object, units: int) -> None:
        whole_number(units, "units", 1, MOST_UNITS, where=self.name, error=PlanError)
        least, most = rational(low, "low"), rational(high, "high")
        if not least < most:
            raise PlanError("the bounds of rewards are empty", where=self.name, asked=f"{low} to {high}")
        fill(self, low=least, high=most, units=units)

    def coded(self, reward: object, below: Callable[[int], int]) -> int:
        """Return a reward in units, rounded up or down at random so that its mean is right.

        Every reward is rounded by itself, with randomness of its own: the rounding belongs to the step,
        and is replaced with it.

        Args:
            reward: a number; a float is read as its shortest decimal
            below: draws a whole number below another, uniformly
        """
        exact = min(max(rational(reward, "reward"), self.low), self.high)
        place = (exact - self.low) / (self.high - self.low) * self.units
        whole = place.numerator // place.denominator
        part = place - whole
        return whole + (below(part.denominator) < part.numerator if part else 0)

    @abstractmethod
    def means(
        self, visits: Floats, sums: Floats, squares: Floats | None, generator: np.random.Generator
    ) -> Floats:
        """Draw the mean reward of each row, given its visits and the sums of its rewards in units."""

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, **plain_fields(self)}

    @property
    def _scale(self) -> tuple[float, float]:
        """The lowest reward and the size of a unit."""
        return float(self.low), float((self.high - self.low) / self.units)


@final
@dataclass(frozen=True)
class BoundedRewards(Rewards):
    """Any rewards in [low, high]: each is one of the two ends, at random, so that the mean is right.

    The mean of a reward rounded to 0 or 1 has a Beta posterior whatever the law of the reward was.
    """

    weight: Fraction
    name: ClassVar[str] = "bounded"
    powers: ClassVar[int] = 1

    def __init__(self, low: object = 0, high: object = 1, units: int = 1, *, weight: object = 1) -> None:
        self._set(low, high, units)
        fill(self, weight=above_zero(weight, "weight"))

    def means(
        self, visits: Floats, sums: Floats, squares: Floats | None, generator: np.random.Generator
    ) -> Floats:
        """Draw from Beta(weight + sum, weight + visits - sum)."""
        low, unit = self._scale
        good = np.clip(sums / self.units, 0.0, visits)
        weight = float(self.weight)
        return np.asarray(low + unit * self.units * generator.beta(weight + good, weight + visits - good))


@final
@dataclass(frozen=True)
class NormalRewards(Rewards):
    """Rewards that are about Normal, mean and variance unknown: a Normal-Gamma prior.

    mean ~ Normal(centre, 1/(strength precision)), precision ~ Gamma(shape, rate).
    """

    centre: Fraction
    strength: Fraction
    shape: Fraction
    rate: Fraction
    name: ClassVar[str] = "normal"
    powers: ClassVar[int] = 2

    def __init__(
        self,
        low: object = 0,
        high: object = 1,
        units: int = 20,
        *,
        centre: object = None,
        strength: object = 1,
        shape: object = 1,
        rate: object = None,
    ) -> None:
        self._set(low, high, units)
        wide = self.high - self.low
        fill(
            self,
            centre=(self.low + self.high) / 2 if centre is None else rational(centre, "centre"),
            strength=above_zero(strength, "strength"),
            shape=above_zero(shape, "shape"),
            rate=(wide / 2) ** 2 if rate is None else above_zero(rate, "rate"),
        )

    def means(
        self, visits: Floats, sums: Floats, squares: Floats | None, generator: np.random.Generator
    ) -> Floats:
        """Draw precision and mean from the Normal-Gamma posterior."""
        if squares is None:
            raise ValueError("sums of squares are needed")
        low, unit = self._scale
        n = np.maximum(visits, 0.0)
        average = np.where(n > 0, sums / np.maximum(n, 1e-9), 0.0)
        spread = np.maximum(squares - n * average**2, 0.0) * unit**2
        mean = low + unit * np.clip(average, 0.0, self.units)
        centre, strength = float(self.centre), float(self.strength)
        after = strength + n
        rate = float(self.rate) + spread / 2 + strength * n * (mean - centre) ** 2 / (2 * after)
        precision = generator.gamma(float(self.shape) + n / 2) / rate
        return np.asarray(
            generator.normal((strength * centre + n * mean) / after, 1 / np.sqrt(after * precision))
        )


_KINDS: dict[str, type[BoundedRewards] | type[NormalRewards]] = {
    kind.name: kind for kind in (BoundedRewards, NormalRewards)
}


def to_rewards(document: object) -> Rewards:
    """Read what `to_document` wrote, or a name, or take such a value as it is."""
    if isinstance(document, Rewards):
        return document
    entries: dict[str, Any] = dict(document) if isinstance(document, dict) else {"name": document}
    kind = _KINDS.get(str(entries.pop("name", None)))
    if kind is None:
        raise PlanError("unknown rewards", where="rewards", asked=shown(document), allowed=", ".join(_KINDS))
    try:
        return kind(**entries)
    except TypeError:
        raise PlanError("missing or unknown entries", where=kind.name, asked=", ".join(entries)) from None


def rounded(rewards: Floats, law: Rewards, generator: np.random.Generator) -> Integers:
    """Do for many simulated rewards what `coded` does for one."""
    low, unit = law._scale
    place = np.clip((rewards - low) / unit, 0.0, law.units)
    whole = np.floor(place)
    return np.asarray(whole + (generator.random(place.shape) < place - whole), dtype=np.int64)
