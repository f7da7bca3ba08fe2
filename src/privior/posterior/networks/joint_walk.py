"""The Markov chain over data sets of a network, compiled: counts of all cliques, and learned priors.

Target, with c_C, c_S, c_v and c_u counts of cliques, separators, tables and their rows (`joint_layout`):

    log p(c) = Σ_S log c_S! - Σ_C log c_C!                       data sets in sequence that have these counts
             + Σ_v [Σ log Γ(c_v+a_v) - Σ log Γ(c_u+A_u)]         the chances of tables summed out
             + Σ log q(observed - c_v)                           the noise
             + Σ log p(sticks | c_v)                             released draws (`joint_sticks`).

The empty separator of the first clique contributes log n!, so that with n unknown it is right for n uniform.

*Shift.* A block of columns (one, or a parent and its child) with old values a and new values b, all
different, is drawn without looking at the state. The walk over the cliques that hold it draws the rest w of
each, given what it shares with those before, with probability proportional to f(s), s = c_C(w,a) + c_C(w,b);
f(s) is s, or 1 for s > 0, as a coin says. d is log-uniform on 1..min(T, 4σ+2), or T with probability 1/10, T
being the smallest s. d records move from a to b in all these cliques; reject if some c_C(w,a) < d. The move
leaves every s as it is, with the sums of f(s) and T; σ is public. The reverse move swaps a and b, makes the
same choices with the same probabilities, and takes the same d: there is no Hastings term. (To cap d by
c_C(w,a) would break that.) Shifts with d = 1 connect all data sets of n records.

*Records.* As sequences, data sets have the exchangeable law ∫ ∏ p(x_i | θ) dθ, times the likelihood of what
was released. Birth appends d records, each drawn from the predictive law given all before it; death
removes d records, equally likely among all sets of d: the last d of a sequence in random order. Forward and
reverse probability of either are the law's own, which cancels: what is left is the ratio of the noise's
likelihoods (with n uniform below its bound). Renewal is a death and a birth of the same d. d is drawn without
looking at the state. A record of the data set that the cliques describe is drawn clique by clique in
proportion to the counts that are left.

*Cascade.* A node, a row u of its table, and two of its levels a and b are drawn without looking at the state.
d is log-uniform on 1..min(c_ua + c_ub, 4σ+2), or c_ua + c_ub, or c_ua - c_ub > 0; the move leaves the sum as
it is, and by the last d the two counts change places, as by its reverse. Reject if c_ua < d. d records of
those with (u, a), equally likely, get level b, and all nodes below are drawn anew from the predictive law.
Of the law of sequences the part of the nodes below cancels as for births; that of the node has the ratio
Γ(c_ub+a_b+d) Γ(c_ua+a_a-d) / Γ(c_ub+a_b) Γ(c_ua+a_a). d of c_ua records are chosen, and by the reverse move d
of c_ub + d: the ratio of these binomial coefficients is the Hastings term. Parents are not below the node, so
rows stay as they are.

*Learning.* The parameters of a learned table are a_v = κ b in every row: Metropolis on log κ, which is normal
about log(levels) + 0.7 with deviation 1, and on pairs of b, uniform on its simplex (`LearnedTables`).

This module is imported only when a chain is run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_sticks import Sticks, table_fit, table_gain

#: records that are born, die or are renewed at once, at most
MOST_AT_ONCE = 256
#: how often a sweep tries another number of records at least, where it is not known
BIRTHS = 8
#: the mean and the standard deviation of log(κ / levels)
CENTRE, SPREAD = 0.7, 1.0
#: the walk over whole records, and what becomes of one; plain numbers would each be compiled for
RECORDS, TAKEN, ADDED = np.int64(0), np.int64(-1), np.int64(1)


class Tables(NamedTuple):
    """The margins of each clique: `of[k]:of[k+1]` are those of clique k, itself first.

    `levels` are those of the node whose table a margin is; 0 of other margins.
    """

    of: Integers
    map_of: Integers
    maps: Integers
    sign: Integers
    kind: Integers
    clique: Integers
    start: Integers
    levels: Integers


class Walks(NamedTuple):
    """Walks over cliques, step by step; the first is over whole records."""

    of: Integers
    clique: Integers
    have_of: Integers
    have: Integers
    new_of: Integers
    new: Integers
    off_of: Integers
    off: Integers
    strides: Integers
    sizes: Integers
    most: Floats
    chances: Floats


class Nodes(NamedTuple):
    """Tables of nodes, parents first: column, places, rows, levels, whether learned, and parents' columns."""

    column: Integers
    table: Integers
    row: Integers
    rows: Integers
    levels: Integers
    learned: Integers
    weight: Integers
    above_of: Integers
    above: Integers
    above_levels: Integers
    below_of: Integers
    below: Integers
    walk: Integers
    chances: Floats


