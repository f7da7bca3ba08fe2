"""Swaps, compiled: records of one clique exchange the values of some of its columns.

Take a clique, some of its columns A with values a and b, and two values v and w of the other columns, which
agree in all that A is bound to: in every column that stands in a separator with one of A. d records (a, v)
become (b, v), and d records (b, w) become (a, w). Every separator of the clique, whether it holds columns
of A or not, counts as before: nothing else changes. So counts move that no shift reaches without a detour
through neighbouring tables.

A, a and b are drawn without looking at the state; v, and then w among those that agree with it, with
probability proportional to f(s), s = c(a, v) + c(b, v), as shifts choose (`joint_walk`). The move leaves
every s as it is, and also T = A + B, with A = min(c(a, v), c(b, w)) and B = min(c(b, v), c(a, w)), to which d
is bound as that of a shift is. The reverse of a step has a and b exchanged, makes the same choices with the
same probabilities, and takes the same d: there is no Hastings term. A split draws B anew as that of a shift
does, with the same Hastings term; if B becomes less, a and b are exchanged.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import (
    FAR,
    SPLITS,
    cell_fit,
    log_uniform,
    moved,
    moved_factorials,
    new_split,
)
from privior.posterior.networks.joint_state import NetworkNoise, Swaps, Tables

#: none of the values is left out; a plain number would be compiled for apart
NOTHING = np.int64(-1)


@njit(cache=True, nogil=True)
def swap(
    rng: np.random.Generator,
    many: int,
    tables: Tables,
    swaps: Swaps,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
) -> int:
    """Try so many swaps; return how many were accepted."""
    margins, map_of, maps, sign, kind = tables.of, tables.map_of, tables.maps, tables.sign, tables.kind
    firsts, logs = tables.clique, tables.logs
    clique_of, own_of, own, rest_of, rest = swaps.clique, swaps.own_of, swaps.own, swaps.rest_of, swaps.rest
    free_of, reach, chances = swaps.free, swaps.most, swaps.chances
    observed, rates, curvatures = noise.observed, noise.rates, noise.curvatures
    accepted = 0
    for _ in range(many):
        k = np.searchsorted(chances, rng.random(), side="right")
        clique, free, values = clique_of[k], free_of[k], own_of[k + 1] - own_of[k]
        x = int(rng.random() * values)
        y = (x + 1 + int(rng.random() * (values - 1))) % values
        a, b = firsts[clique] + own[own_of[k] + x], firsts[clique] + own[own_of[k] + y]
        evenly = rng.random() < 0.5
        start, end = rest_of[k], rest_of[k + 1]
        v = _chosen(rng, counts, a, b, rest, start, end, NOTHING, evenly)
        if v < 0:
            continue
        group = start + (v - start) // free * free
        w = _chosen(rng, counts, a, b, rest, group, group + free, v, evenly)
        if w < 0:
            continue
        both = min(counts[a + rest[v]], counts[b + rest[w]])
        back = min(counts[b + rest[v]], counts[a + rest[w]])
        most, gain = both + back, 0.0
        if rng.random() < SPLITS:
            end = int(min(float(most), FAR * reach[k]))
            if back > end:
                continue
            other, gain = new_split(back, end, rng.random())
            d = other - back
            if d < 0:
                a, b, d = b, a, -d
        else:
            if both == 0:
                continue
            d = most
            if rng.random() >= 0.1:
                d = log_uniform(min(float(most), reach[k]), rng.random())
            if d > both:
                continue
        if d == 0:
            continue
        i, j = a + rest[v] - firsts[clique], b + rest[v] - firsts[clique]
        g, h = b + rest[w] - firsts[clique], a + rest[w] - firsts[clique]
        first = margins[clique]
        for m in range(first, margins[clique + 1]):
            # From p to q, and from r to s
            p, q = maps[map_of[m] + i], maps[map_of[m] + j]
            r, s = maps[map_of[m] + g], maps[map_of[m] + h]
            if p in (q, s):
                continue
            if m == first:
                gain -= moved_factorials(logs, counts[p], counts[q], d)
                gain -= moved_factorials(logs, counts[r], counts[s], d)
            elif sign[m] != 0:
                change = moved(counts[p] + prior[p], counts[q] + prior[q], d)
                change += moved(counts[r] + prior[r], counts[s] + prior[s], d)
                gain += sign[m] * change
            if sign[m] == 0:  # a parity, of both in the same way
                even = min(p, q)
                step = 2 * d if q == even else -2 * d
                if kind[m] == 2:
                    value = counts[even] - counts[even + 1]
                    gain += cell_fit(observed, rates, curvatures, even, value, 2 * step)
                else:
                    gain += cell_fit(observed, rates, curvatures, even, counts[even], step)
                    gain += cell_fit(observed, rates, curvatures, even + 1, counts[even + 1], -step)
            elif kind[m] == 1:
                gain += cell_fit(observed, rates, curvatures, p, counts[p], -d)
                gain += cell_fit(observed, rates, curvatures, q, counts[q], d)
                gain += cell_fit(observed, rates, curvatures, r, counts[r], -d)
                gain += cell_fit(observed, rates, curvatures, s, counts[s], d)
        if gain < 0 and rng.random() >= math.exp(gain):
            continue
        for m in range(first, margins[clique + 1]):
            counts[maps[map_of[m] + i]] -= d
            counts[maps[map_of[m] + j]] += d
            counts[maps[map_of[m] + g]] -= d
            counts[maps[map_of[m] + h]] += d
        accepted += 1
    return accepted


@njit(cache=True, nogil=True)
def _chosen(
    rng: np.random.Generator,
    counts: Integers,
    a: int,
    b: int,
    rest: Integers,
    start: int,
    end: int,
    without: int,
    evenly: bool,
) -> int:
    """Return one of the other columns' values, but not `without`; -1 if no record has any."""
    total = 0
    for r in range(start, end):
        if r != without:
            both = counts[a + rest[r]] + counts[b + rest[r]]
            total += min(both, 1) if evenly else both
    left = int(rng.random() * total)
    for r in range(start, end):
        if r != without:
            both = counts[a + rest[r]] + counts[b + rest[r]]
            left -= min(both, 1) if evenly else both
            if left < 0:
                return r
    return -1
