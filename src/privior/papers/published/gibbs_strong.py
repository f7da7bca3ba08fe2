"""Strongly convex losses in "(epsilon, delta)-Differential Privacy of Gibbs Posteriors": Assumption 9 and on.

Theorem 10 and Corollary 11 have a constant that nobody states. What holds instead, without one, is
`gibbs_proofs.strong_pair`, where the proof is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privior.checks import above_zero, strictly_within
from privior.errors import NumberError
from privior.exact import rational, round_down
from privior.papers.gibbs_laws import GibbsLaws, LossFunction
from privior.papers.published.gibbs import PAPER
from privior.papers.published.gibbs_proofs import strong_pair
from privior.papers.published.statement import Published, Verdict
from privior.privacy.calibration import largest
from privior.privacy.pairs.balls import ball, upper


def equation_10(laws: GibbsLaws, kappa: object) -> Published:
    """Equation (10): the mean of the law on all of R^d is within kappa, for all data.

    Computed for both data sets of the laws. For all data of n records with L-Lipschitz losses and a Gaussian
    prior kappa = beta n L / m always does, since E[m theta + beta sum of slopes] = 0; losses in
    one direction attain it. So kappa grows with n, and the ball with it.
    """
    limit = rational(kappa, "kappa")
    mean = max(abs(laws.mean(lambda theta: theta, law)) for law in (0, 1))
    if mean > float(limit) + 1e-12:
        judged = Verdict.VACUOUS, "the mean lies beyond kappa: these data are outside the assumption"
    elif math.isclose(mean, float(limit), rel_tol=1e-6, abs_tol=1e-12):
        judged = Verdict.SOUND, "these data attain it"
    else:
        judged = Verdict.LOOSE, "the mean is nearer"
    return PAPER.states("equation (10)", "|E theta| <= kappa", "mean", float(limit), judged, None, mean)


def assumption_9(laws: GibbsLaws, radius: object, kappa: object = 0, alpha: object = 2) -> Published:
    """Assumption 9(i): R <= kappa + alpha sqrt(d / m), from which the ball is said to hold 1 - 1/alpha^2.

    Chebyshev's inequality gives that for R at least as large, not at most: a small ball satisfies the
    assumption and holds next to nothing. The mass is that of the laws, before they are restricted, about
    which (10) is checked too; one parameter, so d = 1.
    """
    r, wide, middle = above_zero(radius, "radius"), rational(alpha, "alpha"), rational(kappa, "kappa")
    if wide <= 1:
        raise NumberError("alpha is above 1", asked=str(alpha))
    if laws.ends is not None:
        raise NumberError("the mass of a ball is that of laws on all of R", asked=str(laws.ends))
    inside = float(r) <= float(middle) + float(wide) / math.sqrt(laws.precision)
    value = float(1 - 1 / wide**2)
    mass = min(laws.chance(lambda theta: float(r) - np.abs(theta), law) for law in (0, 1))
    if (centred := equation_10(laws, middle)).verdict is Verdict.VACUOUS:
        judged = Verdict.VACUOUS, centred.reason
    elif not inside:
        judged = Verdict.VACUOUS, "this radius is outside the assumption"
    elif mass < value:
        judged = Verdict.FALSE, "the inequality for the radius points the wrong way: the ball holds less"
    else:
        judged = Verdict.LOOSE, "the ball holds more; that follows from a radius at least as large"
    formula = "chance of the ball >= 1 - 1/alpha^2 for R <= kappa + alpha sqrt(d/m)"
    return PAPER.states("Assumption 9(i)", formula, "chance", value, judged, None, mass)


def theorem_10(
    temperature: object,
    lipschitz: object,
    convexity: object,
    records: object,
    loss_convexity: object,
    epsilon: object,
    *,
    alpha: object = 2,
    constant: object = 1,
) -> Published:
    """Theorem 10: (8) with n m_l beta + m for m and C' = 2 C L^2 (1 + ln(alpha^2 / (alpha^2 - 1))).

    C is "a universal constant" that nobody states, so the theorem is no number until somebody chooses one.
    It holds from C' = 2 L^2 on, for then it bounds the tail of `strong_pair`; neither a ball, nor the mean
    of the posterior (kappa), nor alpha is needed for that: a strongly log-concave law that is restricted to a
    convex set satisfies the log-Sobolev inequality with the same constant. With a smaller constant it is
    called false only where one of its own cases, by quadrature, has a larger delta (`_a_case`).
    """
    facts = temperature, lipschitz, convexity, records, loss_convexity
    pair = strong_pair(*facts)
    level, times, unit = (
        above_zero(epsilon, "epsilon"),
        above_zero(constant, "constant"),
        rational(alpha, "alpha"),
    )
    if unit <= 1:
        raise NumberError("alpha is above 1", asked=str(alpha))

    def halved() -> float:
        """mu^2/2 with C' in the place of 2 L^2."""
        spread = 1 + (ball(unit**2) / ball(unit**2 - 1)).log()
        return upper(lambda: ball(pair.mu_squared) / 2 * ball(times) * spread)

    mean = Fraction(halved())
    formula = "delta = exp(-(epsilon - k)^2 / (4k)), k = C' beta^2 / (n m_l beta + m)"
    better = pair.delta(round_down(level))
    if level <= mean:
        reason = "epsilon is not above the threshold where the theorem begins"
        return PAPER.states("Theorem 10", formula, "delta", 1.0, (Verdict.VACUOUS, reason), pair, better)
    value = upper(lambda: (-ball((level - mean) ** 2 / (4 * mean))).exp())
    if better <= value:
        judged = Verdict.LOOSE, "its constant is not stated; the exact curve needs none and is smaller"
    elif (shown := _a_case(facts, level)) > value:
        judged = Verdict.FALSE, "losses on an interval exceed it, with this choice of the constant left open"
        better = shown
    else:
        judged = (
            Verdict.VACUOUS,
            "with so small a constant nothing proves it, and no case is known to refute it",
        )
        return PAPER.states("Theorem 10", formula, "delta", value, judged, pair)
    return PAPER.states("Theorem 10", formula, "delta", value, judged, pair, better)


