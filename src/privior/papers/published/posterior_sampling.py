"""Bounds of "Differential Privacy for Bayesian Inference through Posterior Sampling".

There a likelihood p_theta(x) is smooth with respect to a distance rho of data sets: l(theta) is the smallest
number with |log p_theta(x) - log p_theta(y)| <= l(theta) rho(x, y) for all x and y. Assumption 1: l <= L
everywhere. Assumption 2: the prior gives l(theta) > L at most e^(-c (L - L0)), for every L >= L0.
C is the largest ratio of the likelihood to its mean under the prior, over all data sets and parameters: of
the WHOLE data set, not of one record. It grows with the number of records unless the parameters are finitely
many, and so does delta; quotients of a largest and a smallest likelihood of one record multiply.
"""

from __future__ import annotations

from fractions import Fraction

from privior.checks import above_zero, strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, shown
from privior.exact import round_up
from privior.interval_arithmetic import arb
from privior.papers.published.statement import Paper, Published, Verdict
from privior.privacy.pairs import SignedSteps, TruncatedDraw
from privior.privacy.pairs.balls import ball, balls, upper

PAPER = Paper(
    "Differential Privacy for Bayesian Inference through Posterior Sampling",
    "Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein",
    2017,
)


def theorem_8_lipschitz(
    lipschitz: object, distance: object = 1, family: TruncatedDraw | None = None, draws: int = 1
) -> Published:
    """Theorem 8(1) and Corollary 10(1): under Assumption 1 N draws are 2 N L rho - differentially private.

    It holds, for the log ratio of two posteriors is the log ratio of the likelihoods less that of their
    means. What matters is how far log p_theta(x) - log p_theta(y) varies with theta, its oscillation eta:
    a constant in it costs nothing. eta <= 2 L rho, with equality if that difference takes both L rho and
    -L rho; one draw is eta-private, and of eta-bounded range.

    Args:
        lipschitz: L, a number that the log likelihood's slope never exceeds
        distance: rho of two neighbours, at most
        family: the same likelihood as one of ours, if it is one; gives what is exact
        draws: N
    """
    slope, apart = zero_or_above(lipschitz, "lipschitz"), zero_or_above(distance, "distance")
    times = whole_number(draws, "draws")
    value = round_up(2 * times * slope * apart)
    place = "Theorem 8(1)" if times == 1 else "Corollary 10(1)"
    formula = "epsilon = 2 L rho" if times == 1 else "epsilon = 2 N L rho"
    if family is None:
        reason = "the oscillation of the log likelihood ratio is at most 2 L rho, and may be all of it"
        exact = SignedSteps(2 * slope * apart, times)
        return PAPER.states(place, formula, "epsilon", value, (Verdict.SOUND, reason), exact)
    exact = SignedSteps(family.pure, times)
    better = round_up(exact.pure)
    verdict = Verdict.LOOSE if better < value else Verdict.SOUND
    reason = "only the oscillation of the log likelihood ratio over the prior's support counts, for n records"
    return PAPER.states(place, formula, "epsilon", value, (verdict, reason), exact, better)


def bernoulli_lipschitz(smallest: object) -> Fraction:
    """Return L = ln(1/w) as printed for Bernoulli records with chances in [w, 1-w] (after Assumption 1).

    ln((1-w)/w) is enough, which is the largest slope of the log likelihood in the number of ones.
    """
    chance = strictly_within(smallest, "smallest", Fraction(1, 2))
    return Fraction(upper(lambda: (1 / ball(chance)).log()))


