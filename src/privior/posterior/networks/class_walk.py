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

*Learning* is that of `joint_walk`. This module is imported only when a chain is run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_walk import CENTRE, SPREAD, Noise, fit, log_uniform, remainder, rise

#: how often all learned parameters are tried in a sweep
LEARNING = 2
#: where fewer records are born or die at once, they look at the noise
LOOKING = 16
#: half of a change of the log likelihood is cut here when records choose where to go
FARTHEST = 200.0


class Star(NamedTuple):
    """Where cells are.

    Attributes:
        root: the cell of the first class
        classes: how many there are
        first: of each feature the first cell; its rows, one for each class, follow each other
        levels: of each feature
        cells: those that shifts may start from: of features with several levels
        of: the feature of each of these
        reach: of shifts of each feature, 4σ + 2
        at_once: records that are born or die at once, at most
    """

    root: int
    classes: int
    first: Integers
    levels: Integers
    cells: Integers
    of: Integers
    reach: Floats
    at_once: int


class Learned(NamedTuple):
    """Tables: first cell, rows, levels, whether the prior is learned, and where its shares are."""

    first: Integers
    rows: Integers
    levels: Integers
    learned: Integers
    weight: Integers


class State(NamedTuple):
    """What a chain changes: counts, Dirichlet parameters and weights of all cells, κ and b of each table."""

    counts: Integers
    prior: Floats
    weights: Floats
    kappa: Floats
    shares: Floats


class Room(NamedTuple):
    """Room for births and deaths."""

    before: Integers
    up: Floats
    down: Floats


@njit(cache=True, nogil=True)
def stretch(x: float, d: float) -> float:
    """Return log Γ(x+d) - log Γ(x) where both are at least 15 or so, whatever d is."""
    y = x + d
    return float((x - 0.5) * math.log1p(d / x) + d * (math.log(y) - 1) + remainder(y) - remainder(x))


@njit(cache=True, nogil=True)
def weight(count: int, prior: float) -> float:
    """Return log Γ(count + prior) - log Γ(count + 1)."""
    if count >= 16:
        return stretch(count + 1.0, prior - 1.0)
    above, below = 1.0, 1.0
    for k in range(count, 16):
        above *= k + prior
        below *= k + 1.0
    return stretch(17.0, prior - 1.0) - math.log(above / below)


@njit(cache=True, nogil=True)
def weigh_cells(state: State, start: int, end: int) -> None:
    """Write down the weight of the counts of some cells."""
    for p in range(start, end):
        state.weights[p] = weight(state.counts[p], state.prior[p])


@njit(cache=True, nogil=True)
def shift(rng: np.random.Generator, star: Star, noise: Noise, state: State) -> bool:
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
def half(change: float) -> float:
    """Return half of a change of the log likelihood, within what can be taken to a power of e."""
    return min(max(0.5 * change, -FARTHEST), FARTHEST)


@njit(cache=True, nogil=True)
def step_row(
    rng: np.random.Generator,
    first: int,
    levels: int,
    number: int,
    steps: int,
    noise: Noise,
    counts: Integers,
    prior: Floats,
    up: Floats,
    down: Floats,
) -> float:
    """Let records be born in a row, or die if `steps` is negative; return the log of what is left of p.

    Args:
        rng: of the ways
        first: the first cell of the row
        levels: how many cells it has
        number: of its records
        steps: how many are born
        noise: what is known of the cells
        counts: of all cells, which are changed
        prior: of all cells
        up: room for g of each level
        down: room for h of each level
    """
    born = steps > 0
    kappa, ups, downs, left = 0.0, 0.0, 0.0, 0.0
    for x in range(levels):
        p = first + x
        kappa += prior[p]
        up[x] = (counts[p] + prior[p]) * math.exp(half(fit(noise, p, counts[p], 1)))
        down[x] = counts[p] * math.exp(half(fit(noise, p, counts[p], -1)))
        ups += up[x]
        downs += down[x]
    for _ in range(abs(steps)):
        before = ups if born else downs
        chosen, rest = -1, rng.random() * before
        for x in range(levels):
            weight = up[x] if born else down[x]
            if weight > 0:
                chosen = x
                rest -= weight
                if rest < 0:
                    break
        if chosen < 0:
            return -math.inf
        p = first + chosen
        change = fit(noise, p, counts[p], 1 if born else -1)
        left += change - 2 * half(change)
        counts[p] += 1 if born else -1
        up[chosen] = (counts[p] + prior[p]) * math.exp(half(fit(noise, p, counts[p], 1)))
        down[chosen] = counts[p] * math.exp(half(fit(noise, p, counts[p], -1)))
        ups, downs = 0.0, 0.0
        for x in range(levels):
            ups += up[x]
            downs += down[x]
        if born:
            left += math.log((number + 1) / (number + kappa) * before / downs)
            number += 1
        else:
            number -= 1
            left -= math.log((number + 1) / (number + kappa) * ups / before)
    return left