def _a_case(facts: Sequence[object], epsilon: Fraction) -> float:
    """Return the exact delta of one parameter on an interval, a case of Assumption 9: the largest of a few.

    Losses -s theta and s theta with m_l theta^2 / 2 beside, s = L - m_l R, so that they are L-Lipschitz on
    |theta| <= R; all other records have the ridge alone. By symmetry both orders have one delta.
    """
    beta, slope, precision, records, own = (float(rational(one, "fact")) for one in facts)
    deviation = 1 / math.sqrt(precision + beta * records * own)
    found = 0.0
    for reach in (deviation * times for times in (2, 3, 4, 6, 8)):
        straight = slope - own * reach
        if straight > 0:
            ends = -reach, reach
            sides = (_ridged(-straight, own), _ridged(straight, own))
            laws = GibbsLaws(beta, precision, _ridged(0, (records - 1) * own), sides, ends)
            found = max(found, laws.delta(float(epsilon)))
    return found


def _ridged(slope: float, own: float) -> LossFunction:
    return lambda theta: slope * theta + own * theta**2 / 2


def corollary_11(
    epsilon: object,
    delta: object,
    lipschitz: object,
    convexity: object,
    records: object,
    loss_convexity: object,
    *,
    alpha: object = 2,
    constant: object = 1,
) -> Published:
    """Corollary 11: there is a largest temperature; by (11) with a constant of our choice, and exact.

    The quantity is a temperature: a larger one is better. It grows with n without end, which is the paper's
    contraction effect, and with the square root of m while n is small: the shrinkage effect.
    """
    level, chance = above_zero(epsilon, "epsilon"), strictly_within(delta, "delta")
    facts = lipschitz, convexity, records, loss_convexity

    def printed(beta: Fraction) -> bool:
        made = theorem_10(beta, *facts, level, alpha=alpha, constant=constant)
        return Fraction(made.value) <= chance

    def exact(beta: Fraction) -> bool:
        return Fraction(strong_pair(beta, *facts).delta(round_down(level))) <= chance

    value, better = (float(largest(holds) or 0) for holds in (printed, exact))
    judged = (Verdict.LOOSE, "no bound is printed; the exact curve allows a larger temperature")
    formula = "beta <= B(epsilon, delta, n, m_l, m, alpha)"
    return PAPER.states("Corollary 11", formula, "temperature", value, judged, None, better)
