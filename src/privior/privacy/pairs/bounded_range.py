"""The bounded-range pair: the loss varies over an interval of known length at an unknown place."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import SymmetricPair


@dataclass(frozen=True)
class BoundedRangePair(SymmetricPair):
    """Dominates any two laws whose loss lies in [t - eta, t] for some t (which is then in [0, eta]).

    One draw from a posterior has it with eta the oscillation of the log likelihood ratio of two records.
    Under Q the ratio P/Q has mean 1 and lies in [e^(t-eta), e^t]; the law of mean 1 on the two ends is a
    spread of it, so for a given t the two-point pair, P[loss = t] = (1 - e^(t-eta)) / (1 - e^-eta), is worst.
    The largest delta is at t = (epsilon + eta)/2: delta = (1 - e^((epsilon-eta)/2))^2 / (1 - e^-eta). That is
    the curve of the pair with densities proportional to e^(y/2) and e^(-y/2) on [-eta, eta], for its second
    derivative in e^epsilon is theirs, so it composes like the curve of any pair; delta(0) = tanh(eta/4).

    Renyi divergences are the largest over t of the two-point pairs, hence of all bounded-range laws: smaller
    than those of the pair with the largest curve (order 1: at most eta^2/8, not eta^2/6). They add up too.

    Both orders have the same curves: swapping the laws turns [t - eta, t] into [-t, eta - t].
    """

    eta: Fraction

    @property
    def pure(self) -> Fraction:
        """The largest loss is at most the length of its range."""
        return self.eta

    @cached_property
    def rho(self) -> Fraction:
        """The parameter of concentrated differential privacy, eta^2 / 8 (Cesar, Rogers 2021)."""
        return self.eta**2 / 8

    def delta(self, epsilon: float) -> float:
        """Return the curve; 1 - e^epsilon below -eta, where every outcome has a larger loss."""
        if Fraction(epsilon) >= self.eta:
            return 0.0

        def formula() -> arb:
            e, eta = ball(epsilon), ball(self.eta)
            if Fraction(epsilon) <= -self.eta:
                return 1 - e.exp()
            return (1 - ((e - eta) / 2).exp()) ** 2 / (1 - (-eta).exp())

        return min(1.0, upper(formula))

    def renyi(self, order: float) -> float:
        """Return the largest over t.

        E_P[e^((l-1) loss)] = e^((l-1)t) (A - e^t B) / (1 - e^-eta), where A = 1 - e^(-l eta) and
        B = e^-eta - e^(-l eta), is 1 at both ends t = 0 and t = eta, and extreme where e^t = (l-1) A / (l B).
        Order 1: the mean loss t - eta (e^t - 1) / (e^eta - 1) is largest where e^t = (e^eta - 1) / eta.
        """

        def formula() -> arb:
            l, eta = ball(order), ball(self.eta)  # noqa: E741
            if order == 1:
                growth = (eta.exp() - 1) / eta
                return growth.log() - 1 + 1 / growth
            a, b = 1 - (-l * eta).exp(), (-eta).exp() - (-l * eta).exp()
            t = ((l - 1) * a / (l * b)).log()
            return t + (a / (l * (1 - (-eta).exp()))).log() / (l - 1)

        return upper(formula)
