"""Guarantees under a pseudo-metric: how well data sets are hidden from those near them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privior.checks import whole_number
from privior.errors import NumberError, PlanError, shown
from privior.exact import rational
from privior.privacy.budget import Budget
from privior.privacy.guarantee import Guarantee
from privior.privacy.neighbours import REPLACE_ONE
from privior.privacy.pairs import ApproximatePair, SignedSteps


@dataclass(frozen=True)
class MetricGuarantee:
    """For any data sets x, y and event S: P(S|x) <= e^(epsilon d) P(S|y) + delta d, d = metric(x, y).

    Two such guarantees add up under the same pseudo-metric and no other. For any x and y the two releases
    are (epsilon d, delta d) and (epsilon' d, delta' d) indistinguishable, and so together by their sums.
    No data set is a neighbour here until a diameter is declared: how far one replaced record can move.

    Attributes:
        metric: what the pseudo-metric is, in words; equal words mean the same
        epsilon: of each unit of distance
        delta: likewise
        reason: the theorem
    """

    metric: str
    epsilon: Fraction
    delta: Fraction
    reason: str

    @staticmethod
    def of(metric: str, epsilon: object, reason: str, delta: object = 0) -> MetricGuarantee:
        """Read the numbers exactly."""
        loss, chance = rational(epsilon, "epsilon"), rational(delta, "delta")
        if loss < 0 or chance < 0:
            raise NumberError(
                "a loss is never negative", asked=f"epsilon {shown(epsilon)}, delta {shown(delta)}"
            )
        return MetricGuarantee(metric, loss, chance, reason)

    def __add__(self, other: MetricGuarantee) -> MetricGuarantee:
        if self.metric != other.metric:
            raise PlanError(
                "guarantees under different pseudo-metrics do not add up",
                where="guarantee",
                asked=f"{self.metric} and {other.metric}",
                advice="Convert both to records through their diameters first.",
            )
        reason = f"{self.reason} + {other.reason}"
        return MetricGuarantee(self.metric, self.epsilon + other.epsilon, self.delta + other.delta, reason)

    def __mul__(self, times: int) -> MetricGuarantee:
        whole_number(times, "times", what="not a number of repetitions")
        reason = f"{times} times {self.reason}"
        return MetricGuarantee(self.metric, times * self.epsilon, times * self.delta, reason)

    __rmul__ = __mul__

    def for_records(self, diameter: object, unit: str = "record") -> Guarantee:
        """Return what is promised to one record, if replacing it moves the data by at most this distance."""
        far = rational(diameter, "diameter")
        if far <= 0:
            raise NumberError("a diameter is a number above 0", asked=shown(diameter))
        loss, chance = far * self.epsilon, far * self.delta
        if chance >= 1:
            raise NumberError(
                "vacuous: delta reaches 1, which every mechanism satisfies",
                asked=f"delta {shown(self.delta)} at distance {shown(diameter)}",
            )
        pair = ApproximatePair(loss, chance) if chance else SignedSteps(loss)
        reason = f"{self.reason}; one {unit} moves the data by {shown(diameter)} ({self.metric})"
        return Guarantee(pair, REPLACE_ONE, Budget(loss, chance), reason, unit)
