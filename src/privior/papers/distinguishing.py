"""Sections 4.3 and 4.5 of "Differential Privacy for Bayesian Inference through Posterior Sampling".

Whether N draws from a posterior let an adversary tell two data sets apart: what one tester needs (Lemma 12,
Theorem 13), and what nobody can do better than (Le Cam's method, Lemma 18). What the best tester can do is
`likelihood_ratio`.
"""

from __future__ import annotations

import math

from privior.checks import above_zero, strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, shown
from privior.papers.published import Published, Verdict
from privior.papers.published.posterior_sampling import PAPER


def most_parts(failure: object) -> int:
    """Return the largest m with m <= log2 sqrt(1/failure): the finest partition that Lemma 12 speaks of.

    >>> most_parts("1/16"), most_parts("0.05"), most_parts("0.1")
    (2, 2, 1)
    """
    chance, parts = strictly_within(failure, "failure"), 0
    while chance * 4 ** (parts + 1) <= 1:
        parts += 1
    return parts


def lemma_12(parts: int, draws: int, failure: object) -> Published:
    """Lemma 12: shares of N draws in m <= log2 sqrt(1/failure) parts are within sqrt(3 ln(1/failure) / N).

    In the sum of absolute differences, but for a chance of `failure`. It holds; a partition has two parts at
    least, so a failure above 1/16 is never meant. The inequality that it is taken from gives
    sqrt(2 ln((2^m - 2)/failure) / N), for any m. Both are vacuous from 2 on.

    Args:
        parts: m
        draws: N
        failure: the chance that the bound fails
    """
    m, n = whole_number(parts, "parts", 2), whole_number(draws, "draws")
    chance = float(strictly_within(failure, "failure"))
    value = math.sqrt(3 * math.log(1 / chance) / n)
    better = math.sqrt(2 * max(0.0, math.log((2**m - 2) / chance)) / n)
    if m > most_parts(failure):
        judged = Verdict.VACUOUS, "its assumption m <= log2 sqrt(1/failure) does not hold"
    elif value >= 2:
        judged = Verdict.VACUOUS, "two laws are never farther apart than 2"
    else:
        judged = Verdict.LOOSE, "the inequality it is taken from gives less"
    formula = "|P^ - P|_1 <= sqrt(3 ln(1/failure) / N), m <= log2 sqrt(1/failure)"
    return PAPER.states("Lemma 12", formula, "distance", value, judged, better=min(2.0, better))


def theorem_13(
    slope: object, draws: int, failure: object, distance: object, accuracy: float | None = None
) -> Published:
    """Theorem 13: an adversary tells x from y but for a chance `failure` if rho >= 3 ln(1/failure)/(4 L N).

    The proof shows "only if", and of one adversary: who compares shares in the parts of Lemma 12 with what
    one posterior expects cannot trust a difference below the lemma's bound; and by Theorem 7 the difference
    is at most sqrt(4 L rho). So for rho below that number *this* test says nothing. The best test may do
    more or less, whatever rho is: `accuracy` is what it does.

    Args:
        slope: L of Assumption 1, or C (L0 + 1/c)/2 under Assumption 2, of which KL <= 2 L rho follows as well
        draws: N
        failure: the chance of a wrong answer that the adversary allows
        distance: rho of the two data sets
        accuracy: the chance that the best test is right; None if it is not known
    """
    steep, n = above_zero(slope, "slope"), whole_number(draws, "draws")
    apart = zero_or_above(distance, "distance")
    chance = float(strictly_within(failure, "failure"))
    value = 3 * math.log(1 / chance) / (4 * float(steep) * n)
    meant = float(apart) >= value
    formula = "rho >= 3 ln(1/failure) / (4 L N)"
    if accuracy is not None and meant and accuracy < 1 - chance:
        verdict = Verdict.FALSE
        right = f"the best test is right with probability {accuracy:.4g} at most"
        reason = f"the distance is large enough, and {right}"
    elif meant:
        verdict = Verdict.LOOSE
        reason = "the distance is large enough; that follows from nothing that was proved"
    else:
        verdict = Verdict.SOUND
        reason = "below it one tester, who compares shares, learns nothing; better tests may"
    return PAPER.states("Theorem 13", formula, "distance", value, (verdict, reason))


def le_cam(distance: object, total_variation: float) -> float:
    """Return rho/2 (1 - TV): how far from the data any guess lies on average, for one of two data sets.

    Lemma 18 with one data set on either side. Guesses are made from the draws whose laws are TV apart; where
    the distance of the guess to one is below rho/2, its distance to the other is above (triangle inequality),
    so E_x rho(guess, x) + E_y rho(guess, y) >= rho (1 - TV), and the larger is at least half of it.

    Args:
        distance: rho of the two data sets
        total_variation: of all draws together, an upper bound
    """
    if not 0 <= total_variation <= 1:
        raise NumberError("a total variation is out of range", asked=shown(total_variation), allowed="0 to 1")
    return float(zero_or_above(distance, "distance")) / 2 * (1 - total_variation)
