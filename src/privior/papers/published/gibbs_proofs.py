"""The steps of "(epsilon, delta)-Differential Privacy of Gibbs Posteriors", and its strongly convex losses.

`gibbs` has the theorems on Lipschitz losses. Here are the maps of equations (4) and (5), the recipe of (7),
Assumption 9 with Theorem 10 and Corollary 11, the logistic example (13) to (15), and the proof, (16) to (23).

Strongly convex losses. On a convex set let every loss be m_l-strongly convex and L-Lipschitz, and the
negative logarithm of the prior m-strongly convex. Two data sets of n records that differ in one have
potentials that are both (m + beta n m_l)-strongly convex, and their difference is 2 beta L-Lipschitz. What
Gopi, Lee, Liu (Private Convex Optimization via Exponential Mechanism, 2022) prove is about just that: two
M-strongly convex functions on one convex set whose difference is G-Lipschitz give laws that are G/sqrt(M)-GDP
apart. So mu = 2 beta L / sqrt(m + beta n m_l). No constant is left open, no radius and no mean matters. The
number of records is in it, so neighbours replace a record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privior.checks import above_zero, strictly_within, whole_number
from privior.errors import NumberError
from privior.exact import rational, round_down, round_up
from privior.papers.gibbs_laws import GibbsLaws, linear_loss, logistic_loss
from privior.papers.published.gibbs import PAPER, gibbs_pair
from privior.papers.published.statement import Published, Verdict
from privior.privacy.calibration import largest
from privior.privacy.pairs import GaussianPair
from privior.privacy.pairs.balls import ball, upper


def d_dp(first: Sequence[object], second: Sequence[object]) -> float:
    """Return the distance (4) of two laws on finitely many points: the largest |log p - log q|.

    A set's log ratio lies between those of its points, so that points alone decide; if one law has a point
    that the other excludes, it is infinite.
    """
    both = [
        (float(rational(p, "chance")), float(rational(q, "chance")))
        for p, q in zip(first, second, strict=True)
    ]
    if any((p == 0) != (q == 0) for p, q in both):
        return math.inf
    return max(abs(math.log(p / q)) for p, q in both if p)


def equation_5(
    temperature: object, first: Sequence[object], second: Sequence[object], prior: Sequence[object]
) -> Published:
    """Equation (5): the Gibbs map is 2 beta-Lipschitz from the supremum distance to d_DP; on finitely many
    points, with f and g by their values.

    True, and the 2 cannot be smaller in general; for two given functions beta times the range of f - g is a
    bound as well, for a constant that is added to one of them changes nothing.
    """
    beta = above_zero(temperature, "temperature")
    f, g, weights = ([rational(one, "value") for one in row] for row in (first, second, prior))
    apart = [a - b for a, b in zip(f, g, strict=True)]
    value = 2 * beta * max(map(abs, apart))
    laws = []
    for losses in (f, g):
        masses = [float(w) * math.exp(-float(beta * x)) for w, x in zip(weights, losses, strict=True)]
        laws.append([mass / sum(masses) for mass in masses])
    exact = d_dp(*laws)
    attained = math.isclose(exact, float(value), rel_tol=1e-6)
    judged = (
        (Verdict.SOUND, "these two functions attain it")
        if attained
        else (Verdict.LOOSE, "beta times the range of f - g bounds it too, and the law is nearer still")
    )
    printed = "d_DP(G(f), G(g)) <= 2 beta sup|f - g|"
    return PAPER.states("equation (5)", printed, "distance d_DP", round_up(value), judged, None, exact)


def equation_7(mu: object, delta: object) -> Published:
    """Equation (7): a bound of the mean loss plus a tail t with exp(-alpha(t)) = delta give an epsilon.

    For Lipschitz losses the mean is at most mu^2/2 and alpha(t) = t^2/(2 mu^2), mu = 2 beta L / sqrt(m):
    epsilon = mu^2/2 + mu sqrt(2 ln(1/delta)). True, and the epsilon of the exact curve is smaller.
    """
    pair, chance = GaussianPair(above_zero(mu, "mu") ** 2), strictly_within(delta, "delta")
    square = pair.mu_squared
    value = upper(lambda: ball(square) / 2 + (2 * ball(square) * (1 / ball(chance)).log()).sqrt())
    better = largest(lambda e: pair.delta(round_down(e)) > float(chance), Fraction(1, 10**9), Fraction(10**6))
    judged = (Verdict.LOOSE, "a tail counts outcomes in full, and its bound is not the tail")
    printed = "epsilon = mu^2/2 + mu sqrt(2 ln(1/delta))"
    exact = 0.0 if better is None else float(better)
    return PAPER.states("equation (7)", printed, "epsilon", value, judged, pair, exact)


# Strongly convex losses


def strong_pair(
    temperature: object, lipschitz: object, convexity: object, records: object, loss_convexity: object
) -> GaussianPair:
    """Return the pair with mu = 2 beta L / sqrt(m + beta n m_l), for neighbours that replace a record."""
    beta, slope = above_zero(temperature, "temperature"), above_zero(lipschitz, "lipschitz")
    own = rational(loss_convexity, "loss_convexity")
    if own < 0:
        raise NumberError("a convexity is not below 0", asked=str(own))
    curved = above_zero(convexity, "convexity") + beta * whole_number(records, "records") * own
    return GaussianPair(4 * beta**2 * slope**2 / curved)


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
    It holds from C' = 2 L^2 on, for then it bounds the tail of the pair above; neither a ball, nor the mean
    of the posterior (kappa), nor alpha is needed for that: a strongly log-concave law that is restricted to a
    convex set satisfies the log-Sobolev inequality with the same constant.
    """
    pair = strong_pair(temperature, lipschitz, convexity, records, loss_convexity)
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
    if better > value:
        judged = Verdict.FALSE, "with this choice of the constant that the paper leaves open"
    else:
        judged = Verdict.LOOSE, "its constant is not stated; the exact curve needs none and is smaller"
    return PAPER.states("Theorem 10", formula, "delta", value, judged, pair, better)


