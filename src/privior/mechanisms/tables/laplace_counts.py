"""Discrete Laplace noise on every count: the pure default where the total is private."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.checks import fill
from privior.exact import round_up
from privior.mechanisms.contract import CellNoise, offered_for
from privior.mechanisms.laws import laplace_log_pmf, laplace_variance
from privior.mechanisms.tables.table_mechanism import (
    PublicFacts,
    TableMechanism,
    check_cells,
    true_counts,
    with_noise,
)
from privior.models import ExactStatistics, Observed, TableModel
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours, Sensitivity, SignedSteps
from privior.randomness import OPENDP, WIDEST, discrete_laplace


@final
@offered_for(TableModel)
@dataclass(frozen=True)
class LaplaceCounts(TableMechanism):
    """Independent noise on the k counts, P(z) proportional to exp(-|z| / laplace_scale).

    laplace_scale = L1 / epsilon, L1 the L1 sensitivity of the counts, rounded up to a float (which the
    sampler reads as its exact binary value), so the true epsilon is below the stated one by at most one
    part in 2^52. Proof: sum_i |y_i - c_i| changes by at most L1 between neighbours (Ghosh, Roughgarden,
    Sundararajan 2009; Canonne, Kamath, Steinke 2020). The removed and the added records move disjoint
    sets of cells, each by at most half of L1 under replace-one: two independent losses of at most
    epsilon/2, hence the pair of two signed steps.
    """

    cells: int
    epsilon: Fraction
    neighbours: Neighbours
    max_rows: int
    name: ClassVar[str] = "laplace-counts"
    records: ClassVar[None] = None  # type: ignore[misc]
    prior: ClassVar[None] = None  # type: ignore[misc]
    about: ClassVar[str] = "discrete Laplace noise on every count"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self, cells: int, epsilon: object, *, neighbours: Neighbours | str = REPLACE_ONE, max_rows: int = 1
    ) -> None:
        fill(self, cells=check_cells(cells, self.name), epsilon=Budget.of(epsilon).epsilon)
        fill(self, neighbours=Neighbours.of(neighbours), max_rows=max_rows)
        if self.laplace_scale > WIDEST:
            raise self.refusal("this budget and unit need more noise than can be drawn")

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build it; it fits whatever the relation and the unit."""
        return cls(facts.cells, facts.budget.epsilon, neighbours=facts.neighbours, max_rows=facts.max_rows)

    @property
    def laplace_scale(self) -> Fraction:
        """The scale of the noise, exactly a float."""
        return Fraction(round_up(self.sensitivity.l1 / self.epsilon))

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, and the curve of its signed steps."""
        steps = 2 if self.neighbours is REPLACE_ONE else 1
        l1 = self.sensitivity.l1
        reason = f"discrete Laplace noise of scale {l1}/epsilon; counts move by L1 {l1} (Ghosh et al. 2009)"
        pair = SignedSteps(self.epsilon / steps, steps)
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(pair, self.neighbours, Budget(self.epsilon), reason, unit)

    @cached_property
    def _rate(self) -> float:
        return float(1 / self.laplace_scale)

    @property
    def expected_squared_error(self) -> float:
        """E|z|^2 over the k counts, for forecasts and comparisons."""
        return self.cells * laplace_variance(self._rate)

    @property
    def cell_noise(self) -> CellNoise:
        """Rate 1 / laplace_scale in every cell."""
        return CellNoise(np.full(self.cells, self._rate), np.zeros(self.cells))

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add exact draws, one per cell."""
        return with_noise(statistics, discrete_laplace(self.cells, self.laplace_scale))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Sum the log probabilities of the k noises."""
        noise = observed.array() - true_counts(statistics, self.cells)
        return float(laplace_log_pmf(noise, self._rate).sum())

    def admits(self, observed: Observed, records: int) -> bool:
        """Noise has no ends, so that any integers may be released."""
        return True