class Noise(NamedTuple):
    """What is known of each cell: a row for each term; and of each stick of released draws."""

    observed: Floats
    rates: Floats
    curvatures: Floats
    sticks: Sticks


class State(NamedTuple):
    """What a chain changes: counts, Dirichlet parameters beside them, κ and b of each learned table."""

    counts: Integers
    prior: Floats
    kappa: Floats
    shares: Floats


class Scratch(NamedTuple):
    """Room for a move."""

    codes: Integers
    old: Integers
    new: Integers
    cliques: Integers
    gone: Integers
    came: Integers
    kept: Integers


#: for functions that compiled ones alone call: the doors for other callers would take long to compile
inner = njit(cache=True, nogil=True, no_cfunc_wrapper=True)


@njit(cache=True, nogil=True)
def rise(x: float, d: int) -> float:
    """Return log Γ(x+d) - log Γ(x), right to 10⁻¹² or so."""
    if d < 0:
        return float(-rise(x + d, -d))
    if d <= 8:
        product = 1.0
        for k in range(d):
            product *= x + k
        return math.log(product)
    y, below, above = x + d, 1.0, 1.0
    while x < 16:
        below *= x
        x += 1
    while y < 16:
        above *= y
        y += 1
    difference = (x - 0.5) * math.log1p((y - x) / x) + (y - x) * (math.log(y) - 1)
    return float(difference + remainder(y) - remainder(x) + math.log(below / above))


