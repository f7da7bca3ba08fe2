"""Pairs whose privacy loss takes finitely many values: everything follows from the law of the loss."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import DominatingPair


class LossPair(DominatingPair):
    """A pair given by the law under P of its loss log P/Q.

    delta(epsilon) = E_P[max(0, 1 - e^(epsilon - loss))] and, for order l, E_P[e^((l-1) loss)] =
    e^((l-1) D_l). Outcomes that only P can give have an infinite loss; those that only Q can give do not
    enter for orders above 0.
    """

    @abstractmethod
    def losses(self) -> Iterable[tuple[arb, arb]]:
        """Return (chance under P, loss) for each finite loss, in balls of the precision now in use."""

    @property
    @abstractmethod
    def pure(self) -> Fraction | None:
        """The largest loss, exact or rounded up; None if it is infinite."""

    def delta(self, epsilon: float) -> float:
        """Sum P[loss] (1 - e^(epsilon - loss)) over the losses above epsilon."""
        if self.pure is not None and Fraction(epsilon) >= self.pure:
            return 0.0

        def formula() -> arb:
            e = ball(epsilon)
            none = ball(0)
            terms = (chance * (1 - (e - loss).exp()).max(none) for chance, loss in self.losses())
            return sum(terms, start=ball(self.certain))

        return min(1.0, upper(formula))

    def renyi(self, order: float) -> float:
        """Return log E_P[e^((order-1) loss)] / (order-1), or the mean loss for order 1."""
        if order >= 1 and self.certain > 0:
            return float("inf")

        def formula() -> arb:
            if order == 1:
                return sum((chance * loss for chance, loss in self.losses()), start=ball(0))
            excess = ball(Fraction(order) - 1)
            terms = (chance * (excess * loss).exp() for chance, loss in self.losses())
            return sum(terms, start=ball(0)).log() / excess

        return upper(formula)
