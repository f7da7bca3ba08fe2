"""Noise on posterior updates: what "On the Differential Privacy of Bayesian Inference" says of its error.

Section 3.1 and Appendix A: a network of binary variables, Beta priors, Laplace noise of scale
b = 2 |I| / epsilon on every count, cut to [0, n]. The error is the Kullback-Leibler divergence of the
posterior that is made of the noisy counts from the true one. Everything printed stands here as a function,
beside what is exact.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, strictly_within, whole_number, zero_or_above
from privior.papers.published.networks import PAPER
from privior.papers.published.statement import Published, Verdict
from privior.special import betaln, digamma

#: cells into which a law of noise is divided, and how many scales far
_POINTS, _FARTHEST = 2000, 40.0


def lemma_1(nodes: int) -> Published:
    """Lemma 1: a replaced record moves all counts together by at most 2 |I|, as it does in all its values."""
    size = whole_number(nodes, "nodes")
    judged = Verdict.SOUND, "attained by a record that changes in every variable"
    return PAPER.states("Lemma 1", "2 |I|", "distance", 2.0 * size, judged, None, 2.0 * size)


def proposition_1(epsilon: object, nodes: int, rows: int, failure: object) -> Published:
    """Proposition 1: no noise is above b ln(2m / failure), but for that chance; m rows have 2m counts.

    Exact for 2m independent noises: (1 - e^(-z/b))^(2m) = 1 - failure.
    """
    scale = 2 * whole_number(nodes, "nodes") / float(above_zero(epsilon, "epsilon"))
    chance, many = float(strictly_within(failure, "failure")), 2 * whole_number(rows, "rows")
    value = scale * math.log(many / chance)
    exact = -scale * math.log(-math.expm1(math.log1p(-chance) / many))
    judged = Verdict.LOOSE, "a union bound; independent noises stay a little nearer"
    return PAPER.states(
        "Proposition 1", "(2 |I| / epsilon) ln(2m / failure)", "distance", value, judged, None, exact
    )


def lemma_a2(a: object, t: object) -> Published:
    """Lemma A.2: (a + t) ln(a + t) - a ln a is at most t ln(a + t) + t, by the mean value theorem."""
    low, step = float(above_zero(a, "a")), float(zero_or_above(t, "t"))
    true = (low + step) * math.log(low + step) - low * math.log(low)
    judged = Verdict.SOUND, "the derivative ln x + 1 grows, so it is largest at a + t"
    return PAPER.states(
        "Lemma A.2", "t ln(a+t) + t", "number", step * math.log(low + step) + step, judged, None, true
    )


def divergence(first: object, second: object, other: object, last: object) -> Floats:
    """Return the divergence of Beta(other, last) from Beta(first, second): what f is in the paper."""
    a, b, c, d = (np.asarray(one, dtype=np.float64) for one in (first, second, other, last))
    means = (a - c) * digamma(a) + (b - d) * digamma(b) + (c - a + d - b) * digamma(a + b)
    return np.asarray(betaln(c, d) - betaln(a, b) + means)


def lemma_a3(prior: tuple[float, float], counts: tuple[int, int], noisy: tuple[float, float]) -> Published:
    """Lemma A.3: a bound of f by the noisy counts Z. It falls without end as Z grows, and f does not.

    The proof has the ratio of Gammas upside down: ln G(a + true) / G(a + Z) enters f with the other sign.
    """
    (a, b), (one, two), (y, z) = prior, counts, noisy
    printed = one * math.log(a + one) + two * math.log(b + two)
    printed -= y * math.log(a + one - 1) + z * math.log(b + two - 1)
    true = float(divergence(a + one, b + two, a + y, b + z))
    judged = (
        (Verdict.FALSE, "the bound is below the divergence")
        if true > printed
        else (Verdict.LOOSE, "it holds here")
    )
    return PAPER.states(
        "Lemma A.3", "sum of counts times logs, less Z ln(.. - 1)", "divergence", printed, judged, None, true
    )


def lemma_a4(prior: tuple[float, float], counts: tuple[int, int], records: int) -> Published:
    """Lemma A.4: how much f varies over all noisy counts; printed three ways.

    In the lemma a logarithm is missing, (2n+1) [ln(a+n+1) + (b+n+1)]; Theorem 1 has (2n+1) ln(a+b+2n+2),
    which is the number here. f is convex in (Z1, Z2), so it is largest at a corner.
    """
    (a, b), (one, two) = prior, counts
    ends = np.array([0.0, float(records)])
    true = float(divergence(a + one, b + two, a + ends[:, None], b + ends[None, :]).max())
    printed = (2 * records + 1) * math.log(a + b + 2 * records + 2)
    judged = (Verdict.FALSE, "it varies more") if true > printed else (Verdict.LOOSE, "it varies less")
    return PAPER.states("Lemma A.4", "(2n+1) ln(a+b+2n+2)", "divergence", printed, judged, None, true)


def expected_update(count: int, records: int, scale: object) -> Published:
    """E[Z], Z a count plus Laplace noise, cut to [0, n].

    Printed: count + b/2 e^(-count/b) + (n-b)/2 e^((count-n)/b). What is cut at n is counted without being
    taken from the integral: exact is count + b/2 (e^(-count/b) - e^((count-n)/b)).
    """
    b = float(above_zero(scale, "scale"))
    low, high = math.exp(-count / b), math.exp((count - records) / b)
    printed = count + b / 2 * low + (records - b) / 2 * high
    true = count + b / 2 * (low - high)
    judged = Verdict.FALSE, f"too large by n/2 e^((count-n)/b); no count is above n = {records}"
    return PAPER.states("E[Z] in A.2", "with (n-b)/2 e^((count-n)/b)", "mean", printed, judged, None, true)


def clamped_divergences(
    prior: tuple[float, float], counts: tuple[int, int], records: int, scale: object
) -> tuple[Floats, Floats]:
    """Return f for pairs of noises, (first count, second count), and the chance of each pair.

    Noise is put into cells of equal width, each with its chance and its mean.
    """
    edges = np.linspace(0, _FARTHEST, _POINTS // 2 + 1)
    below = np.exp(-edges)
    mass = -np.diff(below)
    middle = -np.diff((edges + 1) * below) / mass
    sides = np.concatenate([-middle[::-1], middle])
    chances = np.concatenate([mass[::-1], mass]) / 2
    noise = float(above_zero(scale, "scale")) * sides
    (a, b), (one, two) = prior, counts
    first, second = (np.clip(count + noise, 0, records) for count in (one, two))
    found = divergence(a + one, b + two, a + first[:, None], b + second[None, :])
    return found, np.outer(chances, chances)


def theorem_1(
    epsilon: object,
    nodes: int,
    counts: tuple[int, int],
    failure: object,
    prior: tuple[float, float] = (2.0, 2.0),
) -> Published:
    """Theorem 1 for one row: f exceeds its mean by sqrt(-c ln(failure) / 2) with that chance at most.

    McDiarmid's inequality (Lemma A.1) has the sum of c squared; the theorem has the sum of c. The number is
    the chance that is claimed, beside the one that is true.
    """
    records, chance = sum(counts), float(strictly_within(failure, "failure"))
    scale = 2 * nodes / float(above_zero(epsilon, "epsilon"))
    found, chances = clamped_divergences(prior, counts, records, scale)
    range_ = lemma_a4(prior, counts, records).value
    beyond = math.sqrt(-range_ * math.log(chance) / 2)
    true = float(chances[found >= float((found * chances).sum()) + beyond].sum())
    sound = math.sqrt(-(range_**2) * math.log(chance) / 2)
    fails = true > chance
    why = f"McDiarmid needs the sum of c^2: {sound:.4g} instead of {beyond:.4g}"
    judged = (Verdict.FALSE if fails else Verdict.LOOSE), why
    return PAPER.states(
        "Theorem 1", "failure, at E f + sqrt(-sum c ln(failure) / 2)", "chance", chance, judged, None, true
    )


def theorem_1_expectation(
    epsilon: object,
    nodes: int,
    counts: tuple[int, int],
    prior: tuple[float, float] = (1.0, 1.0),
    *,
    refined: bool,
) -> Published:
    """Theorem 1's bound of the mean of f: n ln((a + count)(b + count)), or for n >= b the refined one.

    Refined: ln[(a+n+1)(b+n+1)] n/2 e^(-n epsilon / (2 |I|)), which goes to zero with n. The mean does not:
    noise of a fixed size moves the posterior of a one-sided row however large n is.
    """
    records, (a, b) = sum(counts), prior
    scale = 2 * nodes / float(above_zero(epsilon, "epsilon"))
    found, chances = clamped_divergences(prior, counts, records, scale)
    true = float((found * chances).sum())
    if refined:
        formula, place = "ln[(a+n+1)(b+n+1)] n/2 e^(-n/b)", "Theorem 1, refined"
        value = math.log((a + records + 1) * (b + records + 1)) * records / 2 * math.exp(-records / scale)
    else:
        formula, place = "n ln((a + count)(b + count))", "Theorem 1, expectation"
        value = records * math.log((a + counts[0]) * (b + counts[1]))
    judged = (Verdict.FALSE, "the mean is larger") if true > value else (Verdict.LOOSE, "the mean is smaller")
    return PAPER.states(place, formula, "divergence", value, judged, None, true)


def in_degrees(families: list[tuple[int, ...]], epsilon: object, records: int) -> tuple[int, float]:
    """Return m of Theorem 1 and the mean divergence of all tables, for rows that share records evenly.

    The remark after the theorem: bounds are better for a smaller average in-degree. So they are, through m;
    and so is the error, for every row that is added has its own noise and fewer records.
    """
    scale = 2 * len(families) / float(above_zero(epsilon, "epsilon"))

    @cache
    def mean(rows: int) -> float:
        each = records // rows
        half = each // 2, each - each // 2
        found, chances = clamped_divergences((1.0, 1.0), half, records, scale)
        return float((found * chances).sum())

    rows = [2 ** (len(family) - 1) for family in families]
    total = 0.0
    for many in rows:
        total += many * mean(many)
    return sum(rows), total