@inner
def remainder(z: float) -> float:
    """Return Stirling's remainder for z >= 16."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z


@inner
def fit(noise: Noise, place: int, value: int, step: int) -> float:
    """Return how the log likelihood of a number changes by a step."""
    gain = 0.0
    for k in range(noise.observed.shape[0]):
        away = noise.observed[k, place] - value
        gain += noise.curvatures[k, place] * step * (away - 0.5 * step)
        if noise.rates[k, place] > 0:
            gain += noise.rates[k, place] * (abs(away) - abs(away - step))
    return gain


@njit(cache=True, nogil=True)
def log_uniform(most: float, uniform: float) -> int:
    """Return d in 1..most with probability log((d+1)/d) / log(most+1)."""
    step = int(math.exp(uniform * math.log(most + 1.0)))
    return max(1, min(step, int(most)))


@njit(cache=True, nogil=True)
def shift(
    rng: np.random.Generator,
    walk: int,
    tables: Tables,
    walks: Walks,
    noise: Noise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> bool:
    """Try to move some records from old values of a block to new ones; say whether that was accepted."""
    a0 = int(rng.random() * walks.sizes[walk, 0])
    b0 = (a0 + 1 + int(rng.random() * (walks.sizes[walk, 0] - 1))) % walks.sizes[walk, 0]
    a1, b1 = 0, 0
    if walks.sizes[walk, 1] > 1:
        a1 = int(rng.random() * walks.sizes[walk, 1])
        b1 = (a1 + 1 + int(rng.random() * (walks.sizes[walk, 1] - 1))) % walks.sizes[walk, 1]
    evenly = rng.random() < 0.5
    codes, smallest, steps = scratch.codes, np.int64(2**62), 0
    for s in range(walks.of[walk], walks.of[walk + 1]):
        clique = walks.clique[s]
        first = tables.clique[clique]
        base = 0
        for k in range(walks.have_of[s], walks.have_of[s + 1]):
            base += codes[walks.have[k, 0]] * walks.have[k, 1]
        i = base + a0 * walks.strides[s, 0] + a1 * walks.strides[s, 1]
        j = base + b0 * walks.strides[s, 0] + b1 * walks.strides[s, 1]
        start, end = walks.off_of[s], walks.off_of[s + 1]
        chosen = start
        if end - start > 1:
            total = 0
            for r in range(start, end):
                both = counts[first + i + walks.off[r]] + counts[first + j + walks.off[r]]
                total += min(both, 1) if evenly else both
            if total == 0:
                return False
            left = int(rng.random() * total)
            for r in range(start, end):
                both = counts[first + i + walks.off[r]] + counts[first + j + walks.off[r]]
                left -= min(both, 1) if evenly else both
                if left < 0:
                    chosen = r
                    break
            r = chosen - start
            for k in range(walks.new_of[s], walks.new_of[s + 1]):
                codes[walks.new[k, 0]] = r // walks.new[k, 1] % walks.new[k, 2]
        i += walks.off[chosen]
        j += walks.off[chosen]
        smallest = min(smallest, counts[first + i] + counts[first + j])
        scratch.cliques[steps], scratch.old[steps], scratch.new[steps] = clique, i, j
        steps += 1
    if smallest == 0:
        return False
    d = smallest
    if rng.random() >= 0.1:
        d = log_uniform(min(float(smallest), walks.most[walk]), rng.random())
    for s in range(steps):
        if counts[tables.clique[scratch.cliques[s]] + scratch.old[s]] < d:
            return False
    gain = 0.0
    for s in range(steps):
        for m in range(tables.of[scratch.cliques[s]], tables.of[scratch.cliques[s] + 1]):
            p = tables.maps[tables.map_of[m] + scratch.old[s]]
            q = tables.maps[tables.map_of[m] + scratch.new[s]]
            if p == q:
                continue
            if tables.sign[m] != 0:
                change = rise(counts[p] + prior[p], -d) + rise(counts[q] + prior[q], d)
                gain += tables.sign[m] * change
            if tables.kind[m] == 1:
                gain += fit(noise, p, counts[p], -d) + fit(noise, q, counts[q], d)
            elif tables.kind[m] == 2:
                even = min(p, q)
                value = counts[even] - counts[even + 1]
                gain += fit(noise, even, value, 2 * d if q == even else -2 * d)
            if tables.levels[m] > 0 and noise.sticks.rates.size > 0:
                start, levels = tables.start[m], tables.levels[m]
                gain += table_gain(noise.sticks, start, levels, counts, p, q, d)
    if gain < 0 and rng.random() >= math.exp(gain):
        return False
    for s in range(steps):
        for m in range(tables.of[scratch.cliques[s]], tables.of[scratch.cliques[s] + 1]):
            counts[tables.maps[tables.map_of[m] + scratch.old[s]]] -= d
            counts[tables.maps[tables.map_of[m] + scratch.new[s]]] += d
    return True


@inner
def change_record(
    walk: int, tables: Tables, walks: Walks, noise: Noise, counts: Integers, cells: Integers, step: int
) -> float:
    """Add or take a record in the cliques of a walk; return how the noise's likelihood changes."""
    gain = 0.0
    for s in range(walks.of[walk], walks.of[walk + 1]):
        clique = walks.clique[s]
        for m in range(tables.of[clique], tables.of[clique + 1]):
            p = tables.maps[tables.map_of[m] + cells[clique]]
            if tables.kind[m] == 1:
                gain += fit(noise, p, counts[p], step)
            elif tables.kind[m] == 2:
                even = tables.maps[tables.map_of[m]]  # all codes zero: an even number of ones
                value = counts[even] - counts[even + 1]
                gain += fit(noise, even, value, step if p == even else -step)
            counts[p] += step
    return gain


