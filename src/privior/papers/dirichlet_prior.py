"""How large a prior parameter privacy asks for: one draw from Dirichlet(r x + a), one record replaced.

The promise is a Renyi divergence D of order l. The printed formula bounds the divergence by
l r^2 psi'(a - (l-1) r); the exact one is that of the pair Beta(a+r, a), Beta(a, a+r).
"""

from __future__ import annotations

from fractions import Fraction

from privior.checks import above_zero
from privior.errors import PlanError, shown
from privior.exact import round_up
from privior.papers.published import Published, Verdict, dirichlet
from privior.papers.published.dirichlet import read_order
from privior.privacy.calibration import smallest
from privior.special import polygamma


def printed_prior(order: object, divergence: object, rate: object = 1) -> Fraction:
    """Return the smallest a at which Theorem 2 (Corollary 3 for a rate) promises this, to ten digits."""
    level = above_zero(divergence, "divergence")

    def holds(a: Fraction) -> bool:
        return dirichlet.theorem_2(dirichlet.PublishedDraw.of(a, rate), order).value <= level

    return _found(smallest(holds), divergence)


def exact_prior(order: object, divergence: object, rate: object = 1) -> Fraction:
    """Return the smallest a at which the divergence itself is at most this, to ten digits.

    Order 2, rate 1: coth(D/2).
    """
    level, at = above_zero(divergence, "divergence"), float(above_zero(order, "order"))

    def holds(a: Fraction) -> bool:
        pair = dirichlet.PublishedDraw.of(a, rate).pair
        return pair is not None and pair.renyi(at) <= level

    return _found(smallest(holds), divergence)


def equation_9(order: object, divergence: object) -> Published:
    """Equation (9): a = l/D + l - 1 + 1 is enough, since psi'(x) < 1/x + 1/x^2 < 1/(x-1) for x above 1.

    True, and above what Theorem 2 itself asks for by less than 1; the exact prior is below both.
    """
    at, level = read_order(order), above_zero(divergence, "divergence")
    place, formula, value = "Equation (9)", "a = l D2^2 / (2 D) + (l-1) Dinf + 1", round_up(at / level + at)
    judged = Verdict.LOOSE, "it bounds the bound of Theorem 2; the divergence itself allows a smaller prior"
    better = round_up(exact_prior(at, level))
    return dirichlet.PAPER.states(place, formula, "prior parameter", value, judged, better=better)


def scaling(order: object, divergence: object, rate: object) -> Published:
    """How a grows with the rate r at a fixed promise, after Corollary 3: as r, or as r^2 once a is large.

    With x = a - (l-1) r and s = l/D: x lies between r sqrt(s) and sqrt(2) times that while x < 1 (there
    1/x^2 < psi'(x) < 2/x^2), and between r^2 s and twice that afterwards (1/x < psi'(x) < 2/x). So the first
    half holds; the second does if a is far above (l-1) r as it asks, and x may be below that for any r.
    The exact exponent is ((l-1) r - 2 psi'(x) / psi''(x)) / a.
    """
    at, r = read_order(order), above_zero(rate, "rate")
    prior = printed_prior(at, divergence, r)
    left = float(prior - (at - 1) * r)
    exponent = (float((at - 1) * r) - 2 * float(polygamma(1, left) / polygamma(2, left))) / float(prior)
    if left < 1:
        judged = Verdict.SOUND, "up to a factor below 1.42 in a - (l-1) r"
    elif left > (at - 1) * r:
        judged = Verdict.SOUND, "up to a factor 2 in a - (l-1) r, in the limit of large r"
    else:
        judged = Verdict.VACUOUS, "it asks for a far above (l-1) r, which a is not"
    place, formula = "Section 3.3, scaling", "a ~ r where a < (l-1) r Dinf + 1, a ~ r^2 above"
    quantity = "exponent of the rate in the prior parameter"
    value = 1.0 if left < 1 else 2.0
    return dirichlet.PAPER.states(place, formula, quantity, value, judged, better=exponent)


def _found(prior: Fraction | None, divergence: object) -> Fraction:
    if prior is None:
        raise PlanError("no prior parameter up to a million millions is enough", asked=shown(divergence))
    return prior
