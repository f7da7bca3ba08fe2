"""Discrete noise on the sums of a family's statistics: Laplace where delta is 0, else Gaussian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, is_whole
from privior.errors import PlanError, shown
from privior.exact import decimal, rational, round_down, round_up
from privior.mechanisms.contract import Asked, CellNoise, Offer, offered_for
from privior.mechanisms.families.summed_mechanism import SumNoise, summed_model
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance, laplace_log_pmf, laplace_variance
from privior.models import MOST_SUM, ExactStatistics, Layout, Model, Observed, SummedModel
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
from privior.privacy.sensitivity import MOST_ROWS
from privior.randomness import OPENDP, WIDEST, discrete_gaussian, discrete_laplace
from privior.schema import Schema

#: the exact curve is a sum over about this many integers; beyond it the concentrated bound is used
WIDEST_EXACT = Fraction(2**16)
#: of a count and a sum that are released together: what the count gets of epsilon, or of rho
_COUNT_OF_EPSILON, _COUNT_OF_RHO = Fraction(2, 5), Fraction(1, 3)


@final
@offered_for(SummedModel)
@dataclass(frozen=True)
class NoisyStatistics(SumNoise):
    """Independent noise on sums to which each value of a unit adds whole numbers in public ranges.

    One unit moves sum j by at most d_j, in one of a few ways (`Sensitivity.ways`): a record by the length of
    its range where records are replaced, by its largest number in absolute value where they come and go. A
    unit that may have fewer values moves their number, or each sum by the length of its range, not both.

    delta = 0: P(z_j) is proportional to exp(-|z_j| / s_j), sum of d_j / s_j at most epsilon in each way. The
    loss is at most sum of |move_j| / s_j (Ghosh, Roughgarden, Sundararajan 2009), and randomised response
    dominates it.

    delta > 0: P(z_j) is proportional to exp(-z_j^2 / (2 s_j^2)). For one sum the curve is exact
    (`DiscreteGaussianShift`), as long as the noise is not so wide that its sum would take long. For several
    sums the divergence of order a is at most a sum of d_j^2 / (2 s_j^2) (Canonne, Kamath, Steinke 2020,
    Theorem 4), converted by `Concentrated`.

    Attributes:
        ranges: the least and the largest number that one value adds to each sum
        scales: s_j, each exactly a float, which the sampler reads
        values: how many values a unit has at least and at most; in files only where it is not one
    """

    ranges: tuple[tuple[int, int], ...]
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    scales: tuple[Fraction, ...]
    values: tuple[int, int]
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
        values: Sequence[int] = (1, 1),
    ) -> None:
        budget = Budget.of(epsilon, delta)
        fill(self, ranges=_read(ranges, self.name), epsilon=budget.epsilon, delta=budget.delta)
        fill(self, neighbours=Neighbours.of(neighbours), values=_read_values(values, self.name))
        found = self._calibrated() if scales is None else tuple(rational(one, "scale") for one in scales)
        fill(self, scales=found)
        if not self._enough(found):
            raise self.refusal(
                "these scales do not give the stated guarantee", asked=", ".join(map(decimal, found))
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
        """How far one unit moves the sums."""
        return Sensitivity.of_sums(self.ranges, self.neighbours, self.values)

    @property
    def ways(self) -> tuple[tuple[int, ...], ...]:
        """How far one unit moves the sums together."""
        return Sensitivity.ways(self.ranges, self.neighbours, self.values)

    @property
    def moves(self) -> tuple[int, ...]:
        """How far one unit moves each sum."""
        return tuple(map(max, zip(*self.ways, strict=True)))

    @property
    def _shares(self) -> tuple[Fraction, ...]:
        """What each sum gets of epsilon or rho where a unit moves all of them."""
        if self.ranges[0] != (1, 1) or len(self.ranges) == 1:
            return (Fraction(1, len(self.ranges)),) * len(self.ranges)
        count, others = _COUNT_OF_RHO if self.gaussian else _COUNT_OF_EPSILON, len(self.ranges) - 1
        if len(self.ways) == 2 and others == 1:  # what the sum does not need when it moves with the count
            (_, alone), (_, together) = self.ways
            count = max(count, 1 - Fraction(together, alone) ** (2 if self.gaussian else 1))
        return (count, *[(1 - count) / others] * others)

    def _even(self) -> tuple[int, ...]:
        """Return how far sums move while the number of values does not, if that is another way."""
        return self.ways[0] if len(self.ways) == 2 else (0,) * len(self.ranges)

    def _calibrated(self) -> tuple[Fraction, ...]:
        if not self.gaussian:
            moves = zip(self.ways[-1], self._shares, self._even(), strict=True)
            others = sum(one > 0 for one in self._even())
            found = tuple(
                Fraction(round_up(max(move / share, Fraction(even * others)) / self.epsilon))
                for move, share, even in moves
            )
            return self._drawable(found)
        times = smallest(lambda one: self._enough(self._scaled(one)), Fraction(1, 1000), Fraction(10**9))
        if times is None:
            raise self._too_wide()
        return self._drawable(self._scaled(times))

    def _scaled(self, times: Fraction) -> tuple[Fraction, ...]:
        """Return the scales for which rho is 1 / (2 times^2), rounded up to floats."""
        moves = zip(self.ways[-1], self._shares, self._even(), strict=True)
        others = sum(one > 0 for one in self._even())
        return tuple(
            Fraction(
                math.nextafter(
                    max(float(times * move) / math.sqrt(share), float(times * even) * math.sqrt(others)),
                    math.inf,
                )
            )
            for move, share, even in moves
        )

    def _drawable(self, scales: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        if max(scales) > WIDEST:
            raise self._too_wide()
        return scales

    def _too_wide(self) -> PlanError:
        return self.refusal(
            "this budget needs more noise than can be drawn",
            asked=str(Budget(self.epsilon, self.delta)),
            advice="Ask for a larger epsilon, or give the column narrower bounds or a coarser grid.",
        )

    def _enough(self, scales: tuple[Fraction, ...]) -> bool:
        if len(scales) != len(self.ranges) or not all(
            0 < one <= MOST_SUM and Fraction(float(one)) == one for one in scales
        ):
            return False
        if not self.gaussian:
            losses = (sum(move / one for move, one in zip(way, scales, strict=True)) for way in self.ways)
            return max(losses) <= self.epsilon
        return Fraction(self._pair(scales).delta(round_down(self.epsilon))) <= self.delta

    def _pair(self, scales: tuple[Fraction, ...]) -> DominatingPair:
        if not self.gaussian:
            return SignedSteps(self.epsilon)
        if len(self.ranges) == 1 and scales[0] <= WIDEST_EXACT:
            return DiscreteGaussianShift(scales[0] ** 2, 1, self.moves[0])
        return Concentrated(
            max(
                sum(
                    (move**2 / (2 * one**2) for move, one in zip(way, scales, strict=True)), start=Fraction(0)
                )
                for way in self.ways
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
        unit = Sensitivity.unit(self.values[1])
        return Guarantee(pair, self.neighbours, Budget(self.epsilon, self.delta), reason, unit)

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

    def log_likelihoods(self, observed: Observed, sums: Integers) -> Floats:
        """Return the log probability of what was observed for each column of possible sums."""
        found = np.zeros(sums.shape[1])
        for seen, exact, scale in zip(observed.counts, sums, self.scales, strict=True):
            noise = seen - exact
            if self.gaussian:
                found += gaussian_log_pmf(noise, float(scale) ** 2)
            else:
                found += laplace_log_pmf(noise, float(1 / scale))
        return found

    def count_log_likelihoods(self, observed: Observed, numbers: Integers) -> Floats:
        """Return the log probability of the noisy count alone for each possible number of records."""
        noise, scale = observed.counts[0] - numbers, float(self.scales[0])
        return gaussian_log_pmf(noise, scale**2) if self.gaussian else laplace_log_pmf(noise, 1 / scale)

    def check(self, asked: Asked) -> None:
        """Refuse other sums, or another neighbour relation."""
        needed = (_ranges(asked), asked.neighbours, _values(asked))
        if (self.ranges, self.neighbours, self.values) != needed:
            raise self.refusal("the mechanism is for another model, schema or number of records")

    @classmethod
    def offers(cls, asked: Asked) -> Sequence[Offer]:
        """Offer Laplace noise, which needs no delta, and Gaussian noise."""

        def gaussian() -> NoisyStatistics:
            if asked.budget.delta == 0:
                raise cls.refusal("needs delta > 0: Gaussian noise is never pure")
            return cls.built(asked)

        pure = replace(asked, budget=Budget(asked.budget.epsilon))
        return (
            Offer(f"{cls.name}, Laplace", lambda: cls.built(pure)),
            Offer(f"{cls.name}, Gaussian", gaussian),
        )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Calibrate the noise to the budget: Laplace where its delta is 0, else Gaussian."""
        budget = asked.budget
        values = _values(asked)
        return cls(_ranges(asked), budget.epsilon, budget.delta, neighbours=asked.neighbours, values=values)

    def to_document(self) -> dict[str, object]:
        """Leave out the number of values where it is one, as in all files of old."""
        entries = super().to_document()
        return {name: value for name, value in entries.items() if name != "values" or self.values != (1, 1)}

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say between which values records are taken to lie."""
        one = Sensitivity.unit(self.values[1])
        noise = f"one {one} moves the sums by up to {', '.join(map(str, self.moves))}"
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


def _read_values(values: object, where: str) -> tuple[int, int]:
    """Read how many values a unit has at least and at most."""
    found = tuple(values) if isinstance(values, (list, tuple)) else ()
    if (
        len(found) != 2
        or not all(is_whole(one, 0, MOST_ROWS) for one in found)
        or not found[0] <= found[1] > 0
    ):
        raise PlanError("not how many values a unit has", where=where, asked=shown(values))
    return found


def _values(asked: Asked) -> tuple[int, int]:
    """Return how many values a unit has at least and at most."""
    return summed_model(asked.model).values_of_a_unit(asked.schema, asked.neighbours)


def _ranges(asked: Asked) -> tuple[tuple[int, int], ...]:
    """Return between what each record adds to each sum."""
    return tuple(one.bounds(asked.schema) for one in asked.model.summands(asked.schema, asked.neighbours))
