"""The Beta pair: draws from a Dirichlet posterior, when one record is replaced."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import LEAST, ball, balls, is_nothing, upper
from privior.privacy.pairs.contract import DominatingPair
from privior.privacy.pairs.incomplete import beta_above, log_beta


@dataclass(frozen=True)
class BetaPair(DominatingPair):
    """P = Beta(first + rate, second), Q = Beta(first, second + rate).

    One draw Y ~ Dirichlet(prior + rate * counts). Replacing one record moves `rate` from one cell to another.
    With `first` and `second` the two smallest prior parameters, this pair dominates every two neighbours:
    the ratio of the two densities depends on y_i / (y_i + y_j) alone, so it is a pair of Beta laws with
    parameters w >= the prior's; and if y ~ Beta(w) and V ~ Beta(sum w, s) are independent, then
    V y + (1 - V) e has the parameters raised by s in the direction of e, on both sides by the same kernel.
    Attained for three cells or more, and for one record.

    The loss log P/Q (y) = r log(y / (1-y)) - lnB(a+r, b) + lnB(a, b+r) increases in y, so the divergence is
    attained on a set y > y*, y* = 1 / (1 + e^-tau), tau = (epsilon + lnB(a+r, b) - lnB(a, b+r)) / r.
    """

    first: Fraction
    second: Fraction
    rate: Fraction = Fraction(1)

    @property
    def mirror(self) -> BetaPair:
        """Seen from the other end of the interval, the other order is the same kind of pair."""
        return BetaPair(self.second, self.first, self.rate)

    def delta(self, epsilon: float) -> float:
        """P[y > y*] - e^epsilon Q[y > y*]; log(y* / (1-y*)) = tau.

        Where the density f of P has a falling and concave logarithm, P[y > y*] <= f(y*) / |(log f)'(y*)|.
        Where this is nothing, so is delta, and the tail, which may take Arb for ever, is not looked for.
        """

        def tau() -> arb:
            a, b, r, e = balls(self.first, self.second, self.rate, epsilon)
            return (e + log_beta(a + r, b) - log_beta(a, b + r)) / r

        def log_bound() -> arb:
            p, b, at = ball(self.first + self.rate), ball(self.second), tau()
            below, above = 1 + (-at).exp(), 1 + at.exp()  # 1 / y* and 1 / (1 - y*)
            slope = (b - 1) * above - (p - 1) * below
            if not (p >= 1 and b >= 1 and slope > 0):
                return ball(0)
            return -(p - 1) * below.log() - (b - 1) * above.log() - slope.log() - log_beta(p, b)

        def formula() -> arb:
            a, b, r, e = balls(self.first, self.second, self.rate, epsilon)
            at = tau()
            return beta_above(at, a + r, b) - e.exp() * beta_above(at, a, b + r)

        return LEAST if is_nothing(log_bound) else min(1.0, upper(formula))

    def smooth_loss(self) -> tuple[arb, arb | None, arb, arb]:
        """By the log odds, as the class says."""
        a, b, r = ball(self.first + self.rate), ball(self.second), ball(self.rate)
        return a, b, r, log_beta(a, b) - log_beta(a - r, b + r)

    def renyi(self, order: float) -> float:
        """Return the closed form, finite for orders below 1 + second / rate."""
        if Fraction(order) >= 1 + self.second / self.rate:
            return float("inf")

        def formula() -> arb:
            a, b, r, s = balls(self.first, self.second, self.rate, order)
            if order == 1:
                mean = (a + r).digamma() - b.digamma()
                return r * mean + log_beta(a, b + r) - log_beta(a + r, b)
            moment = log_beta(a + s * r, b + (1 - s) * r)
            return (moment - s * log_beta(a + r, b) + (s - 1) * log_beta(a, b + r)) / (s - 1)

        return upper(formula)