@njit(cache=True, nogil=True)
def step_row_blindly(
    rng: np.random.Generator,
    first: int,
    levels: int,
    number: int,
    steps: int,
    noise: Noise,
    counts: Integers,
    prior: Floats,
    before: Integers,
) -> float:
    """Do as `step_row`, but without looking at the noise, which is what is left."""
    kappa, left = 0.0, 0.0
    for x in range(levels):
        kappa += prior[first + x]
    for taken in range(abs(steps)):
        p = first
        if steps > 0:
            rest = rng.random() * (number + taken + kappa)
            while p < first + levels - 1 and rest >= counts[p] + prior[p]:
                rest -= counts[p] + prior[p]
                p += 1
            counts[p] += 1
        else:
            which = int(rng.random() * (number - taken))
            while which >= counts[p]:
                which -= counts[p]
                p += 1
            counts[p] -= 1
    for p in range(first, first + levels):
        left += fit(noise, p, before[p], counts[p] - before[p])
    return left


@njit(cache=True, nogil=True)
def step_class(
    rng: np.random.Generator,
    chosen: int,
    steps: int,
    star: Star,
    noise: Noise,
    state: State,
    room: Room,
) -> float:
    """Let records be born in a class, or die; return the log of what is left of p but for n and A."""
    cell, counts, prior = star.root + chosen, state.counts, state.prior
    number = counts[cell]
    left = fit(noise, cell, number, steps)
    left += rise(number + prior[cell], steps) - rise(number + 1.0, steps)
    for feature in range(star.first.size):
        levels = star.levels[feature]
        first = star.first[feature] + chosen * levels
        if star.at_once < LOOKING:
            left += step_row(rng, first, levels, number, steps, noise, counts, prior, room.up, room.down)
        else:
            left += step_row_blindly(
                rng, first, levels, number, steps, noise, counts, prior, room.before
            )
        if left == -math.inf:
            break
    counts[cell] = number + steps
    return left


@njit(cache=True, nogil=True)
def step(
    rng: np.random.Generator, star: Star, noise: Noise, state: State, most: int, known: bool, room: Room
) -> bool:
    """Try births, deaths, or both in two classes; say whether that was accepted."""
    root, classes, counts = star.root, star.classes, state.counts
    d = log_uniform(float(star.at_once), rng.random())
    one = int(rng.random() * classes)
    two = (one + 1 + int(rng.random() * (classes - 1))) % classes
    kind = rng.random()
    births, deaths = known or kind < 0.6, known or kind >= 0.4
    n, whole = 0, 0.0
    for c in range(classes):
        n += counts[root + c]
        whole += state.prior[root + c]
    change = (d if births else 0) - (d if deaths else 0)
    if n + change > most or (births and deaths and classes == 1):
        return False
    dying = two if births else one
    if deaths and counts[root + dying] < d:
        return False
    room.before[:] = counts
    left = rise(n + 1.0, change) - rise(n + whole, change)
    if deaths:
        left += step_class(rng, dying, -d, star, noise, state, room)
    if births:
        left += step_class(rng, one, d, star, noise, state, room)
    if not (left >= 0 or rng.random() < math.exp(left)):
        counts[:] = room.before
        return False
    for feature in range(star.first.size):
        first, levels = star.first[feature], star.levels[feature]
        if births:
            weigh_cells(state, first + one * levels, first + (one + 1) * levels)
        if deaths:
            weigh_cells(state, first + dying * levels, first + (dying + 1) * levels)
    return True


@njit(cache=True, nogil=True)
def row_count(star: Star, tables: Learned, table: int, row: int, counts: Integers) -> int:
    """Return how many records a row of a table has."""
    if tables.first[table] != star.root:
        return int(counts[star.root + row])
    n = 0
    for c in range(star.classes):
        n += counts[star.root + c]
    return n


