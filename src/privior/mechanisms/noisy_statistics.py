"""Discrete noise on the sums of a family's statistics: Laplace where delta is 0, else Gaussian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from privior.checks import fill, is_whole
from privior.errors import PlanError, shown
from privior.exact import decimal, rational, round_down, round_up
from privior.mechanisms.contract import MECHANISMS, Asked, CellNoise, Offer
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance, laplace_log_pmf, laplace_variance
from privior.mechanisms.summed_mechanism import SumNoise, summed_model
from privior.models import MOST_SUM, ExactStatistics, Layout, Model, Observed
from privior.privacy import (
    REPLACE_ONE,
    Budget,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    Guarantee,
    Neighbours,
    Sensitivity,
    SignedSteps,
)
from privior.privacy.calibration import smallest
from privior.randomness import OPENDP, WIDEST, discrete_gaussian, discrete_laplace
from privior.schema import Schema

Floats = NDArray[np.float64]

#: the exact curve is a sum over about this many integers; beyond it the concentrated bound is used
WIDEST_EXACT = Fraction(2**16)
#: of a count and a sum that are released together: what the count gets of epsilon, or of rho
_COUNT_OF_EPSILON, _COUNT_OF_RHO = Fraction(2, 5), Fraction(1, 3)


@final
@MECHANISMS.register
@dataclass(frozen=True)
class NoisyStatistics(SumNoise):
    """Independent noise on sums to which one record adds whole numbers in public ranges.

    One record moves sum j by at most d_j: the length of its range where records are replaced, its largest
    number in absolute value where they come and go.

    delta = 0: P(z_j) is proportional to exp(-|z_j| / s_j), sum of d_j / s_j at most epsilon. The loss is at
    most sum of |move_j| / s_j (Ghosh, Roughgarden, Sundararajan 2009), and randomised response dominates it.

    delta > 0: P(z_j) is proportional to exp(-z_j^2 / (2 s_j^2)). For one sum the curve is exact
    (`DiscreteGaussianShift`), as long as the noise is not so wide that its sum would take long. For several
    sums the divergence of order a is at most a sum of d_j^2 / (2 s_j^2) (Canonne, Kamath, Steinke 2020,
    Theorem 4), converted by `Concentrated`.

    Attributes:
        ranges: the least and the largest number that one record adds to each sum
        scales: s_j, each exactly a float, which the sampler reads
    """

    ranges: tuple[tuple[int, int], ...]
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    scales: tuple[Fraction, ...]
    name: ClassVar[str] = "noisy-statistics"
    about: ClassVar[str] = "discrete noise on the sums: Laplace, or Gaussian with delta"
    randomness: ClassVar[str] = OPENDP

    def __init__(
        self,
        ranges: Sequence[Sequence[int]],
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        scales: Sequence[object] | None = None,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        fill(self, ranges=_read(ranges, self.name), epsilon=budget.epsilon, delta=budget.delta)
        fill(self, neighbours=Neighbours.of(neighbours))
        found = self._calibrated() if scales is None else tuple(rational(one, "scale") for one in scales)
        fill(self, scales=found)
        if not self._enough(found):
            raise PlanError(
                "these scales do not give the stated guarantee",
                where=self.name,
                asked=", ".join(map(decimal, found)),
            )

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """One number for each sum."""
        return (Layout("counts", (len(self.ranges),)),)

    @property
    def gaussian(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.delta > 0

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the sums."""
        return Sensitivity.of_sums(self.ranges, self.neighbours)

    @property
    def moves(self) -> tuple[int, ...]:
        """How far one record moves each sum."""
        return tuple(Sensitivity.of_sums([one], self.neighbours).l1 for one in self.ranges)

    @property
    def _shares(self) -> tuple[Fraction, ...]:
        if self.ranges[0] != (1, 1):
            return (Fraction(1, len(self.ranges)),) * len(self.ranges)
        count, others = _COUNT_OF_RHO if self.gaussian else _COUNT_OF_EPSILON, len(self.ranges) - 1
        return (count, *[(1 - count) / others] * others)

    def _calibrated(self) -> tuple[Fraction, ...]:
        if not self.gaussian:
            pairs = zip(self.moves, self._shares, strict=True)
            found = tuple(Fraction(round_up(move / (self.epsilon * share))) for move, share in pairs)
            return self._drawable(found)
        times = smallest(lambda one: self._enough(self._scaled(one)), Fraction(1, 1000), Fraction(10**9))
        if times is None:
            raise self._too_wide()
        return self._drawable(self._scaled(times))

    def _scaled(self, times: Fraction) -> tuple[Fraction, ...]:
        """Return the scales for which rho is 1 / (2 times^2), rounded up to floats."""
        pairs = zip(self.moves, self._shares, strict=True)
        return tuple(
            Fraction(math.nextafter(float(times * move) / math.sqrt(share), math.inf))
            for move, share in pairs
        )

    def _drawable(self, scales: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        if max(scales) > WIDEST:
            raise self._too_wide()
        return scales

    def _too_wide(self) -> PlanError:
        return PlanError(
            "this budget needs more noise than can be drawn",
            where=self.name,
            asked=str(Budget(self.epsilon, self.delta)),
            advice="Ask for a larger epsilon, or give the column narrower bounds or a coarser grid.",
        )

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        if len(scales) != len(self.ranges) or not all(
            0 < one <= MOST_SUM and Fraction(float(one)) == one for one in scales
        ):
            return False
        if not self.gaussian:
            return sum(move / one for move, one in zip(self.moves, scales, strict=True)) <= self.epsilon
        return Fraction(self._pair(scales).delta(round_down(self.epsilon))) <= self.delta

    def _pair(self, scales: tuple[Fraction, ...]) -> DominatingPair:
        if not self.gaussian:
            return SignedSteps(self.epsilon)
        if len(self.ranges) == 1 and scales[0] <= WIDEST_EXACT:
            return DiscreteGaussianShift(scales[0] ** 2, 1, self.moves[0])
        return Concentrated(
            sum(
                (move**2 / (2 * one**2) for move, one in zip(self.moves, scales, strict=True)),
                start=Fraction(0),
            )
        )

    @property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, with the whole curve."""
        pair = self._pair(self.scales)
        moves = ", ".join(map(str, self.moves))
        reason = f"discrete Laplace noise; one record moves the sums by {moves} (Ghosh et al. 2009)"
        if isinstance(pair, DiscreteGaussianShift):
            reason = f"exact hockey-stick divergence of discrete Gaussians shifted by {moves}"
        elif self.gaussian:
            reason = "concentrated divergence (Canonne, Kamath, Steinke 2020, Theorem 4 and Corollary 13)"
        return Guarantee(pair, self.neighbours, Budget(self.epsilon, self.delta), reason)

    @property
    def variances(self) -> tuple[float, ...]:
        """The variance of the noise of each sum."""
        if self.gaussian:
            return tuple(gaussian_variance(float(one) ** 2) for one in self.scales)
        return tuple(laplace_variance(float(1 / one)) for one in self.scales)

    @property
    def cell_noise(self) -> CellNoise:
        """The noise of each sum: a rate, or one over the variance of Gaussian noise."""
        scales, none = np.array([float(one) for one in self.scales]), np.zeros(len(self.scales))
        return CellNoise(none, scales**-2) if self.gaussian else CellNoise(1 / scales, none)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Add exact draws, one to each sum."""
        draw = discrete_gaussian if self.gaussian else discrete_laplace
        noise = [draw(1, one)[0] for one in self.scales]
        pairs = zip(statistics.counts, noise, strict=True)
        return Observed.of([int(exact) + z for exact, z in pairs])

    def log_likelihoods(self, observed: Observed, sums: NDArray[np.int64]) -> Floats:
        """Return the log probability of what was observed for each column of possible sums."""
        found = np.zeros(sums.shape[1])
        for seen, exact, scale in zip(observed.counts, sums, self.scales, strict=True):
            noise = seen - exact
            if self.gaussian:
                found += gaussian_log_pmf(noise, float(scale) ** 2)
            else:
                found += laplace_log_pmf(noise, float(1 / scale))
        return found

    def count_log_likelihoods(self, observed: Observed, numbers: NDArray[np.int64]) -> Floats:
        """Return the log probability of the noisy count alone for each possible number of records."""
        noise, scale = observed.counts[0] - numbers, float(self.scales[0])
        return gaussian_log_pmf(noise, scale**2) if self.gaussian else laplace_log_pmf(noise, 1 / scale)

    def check(self, asked: Asked) -> None:
        """Refuse other sums, or another neighbour relation."""
        if (self.ranges, self.neighbours) != (_ranges(asked), asked.neighbours):
            raise PlanError(
                "the mechanism is for another model, schema or number of records", where=self.name
            )

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Offer Laplace noise, which needs no delta, and Gaussian noise."""

        def gaussian() -> NoisyStatistics:
            if asked.budget.delta == 0:
                raise PlanError("needs delta > 0: Gaussian noise is never pure", where=cls.name)
            return cls.built(asked)

        pure = replace(asked, budget=Budget(asked.budget.epsilon, Fraction(0)))
        return (
            Offer(f"{cls.name}, Laplace", lambda: cls.built(pure)),
            Offer(f"{cls.name}, Gaussian", gaussian),
        )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Calibrate the noise to the budget: Laplace where its delta is 0, else Gaussian."""
        budget = asked.budget
        return cls(_ranges(asked), budget.epsilon, budget.delta, neighbours=asked.neighbours)

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say between which values records are taken to lie."""
        noise = f"one record moves the sums by up to {', '.join(map(str, self.moves))} units"
        return [("statistic", f"{summed_model(model).statistic_in_words(schema)}; {noise}")]

    def admits(self, observed: Observed, records: int) -> bool:
        """Any whole numbers are possible, one for each sum."""
        return True


def _read(ranges: object, where: str) -> tuple[tuple[int, int], ...]:
    """Read the ranges, each a pair of whole numbers of which the second is larger, or both are 1."""
    found = tuple(tuple(one) for one in ranges) if isinstance(ranges, (list, tuple)) else ()
    for one in found:
        whole = len(one) == 2 and all(map(is_whole, one))
        if not whole or not (one[0] < one[1] or one == (1, 1)) or max(map(abs, one)) > MOST_SUM:
            raise PlanError("not the range of a sum", where=where, asked=shown(one))
    if not found:
        raise PlanError("no sums", where=where, asked=shown(ranges))
    return found


def _ranges(asked: Asked) -> tuple[tuple[int, int], ...]:
    """Return between what each record adds to each sum."""
    return tuple(one.bounds(asked.schema) for one in asked.model.summands(asked.schema, asked.neighbours))
