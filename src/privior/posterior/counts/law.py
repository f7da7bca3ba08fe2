"""Laws of integers: what a count, or a sum of counts, may be, and with which probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.posterior.kept import kept


@kept
@dataclass(frozen=True, eq=False)
class IntegerLaw:
    """A law on the consecutive integers low, low+1, ..."""

    low: int
    mass: Floats

    @property
    def high(self) -> int:
        """The last integer."""
        return self.low + self.mass.size - 1

    def trimmed(self, share: float) -> IntegerLaw:
        """Drop the longest tails of at most `share` of the mass each."""
        mass = self.mass
        upwards = mass.cumsum()
        least = share * upwards[-1]
        first = 0 if mass[0] >= least else int(upwards.searchsorted(least))
        cut = 0 if mass[-1] >= least else int(mass[::-1].cumsum().searchsorted(least))
        return IntegerLaw(self.low + first, mass[first : mass.size - cut].copy())

    @cached_property
    def mean(self) -> float:
        """The mean of a law of mass 1."""
        return self.low + float(self.mass @ np.arange(self.mass.size))

    def quantiles(self, level: float) -> tuple[int, int]:
        """Return the smallest numbers not exceeded with probability (1 ∓ level)/2."""
        spread = np.cumsum(self.mass)
        low, high = np.searchsorted(spread, [(1 - level) / 2, (1 + level) / 2])
        return min(self.low + int(low), self.high), min(self.low + int(high), self.high)

    @property
    def variance(self) -> float:
        """The variance of a law of mass 1."""
        away = np.arange(self.mass.size) - (self.mean - self.low)
        return float(self.mass @ (away * away))


def mixture(laws: Sequence[IntegerLaw], shares: Floats) -> IntegerLaw:
    """Return the mixture of laws with these shares."""
    if len(laws) == 1:
        return laws[0]
    low, high = min(law.low for law in laws), max(law.high for law in laws)
    mass = np.zeros(high - low + 1)
    for law, share in zip(laws, shares, strict=True):
        mass[law.low - low : law.high + 1 - low] += share * law.mass
    return IntegerLaw(low, mass)