@inner
def random_record(
    rng: np.random.Generator,
    walk: int,
    tables: Tables,
    walks: Walks,
    counts: Integers,
    codes: Integers,
    cells: Integers,
) -> None:
    """Write into `cells` where a record is, all records that have the known codes being equally likely."""
    for s in range(walks.of[walk], walks.of[walk + 1]):
        clique = walks.clique[s]
        base = 0
        for k in range(walks.have_of[s], walks.have_of[s + 1]):
            base += codes[walks.have[k, 0]] * walks.have[k, 1]
        first, start, end = tables.clique[clique] + base, walks.off_of[s], walks.off_of[s + 1]
        total = 0
        for r in range(start, end):
            total += counts[first + walks.off[r]]
        left = int(rng.random() * total)
        for r in range(start, end):
            left -= counts[first + walks.off[r]]
            if left < 0:
                for k in range(walks.new_of[s], walks.new_of[s + 1]):
                    codes[walks.new[k, 0]] = (r - start) // walks.new[k, 1] % walks.new[k, 2]
                cells[clique] = base + walks.off[r]
                break


@inner
def new_code(
    rng: np.random.Generator, v: int, nodes: Nodes, counts: Integers, prior: Floats, codes: Integers
) -> None:
    """Draw a node's code from the predictive law, given those of its parents and all records."""
    u = 0
    for k in range(nodes.above_of[v], nodes.above_of[v + 1]):
        u = u * nodes.above_levels[k] + codes[nodes.above[k]]
    row, levels = nodes.row[v] + u, nodes.levels[v]
    first = nodes.table[v] + u * levels
    left = rng.random() * (counts[row] + prior[row])
    code = levels - 1
    for x in range(levels):
        left -= counts[first + x] + prior[first + x]
        if left < 0:
            code = x
            break
    codes[nodes.column[v]] = code


@inner
def cells_of(walk: int, walks: Walks, codes: Integers, cells: Integers) -> None:
    """Write into `cells` where a record with these codes is, in the cliques of a walk."""
    for s in range(walks.of[walk], walks.of[walk + 1]):
        cell = 0
        for k in range(walks.have_of[s], walks.have_of[s + 1]):
            cell += codes[walks.have[k, 0]] * walks.have[k, 1]
        for k in range(walks.new_of[s], walks.new_of[s + 1]):
            cell += codes[walks.new[k, 0]] * walks.new[k, 3]
        cells[walks.clique[s]] = cell


@inner
def drawn_fit(v: int, nodes: Nodes, noise: Noise, counts: Integers) -> float:
    """Return the log likelihood of the draws of a node's table."""
    return float(table_fit(noise.sticks, nodes.table[v], nodes.rows[v], nodes.levels[v], counts))


