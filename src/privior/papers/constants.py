"""What the theorems ask of a model beyond what its analysis needs: C, Theorem 6 and how the tail of l falls.

C is the largest likelihood of n records over its mean under the prior. Each function is asked of a `Subject`;
a model about which nothing was worked out has the answer that is never wrong.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import singledispatch

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError
from privior.papers.stochastic_lipschitz import Concentration, best_concentration, concentration_of_finite
from privior.privacy.hellinger import all_tables
from privior.smoothness import Subject, natural_of
from privior.smoothness.cells import DirichletCells
from privior.smoothness.finite_models import MOST_CELLS, FiniteModels
from privior.smoothness.glued_laws import pieces_of
from privior.smoothness.one_parameter import OneParameter
from privior.smoothness.own_likelihood import OwnLikelihood
from privior.special import gammaln, xlogy

#: sums that are looked at one by one; more are bounded between points of a grid
_MOST_SUMS = 4001
#: up to so many records and cells the constant C of a small prior is found by adding cell after cell
_MOST_ADDED = (400, 64)
#: tables that are listed where the largest of something over all of them is sought
_MOST_TABLES = 20_000


@singledispatch
def log_ratio(one: Subject, records: int) -> float | None:
    """Return log C, never below: the largest likelihood of n records over its mean; None if unknown."""
    return None


@singledispatch
def ratio_bounded(one: Subject) -> bool:
    """Say whether `log_ratio` is a bound that may be far above log C."""
    return False


@singledispatch
def necessary(one: Subject, records: int) -> float | None:
    """Return 2 L for the largest L that Theorem 6 rules out; None if it was not computed.

    For a pair (x, y) it takes the smaller of sup log p(x)/p(y) and log of the marginals' ratio m(y)/m(x):
    twice that, over rho, is ruled out. Any pairs give a true statement; the more, the stronger.
    """
    return None


@singledispatch
def tight(one: Subject, records: int) -> bool:
    """Say whether some neighbours are known to reach the largest loss that the pair allows one draw."""
    return False


@singledispatch
def tail_rate(one: Subject) -> float:
    """Return the limit of -log(outside(L)) / L, where l is unbounded."""
    return math.inf


@singledispatch
def concentration(one: Subject) -> Concentration | None:
    """Return the best c and L0 of Assumption 2; None if no c does."""
    return best_concentration(one.outside, one.smoothest, one.roughest, tail_rate(one))


@singledispatch
def farthest(one: Subject) -> float:
    """Return up to which slope there is something to show, where neither L nor any c is finite."""
    return 1.0


# Families of one parameter


@tail_rate.register
def _(one: OneParameter) -> float:
    """That of the slower tail, for l is about max |s| |h| far out."""
    steep = float(np.abs(one.chords[:, 0]).max())
    pieces = pieces_of(one.model.prior)
    outer = pieces if one.natural_ends[0] < one.natural_ends[1] else pieces[::-1]  # by h, not theta
    laws = outer[0].law, outer[-1].law
    rates = [natural_of(one.model.with_prior(law)).rates[side] for side, law in enumerate(laws)]
    sides = [rate for end, rate in zip(one.ends, rates, strict=True) if math.isinf(end)]
    return min(sides, default=math.inf) / steep


@log_ratio.register
def _(one: OneParameter, records: int) -> float | None:
    """The largest of A*(T) - Lam(T) over all sums T.

    A*(T) is the largest log likelihood and Lam(T) the log of its mean: both are convex in T. Between two
    points of a grid A* is below its chord and Lam above the continued chords of the neighbouring parts,
    so that, where sums are too many to be listed, the largest in between is bounded from the values.
    """
    totals, all_of_them = _totals(one, records)
    tops = peaks(one, records, totals)
    if not np.isfinite(tops).all():
        return math.inf
    means = one.log_means(records, totals)
    found = float((tops - means).max())
    return found if all_of_them else max(found, _between(tops, means))


def _totals(one: OneParameter, records: int) -> tuple[Floats, bool]:
    """Return sums of n records, and whether they are all that there are."""
    low, high = one.model.bounds(one.schema)
    _, unit = one.model.grid(one.schema)
    steps = int((high - low) / unit) * records
    places = np.linspace(0.0, 1.0, min(steps, _MOST_SUMS - 1) + 1)
    return float(low) * records + float(high - low) * records * places, steps < _MOST_SUMS


def peaks(one: OneParameter, records: int, totals: Floats) -> Floats:
    """Return the largest h T - n A in the support, for each sum T."""
    low, high = one.support
    tiny = 1e-300 if low == 0 else 0.0
    best = np.clip(one.natural.peak(totals / records), low + tiny, high)
    if high == 1 and one.model.conjugate.support[1] == 1:
        best = np.minimum(best, 1 - 2.0**-53)
    with np.errstate(invalid="ignore", over="ignore"):
        found = one.model.natural(best) * totals - records * one.model.partition(best)
    return np.where(np.isfinite(best), found, math.inf)


def _between(tops: Floats, means: Floats) -> float:
    """Bound a difference of convex functions between the points of a grid of equal steps."""
    ratio = tops - means
    slopes = np.diff(means)
    before = np.concatenate([[slopes[0]], slopes[:-1]])  # a chord continued from the left
    after = np.concatenate([slopes[1:], [slopes[-1]]])
    # on the step s in [0, 1]: tops <= p + rise s; means >= m + before s and >= m + slope - after (1 - s)
    gap = after - before
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = np.clip(np.where(gap > 0, (after - slopes) / gap, 0.0), 0.0, 1.0)
    middle = ratio[:-1] + np.diff(tops) * cross - np.maximum(before * cross, slopes - after * (1 - cross))
    inner = middle[1:-1] if middle.size > 2 else middle
    return float(max(ratio.max(), inner.max()))


@necessary.register
def _(one: OneParameter, records: int) -> float | None:
    """For neighbours whose changed record is at an end and whose others are all alike."""
    order = np.argsort(one.statistics)
    ends = [int(order[0]), int(order[-1])]
    bases = one.natural.base(one.statistics)
    found = 0.0
    for other in ends:
        sums = (records - 1) * one.statistics[other] + one.statistics[ends]
        means = one.log_means(records, sums)
        for x, y in ((0, 1), (1, 0)):
            step, shift = sums[x] - sums[y], float(bases[ends[x]] - bases[ends[y]])
            likelihoods = max(h * step if h * step == h * step else 0.0 for h in one.ends) + shift
            marginals = float(means[y] - means[x]) - shift
            if (apart := one.distance.apart(ends[x], ends[y])) > 0:
                found = max(found, 2 * min(likelihoods, marginals) / apart)
    return found


@tight.register
def _(one: OneParameter, records: int) -> bool:
    """The family's own pair is attained: by records that are all alike. Or the loss is unbounded."""
    try:
        one.model.draw_pair(one.schema, records, Fraction(1), 1)
    except ModelError:
        return math.isinf(one.oscillation)
    return True


