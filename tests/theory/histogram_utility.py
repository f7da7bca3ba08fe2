"""Section 4 of "Differential Privacy of Dirichlet Posterior Sampling": how accurate a drawn histogram is.

Y ~ Dirichlet(x + a), the same a at each of k levels, x the counts of N records, p = x/N; one record replaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privior.checks import above_zero, strictly_within, whole_number
from privior.errors import PlanError, shown
from privior.exact import round_up
from privior.papers.dirichlet_prior import printed_prior
from privior.papers.histogram_loss import draw_loss, gaussian_loss, least_concentration
from privior.papers.published import Published, Verdict
from privior.papers.published.dirichlet import PAPER, read_order

#: a number of records beyond which nothing is sought
MOST_RECORDS = 10**15


def theorem_5(levels: int, prior: object, records: int, failure: object) -> Published:
    """Theorem 5: |Y - p| <= sqrt((3 ln(1/b) + 2k) / (4 (A + 1))) + 2 k a / A but for a chance b, A = N + k a.

    Its proof takes Y to be sub-Gaussian of variance 1/(4 (A + 1)). That is right for one entry. In the
    direction (1, -1)/sqrt 2 two even levels have the variance 1/(2 (A + 1)), and for small b the claim fails:
    see `two_even_levels`. With the right constant it becomes `distance_bound`, which is `better` here.
    """
    k, n = whole_number(levels, "levels", 2), whole_number(records, "records")
    a, chance = above_zero(prior, "prior"), strictly_within(failure, "failure")
    total = float(n + k * a)
    spread = (3 * math.log(1 / chance) + 2 * k) / (4 * (total + 1))
    value = math.sqrt(spread) + 2 * float(k * a) / total
    better = distance_bound(k, a, n, chance)
    if better <= value:
        judged = Verdict.LOOSE, "the bias is overestimated by more than the spread is underestimated"
    else:
        judged = Verdict.FALSE, "half the variance that the proof needs; it fails for a small chance"
    formula = "|Y - p| <= sqrt((3 ln(1/b) + 2k) / (4 (N + a0 + 1))) + 2 a0 / (N + a0)"
    return PAPER.states("Theorem 5", formula, "distance", value, judged, better=better)


def distance_bound(levels: int, prior: object, records: int, failure: object) -> float:
    """Return a distance that |Y - p| keeps but for a chance b.

    sqrt((m + 2 sqrt(m t) + 2 t) / (2 (A + 1))) + sqrt 2 k a / A with m = k - 1, t = ln(1/b), A = N + k a.
    Proof: let u be a unit vector with entries in [c, e], so e - c <= sqrt 2. Split each level i into two, one
    with the value c and one with e, parameters in the ratio that keeps the mean u_i. Given Y, the value
    of the split draw has the mean u.Y, so by Jensen E e^(s u.Y) is at most that of the split draw,
    c + (e - c) Beta(., .) with parameters of sum A, which is sub-Gaussian of variance
    (e - c)^2 / (4 (A + 1)) <= 1/(2 (A + 1)) (Marchal and Arbel 2017, for Beta laws). Y - E Y lies in a
    space of k - 1 dimensions, to which the tail bound of Hsu, Kakade and Zhang 2012 applies. E Y - p is
    k a / A times a difference of two probability vectors, which are sqrt 2 apart at most.
    """
    k, n = whole_number(levels, "levels", 2), whole_number(records, "records")
    a, t = above_zero(prior, "prior"), math.log(1 / strictly_within(failure, "failure"))
    total = float(n + k * a)
    spread = (k - 1 + 2 * math.sqrt((k - 1) * t) + 2 * t) / (2 * (total + 1))
    return math.sqrt(spread) + math.sqrt(2) * float(k * a) / total


def two_even_levels(prior: object, records: int, distance: float) -> float:
    """Return the exact chance that |Y - p| exceeds a distance, two levels with half the records each.

    Y is (B, 1 - B) with B ~ Beta(N/2 + a, N/2 + a), and |Y - p| = sqrt 2 |B - 1/2|.
    """
    from scipy.special import betainc

    shape = float(Fraction(whole_number(records, "records"), 2) + above_zero(prior, "prior"))
    edge = distance / math.sqrt(2)
    return 2 * float(betainc(shape, shape, 0.5 - edge)) if edge < 0.5 else 0.0


def equation_16(
    levels: int, accuracy: object, failure: object, order: object, divergence: object
) -> Published:
    """Equation (16): (ln(1/b) + k)/c^2 + k l/(D c) records are enough for |Y - p| < c, up to a constant.

    For a - (l-1) > 1, the prior that Theorem 2 asks for; otherwise PlanError. Where D <= 1, six times as many
    are enough: half of c for each part of `distance_bound`, and a <= l/D + l <= 2 l/D by (9). For a larger D
    no constant will do: the prior is above l - 1 there, which the formula drops.
    """
    k, c = whole_number(levels, "levels", 2), strictly_within(accuracy, "accuracy")
    chance = strictly_within(failure, "failure")
    at, level = read_order(order), above_zero(divergence, "divergence")
    prior = printed_prior(at, level)
    if prior - (at - 1) <= 1:
        raise PlanError("the formula is for more privacy", asked=shown(divergence), allowed="a > l")
    value = (math.log(1 / chance) + k) / float(c) ** 2 + float(k * at / (level * c))
    needed = _first(lambda n: distance_bound(k, prior, n, chance) <= c)
    if level <= 1:
        judged = Verdict.SOUND, "six times as many records are always enough"
    else:
        judged = Verdict.FALSE, "it drops l - 1 from the prior parameter; no constant makes up for that"
    formula = "N = Omega((ln(1/b) + k) / c^2 + k l / (D c))"
    return PAPER.states("Equation (16)", formula, "records, up to a constant", value, judged, better=needed)


def equation_17(levels: int, records: int, failure: object, order: object, divergence: object) -> Published:
    """Equation (17): Gaussian noise on p stays below sqrt((3 ln(1/b) + 2k) l / (N^2 D)) but for a chance b.

    True; |Z|^2 N^2 D / l is chi-square with k degrees of freedom. Projecting it on the probability vectors,
    which is free, makes it smaller still.
    """
    from scipy.special import chdtri

    k, chance = whole_number(levels, "levels", 2), strictly_within(failure, "failure")
    variance = gaussian_loss(k, records, order, divergence) / k
    value = math.sqrt((3 * math.log(1 / chance) + 2 * k) * variance)
    better = math.sqrt(float(chdtri(k, float(chance))) * variance)
    reason = "a tail bound for any sub-Gaussian vector, where the law itself is known"
    formula = "|Z| <= sqrt((3 ln(1/b) + 2k) l D2^2 / (2 N^2 D))"
    return PAPER.states("Equation (17)", formula, "distance", value, (Verdict.LOOSE, reason), better=better)


def equation_18(
    levels: int, accuracy: object, order: object, divergence: object, concentration: object
) -> Published:
    """Equation (18) is said to suggest that the Gaussian mechanism needs fewer records than the draw.

    It compares two sufficient numbers. Here the numbers of records are exact, from which on the root of
    the expected squared loss is below the accuracy: the Gaussian's as `value`, the draw's as `better`, at
    shares of the given concentration |p|^2, or the least that so many records can have. The loss of the draw
    decreases in N: its bias and 1 - |m|^2 do.
    """
    c, q = strictly_within(accuracy, "accuracy"), above_zero(concentration, "concentration")
    prior = printed_prior(order, divergence)

    def drawn_loss(n: int) -> float:
        return draw_loss(levels, prior, n, max(q, least_concentration(levels, n)))

    gaussian = _first(lambda n: gaussian_loss(levels, n, order, divergence) <= c**2)
    drawn = _first(lambda n: drawn_loss(n) <= c**2)
    if drawn < gaussian:
        judged = Verdict.FALSE, "sufficient numbers were compared; here the draw needs fewer records"
    else:
        judged = Verdict.SOUND, "here the Gaussian mechanism does not need more records"
    formula = "(ln(1/b) + k)/c^2 + k l/(D c) > 2 sqrt((ln(1/b) + k) l / (D c^2))"
    quantity = "records that the Gaussian mechanism needs"
    return PAPER.states("Equation (18)", formula, quantity, gaussian, judged, better=drawn)


def smaller_loss(
    levels: int, records: int, order: object, divergence: object, concentration: object
) -> Published:
    """Section 4: for N = O(k l / D) the loss of the draw is smaller than that of the Gaussian mechanism.

    Taken with the constant 1; more records raise PlanError. `value` is the expected squared loss of the
    Gaussian mechanism, unprojected, `better` that of the draw at shares with this |p|^2.
    """
    k, at, level = whole_number(levels, "levels", 2), read_order(order), above_zero(divergence, "divergence")
    if whole_number(records, "records") > k * at / level:
        most = round_up(k * at / level)
        raise PlanError("the statement is about few records", asked=records, allowed=f"up to {most:g}")
    gaussian = gaussian_loss(k, records, at, level)
    drawn = draw_loss(k, printed_prior(at, level), records, concentration)
    if drawn > gaussian:
        judged = Verdict.FALSE, "the draw is nearly the prior, and these data are far from even"
    else:
        judged = Verdict.LOOSE, "it holds for these data, before the noisy shares are projected"
    formula = "E|Y - p|^2 < E|Z|^2 for N = O(k l / D)"
    return PAPER.states(
        "Section 4, few records", formula, "expected squared loss", gaussian, judged, better=drawn
    )


def _first(holds: Callable[[int], bool]) -> int:
    """Return the first number of records from which on something holds."""
    high = 1
    while not holds(high):
        high *= 2
        if high > MOST_RECORDS:
            raise PlanError("no number of records is enough", allowed=f"up to {MOST_RECORDS}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