@njit(cache=True, nogil=True)
def weigh(tables: Learned, table: int, counts: Integers, x: int, old: float, new: float) -> float:
    """Return how the log target changes if the parameter of a level does, in all rows.

    That is the sum over rows of log Π_{k<m} (new+k)/(old+k). Factors from k = 16 on are a difference of log
    Gammas; those before are multiplied.
    """
    gain, ratio, sixteen, far = 0.0, 1.0, 0.0, False
    for row in range(tables.rows[table]):
        count = counts[tables.first[table] + row * tables.levels[table] + x]
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
def renew(rng: np.random.Generator, tables: Learned, noise: Noise, state: State, t: int, room: Room) -> None:
    """Try to divide anew what two levels of a learned table have: their share, then the records of each row."""
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
        p, q = first + row * levels + x, first + row * levels + y
        room.before[p] = split(rng, counts[p] + counts[q], a, b)
        change = room.before[p] - counts[p]
        if change != 0:
            gain += fit(noise, p, counts[p], change) + fit(noise, q, counts[q], -change)
    if gain < 0 and rng.random() >= math.exp(gain):
        return
    state.shares[own + x], state.shares[own + y] = both * other, both * (1 - other)
    for row in range(tables.rows[t]):
        p, q = first + row * levels + x, first + row * levels + y
        counts[q] += counts[p] - room.before[p]
        counts[p] = room.before[p]
        state.prior[p], state.prior[q] = a, b


@njit(cache=True, nogil=True)
def learn(rng: np.random.Generator, star: Star, tables: Learned, state: State) -> None:
    """Try new parameters of each learned table."""
    counts = state.counts
    for t in range(tables.first.size):
        if tables.learned[t] == 0:
            continue
        levels, first, rows, own = tables.levels[t], tables.first[t], tables.rows[t], tables.weight[t]
        kappa = state.kappa[t]
        # The concentration
        new = kappa * math.exp((0.4 if rng.random() < 0.5 else 1.5) * rng.standard_normal())
        away, was = math.log(new / levels) - CENTRE, math.log(kappa / levels) - CENTRE
        gain = (was * was - away * away) / (2 * SPREAD * SPREAD)
        for row in range(rows):
            count = row_count(star, tables, t, row, counts)
            if count > 0:
                gain += rise(kappa, count) - rise(new, count)
        for x in range(levels):
            share = state.shares[own + x]
            gain += weigh(tables, t, counts, x, kappa * share, new * share)
        if gain >= 0 or rng.random() < math.exp(gain):
            kappa = new
            state.kappa[t] = kappa
        # The shares of levels, two at a time
        for _ in range(levels if levels > 1 else 0):
            x = int(rng.random() * levels)
            y = (x + 1 + int(rng.random() * (levels - 1))) % levels
            both = state.shares[own + x] + state.shares[own + y]
            part = state.shares[own + x] / both
            logit = math.log(part / (1 - part))
            logit += (0.5 if rng.random() < 0.5 else 2.0) * rng.standard_normal()
            if abs(logit) > 30:
                continue
            other = 1 / (1 + math.exp(-logit))
            gain = math.log(other * (1 - other) / (part * (1 - part)))
            gain += weigh(tables, t, counts, x, kappa * both * part, kappa * both * other)
            gain += weigh(tables, t, counts, y, kappa * both * (1 - part), kappa * both * (1 - other))
            if gain >= 0 or rng.random() < math.exp(gain):
                state.shares[own + x], state.shares[own + y] = both * other, both * (1 - other)
        for row in range(rows):
            for x in range(levels):
                state.prior[first + row * levels + x] = kappa * state.shares[own + x]


@njit(cache=True, nogil=True)
def walk_on(
    rng: np.random.Generator,
    star: Star,
    tables: Learned,
    noise: Noise,
    state: State,
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
    learned tables are stored at equal distances, the last at the end. Returns how many shifts and steps were
    accepted, and how many steps there were.
    """
    counts, prior = state.counts, state.prior
    widest = int(tables.levels.max())
    room = Room(np.empty_like(counts), np.empty(widest), np.empty(widest))
    weigh_cells(state, 0, counts.size)
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
        weigh_cells(state, 0, counts.size)
        for t in range(tables.first.size):
            for row in range(tables.rows[t]):
                start = tables.first[t] + row * tables.levels[t]
                whole = 0.0
                for p in range(start, start + tables.levels[t]):
                    whole += counts[p] + prior[p]
                for p in range(start, start + tables.levels[t]):
                    means[p] += (counts[p] + prior[p]) / whole
        if (sweep + 1) * states.shape[0] >= (stored + 1) * sweeps:
            states[stored] = counts
            for t in range(tables.first.size):
                if tables.learned[t]:
                    for here in range(tables.weight[t], tables.weight[t] + tables.levels[t]):
                        weights[stored, here] = state.kappa[t] * state.shares[here]
            stored += 1
    return accepted, stepped, tried