def theorem_8_stochastic(
    concentration: object, smooth: object, ratio: object, distance: object = 1, draws: int = 1
) -> Published:
    """Theorem 8(2): under Assumption 2 and c > 1, |xi(B|x) - xi(B|y)| <= sqrt(C/2 (1 + 2 L0 + 1/c) rho).

    Corollary 10(2) multiplies by N; it is printed as an order of magnitude, and read here with this constant.

    The printed proof loses a summand ln C between its inequality (13) and the sentence after the display that
    follows it. The conclusion is true all the same, and more: with p and q the posteriors' densities with
    respect to the prior, both at most C, and f = log p_theta(x) - log p_theta(y), the normalisers cancel in
    KL(p, q) + KL(q, p) = integral of f (p - q) <= C E|f| <= C rho E l(theta) <= C rho (L0 + 1/c).
    Pinsker's inequality in both orders makes 4 TV^2 of the left side: TV <= sqrt(C (L0 + 1/c) rho) / 2,
    for any c > 0. (For c < 2 and rho = 1 the text asks for a further scaling of rho that its formula does not
    show; the number here is the formula's.) N draws multiply the left side by N, hence TV by sqrt(N) only.

    Args:
        concentration: c
        smooth: L0
        ratio: C, of the whole data set
        distance: rho of two neighbours
        draws: N
    """
    c, most = above_zero(concentration, "concentration"), above_zero(ratio, "ratio")
    base, apart = zero_or_above(smooth, "smooth"), zero_or_above(distance, "distance")
    times = whole_number(draws, "draws")
    if most < 1:
        raise NumberError("a largest ratio to a mean is at least 1", where="ratio", asked=shown(ratio))

    def printed() -> arb:
        return times * ball(most / 2 * (1 + 2 * base + 1 / c) * apart).sqrt()

    def proved() -> arb:
        return ball(times * most * (base + 1 / c) * apart).sqrt() / 2

    value, better = upper(printed), upper(proved)
    place = "Theorem 8(2)" if times == 1 else "Corollary 10(2)"
    formula = "delta = sqrt(C/2 (1 + 2 L0 + 1/c) rho), c > 1, epsilon = 0" + ", times N" * (times > 1)
    if c <= 1:
        judged = Verdict.VACUOUS, "its assumption c > 1 does not hold"
    elif value >= 1:
        judged = Verdict.VACUOUS, "a total variation is never above 1"
    else:
        judged = Verdict.LOOSE, "its proof loses ln C; another proof gives less than half of it"
    return PAPER.states(place, formula, "delta", value, judged, better=min(1.0, better))


def corollary_9(
    concentration: object, smooth: object, level: object, family: TruncatedDraw | None
) -> Published:
    """Corollary 9: with probability at least 1 - e^(-c (L - L0)) the posterior is 2 L rho - private.

    The event speaks of all sets B and all data x and y: it contains no theta, so its probability is 0 or 1,
    and a lower bound above 0 says that the posterior is 2L-private outright. For a prior whose posteriors
    have an unbounded ratio (any Beta prior) that is false. Restricting the prior to l(theta) <= L is what
    gives a 2L-private draw.

    Args:
        concentration: c
        smooth: L0
        level: L
        family: the truncated family, if the prior is truncated; None if the posteriors' ratio is unbounded
    """
    c = above_zero(concentration, "concentration")
    base, top = zero_or_above(smooth, "smooth"), zero_or_above(level, "level")
    value = upper(lambda: (-ball(c * (top - base))).exp())
    formula = "2L-private but for a chance e^(-c (L - L0))"
    exact = None if family is None else SignedSteps(family.pure)
    holds = exact is not None and exact.pure <= 2 * top
    reason = f"the event contains no theta, so its chance is 0 or 1; here it is {int(holds)}"
    judged = Verdict.LOOSE if holds else Verdict.FALSE, reason
    return PAPER.states("Corollary 9", formula, "chance of failure", value, judged, exact, float(not holds))


def lemma_21(shape: object, records: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return c, L0 and C as printed for n Bernoulli records with a Beta(shape, shape) prior.

    L0 = ln n, c = 2^(1 - 2 shape) / B(shape, shape), C = B(shape, shape) / B(n/2 + shape - 1/2, n/2 + shape
    + 1/2). c > 1 needs a shape above 3.38, which the lemma does not say. C, and with it delta, is vacuous.
    """
    a, n = above_zero(shape, "shape"), whole_number(records, "records")

    def beta(one: Fraction, other: Fraction) -> arb:
        x, y = balls(one, other)
        return (x.lgamma() + y.lgamma() - (x + y).lgamma()).exp()

    half = Fraction(n - 1, 2) + a
    slope = upper(lambda: (ball(1 - 2 * a) * ball(2).log()).exp() / beta(a, a))
    ratio = upper(lambda: beta(a, a) / beta(half, half + 1))
    return Fraction(slope), Fraction(upper(lambda: ball(n).log())), Fraction(ratio)
