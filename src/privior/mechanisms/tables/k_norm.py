"""K-norm noise: the default for a table whose total is public."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from privior.checks import fill
from privior.mechanisms.contract import CellNoise, offered_for
from privior.mechanisms.laws import k_norm_expected_squared_error, k_norm_log_normaliser
from privior.mechanisms.tables.table_mechanism import (
    FixedTotal,
    PublicFacts,
    check_cells,
    true_counts,
    with_noise,
)
from privior.models import ExactStatistics, Observed, TableModel
from privior.privacy import REPLACE_ONE, Budget, Guarantee
from privior.privacy.pairs import KNormPair
from privior.randomness import OPERATING_SYSTEM, k_norm


@final
@offered_for(TableModel)
@dataclass(frozen=True)
class KNorm(FixedTotal):
    """Noise z on integer vectors that sum to zero, P(z) proportional to exp(-epsilon |z|_1 / 2).

    Proof of epsilon: replacing one record moves the counts by v = e_j - e_i, of L1 norm 2 and sum 0, so
    both data sets have the same possible outputs y, and | |y-c|_1 - |y-c-v|_1 | / 2 <= 1. Equality holds
    at y = c, so epsilon is exact. Compared with noise on all k counts it wastes nothing on the total,
    which is public, and no cell is special. For k = 2 it is the geometric mechanism on one count.
    """

    cells: int
    epsilon: Fraction
    name: ClassVar[str] = "k-norm"
    records: ClassVar[None] = None  # type: ignore[misc]
    prior: ClassVar[None] = None  # type: ignore[misc]
    about: ClassVar[str] = "noise of sum zero on all counts"
    randomness: ClassVar[str] = OPERATING_SYSTEM

    def __init__(self, cells: int, epsilon: object) -> None:
        fill(self, cells=check_cells(cells, self.name), epsilon=Budget.of(epsilon).epsilon)

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it for a public total: replace-one, one row per unit."""
        cls.check_facts(facts)
        return cls(facts.cells, facts.budget.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, and the exact curve below it."""
        reason = "K-norm noise of rate epsilon/2; counts move by L1 2 at a fixed sum (proof: privior.KNorm)"
        return Guarantee(KNormPair(self.cells, self.epsilon), REPLACE_ONE, Budget(self.epsilon), reason)

    @property
    def expected_squared_error(self) -> float:
        """The expectation of |z|^2 over the k cells."""
        return k_norm_expected_squared_error(self.cells, float(self.epsilon))

    @property
    def cell_noise(self) -> CellNoise:
        """Rate epsilon/2 in every cell."""
        rates = np.full(self.cells, float(self.epsilon) / 2)
        return CellNoise(rates, np.zeros(self.cells), sums_to_zero=True)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add an exact draw; the result may be negative and sums to the public total."""
        return with_noise(statistics, k_norm(self.cells, self.epsilon))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return -epsilon |y - c|_1 / 2 - log normaliser; -infinity if the totals differ."""
        noise = observed.array() - true_counts(statistics, self.cells)
        if noise.sum() != 0:
            return -math.inf
        epsilon = float(self.epsilon)
        return -epsilon * int(np.abs(noise).sum()) / 2 - k_norm_log_normaliser(self.cells, epsilon)

    def admits(self, observed: Observed, records: int) -> bool:
        """The noise sums to zero."""
        return sum(observed.counts) == records
