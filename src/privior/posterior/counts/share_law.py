"""The law of a share of the table's records where their number is not known: a sum divided by the total."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.sum_with_total import SumWithTotal


@dataclass(frozen=True, eq=False)
class ShareLaw:
    """The law of a share; a table without records has none, and is left out.

    Attributes:
        counts: the law of the sum together with the total
    """

    counts: SumWithTotal

    @cached_property
    def undefined(self) -> float:
        """How probable it is that there are no records."""
        return float(self.counts.shares[self.counts.totals == 0].sum())

    @property
    def mean(self) -> float:
        """The expected share."""
        values, masses = self._atoms
        return float(values @ masses)

    @property
    def stddev(self) -> float:
        """The standard deviation of the share."""
        values, masses = self._atoms
        return float(np.sqrt(masses @ (values - values @ masses) ** 2))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the smallest shares that are not exceeded with probability (1 ∓ level)/2."""
        values, masses = self._atoms
        places = np.searchsorted(np.cumsum(masses), [(1 - level) / 2, (1 + level) / 2])
        low, high = values[np.minimum(places, values.size - 1)]
        return float(low), float(high)

    def draws(self, size: int, rng: np.random.Generator) -> Floats:
        """Return shares from their law."""
        values, masses = self._atoms
        return np.asarray(rng.choice(values, size=size, p=masses))

    @cached_property
    def _atoms(self) -> tuple[Floats, Floats]:
        """Every share that is possible, from small to large, and its probability."""
        rows = zip(self.counts.totals, self.counts.shares, self.counts.sums, strict=True)
        there = [(law.low + np.arange(law.mass.size), total, share * law.mass) for total, share, law in rows]
        values = np.concatenate([sums / total for sums, total, _ in there if total > 0])
        masses = np.concatenate([mass for _, total, mass in there if total > 0])
        order = np.argsort(values, kind="stable")
        return values[order], masses[order] / masses.sum()
