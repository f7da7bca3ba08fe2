"""Finitely many outcomes: bounded ranges, what is told outright, draws of a model from a few."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from mpmath import mp
from two_laws import DIGITS, Case, Number, Points, Worst, number

import privior as pv
from privior.privacy.pairs import ApproximatePair, BoundedRangePair

F = Fraction


def told(loss: Fraction, chance: Fraction) -> Points:
    """Randomised response, but now and then the law itself."""
    with mp.workdps(DIGITS):
        rest = 1 - number(chance)
        up, down = (rest / (1 + mp.exp(s * number(loss))) for s in (-1, 1))
        return Points([number(chance), up, down, mp.mpf(0)], [mp.mpf(0), down, up, number(chance)])


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


def drawn_models(chances: list[list[Fraction]], records: int, weight: Fraction) -> Worst:
    """The posteriors of all neighbouring tables: one record replaced, uniform prior."""

    def law(counts: tuple[int, ...]) -> list[Number]:
        logs = [
            number(weight) * mp.fsum(c * mp.log(number(p)) for c, p in zip(counts, one, strict=True))
            for one in chances
        ]
        weights = [mp.exp(log) for log in logs]
        return [one / mp.fsum(weights) for one in weights]

    with mp.workdps(DIGITS):
        levels = range(len(chances[0]))
        found = []
        for rest in itertools.combinations_with_replacement(levels, records - 1):
            laws = [law(tuple((*rest, level).count(i) for i in levels)) for level in levels]
            found += [Points(one, other) for one, other in itertools.permutations(laws, 2)]
        return Worst(found)


def cases() -> list[Case]:
    """Of a drawn model the library states the largest loss alone, so that its curve is a bound."""
    die = pv.FiniteFamily("die", {"fair": ["1/3", "1/3", "1/3"], "loaded": ["1/2", "1/4", "1/4"]})
    drawn = pv.ModelDraws(die, 4, "0.4")
    return [
        Case("a range of 3", lambda: BoundedRangePair(F(3)), lambda: TwoPoint(F(3))),
        Case(
            "told now and then",
            lambda: ApproximatePair(F(1), F(1, 30)),
            lambda: told(F(1), F(1, 30)),
            orders=(0.5,),
        ),
        Case(
            "a model drawn from two",
            lambda: drawn.guarantee.worst,
            lambda: drawn_models([list(one) for one in die.chances], 4, drawn.weight),
            above=float("inf"),
        ),
    ]
