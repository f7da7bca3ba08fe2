"""Learned parameters of a class and its features; the proof is in `class_walk`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Integers
from privior.posterior.networks.class_cells import Room, Star, StarState, StarTables, stretch
from privior.posterior.networks.joint_learning import judge, new_concentration, new_part
from privior.posterior.networks.joint_numbers import fit, rise
from privior.posterior.networks.joint_state import NetworkNoise


@njit(cache=True, nogil=True)
def row_count(star: Star, tables: StarTables, table: int, row: int, counts: Integers) -> int:
    """Return how many records a row of a table has."""
    if tables.first[table] != star.root:
        return int(counts[star.root + row])
    n = 0
    for c in range(star.classes):
        n += counts[star.root + c]
    return n


@njit(cache=True, nogil=True)
def weigh(tables: StarTables, table: int, state: StarState, x: int, old: float, new: float) -> float:
    """Return how the log target changes if the parameter of a level does, in all rows that share it.

    That is the sum over rows of log Π_{k<m} (new+k)/(old+k). Factors from k = 16 on are a difference of log
    Gammas; those before are multiplied.
    """
    gain, ratio, sixteen, far = 0.0, 1.0, 0.0, False
    for row in range(tables.rows[table]):
        start = tables.first[table] + row * tables.levels[table]
        if state.alone[start]:
            continue
        count = state.counts[start + x]
        above, below = 1.0, 1.0
        for k in range(min(count, 16)):
            above *= new + k
            below *= old + k
        ratio *= above / below
        if count > 16:
            if not far:
                sixteen, far = stretch(old + 16.0, new - old), True
            gain += stretch(old + count, new - old) - sixteen
        if not 1e-150 < ratio < 1e150:
            gain, ratio = gain + math.log(ratio), 1.0
    return gain + math.log(ratio)


@njit(cache=True, nogil=True)
def split(rng: np.random.Generator, number: int, a: float, b: float) -> int:
    """Divide some records between two cells with these parameters: their law beforehand."""
    if number == 0:
        return 0
    # A Gamma of tiny shape underflows, its logarithm does not: G(a) = G(a+1) U^(1/a)
    one = math.log(rng.standard_gamma(a + 1.0)) - rng.standard_exponential() / a
    two = math.log(rng.standard_gamma(b + 1.0)) - rng.standard_exponential() / b
    return int(rng.binomial(number, 1 / (1 + math.exp(min(two - one, 700.0)))))


@njit(cache=True, nogil=True)
def renew(
    rng: np.random.Generator, tables: StarTables, noise: NetworkNoise, state: StarState, t: int, room: Room
) -> None:
    """Try to divide anew what two levels of a learned table have: their share, then rows that have it."""
    counts, levels, first, own = state.counts, tables.levels[t], tables.first[t], tables.weight[t]
    x = int(rng.random() * levels)
    y = (x + 1 + int(rng.random() * (levels - 1))) % levels
    both = state.shares[own + x] + state.shares[own + y]
    part, other, gain = state.shares[own + x] / both, rng.random(), 0.0
    if rng.random() < 0.5:
        logit = math.log(part / (1 - part)) + rng.standard_normal()
        if abs(logit) > 30:
            return
        other = 1 / (1 + math.exp(-logit))
        gain = math.log(other * (1 - other) / (part * (1 - part)))
    if not 1e-13 < other < 1 - 1e-13:
        return
    kappa = state.kappa[t]
    a, b = kappa * both * other, kappa * both * (1 - other)
    for row in range(tables.rows[t]):
        if state.alone[first + row * levels]:
            continue
        p, q = first + row * levels + x, first + row * levels + y
        room.before[p] = split(rng, counts[p] + counts[q], a, b)
        change = room.before[p] - counts[p]
        if change != 0:
            gain += fit(noise, p, counts[p], change) + fit(noise, q, counts[q], -change)
    if gain < 0 and rng.random() >= math.exp(gain):
        return
    state.shares[own + x], state.shares[own + y] = both * other, both * (1 - other)
    for row in range(tables.rows[t]):
        if state.alone[first + row * levels]:
            continue
        p, q = first + row * levels + x, first + row * levels + y
        counts[q] += counts[p] - room.before[p]
        counts[p] = room.before[p]
        state.prior[p], state.prior[q] = a, b


@njit(cache=True, nogil=True)
def learn(rng: np.random.Generator, star: Star, tables: StarTables, state: StarState) -> None:
    """Try new parameters of each learned table."""
    counts = state.counts
    for t in range(tables.first.size):
        if tables.learned[t] == 0:
            continue
        levels, first, rows, own = tables.levels[t], tables.first[t], tables.rows[t], tables.weight[t]
        kappa = state.kappa[t]
        # The concentration
        new, gain = new_concentration(rng, kappa, levels)
        for row in range(rows):
            count = row_count(star, tables, t, row, counts)
            if count > 0 and state.alone[first + row * levels] == 0:
                gain += rise(kappa, count) - rise(new, count)
        for x in range(levels):
            share = state.shares[own + x]
            gain += weigh(tables, t, state, x, kappa * share, new * share)
        if gain >= 0 or rng.random() < math.exp(gain):
            kappa = new
            state.kappa[t] = kappa
        # The shares of levels, two at a time
        for _ in range(levels if levels > 1 else 0):
            x = int(rng.random() * levels)
            y = (x + 1 + int(rng.random() * (levels - 1))) % levels
            both = state.shares[own + x] + state.shares[own + y]
            part = state.shares[own + x] / both
            other, gain = new_part(rng, part)
            if other < 0:
                continue
            gain += weigh(tables, t, state, x, kappa * both * part, kappa * both * other)
            gain += weigh(tables, t, state, y, kappa * both * (1 - part), kappa * both * (1 - other))
            if gain >= 0 or rng.random() < math.exp(gain):
                state.shares[own + x], state.shares[own + y] = both * other, both * (1 - other)
        shares = state.shares[own : own + levels]
        for row in range(rows):
            start, number = first + row * levels, row_count(star, tables, t, row, counts)
            cells = slice(start, start + levels)
            state.alone[start] = judge(rng, number, counts[cells], kappa, shares, state.prior[cells])
