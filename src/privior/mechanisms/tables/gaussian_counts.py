"""Discrete Gaussian noise on every count, calibrated to an exact (epsilon, delta)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from privior.checks import fill
from privior.exact import decimal, rational, round_down
from privior.mechanisms.contract import CellNoise, offered_for
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance
from privior.mechanisms.tables.table_mechanism import (
    PublicFacts,
    TableMechanism,
    check_cells,
    true_counts,
    with_noise,
)
from privior.models import ExactStatistics, Observed, TableModel
from privior.privacy import (
    REPLACE_ONE,
    Budget,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    Guarantee,
    Neighbours,
    Sensitivity,
)
from privior.randomness import OPENDP, WIDEST, discrete_gaussian

#: the exact curve is a sum over about this many integers; beyond it the concentrated bound is used
WIDEST_EXACT = Fraction(2**14)


@final
@offered_for(TableModel)
@dataclass(frozen=True)
class GaussianCounts(TableMechanism):
    """Independent noise on the k counts, P(z) proportional to exp(-z^2 / (2 stddev^2)) on the integers.

    One record per unit: neighbours move one count by one (add-or-remove-one) or two counts by one each
    (replace-one), so delta(epsilon) is the exact curve of `DiscreteGaussianShift`. Several records per
    unit, or a stddev so large that the exact sum would take long: the divergence of order a is at most
    a L2^2 / (2 stddev^2) (Canonne, Kamath, Steinke 2020, Theorem 4), converted by `Concentrated`.
    `stddev` is the smallest that keeps delta(epsilon) at or below the delta asked for, on a public dyadic
    grid and rounded up; a release stores it, and loading checks the inequality again.
    """

    cells: int
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    max_rows: int
    stddev: Fraction
    name: ClassVar[str] = "gaussian-counts"
    records: ClassVar[None] = None  # type: ignore[misc]
    prior: ClassVar[None] = None  # type: ignore[misc]
    about: ClassVar[str] = "discrete Gaussian noise on every count"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        cells: int,
        epsilon: object,
        delta: object,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        stddev: object = None,
    ) -> None:
        check_cells(cells, self.name)
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal("needs delta > 0: Gaussian noise is never pure")
        fill(self, cells=cells, epsilon=budget.epsilon, delta=budget.delta)
        fill(self, neighbours=Neighbours.of(neighbours), max_rows=max_rows)
        self.sensitivity  # noqa: B018 - refuses a number of rows that is none
        fill(self, stddev=self._calibrated() if stddev is None else rational(stddev, "stddev"))
        if not self._is_a_float() or not self._enough(self.stddev):
            raise self.refusal("this stddev does not give the stated guarantee", asked=decimal(self.stddev))

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it for delta > 0."""
        given = facts.cells, facts.budget.epsilon, facts.budget.delta
        return cls(*given, neighbours=facts.neighbours, max_rows=facts.max_rows)

    def _is_a_float(self) -> bool:
        return 0 < self.stddev <= WIDEST and Fraction(float(self.stddev)) == self.stddev

    def _pair(self, stddev: Fraction, neighbours: Neighbours | None = None) -> DominatingPair:
        relation = neighbours or self.neighbours
        if self.max_rows == 1 and stddev <= WIDEST_EXACT:
            return DiscreteGaussianShift(stddev**2, 2 if relation is REPLACE_ONE else 1)
        return Concentrated(Sensitivity.of_counts(relation, self.max_rows).l2_squared / (2 * stddev**2))

    def _enough(self, stddev: Fraction) -> bool:
        return Fraction(self._pair(stddev).delta(round_down(self.epsilon))) <= self.delta

    def _calibrated(self) -> Fraction:
        """Find the smallest sufficient stddev with about 20 significant bits."""
        high = Fraction(1)
        while not self._enough(high):
            high *= 2
            if high > WIDEST:
                raise self.refusal(
                    "this budget needs more noise than can be certified",
                    asked=f"epsilon {decimal(self.epsilon)}, delta {decimal(self.delta)}",
                    advice="Ask for a larger epsilon or delta, or use a pure mechanism.",
                )
        while high > Fraction(1, 2**10) and self._enough(high / 2):
            high /= 2
        step = high / 2**20
        low, top = 2**19, 2**20
        while top - low > 1:
            middle = (low + top) // 2
            low, top = (low, middle) if self._enough(middle * step) else (middle, top)
        return top * step

    @property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, and the whole curve."""
        return self._promise(self.neighbours, Budget(self.epsilon, self.delta))

    @property
    def replacing(self) -> Guarantee:
        """What all groups promise together if a record is replaced, at twice the epsilon.

        Proof. Noise of one stddev, independent for each cell of each group, is noise on the table of groups
        times cells. A record is in one cell of that table: replacing it moves two of its cells by one each,
        in one group or in two, which is this mechanism for that table under replace-one. (Removing and then
        adding a record would also cover two records that enter one cell: many times as large a delta.)
        """
        if self.neighbours is REPLACE_ONE:
            return self.guarantee
        promise = self._promise(REPLACE_ONE, Budget(2 * self.epsilon, self.delta))
        made = promise.at(epsilon=2 * self.epsilon)
        return replace(made, reason=f"{made.reason}; replaced: two cells of all groups move")

    def _promise(self, neighbours: Neighbours, cost: Budget) -> Guarantee:
        pair = self._pair(self.stddev, neighbours)
        reason = (
            "exact hockey-stick divergence of shifted discrete Gaussians"
            if isinstance(pair, DiscreteGaussianShift)
            else "concentrated divergence (Canonne, Kamath, Steinke 2020, Theorem 4 and Corollary 13)"
        )
        return Guarantee(pair, neighbours, cost, reason, Sensitivity.unit(self.max_rows))

    @property
    def expected_squared_error(self) -> float:
        """E|z|^2 over the k counts, for forecasts and comparisons."""
        return self.cells * gaussian_variance(float(self.stddev) ** 2)

    @property
    def cell_noise(self) -> CellNoise:
        """Curvature 1 / stddev^2 in every cell."""
        return CellNoise(np.zeros(self.cells), np.full(self.cells, 1 / float(self.stddev) ** 2))

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add exact draws, one per cell."""
        return with_noise(statistics, discrete_gaussian(self.cells, self.stddev))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log probabilities of the k noises."""
        noise = observed.array() - true_counts(statistics, self.cells)
        return float(gaussian_log_pmf(noise, float(self.stddev) ** 2).sum())

    def admits(self, observed: Observed, records: int) -> bool:
        """Noise has no ends, so that any integers may be released."""
        return True
