"""Bounds of "Differential Privacy of Dirichlet Posterior Sampling".

One draw from Dirichlet(r x + prior), x a vector of non-negative statistics that neighbours change by at most
D2 in Euclidean norm and Dinf in each entry; a is the smallest prior parameter. Counts have D2^2 = 2 and
Dinf = 1 when one record is replaced, D2^2 = Dinf = 1 when one is added or removed; there the exact pairs are
known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from privior.checks import above_zero, strictly_within
from privior.errors import NumberError, shown
from privior.exact import rational, round_down, round_up
from privior.interval_arithmetic import arb
from privior.papers.published.statement import Paper, Published, Verdict
from privior.privacy.pairs import BetaPair, DominatingPair, GammaShapePair, both_orders
from privior.privacy.pairs.balls import ball, balls, upper
from privior.privacy.pairs.incomplete import log_beta

PAPER = Paper("Differential Privacy of Dirichlet Posterior Sampling", "Ponnoprat")


@dataclass(frozen=True)
class PublishedDraw:
    """One draw from a Dirichlet posterior, as the paper describes it: a, r, D2^2 and Dinf."""

    smallest: Fraction
    rate: Fraction = Fraction(1)
    squared: Fraction = Fraction(2)
    largest: Fraction = Fraction(1)

    @staticmethod
    def of(smallest: object, rate: object = 1, squared: object = 2, largest: object = 1) -> PublishedDraw:
        """Read the numbers; the sensitivities are those of a table of counts, one record replaced."""
        given = {"smallest": smallest, "rate": rate, "squared": squared, "largest": largest}
        return PublishedDraw(*(above_zero(value, name) for name, value in given.items()))

    @property
    def pair(self) -> DominatingPair | None:
        """The exact pair, if the statistics are counts; both smallest parameters taken to be a."""
        if self.squared == 2 and self.largest == 1:
            return both_orders(BetaPair(self.smallest, self.smallest, self.rate))
        if self.squared == self.largest == 1:
            return both_orders(GammaShapePair(self.smallest, self.rate))
        return None

    @property
    def end(self) -> Fraction:
        """The orders of Theorem 2 and Corollary 3 end here: 1 + a / (r Dinf)."""
        return 1 + self.smallest / (self.rate * self.largest)

    def curvature(self, order: Fraction) -> arb:
        """psi'(a - (order - 1) r Dinf) = zeta(2, the same), in balls."""
        return ball(2).zeta(ball(self.smallest - (order - 1) * self.rate * self.largest))

    def bound(self, order: Fraction) -> arb:
        """order/2 r^2 D2^2 psi'(a - (order - 1) r Dinf), in balls."""
        return ball(order / 2 * self.rate**2 * self.squared) * self.curvature(order)


def equation_6(draw: PublishedDraw, order: object) -> Published:
    """Equation (6), attributed there to Geumlek, Song, Chaudhuri: D_l <= l D2^2 sup |Hessian of ln B|.

    The Hessian is diag(psi'(u_i)) - psi'(sum u) 1 1', of spectral norm below psi'(a), which it approaches as
    the other counts grow: the supremum over x is psi'(a). No range of l is printed; for l >= 1 + a/r the
    divergence is infinite, and it exceeds the printed number before that. (The source takes the supremum
    over a larger set and bounds l; the statement as quoted does not.)
    """
    at = _order(order)
    value = upper(lambda: ball(at * draw.rate**2 * draw.squared) * draw.curvature(Fraction(1)))
    formula = "D_l <= l r^2 D2^2 psi'(a)"
    better = None if draw.pair is None else draw.pair.renyi(float(at))
    if better is None:
        judged = Verdict.FALSE, "no order is excluded, while the divergence is infinite from 1 + a/r on"
    elif better > value:
        judged = Verdict.FALSE, "the divergence of this order is larger; it is infinite from 1 + a/r on"
    else:
        judged = Verdict.LOOSE, "at this order it holds; no order is excluded, and at others it fails"
    quantity = f"Renyi divergence of order {float(at):g}"
    return PAPER.states("Equation (6)", formula, quantity, value, judged, draw.pair, better)


def equation_7(rate: object, floor: object, rest: object, change: object, cut: object) -> Published:
    """Equation (7), attributed there to Gohari et al.: epsilon of one draw from Dirichlet(r x), no prior.

    x is a point of the simplex with two entries (a set W of two, of three or more) that are at least `floor`
    and together at most 1 - `rest`; neighbours move `change`/2 from one to the other. With B the Beta
    function, epsilon = ln B(r floor, r (1 - floor - rest)) - ln B(r (floor + change/2), r (1 - floor - rest -
    change/2)) + r change/2 ln((1 - cut) / cut), and delta is the largest chance that an entry of W is below
    `cut`. The set over which delta is taken is left undefined, so only epsilon is given here; delta is
    at least I_cut(r floor, r (1 - floor)), the chance for one entry. (Beta(r floor, r floor) with rate
    r change/2 is exact where both entries may be at the floor.)
    """
    r, low, over = above_zero(rate, "rate"), strictly_within(floor, "floor"), strictly_within(rest, "rest")
    step, edge = above_zero(change, "change") / 2, strictly_within(cut, "cut", Fraction(1, 2))
    left = 1 - low - over
    if low + over >= Fraction(1, 2) or step > left - low:
        raise NumberError("floor, rest and change leave no room", asked=shown((floor, rest, change)))

    def formula() -> arb:
        a, b, s, y = balls(r * low, r * left, r * step, (1 - edge) / edge)
        return log_beta(a, b) - log_beta(a + s, b - s) + s * y.log()

    def missed() -> arb:
        a, b, y = balls(r * low, r * (1 - low), edge)
        return y.beta_lower(a, b, regularized=True)

    value = upper(formula)
    pair = both_orders(BetaPair(r * low, r * low, r * step))
    printed, better = upper(missed), pair.delta(value)
    verdict = Verdict.LOOSE if better < printed else Verdict.SOUND
    reason = f"its delta is at least {printed:.3g}, the exact one at this epsilon at most {better:.3g}"
    text = "epsilon = ln B(r eta, .) - ln B(r (eta + b/2), .) + r b/2 ln((1 - (|W|-1) gamma) / gamma)"
    return PAPER.states("Equation (7)", text, "epsilon", value, (verdict, reason), pair)


