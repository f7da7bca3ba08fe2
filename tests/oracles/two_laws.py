"""Two laws by their densities or chances: their curves by quadrature or sums in 60 digits, no closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mpmath import mp
from mpmath.calculus.quadrature import GaussLegendre

DIGITS = 60
Number = Any
LogDensity = Callable[[Number], Number]


def number(exact: Fraction | float | int) -> Number:
    numerator, denominator = exact.as_integer_ratio()
    return mp.mpf(numerator) / denominator


@lru_cache(maxsize=1)
def _legendre() -> list[tuple[Number, Number]]:
    """Nodes and weights of Gauss-Legendre quadrature on [-1, 1] with 96 points."""
    precision = int(DIGITS * 3.4) + 10
    nodes: list[tuple[Number, Number]] = GaussLegendre(mp).calc_nodes(6, precision)
    return nodes


class Line:
    """Two laws on an interval by unnormalised log densities whose difference is monotone.

    `nodes` divide the interval into panels narrow enough for Gauss-Legendre quadrature to converge.
    """

    def __init__(self, first: LogDensity, second: LogDensity, nodes: Sequence[Number]) -> None:
        self.first, self.second, self.nodes = first, second, nodes
        with mp.workdps(DIGITS):
            self.panels = [self._panel(low, high) for low, high in pairwise(nodes)]
            self.masses = [
                tuple(mp.fsum(w * mp.exp(v[i]) for w, *v in p) for i in (0, 1)) for p in self.panels
            ]
            self.norms = tuple(mp.fsum(mass[i] for mass in self.masses) for i in (0, 1))
            self.log_norms = tuple(map(mp.log, self.norms))

    @property
    def swapped(self) -> Line:
        other = copy(self)
        other.first, other.second = self.second, self.first
        other.panels = [[(w, q, p) for w, p, q in panel] for panel in self.panels]
        other.masses = [mass[::-1] for mass in self.masses]
        other.norms, other.log_norms = self.norms[::-1], self.log_norms[::-1]
        return other

    def _panel(self, low: Number, high: Number) -> list[tuple[Number, Number, Number]]:
        half, centre = (high - low) / 2, (high + low) / 2
        at = [(half * w, centre + half * x) for x, w in _legendre()]
        return [(w, self.first(u), self.second(u)) for w, u in at]

    def loss(self, u: Number) -> Number:
        return self.first(u) - self.log_norms[0] - self.second(u) + self.log_norms[1]

    def delta(self, epsilon: float) -> Number:
        """Integrate p - e^epsilon q where it is positive; the edge is found by bisection of the densities."""
        with mp.workdps(DIGITS):
            e = number(epsilon)
            above = [self.loss(u) > e for u in self.nodes]
            totals = [mp.mpf(0), mp.mpf(0)]
            for i, (low, high) in enumerate(pairwise(self.nodes)):
                masses: Sequence[Number] = self.masses[i]
                if above[i] != above[i + 1]:
                    left, right = low, high
                    for _ in range(120):  # at the edge the integrand is 0: half of the digits are enough
                        middle = (left + right) / 2
                        left, right = (
                            (middle, right) if (self.loss(middle) > e) == above[i] else (left, middle)
                        )
                    part = self._panel(low, left) if above[i] else self._panel(left, high)
                    masses = [mp.fsum(w * mp.exp(v[i]) for w, *v in part) for i in (0, 1)]
                elif not above[i]:
                    continue
                totals = [total + mass for total, mass in zip(totals, masses, strict=True)]
            return totals[0] / self.norms[0] - mp.exp(e) * totals[1] / self.norms[1]

    def renyi(self, order: float) -> Number:
        with mp.workdps(DIGITS):
            p_norm, q_norm = self.log_norms
            points = [point for panel in self.panels for point in panel]
            if order == 1:
                return mp.fsum(w * mp.exp(p - p_norm) * (p - p_norm - q + q_norm) for w, p, q in points)
            l = number(order)  # noqa: E741
            return mp.log(
                mp.fsum(w * mp.exp(l * (p - p_norm) + (1 - l) * (q - q_norm)) for w, p, q in points)
            ) / (l - 1)


def spread(*breaks: float, parts: int = 8) -> list[Number]:
    """Divide each stretch between two breaks into equal parts."""
    nodes = []
    for low, high in pairwise(breaks):
        nodes += [mp.mpf(low) + (mp.mpf(high) - low) * i / parts for i in range(parts)]
    return [*nodes, mp.mpf(breaks[-1])]


@dataclass
class Points:
    """Two laws on finitely many outcomes."""

    first: Sequence[Number]
    second: Sequence[Number]

    @property
    def swapped(self) -> Points:
        return Points(self.second, self.first)

    def delta(self, epsilon: float) -> Number:
        with mp.workdps(DIGITS):
            factor = mp.exp(number(epsilon))
            pairs = zip(self.first, self.second, strict=True)
            return mp.fsum(max(mp.mpf(0), p - factor * q) for p, q in pairs)

    def renyi(self, order: float) -> Number:
        with mp.workdps(DIGITS):
            both = [(p, q) for p, q in zip(self.first, self.second, strict=True) if p > 0]
            if order == 1:
                return mp.fsum(p * mp.log(p / q) for p, q in both)
            l = number(order)  # noqa: E741
            return mp.log(mp.fsum(p**l * q ** (1 - l) for p, q in both)) / (l - 1)


@dataclass
class Worst:
    """The largest of several truths."""

    truths: Sequence[Any]

    @property
    def swapped(self) -> Worst:
        return Worst([truth.swapped for truth in self.truths])

    def delta(self, epsilon: float) -> Number:
        return max(truth.delta(epsilon) for truth in self.truths)

    def renyi(self, order: float) -> Number:
        return max(truth.renyi(order) for truth in self.truths)


def both_ways(*truths: Any) -> Worst:
    """Either order, for neighbours without a direction."""
    return Worst([*truths, *(truth.swapped for truth in truths)])


@dataclass(frozen=True)
class Case:
    """Something of the library, and how to find the truth about it from its definition.

    Attributes:
        name: what it is
        pair: makes the pair that the library states
        truth: makes the two laws, or the worst of several
        epsilons: where curves are compared
        orders: where divergences are compared
        above: by what part the library may state more; infinite if it is only a bound
        sure: by what part the truth itself may be off
    """

    name: str
    pair: Callable[[], Any]
    truth: Callable[[], Any]
    epsilons: tuple[float, ...] = (-0.6, 0.3, 1.0)
    orders: tuple[float, ...] = (0.5, 2.0)
    above: float = 1e-9
    sure: float = 0.0

    def __str__(self) -> str:
        return self.name
