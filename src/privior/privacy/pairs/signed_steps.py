"""Signed steps: randomised response, once or several times."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball
from privior.privacy.pairs.contract import SymmetricPair
from privior.privacy.pairs.losses import LossPair

#: beyond this the sum of a closed form takes longer than a transform
_MOST_SIGNS = 300


@dataclass(frozen=True)
class SignedSteps(SymmetricPair, LossPair):
    """The loss is a sum of `times` independent signs, each worth `step`.

    `times` = 1 is randomised response, which dominates every mechanism whose loss never exceeds `step`
    (Kairouz, Oh, Viswanath 2015, Theorem 3.4 and its proof for k = 1): one output is e^step times as
    likely under one law as under the other, the second output the reverse. Adding discrete Laplace noise
    to an integer that moves by one gives exactly this pair.

    Both orders have the same curves: swapping the two laws swaps the two outputs.
    """

    step: Fraction
    times: int = 1

    @property
    def pure(self) -> Fraction:
        """The loss where all signs are positive: the largest there is."""
        return self.step * self.times

    @cached_property
    def rho(self) -> Fraction:
        """step^2 / 2 for each of the independent steps."""
        return self.times * self.step**2 / 2

    def grouped(self, size: int) -> SignedSteps | None:
        """m epsilon, of randomised response; more steps are not those of a larger one."""
        return SignedSteps(size * self.step) if self.times == 1 else None

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction]:
        """Equal steps are counted."""
        return "signs", self.step, Fraction(self.times)

    def of_amount(self, amount: Fraction) -> tuple[SignedSteps, int]:
        """So many steps; if they are very many, one, to be composed so often."""
        times = int(amount)
        few = times <= _MOST_SIGNS
        return SignedSteps(self.step, times if few else 1), 1 if few else times

    def losses(self) -> Iterable[tuple[arb, arb]]:
        """Binomial: `plus` signs positive, each with chance 1 / (1 + e^-step)."""
        up = 1 / (1 + (-ball(self.step)).exp())
        down = 1 / (1 + ball(self.step).exp())
        for plus in range(self.times + 1):
            minus = self.times - plus
            chance = math.comb(self.times, plus) * up**plus * down**minus
            yield chance, ball(self.step * (plus - minus))
