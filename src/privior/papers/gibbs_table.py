"""Table 1 of the paper on Gibbs posteriors, computed: the temperature that each theorem allows, and effects.

The case is the paper's own: logistic losses of records |z| <= R without an intercept, and parameters in a
ball of radius W where a theorem needs one. For strongly convex losses ridge/2 |theta|^2 is a part of each
loss, which then is (R + ridge W)-Lipschitz on the ball.
"""

from __future__ import annotations

import math
from fractions import Fraction

from privior.checks import above_zero, strictly_within, whole_number
from privior.exact import round_down
from privior.papers.published.gibbs import corollary_8_second, gibbs_pair
from privior.papers.published.gibbs_strong import corollary_11
from privior.privacy.calibration import largest

#: shrinkage and contraction: by what the temperature grows if precision or records are so many times more
TIMES = 4


def table_1(
    *,
    radius: object = 1,
    ball_radius: object = 5,
    precision: object = 1,
    records: int = 1000,
    ridge: object = "0.1",
    epsilon: object = 1,
    delta: object = "1e-6",
) -> list[dict[str, float | str]]:
    """Return a row for each theorem: the temperature as printed and exact, and how it grows.

    Args:
        radius: R, the largest norm of a record
        ball_radius: W, of the parameters, where they are bounded
        precision: m, of the prior
        records: n
        ridge: the strong convexity of each loss, in Theorem 10
        epsilon: what is promised
        delta: likewise
    """
    r, w, m = (
        above_zero(radius, "radius"),
        above_zero(ball_radius, "ball"),
        above_zero(precision, "precision"),
    )
    n, own = whole_number(records, "records"), above_zero(ridge, "ridge")
    level, chance = above_zero(epsilon, "epsilon"), strictly_within(delta, "delta")

    def exponential(m: Fraction, n: int) -> tuple[float, float]:
        """Losses of two records differ by at most R W: epsilon / (2 R W), which the range 2 R W attains."""
        return (float(level / (2 * r * w)),) * 2

    def lipschitz(m: Fraction, n: int) -> tuple[float, float]:
        formula = float(level / (2 * r)) * math.sqrt(float(m) / (1 + 2 * math.log(1 / float(chance))))
        exact = largest(lambda b: Fraction(gibbs_pair(b, r, m).delta(round_down(level))) <= chance)
        return formula, float(exact or 0)

    def strong(m: Fraction, n: int) -> tuple[float, float]:
        found = corollary_11(level, chance, r + own * w, m, n, own)
        return found.value, float(found.better or 0)

    second = corollary_8_second(level, chance)
    rows = (
        ("exponential mechanism", "0", "differences bounded", "any", exponential, "sound"),
        ("Theorem 7", "above 0", "Lipschitz, convex", "log-concave", lipschitz, second.verdict.value),
        ("Theorem 10", "above 0", "bounded, Lipschitz, strongly convex", "log-concave", strong, "loose"),
    )
    found: list[dict[str, float | str]] = []
    for name, of_delta, loss, prior, allowed, verdict in rows:
        printed, exact = allowed(m, n)
        more, longer = allowed(TIMES * m, n)[1], allowed(m, TIMES * n)[1]
        row: dict[str, float | str] = {
            "theorem": name,
            "delta": of_delta,
            "loss": loss,
            "prior": prior,
            "printed": printed,
        }
        row |= {"exact": exact, "shrinkage": more / exact, "contraction": longer / exact, "verdict": verdict}
        found.append(row)
    return found
