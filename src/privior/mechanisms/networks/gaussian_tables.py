"""Discrete Gaussian noise on every table of a network, calibrated to an exact (epsilon, delta)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill
from privior.exact import round_down, round_up
from privior.mechanisms.contract import Asked, CellNoise, Offer, offered_for
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance
from privior.mechanisms.networks.node_tables import CELLS, NodeTables
from privior.models import Network
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
from privior.privacy.calibration import largest
from privior.privacy.composition import Composed
from privior.privacy.pairs import GaussianPair
from privior.randomness import OPENDP, discrete_gaussian
from privior.schema import Schema

#: the exact curve is a sum over about this many integers; beyond it the concentrated bound is used
WIDEST_EXACT = Fraction(2**14)
#: the grid of losses is so coarse that a release is read in a tenth of a second, for 0.03% more noise
WIDENING = 1e-3
#: by what part more noise than Gaussian noise would need is tried, one after the other
_MORE = (
    *(Fraction(one, 10**4) for one in (3, 6, 12, 30)),
    *(Fraction(one, 100) for one in (1, 2, 3, 5, 10, 30, 100)),
)


@final
@offered_for(Network)
@dataclass(frozen=True)
class GaussianTables(NodeTables):
    """Independent noise on all counts, P(z) proportional to exp(-z^2 / (2 scale^2)), a scale for each table.

    One record per unit: between neighbours each table has one count moved by one (add-or-remove-one) or two
    (replace-one), or none, which is dominated. So the pair is the composition over the tables of
    `DiscreteGaussianShift`, which is certified once for at most four different scales. Several records per
    unit, or very wide noise: the divergence of order a is at most a sum_v L2^2 / (2 scale_v^2) (Canonne,
    Kamath, Steinke 2020, Theorem 4), converted by `Concentrated`. The squares of the scales are proportional
    to 1 / share_v; their size is that of continuous noise, and a little more, as much as is needed.
    """

    model: Network
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    max_rows: int
    scales: tuple[Fraction, ...]
    name: ClassVar[str] = "gaussian-tables"
    about: ClassVar[str] = "discrete Gaussian noise on every count of every table"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        model: Network,
        schema: Schema,
        epsilon: object,
        delta: object,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
        scales: Sequence[object] | None = None,
        shares: object = CELLS,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal("needs delta > 0: Gaussian noise is never pure")
        fill(self, epsilon=budget.epsilon, delta=budget.delta)
        self._set_tables(model, schema, neighbours, max_rows)
        self._set_scales(scales, shares)

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Without delta say once that it does not fit."""
        found = super().offers(asked)
        return found if asked.budget.delta else found[:1]

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon and delta on all tables together, by the least noise that keeps them."""
        unit = {"neighbours": asked.neighbours, "max_rows": asked.schema.unit.max_rows, **asked.options}
        budget = asked.budget
        return cls(asked.model, asked.schema, budget.epsilon, budget.delta, **unit)  # type: ignore[arg-type]

    def _calibrated(self, each: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        moved = [self.one_table.l2_squared / share for share in each]
        found = certified_scales(self.epsilon, self.delta, moved, self._enough)
        if found is not None:
            return found
        raise self.refusal(
            "this budget needs more noise than can be certified",
            asked=str(Budget(self.epsilon, self.delta)),
            advice="Ask for a larger epsilon or delta, or use a pure mechanism.",
        )

    def _pair(self, scales: tuple[Fraction, ...]) -> DominatingPair:
        if self.max_rows == 1 and max(scales) <= WIDEST_EXACT:
            moved = self.one_table.l2_squared
            alike = Counter(scales).items()
            parts = tuple((DiscreteGaussianShift(one**2, moved), many) for one, many in alike)
            return parts[0][0] if len(scales) == 1 else Composed(parts, WIDENING)
        squares = sum((self.one_table.l2_squared / (2 * one**2) for one in scales), start=Fraction(0))
        return Concentrated(squares)

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        return Fraction(self._pair(scales).delta(round_down(self.epsilon))) <= self.delta

    @cached_property
    def _own_pair(self) -> DominatingPair:
        return self._pair(self.scales)

    @property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, and the whole curve."""
        exact = self.max_rows == 1 and max(self.scales) <= WIDEST_EXACT
        reason = (
            f"composed hockey-stick divergence of discrete Gaussians on {len(self.sizes)} tables"
            if exact
            else "concentrated divergence (Canonne, Kamath, Steinke 2020, Theorem 4 and Corollary 13)"
        )
        cost, unit = Budget(self.epsilon, self.delta), Sensitivity.unit(self.max_rows)
        return Guarantee(self._own_pair, self.neighbours, cost, reason, unit)

    def _noise(self, cells: int, scale: Fraction) -> list[int]:
        return list(discrete_gaussian(cells, scale))

    def _log_pmf(self, noise: Integers, scale: float) -> Floats:
        return gaussian_log_pmf(noise, scale**2)

    def variance(self, scale: float) -> float:
        """That of discrete Gaussian noise."""
        return gaussian_variance(scale**2)

    def _weights(self, scales: Floats) -> CellNoise:
        return CellNoise(np.zeros(scales.size), scales**-2)


def certified_scales(
    epsilon: Fraction,
    delta: Fraction,
    moved: Sequence[Fraction],
    enough: Callable[[tuple[Fraction, ...]], bool],
) -> tuple[Fraction, ...] | None:
    """Return scales of discrete Gaussian noise whose squares are proportional to these; None if none will do.

    Continuous noise would need this size; discrete noise a little more, as much as is needed.
    """
    level = round_down(epsilon)
    squared = largest(
        lambda one: Fraction(GaussianPair(one).delta(level)) <= delta, digits=6, most=Fraction(10**6)
    )
    for more in _MORE if squared else ():
        found = tuple(
            Fraction(round_up(Fraction(math.sqrt(one * (1 + more) ** 2 / (squared or 1))))) for one in moved
        )
        if enough(found):
            return found
    return None