# Tables


@tail_rate.register
def _(one: DirichletCells) -> float:
    """The smallest prior parameter: its cell is the one that vanishes most easily."""
    return one.groups[0][0] * one.nearest


@log_ratio.register
def _(one: DirichletCells, records: int) -> float | None:
    """The counts c whose best probabilities c/n beat their mean under the prior most.

    Up to constants it is the sum over cells of c log c - lnG(a + c) + lnG(a). For a >= 1/2 each summand
    is convex in c, as psi'(x) <= 1/(x - 1/2), so all records are in one cell. For smaller parameters the
    largest sum is found by adding cell after cell, if there are few.
    """
    alphas = np.array([float(alpha) for alpha in one.alphas])
    whole = float(gammaln(alphas.sum() + records) - gammaln(alphas.sum())) - records * math.log(records)

    def part(alpha: float, counts: Floats) -> Floats:
        return np.asarray(xlogy(counts, counts) - gammaln(alpha + counts) + gammaln(alpha))

    if alphas[0] >= 0.5:
        return whole + max(float(part(alpha, np.array(records))) for alpha, _ in one.groups)
    if records > _MOST_ADDED[0] or alphas.size > _MOST_ADDED[1]:
        return None
    best = np.full(records + 1, -np.inf)
    best[0] = 0.0
    for alpha in alphas:
        mine = part(alpha, np.arange(records + 1.0))
        best = np.array([(best[: total + 1] + mine[total::-1]).max() for total in range(records + 1)])
    return whole + float(best[records])


@necessary.register
def _(one: DirichletCells, records: int) -> float | None:
    """All other records in the cell of y, so that its marginal probability is largest."""
    alphas = [float(alpha) for alpha in one.alphas]
    return 2 * max(0.0, math.log((max(alphas[1:]) + records - 1) / alphas[0])) / one.distance.reach


@tight.register
def _(one: DirichletCells, records: int) -> bool:
    """The loss is unbounded, and so is what the pair allows."""
    return True


# Finite families


@concentration.register
def _(one: FiniteModels) -> Concentration | None:
    """Exact; none where a model excludes a cell: its prior chance is outside of every level."""
    return None if math.isinf(one.roughest) else concentration_of_finite(one.slopes, one.shares)


@farthest.register
def _(one: FiniteModels) -> float:
    """A little beyond the largest slope that is finite."""
    finite = one.slopes[np.isfinite(one.slopes)]
    return float(finite.max()) * 1.25 + 0.1 if finite.size else 1.0


@log_ratio.register
def _(one: FiniteModels, records: int) -> float | None:
    """Over all tables, where they can be listed.

    Otherwise by a bound: the mean of the likelihoods is never below the largest one times its prior
    chance, so C is at most 1 over the least prior chance.
    """
    bound = -math.log(float(one.shares.min())) * (1 + 1e-12)
    if not one.listable(records, _MOST_TABLES):
        return bound
    found = one.likelihoods(all_tables(records, len(one.model.chances[0])).astype(np.float64))
    tops = found.max(axis=1)
    possible = np.isfinite(tops)
    means = np.exp(found[possible] - tops[possible, np.newaxis]) @ one.shares
    return min(bound, -math.log(float(means.min())) * (1 + 1e-12) + 1e-12)


@necessary.register
def _(one: FiniteModels, records: int) -> float | None:
    """For neighbours whose other records are all in one cell."""
    cells = len(one.model.chances[0])
    if cells > MOST_CELLS or not one.model.bounded:
        return None
    logs, _ = one.logs
    apart = one.distance.table_of(cells)
    rises = (logs[:, np.newaxis] - logs[np.newaxis]).max(axis=2)  # [x, y]: sup log p(x) / p(y)
    found = 0.0
    for others in logs:
        weights = np.log(one.shares) + (records - 1) * others + logs
        tops = weights.max(axis=1)
        means = tops + np.log(np.exp(weights - tops[:, np.newaxis]).sum(axis=1))
        both = 2 * np.minimum(rises, means[np.newaxis] - means[:, np.newaxis])
        found = max(found, float((both[apart > 0] / apart[apart > 0]).max()))
    return found


@tight.register
def _(one: FiniteModels, records: int) -> bool:
    """Where all tables can be listed."""
    draw = one.draw(records)
    return draw is not None and draw.listable


# Somebody's own likelihood


@log_ratio.register
def _(one: OwnLikelihood, records: int) -> float | None:
    """A likelihood over its mean is at most e to how far it varies, once for each record."""
    return records * one.varies
