"""Approximate privacy: the pair of which nothing is known but one epsilon and delta."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, powers, upper
from privior.privacy.pairs.contract import SymmetricPair
from privior.privacy.pairs.losses import LossPair


@dataclass(frozen=True)
class ApproximatePair(SymmetricPair, LossPair):
    """Randomised response at `loss`, but with chance `chance` the law itself is told.

    It dominates every mechanism that is (loss, chance)-DP in both orders (Kairouz, Oh, Viswanath 2015).
    Proof: with x = e^epsilon and X = e^loss the mechanism's curve h is convex and decreasing, h(0) = 1, h(X)
    <= chance and, by the other order, h(1/X) <= 1 - (1 - chance)/X. The chords through these three points are
    above h, and beyond X so is `chance`; they are the curve of this pair.

    Both orders have the same curves.
    """

    loss: Fraction
    chance: Fraction

    @property
    def certain(self) -> Fraction:
        """The chance that the law is told."""
        return self.chance

    @property
    def pure(self) -> Fraction | None:
        """The loss, unless the law may be told."""
        return None if self.chance else self.loss

    def grouped(self, size: int) -> ApproximatePair:
        """(m epsilon, delta (1 + e^epsilon + ... + e^((m-1) epsilon)))."""
        most = Fraction(upper(lambda: ball(self.chance) * powers(ball(self.loss), size)))
        return ApproximatePair(size * self.loss, min(Fraction(1), most) if self.chance else Fraction(0))

    def losses(self) -> Iterable[tuple[arb, arb]]:
        """Plus or minus the loss."""
        loss, rest = ball(self.loss), ball(1 - self.chance)
        return [(rest / (1 + (-loss).exp()), loss), (rest / (1 + loss.exp()), -loss)]
