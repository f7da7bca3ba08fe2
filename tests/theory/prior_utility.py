"""Appendix B of "Differential Privacy of Dirichlet Posterior Sampling": what a larger prior costs.

P = Dirichlet(X + a) is meant, Q = Dirichlet(X + b) is drawn from, X ~ Multinomial(N, p); b >= a >= 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from privior.checks import above_zero, whole_number, zero_or_above
from privior.errors import NumberError, PlanError, shown
from privior.exact import round_up
from privior.papers.expected_divergence import expected_divergence
from privior.papers.published import Published, Verdict
from privior.papers.published.dirichlet import PAPER

#: psi'(1): the divergences at which a - (l-1) is 1
_EDGE = math.pi**2 / 6


def theorem_6(
    shares: Sequence[object], records: int, prior: Sequence[object], other: Sequence[object]
) -> Published:
    """Theorem 6: E KL(P, Q) <= 1/(N+1) sum_i (b_i - a_i)^2 / p_i.

    True. It takes psi'(x) <= 2/x at x = X_i + a_i, twice what large counts have, and drops what the
    total gives back, (b_0 - a_0)^2 psi'(N + .)/2: with even shares and equal shifts that is all of the
    leading term. `better` is the expectation itself.
    """
    p, a, b = (
        [above_zero(cell, name) for cell in cells]
        for cells, name in ((shares, "shares"), (prior, "prior"), (other, "other"))
    )
    if not len(p) == len(a) == len(b) or any(low < 1 or high < low for low, high in zip(a, b, strict=True)):
        raise NumberError(
            "the priors are out of range", asked=shown((prior, other)), allowed="other >= prior >= 1"
        )
    n = whole_number(records, "records")
    value = round_up(sum(((y - x) ** 2 / q for q, x, y in zip(p, a, b, strict=True)), Fraction(0)) / (n + 1))
    better = expected_divergence(p, n, a, b)
    reason = "twice the curvature of large counts, and what the total gives back is dropped"
    formula = "E KL(P, Q) <= 1/(N+1) sum_i (b_i - a_i)^2 / p_i"
    quantity = "expected Kullback-Leibler divergence"
    return PAPER.states("Theorem 6", formula, quantity, value, (Verdict.LOOSE, reason), better=better)


def equation_23(shares: Sequence[object], records: int, prior: object, shift: object) -> Published:
    """Equation (23): Theorem 6 for b_i = a_i + s: at most G s^2 / (N+1), G = sum_i 1/p_i."""
    a, s = above_zero(prior, "prior"), zero_or_above(shift, "shift")
    found = theorem_6(shares, records, [a] * len(shares), [a + s] * len(shares))
    formula = "E KL(P, Q) <= (sum_i 1/p_i) s^2 / (N+1)"
    return replace(found, place="Equation (23)", formula=formula)


def equation_24(shares: Sequence[object], records: int, meant: object, drawn: object) -> Published:
    """Equation (24): the bound (23) in terms of privacy, D = psi'(a - (l-1)) meant and D' = psi'(b - (l-1)).

    (These D lack the factor l of Theorem 2: the divergence promised is l D.) More privacy, D' < pi^2/6:
    G s^2/(N+1) is at most 4 G (1/D' - 1/D)^2 / (N+1). Less privacy, D' > pi^2/6: it is at most
    2 G (1/sqrt D' - 1/sqrt D)^2 / (N+1). Both up to a constant.
    The first holds as it stands: with h = 1/psi', s = x' - x is at most (h(x') - h(x)) / h(1), as h is convex
    (checked on a grid) and x' >= 1, and 1/h(1) = pi^2/6 < 2. The second needs the factor 1.541, which is
    above 1/(2 g'(1)^2), g = psi'^(-1/2), whose slope falls from 1 at 0 to 0.5697 at 1 (likewise).
    """
    before, after = above_zero(meant, "meant"), above_zero(drawn, "drawn")
    if after >= before:
        raise PlanError("the draw is to be more private than what is meant", asked=shown((meant, drawn)))
    n = whole_number(records, "records")
    strength = float(sum(1 / above_zero(share, "shares") for share in shares))
    shift = _inverse(float(after)) - _inverse(float(before))
    better = strength * shift**2 / (n + 1)
    if after < _EDGE:
        value = 4 * strength * (1 / float(after) - 1 / float(before)) ** 2 / (n + 1)
        judged = Verdict.LOOSE, "it holds without a further constant"
        formula = "G s^2 / (N+1) <~ D2^4 G (1/D' - 1/D)^2 / (N+1)"
    else:
        value = 2 * strength * (1 / math.sqrt(after) - 1 / math.sqrt(before)) ** 2 / (n + 1)
        judged = Verdict.SOUND, "up to a factor of at most 1.541"
        formula = "G s^2 / (N+1) <~ D2^2 G (1/sqrt D' - 1/sqrt D)^2 / (N+1)"
    return PAPER.states("Equation (24)", formula, "the bound (23)", value, judged, better=better)


def _inverse(divergence: float) -> float:
    """Return the x at which psi'(x) is this; psi' decreases."""
    from scipy.special import polygamma

    low, high = 1e-8, 1e12
    if not float(polygamma(1, high)) < divergence < float(polygamma(1, low)):
        raise NumberError("divergence is out of range", asked=shown(divergence))
    while high / low > 1 + 1e-15 and low < math.sqrt(low * high) < high:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if float(polygamma(1, middle)) > divergence else (low, middle)
    return high
