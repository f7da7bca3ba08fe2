"""Hellinger distances of Dirichlet posteriors, and how far one replaced record moves them, in floating point.

For likelihoods, forecasts and study. What enters a guarantee or a draw is enclosed in interval arithmetic
instead (`privior.privacy.hellinger`). n is public and one record is replaced, so both posteriors of a pair
have parameters of the same sum, and

    H^2 = 1 - prod_i G((a_i+b_i)/2) / sqrt(G(a_i) G(b_i)).

Neighbours Dirichlet(w + e_i) and Dirichlet(w + e_j) have H^2 = 1 - phi(w_i) phi(w_j), with phi(t) = G(t +
1/2) / (G(t) sqrt t), which increases from 0 to 1. No formula here subtracts large numbers: every log
affinity is a sum of terms of one sign, so all digits hold at a billion records.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privior.arrays import Floats, Integers
from privior.checks import is_whole
from privior.errors import NumberError, shown
from privior.mechanisms.tables.dirichlet_affinity import log_affinities, log_phi

#: pairs of cells that are looked at together
_AT_ONCE = 1 << 17


def distance(a: ArrayLike, b: ArrayLike) -> float:
    """Return the Hellinger distance of Dirichlet(a) and Dirichlet(b), between 0 and 1.

    >>> round(distance([6, 6], [5, 7]), 12)
    0.211510444838
    """
    one, other = _parameters(a), _parameters(b)
    if one.shape != other.shape:
        raise NumberError("the two laws have different numbers of cells", asked=f"{one.size}, {other.size}")
    total, gap = one.sum() + other.sum(), float((other - one).sum())
    overlap = float(log_affinities((one + other) / 2, (other - one) / 2).sum())
    overlap -= float(log_affinities(np.array([total / 2]), np.array([gap / 2]))[0])
    return float(np.sqrt(-np.expm1(min(overlap, 0.0))))


def distances(counts: ArrayLike, tables: Integers, prior: Floats) -> Floats:
    """Return the distance of the posterior of one table from that of each of many, of the same total.

    Args:
        counts: one table, k counts
        tables: many, as (number, k)
        prior: the Dirichlet parameters
    """
    here = np.asarray(counts, dtype=np.int64)
    overlap = log_affinities(prior + (tables + here) / 2, (tables - here) / 2).sum(axis=-1)
    return np.asarray(np.sqrt(-np.expm1(overlap)))


def local_sensitivity(counts: ArrayLike, prior: ArrayLike) -> float:
    """Return LS(c), the largest distance between the posterior of c and that of a neighbour, in O(k).

    LS^2 = 1 - min over i != j with c_i >= 1 of phi(a_i+c_i-1) phi(a_j+c_j).

    >>> round(local_sensitivity([5, 5], [1, 1]), 12)
    0.211510444838
    """
    c, alpha = _counts(counts), _prior(prior, np.size(counts))
    lower = np.where(c >= 1, log_phi(alpha + np.maximum(c - 1, 0)), np.inf)
    return _root(_least_sum(lower, log_phi(alpha + c)))


def global_sensitivity(prior: ArrayLike, records: int) -> float:
    """Return GS, the largest LS(c) of all tables of this many records.

    k >= 3 or n = 1: 1 - phi phi at the two smallest prior parameters; k = 2: the other n - 1 records are
    all in one cell, whichever is worse.

    >>> round(global_sensitivity([1, 1], 10), 12), round(global_sensitivity([0.5] * 3, 10), 12)
    (0.353238470947, 0.602810274989)
    """
    alpha, n = _parameters(prior), _records(records)
    if alpha.size == 2:
        return max(_root(float(log_phi(alpha + np.array(added)).sum())) for added in ([0, n - 1], [n - 1, 0]))
    return _root(float(log_phi(np.partition(alpha, 1)[:2]).sum()))


def smooth_sensitivity(counts: ArrayLike, prior: ArrayLike, gamma: float) -> float:
    """Return S(c), the largest 1 / (1/LS(c') + gamma d(c, c')) over all tables c', d records apart.

    1/S is a minimum over corners: moving records out of the two cells that a replacement touches makes
    F(phi phi), F(p) = 1/sqrt(1-p), smaller, and it is concave in each of the two counts
    (`privior.privacy.hellinger` says why), so it pays to move all that can be moved or none. O(k^2), less
    where few cells matter.

    >>> round(smooth_sensitivity([5, 5], [1, 1], 0.1), 12), round(smooth_sensitivity([3, 3, 4], 1, 0.1), 12)
    (0.309506613751, 0.376130004306)
    """
    if not gamma > 0:
        raise NumberError("gamma is a number above 0", asked=shown(gamma))
    c, alpha = _counts(counts), _prior(prior, np.size(counts))
    few = float(_two_cells(c[None, :], alpha, gamma)[0]) if c.size == 2 else _several_cells(c, alpha, gamma)
    return 1 / few


def inverse_local_sensitivities(tables: Integers, prior: Floats) -> Floats:
    """Return 1/LS of many tables of few cells, as (number, cells)."""
    here, lower = log_phi(prior + tables), log_phi(prior + np.maximum(tables - 1, 0))
    lower = np.where(tables >= 1, lower, np.inf)
    pairs = permutations(range(prior.size), 2)
    return _inverse(np.min([lower[:, i] + here[:, j] for i, j in pairs], axis=0))


def inverse_smooth_sensitivities(tables: Integers, prior: Floats, gamma: float) -> Floats:
    """Return 1/S of many tables of few cells, as (number, cells): the same corners, all tables at once."""
    if prior.size == 2:
        return _two_cells(tables, prior, gamma)
    bare, here, lower = log_phi(prior), log_phi(prior + tables), log_phi(prior + np.maximum(tables - 1, 0))
    moved, spared = gamma * tables, gamma * np.maximum(tables - 1, 0)
    least = np.full(len(tables), np.inf)
    for i, j in permutations(range(prior.size), 2):
        full = np.minimum(_inverse(lower[:, i] + here[:, j]), _inverse(lower[:, i] + bare[j]) + moved[:, j])
        gone = np.minimum(_inverse(bare[i] + here[:, j]), _inverse(bare[i] + bare[j]) + moved[:, j])
        full = np.minimum(full, gone + spared[:, i])
        vacant = np.minimum(_inverse(bare[i] + lower[:, j]), _inverse(bare[i] + bare[j]) + spared[:, j])
        least = np.minimum(least, np.where(tables[:, i] >= 1, full, vacant + gamma))
    return least


def _two_cells(tables: Integers, prior: Floats, gamma: float) -> Floats:
    """Replacing a record with s others in the first cell: 1 - phi(a_1+s) phi(a_2+n-1-s), concave in s."""
    first, others = tables[:, 0], tables.sum(axis=1) - 1
    least = np.full(len(tables), np.inf)
    for s, away, there in (
        (0 * first, first - 1, first >= 1),
        (first - 1, 0 * first, first >= 1),
        (first, 0 * first, first <= others),
        (others, others - first, first <= others),
    ):
        inside = np.clip(s, 0, others)
        found = _inverse(log_phi(prior[0] + inside) + log_phi(prior[1] + others - inside)) + gamma * away
        least = np.where(there, np.minimum(least, found), least)
    return least


def _several_cells(c: Integers, alpha: Floats, gamma: float) -> float:
    full = c >= 1
    bare = log_phi(alpha)
    here, lower = log_phi(alpha + c), np.where(full, log_phi(alpha + np.maximum(c - 1, 0)), np.inf)
    moved, spared = np.asarray(gamma * c), np.asarray(gamma * np.maximum(c - 1, 0))
    emptied = np.where(full, bare, np.inf)  # all but the one that is replaced moved out of cell i
    found = [
        1 / _root(_least_sum(lower, here)),
        _least_with_cost(lower, bare, moved),
        _least_with_cost(here, emptied, spared),
        _least_of_pairs(emptied, spared, bare, moved),
    ]
    if not full.all():  # cell i is empty: the record to be replaced is moved there first
        vacant = np.where(full, np.inf, bare)
        thinned = log_phi(alpha + np.maximum(c - 1, 0))
        found.append(1 / _root(_least_sum(vacant, thinned)) + gamma)
        found.append(_least_with_cost(vacant, bare, gamma * np.maximum(c, 1)))
    return min(found)


def _inverse(log_overlap: Floats) -> Floats:
    """Return F = 1/sqrt(1 - e^x); infinity (no such pair) stays so."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isposinf(log_overlap), np.inf, 1 / np.sqrt(-np.expm1(log_overlap)))


