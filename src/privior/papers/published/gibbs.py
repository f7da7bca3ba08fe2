"""Bounds of "(epsilon, delta)-Differential Privacy of Gibbs Posteriors".

One draw from the density proportional to exp(-beta * sum of losses(theta, x_i)) * prior(theta); one record is
replaced. With losses that are convex and L-Lipschitz in theta and a prior whose negative logarithm is
m-strongly convex, on any convex set, it is mu-GDP for mu = 2 beta L / sqrt(m) (Gopi, Lee, Liu, Private Convex
Optimization via Exponential Mechanism, 2022), with equality for linear losses and a Gaussian prior. That is
the exact counterpart of Theorem 7 and Corollary 8 here.
"""

from __future__ import annotations

from fractions import Fraction

from privior.checks import above_zero, strictly_within
from privior.exact import rational, round_down, round_up
from privior.interval_arithmetic import arb
from privior.papers.published.statement import Paper, Published, Verdict
from privior.privacy.pairs import BoundedRangePair, GaussianPair
from privior.privacy.pairs.balls import ball, balls, upper

PAPER = Paper("(epsilon, delta)-Differential Privacy of Gibbs Posteriors", "Minami, Arai, Sato")


def theorem_3(temperature: object, sensitivity: object) -> Published:
    """Theorem 3 (McSherry, Talwar): a loss of all data of sensitivity D gives 2 beta D.

    The difference of two neighbours' losses lies in [-D, D], so its oscillation is at most 2D, which one
    draw pays at most. It is approached where the difference is D on nearly all of the prior and -D elsewhere.
    """
    return _bounded("Theorem 3", "epsilon = 2 beta D", temperature, sensitivity, 2)


def theorem_4_bounded(temperature: object, bound: object) -> Published:
    """Theorem 4(a) (Wang, Fienberg, Smola): |loss| <= A gives 4 beta A.

    Losses in [0, A] vary half as much: 2 beta A.
    """
    return _bounded("Theorem 4(a)", "epsilon = 4 beta A", temperature, bound, 4)


def theorem_4_differences(temperature: object, bound: object) -> Published:
    """Theorem 4(b): losses of two records that differ by at most L at every theta give 2 beta L."""
    return _bounded("Theorem 4(b)", "epsilon = 2 beta L", temperature, bound, 2)


def theorem_5(mu: object, epsilon: object) -> Published:
    """Theorem 5: if the loss is at least epsilon with probability at most delta, that delta will do.

    True, and loose: delta is E[max(0, 1 - e^(epsilon - loss))], which counts only a part of each such
    outcome. The number is for the Gaussian pair: P[loss >= epsilon] = Phi(mu/2 - epsilon/mu). For another
    release that this pair dominates the tail is not bounded by it: domination orders deltas, not tails.
    """
    pair, level = GaussianPair(above_zero(mu, "mu") ** 2), above_zero(epsilon, "epsilon")

    def formula() -> arb:
        m, e = balls(rational(mu, "mu"), level)
        return ((e / m - m / 2) / ball(2).sqrt()).erfc() / 2

    judged = (
        Verdict.LOOSE,
        "the tail counts an outcome in full where delta counts 1 - e^(epsilon - loss) of it",
    )
    printed, better = "delta = P[loss >= epsilon]", pair.delta(round_down(level))
    return PAPER.states("Theorem 5", printed, "delta", upper(formula), judged, pair, better)