def lemma_1(order: object, divergence: object, epsilon: object) -> Published:
    """Lemma 1 (Canonne, Kamath, Steinke): from a Renyi divergence of one order to delta.

    delta = e^((l-1)(D - epsilon)) / (l-1) (1 - 1/l)^l. The best possible from the moment
    E_P[e^((l-1) loss)] alone: 1 - e^(epsilon - z) is at most that factor times e^((l-1)(z - epsilon)), with
    equality at one z.
    """
    at, size, level = _order(order), above_zero(divergence, "divergence"), above_zero(epsilon, "epsilon")
    value = min(1.0, upper(lambda: _converted(at, ball(size), level)))
    formula = "delta = e^((l-1)(D - epsilon)) / (l-1) (1 - 1/l)^l"
    reason = (
        "no smaller factor turns the moment into a bound; the whole curve of a pair says more than one order"
    )
    return PAPER.states("Lemma 1", formula, "delta", value, (Verdict.SOUND, reason))


def theorem_2(draw: PublishedDraw, order: object) -> Published:
    """Theorem 2 and, for a rate other than 1, Corollary 3: D_l <= l/2 r^2 D2^2 psi'(a - (l-1) r Dinf).

    For l below 1 + a / (r Dinf). A Taylor expansion of ln Gamma at each entry, of which the most curved end
    is taken, and the gain at the sum of all entries dropped.
    """
    at = _order(order)
    place = "Theorem 2" if draw.rate == 1 else "Corollary 3"
    formula = "D_l <= l/2 r^2 D2^2 psi'(a - (l-1) r Dinf)"
    quantity = f"Renyi divergence of order {float(at):g}"
    better = None if draw.pair is None else draw.pair.renyi(float(at))
    if at >= draw.end:
        reason = "its orders end below 1 + a / (r Dinf)"
        return PAPER.states(place, formula, quantity, math.inf, (Verdict.VACUOUS, reason), draw.pair, better)
    value = upper(lambda: draw.bound(at))
    reason = "it bounds a curvature by its value at the worst end; the divergence has a closed form"
    return PAPER.states(place, formula, quantity, value, (Verdict.LOOSE, reason), draw.pair, better)


def theorem_4(draw: PublishedDraw, epsilon: object) -> Published:
    """Theorem 4: delta is the least over l of Lemma 1 applied to Theorem 2 (or Corollary 3).

    The order is sought in floating point; the bound at what was found is evaluated in balls, so it is never
    below the printed minimum.
    """
    level = above_zero(epsilon, "epsilon")
    order = _best_order(draw, float(level))
    value = min(1.0, upper(lambda: _converted(order, draw.bound(order), level)))
    formula = "delta = least over l of e^((l-1)(D_l - epsilon)) / (l-1) (1 - 1/l)^l, D_l of Theorem 2"
    pair = draw.pair
    better = None if pair is None else pair.delta(round_down(level))
    reason = "a loose divergence, turned into delta through one order instead of the whole curve"
    return PAPER.states("Theorem 4", formula, "delta", value, (Verdict.LOOSE, reason), pair, better)


def _converted(order: Fraction, divergence: arb, epsilon: Fraction) -> arb:
    l, above_one, e = balls(order, order - 1, epsilon)  # noqa: E741
    return (above_one * (divergence - e) + l * (1 - 1 / l).log()).exp() / above_one


def _best_order(draw: PublishedDraw, epsilon: float) -> Fraction:
    """Minimise the strictly convex logarithm of the bound over the orders, by golden-section search."""
    span = float(draw.end - 1)

    def order(logit: float) -> Fraction:
        return Fraction(1 + span / (1 + math.exp(-logit)))

    def size(logit: float) -> float:
        at = order(logit)
        if not 1 < at < draw.end:
            return math.inf
        excess = float(at - 1)
        moment = excess * (float(draw.bound(at).mid()) - epsilon)
        return moment - math.log(excess) + float(at) * math.log1p(-1 / float(at))

    low, high, ratio = -20.0, 20.0, (math.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if size(left) < size(right) else (left, high)
    return order((low + high) / 2)


def read_order(value: object) -> Fraction:
    """Read the order of a Renyi divergence: above 1."""
    number = rational(value, "order")
    if number <= 1:
        raise NumberError("order is out of range", asked=shown(value), allowed="above 1")
    return number


def _order(value: object) -> Fraction:
    return Fraction(round_up(read_order(value)))
