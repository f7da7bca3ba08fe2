"""What the curves of two laws are, by quadrature or sums of their densities in 60 digits: no closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
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
                    for _ in range(210):
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


def beta_line(first: Fraction, second: Fraction, rate: Fraction, *breaks: float) -> Line:
    """Beta(first + rate, second) and Beta(first, second + rate), by the log odds."""
    a, b, r = number(first), number(second), number(rate)

    def log_density(a: Number, b: Number) -> LogDensity:
        return lambda u: (
            a * u - (a + b) * mp.log1p(mp.exp(u)) if u < 0 else -b * u - (a + b) * mp.log1p(mp.exp(-u))
        )

    with mp.workdps(DIGITS):
        return Line(log_density(a + r, b), log_density(a, b + r), spread(*breaks))


def gamma_line(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction], *breaks: float) -> Line:
    """Gamma laws of (shape, rate), by the logarithm."""

    def log_density(law: tuple[Fraction, Fraction]) -> LogDensity:
        k, rate = number(law[0]), number(law[1])
        top = k * mp.log(k / rate) - k
        return lambda u: k * u - rate * mp.exp(u) - top

    with mp.workdps(DIGITS):
        return Line(log_density(first), log_density(second), spread(*breaks))


def normal_line(mu_squared: Fraction, reach: float, parts: int = 24) -> Line:
    with mp.workdps(DIGITS):
        mu = mp.sqrt(number(mu_squared))
        return Line(lambda y: -((y - mu) ** 2) / 2, lambda y: -(y**2) / 2, spread(-reach, reach, parts=parts))


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


def signs(step: Fraction, times: int) -> Points:
    with mp.workdps(DIGITS):
        up, down = (1 / (1 + mp.exp(s * number(step))) for s in (-1, 1))
        first, second = [mp.mpf(1)], [mp.mpf(1)]
        for _ in range(times):
            first = [p * c for p in first for c in (up, down)]
            second = [q * c for q in second for c in (down, up)]
        return Points(first, second)


def told(loss: Fraction, chance: Fraction) -> Points:
    """Randomised response, but now and then the law itself."""
    with mp.workdps(DIGITS):
        rest = 1 - number(chance)
        up, down = (rest / (1 + mp.exp(s * number(loss))) for s in (-1, 1))
        return Points([number(chance), up, down, mp.mpf(0)], [mp.mpf(0), down, up, number(chance)])


def lattice_gaussian(variance: Fraction, coordinates: int) -> Points:
    with mp.workdps(DIGITS):
        reach = int(19 * float(variance) ** 0.5 + 19)
        weights = {x: mp.exp(-number(Fraction(x * x) / (2 * variance))) for x in range(-reach - 1, reach + 2)}
        total = mp.fsum(weights.values())
        line = range(-reach, reach + 1)
        one, up, down = ([weights[x + d] / total for x in line] for d in (0, 1, -1))
        if coordinates == 1:
            return Points(one, down)
        return Points([p * q for p in one for q in one], [p * q for p in down for q in up])


def lattice_k_norm(levels: int, epsilon: Fraction, reach: int) -> Points:
    """Noise on all integer vectors of sum zero in a box, one record moved from the first cell to the second.

    Only the first two cells matter; the number of ways to fill the others is summed by convolution.
    """
    with mp.workdps(DIGITS):
        root = mp.exp(-number(epsilon) / 2)
        one = {z: root ** abs(z) for z in range(-reach, reach + 1)}
        rest = {0: mp.mpf(1)}
        for _ in range(levels - 2):
            wider: dict[int, Number] = {}
            for total, weight in rest.items():
                for z, w in one.items():
                    if abs(total + z) <= 2 * reach:
                        wider[total + z] = wider.get(total + z, 0) + weight * w
            rest = wider
        first, second = [], []
        for i in range(-reach, reach):
            for j in range(-reach + 1, reach + 1):
                others = rest.get(-i - j, 0)
                first.append(one[i] * one[j] * others)
                second.append(one[i + 1] * one[j - 1] * others)
        norms = mp.fsum(first), mp.fsum(second)
        return Points([p / norms[0] for p in first], [q / norms[1] for q in second])


def urn(drawn: int, first: Fraction, second: Fraction, rate: Fraction) -> Points:
    """Draw the records one by one: a cell is as likely as its parameter plus what it has given."""

    def law(a: Fraction, b: Fraction) -> list[Number]:
        state = {0: Fraction(1)}
        for step in range(drawn):
            after: dict[int, Fraction] = {}
            for x, chance in state.items():
                up = chance * (a + x) / (a + b + step)
                after[x + 1] = after.get(x + 1, Fraction(0)) + up
                after[x] = after.get(x, Fraction(0)) + chance - up
            state = after
        return [number(state[x]) for x in range(drawn + 1)]

    with mp.workdps(DIGITS):
        return Points(law(first + rate, second), law(first, second + rate))


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


@dataclass
class TwoPoint:
    """The largest over t of the pairs with losses t and t - eta, by search over t."""

    eta: Fraction

    @property
    def swapped(self) -> TwoPoint:
        return self

    def _largest(self, measure: Callable[[Points], Number], shift: float = 0.0) -> Number:
        with mp.workdps(DIGITS):
            eta = number(self.eta)

            def at(t: Number) -> Number:
                up = (1 - mp.exp(t - eta)) / (1 - mp.exp(-eta))
                return measure(Points([up, 1 - up], [up * mp.exp(-t), (1 - up) * mp.exp(eta - t)]))

            low, high = max(mp.mpf(0), number(shift)), min(eta, eta + number(shift))
            ratio = (mp.sqrt(5) - 1) / 2
            for _ in range(120):
                left, right = high - ratio * (high - low), low + ratio * (high - low)
                low, high = (low, right) if at(left) > at(right) else (left, high)
            return at((low + high) / 2)

    def delta(self, epsilon: float) -> Number:
        if abs(epsilon) >= self.eta:
            return max(mp.mpf(0), 1 - mpmath.exp(number(epsilon)))
        return self._largest(lambda points: points.delta(epsilon), epsilon)

    def renyi(self, order: float) -> Number:
        return self._largest(lambda points: points.renyi(order))
