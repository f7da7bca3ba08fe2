"""Discrete Laplace noise on every table of a network: pure, for any number of levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.exact import round_up
from privior.mechanisms.contract import Asked, CellNoise, offered_for
from privior.mechanisms.laws import laplace_log_pmf, laplace_variance
from privior.mechanisms.networks.node_tables import CELLS, NodeTables
from privior.models import Network
from privior.privacy import (
    REPLACE_ONE,
    Budget,
    DominatingPair,
    Guarantee,
    Neighbours,
    Sensitivity,
    SignedSteps,
)
from privior.privacy.composition import compose_ordered, compose_symmetric
from privior.randomness import OPENDP, discrete_laplace
from privior.schema import Schema


@final
@offered_for(Network)
@dataclass(frozen=True)
class LaplaceTables(NodeTables):
    """Independent noise on all counts, P(z) proportional to exp(-|z| / scale), one scale for each table.

    scale_v = L1 / (epsilon share_v), L1 what one unit moves a table by, rounded up to a float. Proof: between
    neighbours the counts of table v move by at most L1, a loss of at most epsilon share_v, and shares add up
    to 1 (Ghosh, Roughgarden, Sundararajan 2009; Zhang, Rubinstein, Dimitrakakis 2016, Algorithm 1, with L1
    summed over all tables and discrete noise). Under replace-one a unit leaves cells and enters others, two
    independent losses of half of that each (`LaplaceCounts`). What the paper's algorithm does then, cutting
    noisy counts at zero, is post-processing: `pv.infer(release, noise="ignore")`.
    """

    model: Network
    schema: Schema
    epsilon: Fraction
    neighbours: Neighbours
    max_rows: int
    scales: tuple[Fraction, ...]
    name: ClassVar[str] = "laplace-tables"
    about: ClassVar[str] = "discrete Laplace noise on every count of every table"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        model: Network,
        schema: Schema,
        epsilon: object,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        scales: Sequence[object] | None = None,
        shares: object = CELLS,
    ) -> None:
        fill(self, epsilon=Budget.of(epsilon).epsilon)
        self._set_tables(model, schema, neighbours, max_rows)
        self._set_scales(scales, shares)

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon on all tables together; delta stays 0."""
        unit = {"neighbours": asked.neighbours, "max_rows": asked.schema.unit.max_rows, **asked.options}
        return cls(asked.model, asked.schema, asked.budget.epsilon, **unit)  # type: ignore[arg-type]

    def _calibrated(self, each: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        l1 = self.one_table.l1
        return tuple(Fraction(round_up(l1 / (self.epsilon * share))) for share in each)

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        return sum(self.one_table.l1 / one for one in scales) <= self.epsilon

    @cached_property
    def _pair(self) -> DominatingPair:
        replaced = self.neighbours is REPLACE_ONE
        steps = 2 if replaced else 1
        parts = [
            (SignedSteps(self.one_table.l1 / (steps * scale), steps), tables)
            for scale, tables in Counter(self.scales).items()
        ]
        return compose_symmetric(parts) if replaced else compose_ordered(parts)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, and the curve of the signed steps of all tables."""
        reason = (
            f"discrete Laplace noise on {len(self.sizes)} tables, each of which moves by L1 "
            f"{self.one_table.l1} (Ghosh et al. 2009)"
        )
        unit = Sensitivity.unit(self.max_rows)
        return Guarantee(self._pair, self.neighbours, Budget(self.epsilon), reason, unit)

    def _noise(self, cells: int, scale: Fraction) -> list[int]:
        return list(discrete_laplace(cells, scale))

    def _log_pmf(self, noise: Integers, scale: float) -> Floats:
        return laplace_log_pmf(noise, 1 / scale)

    def variance(self, scale: float) -> float:
        """That of discrete Laplace noise."""
        return laplace_variance(1 / scale)

    def _weights(self, scales: Floats) -> CellNoise:
        return CellNoise(1 / scales, np.zeros(scales.size))
