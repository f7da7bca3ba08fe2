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
f(s) is s, or 1 for s > 0, as a coin says. d records move from a to b in all these cliques. The move leaves
every s as it is, with the sums of f(s). Another coin says how far it goes:

- A *step*: d is log-uniform on 1..min(T, 4σ+2), or T with probability 1/10, T being the smallest s; reject if
  some c_C(w,a) < d. T stays, σ is public. The reverse move swaps a and b, makes the same choices with the
  same probabilities, and takes the same d: there is no Hastings term. (To cap d by c_C(w,a) would break
  that.) Steps with d = 1 connect all data sets of n records.
- A *split*: with A and B the smallest c_C(w,a) and c_C(w,b), of which A + B stays, and M the lesser of A + B
  and 2 (4σ+2), B becomes B' in 0..M, B' + 1 being log-uniform, whatever B is; d = B' - B, and if that is
  negative records move back. Nothing happens if B > M. The reverse move makes the same choices and draws B of
  the same law g, for B' <= M: the Hastings term is g(B) / g(B'). Where priors are small a count is next to
  nothing or as large as the noise, and steps seldom lead from the one to the other, or back.

*Records.* As sequences, data sets have the exchangeable law ∫ ∏ p(x_i | θ) dθ, times the likelihood of what
was released. Birth appends d records, each drawn from the predictive law given all before it; death
removes d records, equally likely among all sets of d: the last d of a sequence in random order. Forward and
reverse probability of either are the law's own, which cancels: what is left is the ratio of the noise's
likelihoods (with n uniform below its bound). Renewal is a death and a birth of the same d. d is drawn without
looking at the state. A record of the data set that the cliques describe is drawn clique by clique in
proportion to the counts that are left.

*Learning.* A row of a learned table has the parameters κ b, or with even chances 1/2 for each level, whatever
other rows have (`LearnedTables`): which of the two is drawn from its law given the row's counts, κ and b. So
are κ and b given the rows that share them: Metropolis on log κ, which is normal about log(levels) + 0.7 with
deviation 1, and on pairs of b, uniform on its simplex.

*Swaps* are proved in `joint_swaps`, *cascades* in `joint_cascades`.

This module is imported only when a chain is run.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_cascades import cascade
from privior.posterior.networks.joint_learning import learn
from privior.posterior.networks.joint_numbers import (
    FAR,
    SPLITS,
    cell_fit,
    log_uniform,
    moved,
    moved_factorials,
    new_split,
)
from privior.posterior.networks.joint_records import renew
from privior.posterior.networks.joint_state import (
    JointState,
    NetworkNoise,
    Nodes,
    Paths,
    Scratch,
    Swaps,
    Tables,
    Walks,
)
from privior.posterior.networks.joint_sticks import table_gain
from privior.posterior.networks.joint_swaps import swap

#: how often a sweep tries another number of records at least, where it is not known
BIRTHS = 8
#: shifts that are tried one after the other, and swaps for each of them
TOGETHER, SWAPS = 16, 3
#: how often a sweep tries other parameters of learned tables, about
LEARNS = 4


