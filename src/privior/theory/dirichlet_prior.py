"""How large a prior parameter privacy asks for: one draw from Dirichlet(r x + a), one record replaced.

The promise is a Renyi divergence D of order l. The printed formula bounds the divergence by
l r^2 psi'(a - (l-1) r); the exact one is that of the pair Beta(a+r, a), Beta(a, a+r).
"""

from __future__ import annotations

from fractions import Fraction

from privior.errors import PlanError, shown
from privior.privacy.calibration import smallest
from privior.privacy.published import dirichlet
from privior.privacy.published.readings import above


def printed_prior(order: object, divergence: object, rate: object = 1) -> Fraction:
    """Return the smallest a at which Theorem 2 (Corollary 3 for a rate) promises this, to ten digits."""
    level = above(divergence, "divergence")

    def holds(a: Fraction) -> bool:
        return dirichlet.theorem_2(dirichlet.Draw.of(a, rate), order).value <= level

    return _found(smallest(holds), divergence)


def exact_prior(order: object, divergence: object, rate: object = 1) -> Fraction:
    """Return the smallest a at which the divergence itself is at most this, to ten digits.

    Order 2, rate 1: coth(D/2).
    """
    level, at = above(divergence, "divergence"), float(above(order, "order"))

    def holds(a: Fraction) -> bool:
        pair = dirichlet.Draw.of(a, rate).pair
        return pair is not None and pair.renyi(at) <= level

    return _found(smallest(holds), divergence)


def _found(prior: Fraction | None, divergence: object) -> Fraction:
    if prior is None:
        raise PlanError("no prior parameter up to a million millions is enough", asked=shown(divergence))
    return prior
