"""LSHist and LSDim as published: noise on the first k-1 counts, the last one by subtraction.

Both come from "Differentially Private Bayesian Inference" (2020), Algorithms 1 and 2. They are kept as
published, clamping included, but on discrete Laplace noise, since floating-point Laplace noise leaks
through its last bits. Their true cost is stated, which for LSDim is far below its nominal epsilon.
K-norm noise is better at every epsilon; these are here for comparison and study.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.exact import decimal, round_up
from privior.mechanisms.contract import CellNoise, offered_for
from privior.mechanisms.laws import laplace_log_pmf, laplace_log_tail, laplace_variance
from privior.mechanisms.tables.table_mechanism import (
    FixedTotal,
    PublicFacts,
    check_cells,
    check_records,
    true_counts,
)
from privior.models import DirichletTable, ExactStatistics, Observed
from privior.privacy import REPLACE_ONE, Budget, Guarantee, SignedSteps
from privior.randomness import OPENDP, discrete_laplace


@dataclass(frozen=True)
class PublishedLaplace(FixedTotal):
    """Discrete Laplace noise on k-1 counts, clamped to [0, n]; the last count is what is left, clamped.

    Proof of the true cost: the release is a function of the first k-1 noisy counts. Replacing one record
    moves at most two of them by one each, and only one if k = 2: the loss is at most min(2, k-1) /
    laplace_scale. It is attained at n >= 1 (clamping keeps the ratio of a geometric tail), so it is exact.
    """

    cells: int
    epsilon: Fraction
    records: int
    name: ClassVar[str]
    about: ClassVar[str]
    randomness: ClassVar[str] = OPENDP
    for_study: ClassVar[bool] = True
    prior: ClassVar[None] = None  # type: ignore[misc]

    def __init__(self, cells: int, epsilon: object, records: int) -> None:
        fill(self, cells=check_cells(cells, self.name), records=check_records(records, self.name))
        fill(self, epsilon=Budget.of(epsilon).epsilon)

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it with the budget as its nominal epsilon."""
        cls.check_facts(facts)
        return cls(facts.cells, facts.budget.epsilon, facts.records)

    @property
    @abstractmethod
    def nominal_scale(self) -> Fraction:
        """The scale as printed in the paper."""

    @property
    def laplace_scale(self) -> Fraction:
        """The scale of the noise, rounded up to a float."""
        return Fraction(round_up(self.nominal_scale))

    @property
    def guarantee(self) -> Guarantee:
        """The true cost, which is not always the nominal epsilon."""
        moved = min(2, self.cells - 1)
        pair = SignedSteps(1 / self.nominal_scale, moved)
        scale, nominal = decimal(self.nominal_scale), decimal(self.epsilon)
        reason = (
            f"discrete Laplace noise of scale {scale} on {self.cells - 1} counts, of which one record "
            f"moves {moved}; nominal epsilon {nominal} (proof: privior.PublishedLaplace)"
        )
        return Guarantee(pair, REPLACE_ONE, Budget(moved / self.nominal_scale), reason)

    @cached_property
    def _rate(self) -> float:
        return float(1 / self.laplace_scale)

    @property
    def expected_squared_error(self) -> float:
        """E|z|^2 before clamping: (k-1) variances, and their sum again in the last count."""
        return 2 * (self.cells - 1) * self.variance

    @property
    def variance(self) -> float:
        """The variance of the noise of each of the first k-1 counts."""
        return laplace_variance(self._rate)

    @property
    def cell_noise(self) -> CellNoise:
        """The same rate in the first k-1 cells, nothing in the last, which is a function of the others.

        A count clamped to 0 has probability P(z <= -c) = q^c / (1+q), which as a function of c >= 0 is
        what an unclamped 0 has, up to a constant; likewise at n. So clamping changes nothing here.
        """
        rates = np.full(self.cells, self._rate)
        rates[-1] = 0.0
        return CellNoise(rates, np.zeros(self.cells), clamped=True)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add exact draws to the first k-1 counts, clamp, subtract, clamp."""
        counts = true_counts(statistics, self.cells)
        noise = discrete_laplace(self.cells - 1, self.laplace_scale)
        first = [self._clamp(int(c) + z) for c, z in zip(counts[:-1], noise, strict=True)]
        return Observed.of((*first, self._clamp(self.records - sum(first))))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum log probabilities, or log tails where clamped; -infinity for what cannot be released."""
        counts = true_counts(statistics, self.cells)
        if not self.admits(observed, self.records):
            return -math.inf
        return float(self._log_cells(observed.array()[:-1], counts[:-1]).sum())

    def admits(self, observed: Observed, records: int) -> bool:
        """All counts are clamped, and the last is what the others leave."""
        first = observed.counts[:-1]
        left = self._clamp(self.records - sum(first))
        return all(0 <= count <= self.records for count in first) and observed.counts[-1] == left

    def _log_cells(self, seen: Integers, counts: Integers) -> Floats:
        inside = laplace_log_pmf(seen - counts, self._rate)
        tail = laplace_log_tail(np.abs(seen - counts), self._rate)
        return np.where((seen == 0) | (seen == self.records), tail, inside)

    def _clamp(self, count: int) -> int:
        return min(max(count, 0), self.records)


@final
@offered_for(DirichletTable)
class LSHist(PublishedLaplace):
    """Algorithm 2: scale 2/epsilon, or 1/epsilon for two levels. Exactly its nominal epsilon."""

    name: ClassVar[str] = "lshist"
    about: ClassVar[str] = "as published: last count by subtraction, clamped"

    @property
    def nominal_scale(self) -> Fraction:
        """The histogram sensitivity over epsilon."""
        return min(2, self.cells - 1) / self.epsilon


@final
@offered_for(DirichletTable)
class LSDim(PublishedLaplace):
    """Algorithm 1: scale k/epsilon. Really 2/k of its nominal epsilon, or 1/2 for two levels."""

    name: ClassVar[str] = "lsdim"
    about: ClassVar[str] = "as published: noise grows with the levels for no gain"

    @property
    def nominal_scale(self) -> Fraction:
        """The number of levels over epsilon."""
        return self.cells / self.epsilon
