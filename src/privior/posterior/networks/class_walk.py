"""The Markov chain over data sets of a class and features that depend on it alone, compiled.

Given how many records each class has, N_c, the tables of features know nothing of each other, and neither do
the rows of one of them. The junction tree (`joint_walk`) is a star, and its target becomes

    log p = log n! - log Γ(n+A) + Σ_c [log Γ(N_c+a_c) - log N_c! + log q(observed - N_c)]
          + Σ_rows [log N_c! - log Γ(N_c+κ) + Σ_x (log Γ(m_x+α_x) - log m_x! + log q(observed - m_x))],

with one row of counts m, of sum N_c, for each feature and class.

*Shift.* A cell and another one of its row are drawn without looking at the state. d is log-uniform on
1..min(T, 4σ+2), T the sum of the two counts, or T with probability 1/10; d records move from the first cell
to the other; reject if it has fewer. T stays as it is, and the reverse move swaps the cells: there is no
Hastings term.

*Births and deaths.* A class gets d records more, one after the other: in every feature a record goes to x
with probability proportional to g_x = (m_x+α_x) √ρ_x, ρ_x being by how much the noise's likelihood changes.
By a death it leaves x with probability proportional to h_x = m_x √ρ'_x, ρ'_x likewise. A death of d records
goes back the way of a birth step by step. One step from N to N+1 changes the row's part of p by
(N+1)/(m_x+1) (m_x+α_x)/(N+κ) ρ_x, and ρ' after it is 1/ρ before it: of this, times the probability of the way
back over that of the step, there is left

    (N+1) G / ((N+κ) H'),    G = Σ g before the step, H' = Σ h after it,

whatever x was. (Proposals that look at the noise by its root are balanced: Zanella, JASA 2020. Where the root
is cut, so that it can be computed, ρ over the square of what was taken for its root is left too.) Where n is
known, d records die in one class and d are born in another; else that is tried too.

*Division.* Of a learned table two levels are drawn, and what they have together is divided anew: their part
of b (uniform beforehand) is drawn uniformly, or its logit moves by a normal step; then the records that each
row with this b has in both are divided by their law given κ and the new b, which is Beta-binomial.
Beforehand, given all sums, the division has just this law: what is left is the noise's likelihood, and the
step's change of variables. Where noise is large, rows and what they have in common move together so; one
after the other they hardly would.

*Learning* is else that of `joint_walk`. This module is imported only when a chain is run.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.class_births import step
from privior.posterior.networks.class_cells import Room, Star, StarState, StarTables, weigh_cells, weight
from privior.posterior.networks.class_learning import learn, renew
from privior.posterior.networks.joint_numbers import fit, log_uniform
from privior.posterior.networks.joint_state import NetworkNoise

#: how often all learned parameters are tried in a sweep
LEARNING = 2


@njit(cache=True, nogil=True)
def shift(rng: np.random.Generator, star: Star, noise: NetworkNoise, state: StarState) -> bool:
    """Try to move some records from a cell to another one of its row; say whether that was accepted."""
    counts, prior, weights = state.counts, state.prior, state.weights
    place = int(rng.random() * star.cells.size)
    p, feature = star.cells[place], star.of[place]
    if counts[p] == 0:
        return False
    levels = star.levels[feature]
    level = (p - star.first[feature]) % levels
    q = p - level + (level + 1 + int(rng.random() * (levels - 1))) % levels
    d, coin = counts[p] + counts[q], rng.random()
    if coin >= 0.5:
        d = log_uniform(min(float(d), star.reach[feature]), rng.random())
    elif coin >= 0.1:
        d = 1 + int(rng.random() * min(float(d), star.reach[feature]))
    if counts[p] < d:
        return False
    old, new = weight(counts[p] - d, prior[p]), weight(counts[q] + d, prior[q])
    gain = fit(noise, p, counts[p], -d) + fit(noise, q, counts[q], d)
    gain += old + new - weights[p] - weights[q]
    if gain < 0 and rng.random() >= math.exp(gain):
        return False
    counts[p] -= d
    counts[q] += d
    weights[p], weights[q] = old, new
    return True


@njit(cache=True, nogil=True)
def walk_on(
    rng: np.random.Generator,
    star: Star,
    tables: StarTables,
    noise: NetworkNoise,
    state: StarState,
    most: int,
    known: bool,
    sweeps: int,
    moves: int,
    steps: int,
    means: Floats,
    states: Integers,
    weights: Floats,
) -> tuple[int, int, int]:
    """Run `sweeps` sweeps of `moves` shifts, some births and deaths, and learning, in place.

    After each sweep the expected chances given the counts are added to `means`. States and the parameters of
    all cells are stored at equal distances, the last at the end. Returns how many shifts and steps were
    accepted, and how many steps there were.
    """
    counts, prior = state.counts, state.prior
    widest = int(tables.levels.max())
    room = Room(np.empty_like(counts), np.empty(widest), np.empty(widest))
    weigh_cells(state, np.int64(0), counts.size)
    accepted, stepped, tried, stored = 0, 0, 0, 0
    each = max(1, moves // steps)
    for sweep in range(sweeps):
        for move in range(moves):
            if star.cells.size and shift(rng, star, noise, state):
                accepted += 1
            if move % each == 0:
                tried += 1
                if step(rng, star, noise, state, most, known, room):
                    stepped += 1
        for _ in range(LEARNING):
            learn(rng, star, tables, state)
            for t in range(tables.first.size):
                if tables.learned[t] and tables.first[t] != star.root and tables.levels[t] > 1:
                    for _ in range(tables.levels[t]):
                        renew(rng, tables, noise, state, t, room)
        weigh_cells(state, np.int64(0), counts.size)
        for t in range(tables.first.size):
            for row in range(tables.rows[t]):
                start = tables.first[t] + row * tables.levels[t]
                whole = 0.0
                for p in range(start, start + tables.levels[t]):
                    whole += counts[p] + prior[p]
                for p in range(start, start + tables.levels[t]):
                    means[p] += (counts[p] + prior[p]) / whole
        if (sweep + 1) * states.shape[0] >= (stored + 1) * sweeps:
            states[stored], weights[stored] = counts, prior
            stored += 1
    return accepted, stepped, tried