@inner
def renew(
    rng: np.random.Generator,
    deaths: int,
    births: int,
    tables: Tables,
    walks: Walks,
    nodes: Nodes,
    noise: Noise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> bool:
    """Try to take some records and to add some others; say whether that was accepted."""
    gain, drawn = 0.0, noise.sticks.rates.size > 0
    for v in range(nodes.column.size if drawn else 0):
        gain -= drawn_fit(v, nodes, noise, counts)
    for r in range(deaths):
        random_record(rng, RECORDS, tables, walks, counts, scratch.codes, scratch.gone[r])
        gain += change_record(RECORDS, tables, walks, noise, counts, scratch.gone[r], TAKEN)
    for r in range(births):
        for v in range(nodes.column.size):
            new_code(rng, v, nodes, counts, prior, scratch.codes)
        cells_of(RECORDS, walks, scratch.codes, scratch.came[r])
        gain += change_record(RECORDS, tables, walks, noise, counts, scratch.came[r], ADDED)
    for v in range(nodes.column.size if drawn else 0):
        gain += drawn_fit(v, nodes, noise, counts)
    if gain >= 0 or rng.random() < math.exp(gain):
        return True
    for r in range(births):
        change_record(RECORDS, tables, walks, noise, counts, scratch.came[r], TAKEN)
    for r in range(deaths):
        change_record(RECORDS, tables, walks, noise, counts, scratch.gone[r], ADDED)
    return False


@inner
def cascade(
    rng: np.random.Generator,
    v: int,
    tables: Tables,
    walks: Walks,
    nodes: Nodes,
    noise: Noise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> bool:
    """Try to move some records of a row of a node's table from a level to another, and all below anew."""
    levels, walk, codes = nodes.levels[v], nodes.walk[v], scratch.codes
    if levels < 2:
        return False
    u = int(rng.random() * nodes.rows[v])
    a = int(rng.random() * levels)
    b = (a + 1 + int(rng.random() * (levels - 1))) % levels
    p, q = nodes.table[v] + u * levels + a, nodes.table[v] + u * levels + b
    both = counts[p] + counts[q]
    if both == 0:
        return False
    d, coin = both, rng.random()
    if coin < 0.7:
        d = log_uniform(min(float(both), walks.most[walk], float(MOST_AT_ONCE)), rng.random())
    elif coin < 0.85:
        d = counts[p] - counts[q]  # the levels change places
    if d > min(counts[p], MOST_AT_ONCE) or d <= 0:
        return False
    # Γ(c_b+a_b+d)/Γ(c_b+a_b) Γ(c_a-d+a_a)/Γ(c_a+a_a), and the number of choices of the d records
    gain = rise(counts[q] + prior[q], d) + rise(counts[p] + prior[p], -d)
    gain -= rise(counts[q] + 1.0, d) + rise(counts[p] + 1.0, -d)
    first, end = nodes.below_of[v], nodes.below_of[v + 1]
    drawn = noise.sticks.rates.size > 0
    if drawn:
        gain -= drawn_fit(v, nodes, noise, counts)
        for k in range(first, end):
            gain -= drawn_fit(nodes.below[k], nodes, noise, counts)
    for r in range(d):
        rest = u
        for k in range(nodes.above_of[v + 1] - 1, nodes.above_of[v] - 1, -1):
            codes[nodes.above[k]] = rest % nodes.above_levels[k]
            rest //= nodes.above_levels[k]
        codes[nodes.column[v]] = a
        random_record(rng, walk, tables, walks, counts, codes, scratch.gone[r])
        for k in range(codes.size):
            scratch.kept[r, k] = codes[k]
        gain += change_record(walk, tables, walks, noise, counts, scratch.gone[r], TAKEN)
    for r in range(d):
        for k in range(codes.size):
            codes[k] = scratch.kept[r, k]
        codes[nodes.column[v]] = b
        for k in range(first, end):
            new_code(rng, nodes.below[k], nodes, counts, prior, codes)
        cells_of(walk, walks, codes, scratch.came[r])
        gain += change_record(walk, tables, walks, noise, counts, scratch.came[r], ADDED)
    if drawn:
        gain += drawn_fit(v, nodes, noise, counts)
        for k in range(first, end):
            gain += drawn_fit(nodes.below[k], nodes, noise, counts)
    if gain >= 0 or rng.random() < math.exp(gain):
        return True
    for r in range(d):
        change_record(walk, tables, walks, noise, counts, scratch.came[r], TAKEN)
        change_record(walk, tables, walks, noise, counts, scratch.gone[r], ADDED)
    return False


@inner
def weigh(nodes: Nodes, v: int, state: State, x: int, old: float, new: float) -> float:
    """Return how the log target changes if the parameter of a level does, in all rows."""
    gain, levels = 0.0, nodes.levels[v]
    for u in range(nodes.rows[v]):
        count = state.counts[nodes.table[v] + u * levels + x]
        if count > 0:
            gain += rise(new, count) - rise(old, count)
    return gain


@njit(cache=True, nogil=True)
def learn(rng: np.random.Generator, nodes: Nodes, state: State) -> None:
    """Try new parameters of each learned table."""
    for v in range(nodes.column.size):
        if nodes.learned[v] == 0:
            continue
        levels, first = nodes.levels[v], nodes.weight[v]
        kappa = state.kappa[v]
        # The concentration
        new = kappa * math.exp((0.4 if rng.random() < 0.5 else 1.5) * rng.standard_normal())
        away, was = math.log(new / levels) - CENTRE, math.log(kappa / levels) - CENTRE
        gain = (was * was - away * away) / (2 * SPREAD * SPREAD)
        for u in range(nodes.rows[v]):
            count = state.counts[nodes.row[v] + u]
            if count > 0:
                gain += rise(kappa, count) - rise(new, count)
        for x in range(levels):
            share = state.shares[first + x]
            gain += weigh(nodes, v, state, x, kappa * share, new * share)
        if gain >= 0 or rng.random() < math.exp(gain):
            kappa = new
            state.kappa[v] = kappa
        # The shares of levels, two at a time
        for _ in range(levels):
            x = int(rng.random() * levels)
            y = (x + 1 + int(rng.random() * (levels - 1))) % levels
            both = state.shares[first + x] + state.shares[first + y]
            part = state.shares[first + x] / both
            logit = math.log(part / (1 - part))
            logit += (0.5 if rng.random() < 0.5 else 2.0) * rng.standard_normal()
            if abs(logit) > 30:
                continue
            other = 1 / (1 + math.exp(-logit))
            gain = math.log(other * (1 - other) / (part * (1 - part)))
            gain += weigh(nodes, v, state, x, kappa * both * part, kappa * both * other)
            gain += weigh(nodes, v, state, y, kappa * both * (1 - part), kappa * both * (1 - other))
            if gain >= 0 or rng.random() < math.exp(gain):
                state.shares[first + x], state.shares[first + y] = both * other, both * (1 - other)
        for u in range(nodes.rows[v]):
            state.prior[nodes.row[v] + u] = kappa
            for x in range(levels):
                state.prior[nodes.table[v] + u * levels + x] = kappa * state.shares[first + x]


@njit(cache=True, nogil=True)
def walk_on(
    rng: np.random.Generator,
    tables: Tables,
    walks: Walks,
    nodes: Nodes,
    noise: Noise,
    state: State,
    scratch: Scratch,
    most: int,
    known: bool,
    at_once: int,
    every: int,
    sweeps: int,
    moves: int,
    places: Integers,
    rows: Integers,
    means: Floats,
    states: Integers,
    weights: Floats,
) -> tuple[int, int, int, int, int]:
    """Run `sweeps` sweeps of `moves` shifts, each with some record moves and learning, in place.

    After each sweep the expected chances given the counts are added to `means`. States and the parameters of
    learned tables are stored at equal distances, the last at the end. Returns how many shifts and record
    moves were accepted, and how many record moves there were.
    """
    counts, prior = state.counts, state.prior
    everybody = tables.maps[tables.map_of[1]]  # the empty separator of the first clique
    accepted, renewed, tried, stored, cascades, cascaded = 0, 0, 0, 0, 0, 0
    # A number of records that is not known moves by these alone.
    records_every = 256 if known else min(256, max(1, moves // BIRTHS))
    for sweep in range(sweeps):
        for move in range(moves):
            walk = np.searchsorted(walks.chances, rng.random(), side="right")
            if shift(rng, walk, tables, walks, noise, counts, prior, scratch):
                accepted += 1
            if move % every == 0:
                node = np.searchsorted(nodes.chances, rng.random(), side="right")
                cascades += 1
                if cascade(rng, node, tables, walks, nodes, noise, counts, prior, scratch):
                    cascaded += 1
            if move % records_every == 0:
                d = log_uniform(float(at_once), rng.random())
                kind = rng.random()
                deaths = d if known or kind < 0.6 else 0
                births = d if known or kind >= 0.4 else 0
                total = counts[everybody]
                tried += 1
                possible = deaths <= total and total - deaths + births <= most
                if possible and renew(
                    rng, deaths, births, tables, walks, nodes, noise, counts, prior, scratch
                ):
                    renewed += 1
        learn(rng, nodes, state)
        for e in range(places.size):
            p, r = places[e], rows[e]
            means[e] += (counts[p] + prior[p]) / (counts[r] + prior[r])
        if (sweep + 1) * states.shape[0] >= (stored + 1) * sweeps:
            for e in range(places.size):
                states[stored, e] = counts[places[e]]
            for v in range(nodes.column.size):
                if nodes.learned[v]:
                    for x in range(nodes.levels[v]):
                        here = nodes.weight[v] + x
                        weights[stored, here] = state.kappa[v] * state.shares[here]
            stored += 1
    return accepted, renewed, tried, cascades, cascaded
