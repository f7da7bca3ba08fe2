"""The steps of "(epsilon, delta)-Differential Privacy of Gibbs Posteriors", and its strongly convex losses.

`gibbs` has the theorems on Lipschitz losses. Here are the maps of equations (4) and (5), Assumption 6, the
recipe of (7), the logistic example (12) to (15), and the proof, (16) to (23); `gibbs_steps` has its steps for
given laws, `gibbs_strong` Assumption 9 with Theorem 10 and Corollary 11.

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
from privior.papers.published.gibbs import PAPER, gibbs_pair, theorem_7
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


def assumption_6(laws: GibbsLaws, convexity: object, lipschitz: object, epsilon: object) -> Published:
    """Assumption 6: parameters in all of R^d, losses and prior twice differentiable, and Theorem 7 follows.

    More than is needed: on any convex set, and for losses with bends (Huber), the same curve holds (`gibbs`).
    What is needed in full is (iii): m is the smallest curvature of the prior in any direction, that of an
    intercept too. The number is the delta of Theorem 7 at this m, next to the exact one of the laws.

    Args:
        laws: of one parameter, on an interval if they have ends, of losses of any shape
        convexity: m, of all that the prior is said to be
        lipschitz: L
        epsilon: where
    """
    stated, level = above_zero(convexity, "convexity"), above_zero(epsilon, "epsilon")
    printed = theorem_7(laws.temperature, lipschitz, stated, level)
    value, better = printed.value, max(one.delta(float(level)) for one in (laws, laws.mirrored))
    if laws.precision < stated * (1 - Fraction(1, 10**12)):
        judged = (
            Verdict.VACUOUS,
            "the prior is flatter than m in this direction: outside the assumption, which counts all of them",
        )
    elif better > value:
        judged = Verdict.FALSE, "these losses are steeper than L"
    else:
        judged = Verdict.LOOSE, "neither all of R^d nor second derivatives are needed: any convex set will do"
    formula = "R^d, losses twice differentiable, L-Lipschitz, convex, -ln prior m-strongly convex: Theorem 7"
    return PAPER.states("Assumption 6", formula, "delta", value, judged, printed.exact, better)


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

    Together with (19), (23) is Theorem 7; `gibbs_steps` has (18) to (20).
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
