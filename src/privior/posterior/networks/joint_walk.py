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

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_learning import learn
from privior.posterior.networks.joint_numbers import fit, log_uniform, rise
from privior.posterior.networks.joint_records import cascade, renew
from privior.posterior.networks.joint_state import Nodes, Noise, Scratch, State, Tables, Walks
from privior.posterior.networks.joint_sticks import table_gain

#: how often a sweep tries another number of records at least, where it is not known
BIRTHS = 8


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