def theorem_7(temperature: object, lipschitz: object, convexity: object, epsilon: object) -> Published:
    """Theorem 7: delta = exp(-m / (8 L^2 beta^2) (epsilon - 2 L^2 beta^2 / m)^2), epsilon > 2 L^2 beta^2 / m.

    In mu^2 = 4 beta^2 L^2 / m: exp(-(epsilon - mu^2/2)^2 / (2 mu^2)), the usual bound of a Gaussian tail,
    and so a bound of the tail of the Gaussian pair. Below the threshold it says nothing.
    """
    pair = gibbs_pair(temperature, lipschitz, convexity)
    level, square = above_zero(epsilon, "epsilon"), pair.mu_squared
    formula = "delta = exp(-(epsilon - mu^2/2)^2 / (2 mu^2)), mu = 2 beta L / sqrt(m)"
    better = pair.delta(round_down(level))
    if level <= square / 2:
        reason = "epsilon is not above mu^2/2, where the theorem begins"
        return PAPER.states("Theorem 7", formula, "delta", 1.0, (Verdict.VACUOUS, reason), pair, better)
    value = upper(lambda: (-ball((level - square / 2) ** 2 / (2 * square))).exp())
    reason = "a bound of the tail of the Gaussian pair, whose exact curve is smaller"
    return PAPER.states("Theorem 7", formula, "delta", value, (Verdict.LOOSE, reason), pair, better)


def corollary_8_first(epsilon: object) -> Published:
    """Corollary 8(i): beta = sqrt(m epsilon / (2 L^2)) gives (epsilon, e^(-(1+epsilon)/4)).

    That is mu^2 = 2 epsilon, just where Theorem 7 does not begin yet. The exact delta is
    1/2 - e^epsilon Phi(-sqrt(2 epsilon)), which tends to 1/2: the claim fails for epsilon above 3.105.
    """
    level = above_zero(epsilon, "epsilon")
    value = upper(lambda: (-ball((1 + level) / 4)).exp())
    formula = "delta = e^(-(1+epsilon)/4) at beta = sqrt(m epsilon / (2 L^2))"
    return _judged("Corollary 8(i)", formula, value, GaussianPair(2 * level), level)


def corollary_8_second(epsilon: object, delta: object) -> Published:
    """Corollary 8(ii): beta = epsilon/(2L) sqrt(m / (1 + 2 ln(1/delta))) gives (epsilon, delta).

    That is mu = epsilon / sqrt(1 + 2 ln(1/delta)). Theorem 7 asks for epsilon - mu^2/2 >= mu sqrt(2
    ln(1/delta)), which fails for large epsilon; the claim itself fails above 9.339 at delta = 1e-6.
    """
    level, chance = above_zero(epsilon, "epsilon"), strictly_within(delta, "delta")
    square = Fraction(upper(lambda: ball(level**2) / (1 + 2 * (1 / ball(chance)).log())))
    formula = "delta, at beta = epsilon / (2 L) sqrt(m / (1 + 2 ln(1/delta)))"
    return _judged("Corollary 8(ii)", formula, round_up(chance), GaussianPair(square), level)


def gibbs_pair(temperature: object, lipschitz: object, convexity: object) -> GaussianPair:
    """Return the Gaussian pair with mu = 2 beta L / sqrt(m).

    m is the curvature of the prior in every direction, an intercept's too; with an intercept the Lipschitz
    constant of a logistic loss is sqrt(R^2 + 1), not R as in equation (15) of the paper.
    """
    beta, slope = above_zero(temperature, "temperature"), above_zero(lipschitz, "lipschitz")
    return GaussianPair(4 * beta**2 * slope**2 / above_zero(convexity, "convexity"))


def _bounded(place: str, formula: str, temperature: object, bound: object, times: int) -> Published:
    epsilon = times * above_zero(temperature, "temperature") * above_zero(bound, "bound")
    reason = "the loss ranges over an interval of that length at most, and may come as close as one likes"
    exact = BoundedRangePair(epsilon)
    value = round_up(epsilon)
    return PAPER.states(place, formula, "epsilon", value, (Verdict.SOUND, reason), exact, value)


def _judged(place: str, formula: str, value: float, pair: GaussianPair, epsilon: Fraction) -> Published:
    better = pair.delta(round_down(epsilon))
    if better > value:
        judged = Verdict.FALSE, "linear losses and a Gaussian prior have a larger delta"
    else:
        judged = Verdict.LOOSE, "the exact curve is smaller at this epsilon; at a large one the claim fails"
    return PAPER.states(place, formula, "delta", value, judged, pair, better)
