"""Two Gibbs posteriors of one parameter, and how far apart they are: by quadrature, for comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from privior.arrays import Floats

#: a loss of one record as a function of the parameter, elementwise
LossFunction = Callable[[Floats], Floats]
_NODES, _PANELS = 20, 400


def logistic_loss(slope: float) -> LossFunction:
    """Return log(1 + exp(-slope * theta)): equation (12) for y z = slope and one parameter."""
    return lambda theta: np.logaddexp(0.0, -slope * theta)


def linear_loss(slope: float) -> LossFunction:
    """Return -slope * theta: the loss for which bounds of Lipschitz losses are attained."""
    return lambda theta: -slope * theta


def huber_loss(target: float, threshold: float = 1.0) -> LossFunction:
    """Return squares of theta - target up to a threshold, then straight: no second derivative there."""

    def loss(theta: Floats) -> Floats:
        away = np.abs(theta - target)
        return np.where(away <= threshold, away**2 / 2, threshold * (away - threshold / 2))

    return loss


@dataclass(frozen=True)
class GibbsLaws:
    """Densities proportional to exp(-beta * (common + own)) * exp(-precision theta^2 / 2), own of one record.

    Attributes:
        temperature: beta
        precision: of the prior
        common: the losses of all records but one, added up
        own: the loss of that record in the first data set, and in the second
        ends: between which the parameter lies; the prior's tails beyond 12 standard deviations are cut off
    """

    temperature: float
    precision: float
    common: LossFunction
    own: tuple[LossFunction, LossFunction]
    ends: tuple[float, float] | None = None

    @cached_property
    def _rule(self) -> tuple[Floats, Floats]:
        low, high = self.ends or (-14 / math.sqrt(self.precision), 14 / math.sqrt(self.precision))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        edges = np.linspace(low, high, _PANELS + 1)
        half = (high - low) / _PANELS / 2
        return (edges[:-1, None] + half * (1 + nodes)).ravel(), np.tile(half * weights, _PANELS)

    @cached_property
    def _laws(self) -> tuple[Floats, Floats]:
        """Return the log densities at the nodes."""
        theta, weights = self._rule
        found = []
        for own in self.own:
            log = -self.temperature * (self.common(theta) + own(theta)) - self.precision * theta**2 / 2
            found.append(log - log.max() - math.log(float(weights @ np.exp(log - log.max()))))
        return found[0], found[1]

    def mean(self, of: Callable[[Floats], Floats], law: int = 0) -> float:
        """Return the mean of a function of the parameter under the first law, or the second."""
        theta, weights = self._rule
        return float(weights @ (of(theta) * np.exp(self._laws[law])))

    @property
    def mirrored(self) -> GibbsLaws:
        """The same with the two data sets exchanged."""
        return replace(self, own=(self.own[1], self.own[0]))

    @cached_property
    def divergence(self) -> float:
        """The Kullback-Leibler divergence of the first law from the second."""
        first, second = self._laws
        return float(self._rule[1] @ (np.exp(first) * (first - second)))

    @cached_property
    def loss_under_second(self) -> float:
        """The mean of the log density ratio under the second law: minus the divergence the other way."""
        first, second = self._laws
        return float(self._rule[1] @ (np.exp(second) * (first - second)))

    def delta(self, epsilon: float) -> float:
        """Return the exact delta, the first law against the second."""
        first, second = self._laws
        return float(self._rule[1] @ np.maximum(0, np.exp(first) - np.exp(epsilon + second)))

    def tail(self, epsilon: float) -> float:
        """Return the chance that the log density ratio is at least epsilon, up to one panel."""
        first, second = self._laws
        return float(self._rule[1] @ (np.exp(first) * (first - second >= epsilon)))

    def chance(self, where: Callable[[Floats], Floats], law: int = 0) -> float:
        """Return the chance of where a function is at least 0, up to one panel."""
        return self.mean(lambda theta: np.asarray(where(theta) >= 0, np.float64), law)

    @cached_property
    def _moves(self) -> tuple[Floats, Floats]:
        """Return how far neighbouring nodes are apart, and how far the log density ratio at them."""
        first, second = self._laws
        return np.diff(self._rule[0]), np.abs(np.diff(first - second))

    @property
    def steepest(self) -> float:
        """The largest slope of the log density ratio that differences show: never above the true one."""
        apart, moved = self._moves
        return float((moved / apart).max())

    @property
    def steepest_root(self) -> float:
        """Likewise of |grad sqrt(F)| / sqrt(F), F the density ratio, by differences of sqrt(F) itself."""
        apart, moved = self._moves
        return float((-np.expm1(-moved / 2) / apart).max())