@njit(cache=True, nogil=True)
def shift(
    rng: np.random.Generator,
    many: int,
    tables: Tables,
    walks: Walks,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> int:
    """Try so many times to move records from old values of a block to new ones; return how often it did.

    Arrays are taken out of their tuples before the loop: each look into a tuple counts references to them.
    """
    margins, map_of, maps, sign, kind = tables.of, tables.map_of, tables.maps, tables.sign, tables.kind
    start_of, levels_of, firsts, logs = tables.start, tables.levels, tables.clique, tables.logs
    of, clique_of, have_of, have, new_of = walks.of, walks.clique, walks.have_of, walks.have, walks.new_of
    new, off_of, off, strides, sizes = walks.new, walks.off_of, walks.off, walks.strides, walks.sizes
    reach, chances = walks.most, walks.chances
    observed, rates, curvatures, sticks = noise.observed, noise.rates, noise.curvatures, noise.sticks
    drawn = sticks.rates.size > 0
    codes, cliques, olds, news = scratch.codes, scratch.cliques, scratch.old, scratch.new
    accepted = 0
    for _ in range(many):
        walk = np.searchsorted(chances, rng.random(), side="right")
        a0 = int(rng.random() * sizes[walk, 0])
        b0 = (a0 + 1 + int(rng.random() * (sizes[walk, 0] - 1))) % sizes[walk, 0]
        a1, b1 = 0, 0
        if sizes[walk, 1] > 1:
            a1 = int(rng.random() * sizes[walk, 1])
            b1 = (a1 + 1 + int(rng.random() * (sizes[walk, 1] - 1))) % sizes[walk, 1]
        evenly = rng.random() < 0.5
        smallest, steps = np.int64(2**62), 0
        for s in range(of[walk], of[walk + 1]):
            clique = clique_of[s]
            first = firsts[clique]
            base = 0
            for k in range(have_of[s], have_of[s + 1]):
                base += codes[have[k, 0]] * have[k, 1]
            i = base + a0 * strides[s, 0] + a1 * strides[s, 1]
            j = base + b0 * strides[s, 0] + b1 * strides[s, 1]
            start, end = off_of[s], off_of[s + 1]
            chosen = start
            if end - start > 1:
                total = 0
                for r in range(start, end):
                    both = counts[first + i + off[r]] + counts[first + j + off[r]]
                    total += min(both, 1) if evenly else both
                left = int(rng.random() * total)
                for r in range(start, end):
                    both = counts[first + i + off[r]] + counts[first + j + off[r]]
                    left -= min(both, 1) if evenly else both
                    if left < 0:
                        chosen = r
                        break
                r = chosen - start
                for k in range(new_of[s], new_of[s + 1]):
                    codes[new[k, 0]] = r // new[k, 1] % new[k, 2]
            i += off[chosen]
            j += off[chosen]
            smallest = min(smallest, counts[first + i] + counts[first + j])
            if smallest == 0:
                break
            cliques[steps], olds[steps], news[steps] = clique, i, j
            steps += 1
        if smallest == 0:
            continue
        less, more = np.int64(2**62), np.int64(2**62)
        for s in range(steps):
            less = min(less, counts[firsts[cliques[s]] + olds[s]])
            more = min(more, counts[firsts[cliques[s]] + news[s]])
        gain = 0.0
        if rng.random() < SPLITS:
            most = int(min(float(less + more), FAR * reach[walk]))
            if more > most:
                continue
            other, gain = new_split(more, most, rng.random())
            d = other - more
            if d < 0:
                olds, news, d = news, olds, -d
        else:
            d = smallest
            if rng.random() >= 0.1:
                d = log_uniform(min(float(smallest), reach[walk]), rng.random())
            if d > less:
                continue
        if d == 0:
            continue
        for s in range(steps):
            own = margins[cliques[s]]
            for m in range(own, margins[cliques[s] + 1]):
                p = maps[map_of[m] + olds[s]]
                q = maps[map_of[m] + news[s]]
                if p == q:
                    continue
                if m < own + 2:  # the clique and its separator
                    gain += sign[m] * moved_factorials(logs, counts[p], counts[q], d)
                elif sign[m] != 0:
                    gain += sign[m] * moved(counts[p] + prior[p], counts[q] + prior[q], d)
                if kind[m] == 1:
                    gain += cell_fit(observed, rates, curvatures, p, counts[p], -d)
                    gain += cell_fit(observed, rates, curvatures, q, counts[q], d)
                elif kind[m] == 2:
                    even = min(p, q)
                    value = counts[even] - counts[even + 1]
                    step = 2 * d if q == even else -2 * d
                    gain += cell_fit(observed, rates, curvatures, even, value, step)
                if drawn and levels_of[m] > 0:
                    gain += table_gain(sticks, start_of[m], levels_of[m], counts, p, q, d)
        if gain < 0 and rng.random() >= math.exp(gain):
            continue
        for s in range(steps):
            for m in range(margins[cliques[s]], margins[cliques[s] + 1]):
                counts[maps[map_of[m] + olds[s]]] -= d
                counts[maps[map_of[m] + news[s]]] += d
        accepted += 1
    return accepted


@njit(cache=True, nogil=True)
def walk_on(
    rng: np.random.Generator,
    tables: Tables,
    walks: Walks,
    swaps: Swaps,
    paths: Paths,
    nodes: Nodes,
    noise: NetworkNoise,
    state: JointState,
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
    """Run `sweeps` sweeps of `moves` shifts, each with swaps, some record moves and learning, in place.

    After each sweep the expected chances given the counts are added to `means`. States and the parameters of
    all cells are stored at equal distances, the last at the end. Returns how many shifts and record
    moves were accepted, and how many record moves there were.
    """
    counts, prior = state.counts, state.prior
    everybody = tables.maps[tables.map_of[1]]  # the empty separator of the first clique
    accepted, renewed, tried, stored, cascades, cascaded = 0, 0, 0, 0, 0, 0
    # A number of records that is not known moves by these alone.
    records_every = 256 if known else min(256, max(1, moves // BIRTHS))
    learn_every = max(1, moves // LEARNS)
    for sweep in range(sweeps):
        for move in range(moves):
            if move % TOGETHER == 0:
                many = min(TOGETHER, moves - move)
                accepted += shift(rng, many, tables, walks, noise, counts, prior, scratch)
                if swaps.clique.size > 0:
                    swap(rng, SWAPS * many, tables, swaps, noise, counts, prior)
            if move % every == 0:
                node = np.searchsorted(nodes.chances, rng.random(), side="right")
                cascades += 1
                if cascade(rng, node, tables, paths, nodes, noise, counts, prior, scratch):
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
            if move % learn_every == 0:
                learn(rng, nodes, state)
        for e in range(places.size):
            p, r = places[e], rows[e]
            means[e] += (counts[p] + prior[p]) / (counts[r] + prior[r])
        if (sweep + 1) * states.shape[0] >= (stored + 1) * sweeps:
            for e in range(places.size):
                states[stored, e], weights[stored, e] = counts[places[e]], prior[places[e]]
            stored += 1
    return accepted, renewed, tried, cascades, cascaded