def _least_sum(first: Floats, second: Floats) -> float:
    """Return the smallest first_i + second_j with i != j."""
    return float((first + _least_other(second)).min())


def _least_other(values: Floats) -> Floats:
    """Return for each place the smallest value at another place."""
    lowest, next_lowest = np.partition(values, 1)[:2]
    others = np.full(values.size, lowest)
    others[int(values.argmin())] = next_lowest
    return others


def _least_with_cost(free: Floats, paid: Floats, cost: Floats) -> float:
    """Return the smallest F(e^(free_i + paid_j)) + cost_j with i != j."""
    return float((_inverse(_least_other(free) + paid) + cost).min())


def _least_of_pairs(first: Floats, cost: Floats, second: Floats, other_cost: Floats) -> float:
    """Return the smallest F(e^(first_i + second_j)) + cost_i + price_j with i != j.

    A cell that two others beat in both its value and its cost is never needed.
    """
    rows, columns = _unbeaten(first, cost), _unbeaten(second, other_cost)
    left, right = -np.expm1(first[rows]), -np.expm1(second[columns])  # 1 - p q = (1 - p) + p (1 - q)
    paid = other_cost[columns]
    place = np.searchsorted(columns, rows)
    same = columns[np.minimum(place, columns.size - 1)] == rows
    least, height = np.inf, max(1, _AT_ONCE // columns.size)
    for start in range(0, rows.size, height):
        some = slice(start, start + height)
        found = (1 - left[some])[:, None] * right
        found += left[some, None]
        np.sqrt(found, out=found)
        np.divide(1.0, found, out=found)
        found += cost[rows[some], None]
        found += paid
        clash = np.flatnonzero(same[some])
        found[clash, place[some][clash]] = np.inf
        least = min(least, float(found.min()))
    return least


def _unbeaten(values: Floats, costs: Floats) -> NDArray[np.intp]:
    order = np.lexsort((costs, values))
    order = order[np.isfinite(values[order])]
    kept, lowest, next_lowest = [], np.inf, np.inf
    for place in order.tolist():
        cost = float(costs[place])
        if cost < next_lowest:
            kept.append(place)
            lowest, next_lowest = (cost, lowest) if cost < lowest else (lowest, cost)
    return np.sort(np.array(kept, dtype=np.intp))


def _root(log_overlap: float) -> float:
    return float(np.sqrt(-np.expm1(log_overlap)))


def _parameters(given: ArrayLike) -> Floats:
    found = np.asarray(given, dtype=np.float64)
    if found.ndim != 1 or found.size < 2 or not (np.isfinite(found).all() and (found > 0).all()):
        raise NumberError("Dirichlet parameters are two or more positive numbers", asked=shown(given))
    return found


def _prior(given: ArrayLike, size: int) -> Floats:
    one_for_all = np.ndim(given) == 0
    found = _parameters(np.full(size, np.asarray(given, dtype=np.float64)) if one_for_all else given)
    if found.size != size:
        raise NumberError("not one prior parameter per cell", asked=found.size, allowed=size)
    return found


def _counts(given: ArrayLike) -> Integers:
    found = np.asarray(given)
    whole = found.ndim == 1 and found.size >= 2 and found.dtype.kind in "iu"
    if not whole or found.min() < 0 or not found.sum():
        raise NumberError("counts are two or more whole numbers, one of them above 0")
    return found.astype(np.int64)


def _records(records: int) -> int:
    if is_whole(records, 1):
        return records
    raise NumberError("records is a whole number above 0", asked=shown(records))