def assumption_9(convexity: object, radius: object, kappa: object = 0, alpha: object = 2) -> Published:
    """Assumption 9(i): R <= kappa + alpha sqrt(d / m), from which the ball is said to hold 1 - 1/alpha^2.

    Chebyshev's inequality gives that for R at least as large, not at most: a small ball satisfies the
    assumption and holds next to nothing. One dimension, the law Normal(0, 1/m), kappa = 0.
    """
    m, r = above_zero(convexity, "convexity"), above_zero(radius, "radius")
    wide = rational(alpha, "alpha")
    inside = float(r) <= float(rational(kappa, "kappa")) + float(wide) / math.sqrt(m)
    value, mass = float(1 - 1 / wide**2), math.erf(float(r) * math.sqrt(m / 2))
    if not inside:
        judged = Verdict.VACUOUS, "this radius is outside the assumption"
    elif mass < value:
        judged = Verdict.FALSE, "the inequality for the radius points the wrong way: the ball holds less"
    else:
        judged = Verdict.LOOSE, "the ball holds more; that follows from a radius at least as large"
    formula = "chance of the ball >= 1 - 1/alpha^2 for R <= kappa + alpha sqrt(d/m)"
    return PAPER.states("Assumption 9(i)", formula, "chance", value, judged, None, mass)


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


# The logistic example


def equation_14(temperature: object, records: object, ridge: object) -> Published:
    """Equations (13) and (14): the Gibbs posterior of ridge lambda has a prior of precision n lambda.

    Its mode minimises the mean loss plus (lambda/beta) |theta|^2 / 2: the estimator (13) only at beta = 1.
    The number is the ridge of the mode, next to the one that is meant.
    """
    beta, lam = above_zero(temperature, "temperature"), above_zero(ridge, "ridge")
    whole_number(records, "records")
    same = beta == 1
    judged = (
        (Verdict.SOUND, "at beta = 1 the mode of (14) is the estimator (13)")
        if same
        else (Verdict.FALSE, "the mode of (14) has the ridge lambda / beta: it corresponds at beta = 1 only")
    )
    formula = "the Gibbs posterior that corresponds to ridge lambda has precision n lambda"
    return PAPER.states("equation (14)", formula, "ridge", float(lam), judged, None, float(lam / beta))


