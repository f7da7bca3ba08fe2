"""A Markov chain over tables of counts, compiled: for tables too large to be summed.

The target is g(Σc) ∏ wᵢ(cᵢ), as in `cell_weights`; with a known total g plays no part.

Move: an ordered pair of cells, uniform; T = c_i + c_j; a step d, log-uniform on 1..min(T, 4σ + 2), or with
probability 1/10 d = T; d records go from i to j; reject if d > c_i, else Metropolis. The reverse move
takes the pair (j, i) and the same d. Pairs are equally likely, and d is drawn given T and the pair's σ only:
T does not change and σ, from 1/σ² = 1/σᵢ² + 1/σⱼ², depends neither on the state nor on the order. So proposal
and reverse have the same probability and there is no Hastings term. (Capping d by c_i would break that.)

If the total is unknown, every other move is a birth or death instead: one cell, a sign, and d log-uniform
on 1..min(most, 4σᵢ + 2), none of which depends on the state; reject if a count would be negative or the
total above `most`. Steps d = 1 make both irreducible. This module is imported only when a chain is run.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers

#: what a row of `cells` holds, before a kink and a rate for each release
PRIOR, CURVATURE, CENTRE, SLOPE, PRECISION, KINKS = range(6)


@njit(cache=True, nogil=True)
def log_weight(count: int, cell: Floats) -> float:
    """Return log w(c) of one cell; by Stirling's formula for large counts, as in `stirling`."""
    a = cell[PRIOR]
    if count < 20:
        height = math.lgamma(count + a) - math.lgamma(count + 1.0)
    else:
        top, bottom = count + a, count + 1.0
        height = (count + 0.5) * math.log1p((a - 1) / bottom) + (a - 1) * (math.log(top) - 1)
        height += remainder(top) - remainder(bottom)
    away = count - cell[CENTRE]
    height += cell[SLOPE] * count - cell[CURVATURE] * away * away / 2
    for kink in range(KINKS, cell.size, 2):
        height -= cell[kink + 1] * abs(cell[kink] - count)
    return float(height)


@njit(cache=True, nogil=True)
def remainder(z: float) -> float:
    """Return Stirling's remainder for z >= 20, right to 10⁻¹²."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z


@njit(cache=True, nogil=True)
def log_uniform(most: int, uniform: float) -> int:
    """Return d in 1..most with probability log((d+1)/d) / log(most+1)."""
    step = int(math.exp(uniform * math.log(most + 1.0)))
    return max(1, min(step, most))


@njit(cache=True, nogil=True)
def reach(precision: float, most: int) -> int:
    """Return min(most, 4σ + 2)."""
    if precision <= 0 or 4 / math.sqrt(precision) + 2 >= most:
        return most
    return int(4 / math.sqrt(precision) + 2)


@njit(cache=True, nogil=True)
def walk(
    rng: np.random.Generator,
    counts: Integers,
    cells: Floats,
    most: int,
    known: bool,
    sweeps: int,
    moves: int,
    origin: Integers,
    sums: Floats,
    squares: Floats,
    states: Integers,
) -> int:
    """Run `sweeps` sweeps of `moves` moves on `counts`, in place; return how many were accepted.

    After each sweep c − origin and its square are added to `sums` and `squares`. States are stored at
    equal distances, the last one at the end. `cells` has a row of constants for each cell, so that a move
    touches little memory.
    """
    size = counts.size
    total = counts.sum()
    everything = np.zeros(KINKS)
    everything[PRIOR] = cells[:, PRIOR].sum()
    heights = np.empty(size)
    for i in range(size):
        heights[i] = log_weight(counts[i], cells[i])
    accepted, stored = 0, 0
    for sweep in range(sweeps):
        for _ in range(moves):
            i = min(int(rng.random() * size), size - 1)
            if known or (size > 1 and rng.random() < 0.5):
                j = min(int(rng.random() * (size - 1)), size - 2)
                if j >= i:
                    j += 1
                both = counts[i] + counts[j]
                if both == 0:
                    continue
                step = both
                if rng.random() >= 0.1:
                    step = log_uniform(reach(cells[i, PRECISION] + cells[j, PRECISION], both), rng.random())
                if step > counts[i]:
                    continue
                down = log_weight(counts[i] - step, cells[i])
                up = log_weight(counts[j] + step, cells[j])
                gain = down - heights[i] + up - heights[j]
                if gain >= 0 or rng.random() < math.exp(gain):
                    counts[i] -= step
                    counts[j] += step
                    heights[i], heights[j] = down, up
                    accepted += 1
            else:
                step = log_uniform(reach(cells[i, PRECISION], most), rng.random())
                if rng.random() < 0.5:
                    step = -step
                if counts[i] + step < 0 or total + step > most:
                    continue
                new = log_weight(counts[i] + step, cells[i])
                # log g(N) is minus the log weight of a cell with a = A and no evidence.
                change = log_weight(total, everything) - log_weight(total + step, everything)
                gain = new - heights[i] + change
                if gain >= 0 or rng.random() < math.exp(gain):
                    counts[i] += step
                    total += step
                    heights[i] = new
                    accepted += 1
        for i in range(size):
            away = float(counts[i] - origin[i])
            sums[i] += away
            squares[i] += away * away
        if (sweep + 1) * states.shape[0] >= (stored + 1) * sweeps:
            states[stored] = counts
            stored += 1
    return accepted
