"""The Gamma pair of different shapes: one record adds to the shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import balls, upper
from privior.privacy.pairs.contract import DominatingPair
from privior.privacy.pairs.incomplete import gamma_above, gamma_below


@dataclass(frozen=True)
class GammaShapePair(DominatingPair):
    """P = Gamma(shape + step), Q = Gamma(shape); swapped if `less`: P is then the law without the step.

    One draw Y ~ Dirichlet(prior + rate * counts), a record added or removed: `shape` the smallest prior
    parameter a, `step` the rate. For G ~ Gamma(a) or Gamma(a+r) and G' ~ Gamma(b) independent of the
    data, G/(G+G') is Beta(a, b) or Beta(a+r, b), the law of the cell of the record; given it the others have
    one law. A larger a: add an independent Gamma to G. So one kernel maps this pair to any two neighbours;
    it is approached as the other counts grow.
    One draw from the Gamma posterior of Poisson counts in [0, B], a public number of records, one replaced:
    `shape` that of the prior, `step` B; smaller moves are dominated since the likelihood ratio is monotone.

    The loss s log g - lnG(a+s) + lnG(a) increases in g from -infinity to infinity, and exceeds epsilon above
    g = (e^epsilon G(a+s)/G(a))^(1/s); in the other order below the same with -epsilon.
    """

    shape: Fraction
    step: Fraction
    less: bool = False

    @property
    def mirror(self) -> GammaShapePair:
        """The pair in the other order, which has another curve."""
        return replace(self, less=not self.less)

    def delta(self, epsilon: float) -> float:
        """P[loss > epsilon] - e^epsilon Q[loss > epsilon]."""

        def formula() -> arb:
            a, s, e = balls(self.shape, self.step, epsilon)
            ratio = (a + s).lgamma() - a.lgamma()
            if self.less:
                point = ((ratio - e) / s).exp()
                return gamma_below(point, a) - e.exp() * gamma_below(point, a + s)
            point = ((ratio + e) / s).exp()
            return gamma_above(point, a + s) - e.exp() * gamma_above(point, a)

        return min(1.0, upper(formula))

    def smooth_loss(self) -> tuple[arb, arb | None, arb, arb]:
        """By the logarithm, as the class says."""
        a, s = balls(self.shape, self.step)
        shift = (a + s).lgamma() - a.lgamma()
        return (a, None, -s, -shift) if self.less else (a + s, None, s, shift)

    def renyi(self, order: float) -> float:
        """Return the closed form; the order without the step is finite below 1 + shape/step."""
        if self.less and Fraction(order) >= 1 + self.shape / self.step:
            return float("inf")

        def formula() -> arb:
            a, s, l = balls(self.shape, self.step, order)  # noqa: E741
            ratio = (a + s).lgamma() - a.lgamma()
            if order == 1:
                return ratio - s * a.digamma() if self.less else s * (a + s).digamma() - ratio
            if self.less:
                return ((a + s * (1 - l)).lgamma() - a.lgamma() + (l - 1) * ratio) / (l - 1)
            return ((a + s * l).lgamma() - a.lgamma() - l * ratio) / (l - 1)

        return upper(formula)