def equation_15(radius: object, precision: object, epsilon: object, delta: object) -> Published:
    """Equation (15): beta = epsilon/(2R) sqrt(n lambda / (1 + 2 ln(1/delta))) gives (epsilon, delta).

    With an intercept the loss is sqrt(R^2 + 1)-Lipschitz. One record without features, label 1 or -1, whose
    loss depends on the intercept alone: the exact delta of that pair is what `better` states.
    """
    reach, m = above_zero(radius, "radius"), above_zero(precision, "precision")
    level, chance = above_zero(epsilon, "epsilon"), strictly_within(delta, "delta")
    beta = float(level / (2 * reach)) * math.sqrt(float(m) / (1 + 2 * math.log(1 / float(chance))))
    laws = GibbsLaws(beta, float(m), lambda theta: 0 * theta, (logistic_loss(1.0), logistic_loss(-1.0)))
    better = laws.delta(float(level))
    pair = gibbs_pair(beta, round_up(reach**2 + 1) ** 0.5 * (1 + 1e-12), m)
    if better > chance:
        judged = Verdict.FALSE, "the intercept is not counted: the loss is sqrt(R^2 + 1)-Lipschitz"
    else:
        judged = Verdict.LOOSE, "here R is so large that the intercept does not matter"
    formula = "delta, at beta = epsilon/(2R) sqrt(n lambda / (1 + 2 ln(1/delta)))"
    return PAPER.states("equation (15)", formula, "delta", float(chance), judged, pair, better)


# The proof


def lemma_12(convexity: object, tilt: object) -> Published:
    """Lemma 12: exp(-U) with an m-strongly convex U has a log-Sobolev constant of at most 1/m.

    For a Normal law and f = exp(tilt theta) the inequality (16) is an equality: the constant is attained.
    """
    m, t = float(above_zero(convexity, "convexity")), float(rational(tilt, "tilt"))
    law = GibbsLaws(1.0, m, lambda theta: 0 * theta, (linear_loss(0.0), linear_loss(0.0)))
    square = law.mean(lambda x: np.exp(2 * t * x))
    entropy = law.mean(lambda x: 2 * t * x * np.exp(2 * t * x)) - square * math.log(square)
    exact = entropy / (2 * t**2 * square) if t else 1 / m
    judged = (Verdict.SOUND, "Normal laws and exponentials attain it")
    formula = "E[f^2 ln f^2] - E[f^2] ln E[f^2] <= (2/m) E|f'|^2"
    return PAPER.states("Lemma 12", formula, "log-Sobolev constant", 1 / m, judged, None, exact)


def equation_17(convexity: object, lipschitz: object, above: object) -> Published:
    """Equation (17): an L-Lipschitz function exceeds its mean by t with chance <= exp(-m t^2 / (2 L^2)).

    The tail of a Normal law is that of a linear function, which is the worst one: Phi(-t sqrt(m)/L).
    """
    m, slope, t = (
        above_zero(convexity, "convexity"),
        above_zero(lipschitz, "lipschitz"),
        above_zero(above, "above"),
    )
    value = upper(lambda: (-ball(m * t**2 / (2 * slope**2))).exp())
    exact = math.erfc(float(t) * math.sqrt(m) / float(slope) / math.sqrt(2)) / 2
    judged = (Verdict.LOOSE, "Chernoff's bound of a Normal tail")
    printed = "P[F >= E F + t] <= exp(-t^2 / (2 L^2 D))"
    return PAPER.states("equation (17)", printed, "chance", value, judged, None, exact)


def equation_21(mu: object) -> Published:
    """Equation (21): the divergence is said to be E[F ln F] - E[F] E[ln F] under the second law.

    The second term must be E[F] ln E[F] = 0. As printed the right side is the divergence and its mirror
    together: mu^2 for Normal laws, where mu^2/2 is true. The next line takes the right one.
    """
    number = float(above_zero(mu, "mu"))
    laws = GibbsLaws(1.0, 1.0, lambda theta: 0 * theta, (linear_loss(number), linear_loss(0.0)))
    judged = (Verdict.FALSE, "E[F] E[ln F] stands where E[F] ln E[F] is meant; (22) is not affected")
    printed = "KL = E[F ln F] - E[F] E[ln F]"
    value = laws.divergence - laws.loss_under_second
    return PAPER.states("equation (21)", printed, "divergence", value, judged, None, laws.divergence)


def equation_22(laws: GibbsLaws, lipschitz: object) -> Published:
    """Equation (22): the divergence is at most 2 L^2 beta^2 / m; linear losses attain it.

    Together with (19), (23) is Theorem 7; (18) and (20) are the chain rule and hold.
    """
    slope = float(above_zero(lipschitz, "lipschitz"))
    value = 2 * slope**2 * laws.temperature**2 / laws.precision
    attained = math.isclose(value, laws.divergence, rel_tol=1e-6)
    judged = (
        (Verdict.SOUND, "linear losses attain it")
        if attained
        else (Verdict.LOOSE, "these losses are farther from linear ones than the bound knows")
    )
    printed = "KL <= 2 L^2 beta^2 / m"
    return PAPER.states("equation (22)", printed, "divergence", value, judged, None, laws.divergence)
