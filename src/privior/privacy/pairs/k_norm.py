"""The exact pair of K-norm noise: three losses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball
from privior.privacy.pairs.contract import SymmetricPair
from privior.privacy.pairs.losses import LossPair


@dataclass(frozen=True)
class KNormPair(SymmetricPair, LossPair):
    """Counts with noise p(z) ~ e^(-epsilon |z|_1 / 2) on integer vectors of sum 0; one record moves i to j.

    The loss is epsilon (|z_j - 1| - |z_j| + |z_i + 1| - |z_i|) / 2: epsilon where z_j <= 0 <= z_i, -epsilon
    where z_i < 0 < z_j, 0 elsewhere. With x = e^-epsilon, q^2 = x, f(t) = sum_z q^|z| t^z =
    (1 - x) / ((1 - q t)(1 - q/t)) generates one cell, and 1/(1 - q t), 1/(1 - q/t) a cell of one sign, so
    P[loss = epsilon] = [t^0] f^(k-2) / ((1-qt)(1-q/t)) divided by [t^0] f^k = S_(k-2)(x) / S_(k-1)(x), where
    S_m(x) = sum_j C(m, j)^2 x^j = (1-x)^m L_m((1+x)/(1-x)), L_m the Legendre polynomial. P[loss = -epsilon]
    is x times that, for reflecting z swaps both laws. The same for every data set and every move.
    Two cells: randomised response. More cells: less, though the largest loss is the same.

    Both orders have the same curves: reflecting the noise swaps both laws.
    """

    cells: int
    epsilon: Fraction

    @property
    def pure(self) -> Fraction:
        """Attained where no count has noise."""
        return self.epsilon

    def losses(self) -> Iterable[tuple[arb, arb]]:
        """Three values, two of them if there are two cells."""
        e = ball(self.epsilon)
        x = (-e).exp()
        if self.cells == 2:
            chance = 1 / (1 + x)
        else:
            at = (1 + x) / (1 - x)
            chance = at.legendre_p(ball(self.cells - 2)) / (at.legendre_p(ball(self.cells - 1)) * (1 - x))
            yield 1 - (1 + x) * chance, ball(0)
        yield chance, e
        yield x * chance, -e
