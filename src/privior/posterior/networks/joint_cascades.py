"""Cascades, compiled: records change a column, and what is below follows where it must.

A node v, a row u of its table, and two of its levels a and b are drawn without looking at the state. d is
log-uniform on 1..min(c_ua + c_ub, 4σ+2), or c_ua + c_ub, or c_ua - c_ub > 0; the move leaves the sum as it
is, and by the last d the two counts change places, as by its reverse. Reject if c_ua < d. Or c_ub is drawn
anew, as the B of a split (`joint_walk`), with its Hastings term; if it becomes less, a and b are exchanged.
More than 256 records are never moved, nor would they be moved back. Then d times a
record of those with (u, a), equally likely, gets level b, and the nodes below, parents first, follow: one of
whose parents none has changed stays. Else let y be its level, and p and q its predictive laws given all other
records, in the row where it was and in the row where it is now. It stays with probability min(1, q(y)/p(y)),
else it is drawn in proportion to (q - p)⁺: so that p(y) K(y → y') = q(y') K'(y' → y), K' being the same with
p and q exchanged.

The reverse move takes the same records, the last one first: then all others are the same when a record
changes, and so are p and q. The law of sequences changes by q(y')/p(y) for each node below that followed,
which K and K' cancel; that of v by Γ(c_ub+a_b+d) Γ(c_ua+a_a-d) / Γ(c_ub+a_b) Γ(c_ua+a_a). d of c_ua records
are chosen, and by the reverse move d of c_ub + d: the ratio of these binomial coefficients is the Hastings
term. Parents are not below the node, so its rows stay as they are. Which records there are beyond the counts
of the cliques is drawn, clique by clique, as far as it matters: all data sets with these counts are equally
likely.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import FAR, cell_fit, inner, log_uniform, new_split, rise
from privior.posterior.networks.joint_records import MOST_AT_ONCE, drawn_fit
from privior.posterior.networks.joint_state import NetworkNoise, Nodes, Paths, Scratch, Tables

#: how many cascades are splits
_SPLITS = 0.3


@inner
def follow(
    rng: np.random.Generator,
    y: int,
    old: int,
    new: int,
    old_row: int,
    new_row: int,
    levels: int,
    counts: Integers,
    prior: Floats,
) -> int:
    """Return the level that a node gets whose row has changed; `old` and `new` are where its rows begin."""
    # The record itself is not among all others.
    of_old, of_new = counts[old_row] - 1 + prior[old_row], counts[new_row] + prior[new_row]
    p, q = (counts[old + y] - 1 + prior[old + y]) / of_old, (counts[new + y] + prior[new + y]) / of_new
    if rng.random() * p < q:
        return y
    total = 0.0
    for x in range(levels):
        if x != y:
            more = (counts[new + x] + prior[new + x]) / of_new - (counts[old + x] + prior[old + x]) / of_old
            total += max(more, 0.0)
    left, found = rng.random() * total, y
    for x in range(levels):
        if x != y:
            more = (counts[new + x] + prior[new + x]) / of_new - (counts[old + x] + prior[old + x]) / of_old
            if more > 0:
                found = x
                left -= more
                if left < 0:
                    break
    return found


@njit(cache=True, nogil=True)
def change(
    rng: np.random.Generator,
    many: int,
    v: int,
    b: int,
    tables: Tables,
    paths: Paths,
    nodes: Nodes,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> float:
    """Change some records of those with the known codes; return how the noise's likelihood changes.

    Arrays are taken out of their tuples before the loop: each look into a tuple counts references to them.
    """
    codes, other, visited, changed = scratch.codes, scratch.other, scratch.visited, scratch.changed
    where, gone, came, found, clock = scratch.where, scratch.gone, scratch.came, scratch.found, scratch.now
    clique_of, have_of, have, new_of, new = paths.clique, paths.have_of, paths.have, paths.new_of, paths.new
    off_of, off, steps_of, steps = paths.off_of, paths.off, paths.of, paths.steps
    columns_of, columns = paths.columns_of, paths.columns
    above_of, above, above_levels = nodes.above_of, nodes.above, nodes.above_levels
    below, column, table_of, row_of, levels_of = (
        nodes.below,
        nodes.column,
        nodes.table,
        nodes.row,
        nodes.levels,
    )
    firsts, margins, map_of, maps, kind = tables.clique, tables.of, tables.map_of, tables.maps, tables.kind
    observed, rates, curvatures = noise.observed, noise.rates, noise.curvatures
    first_below, last_below = nodes.below_of[v], nodes.below_of[v + 1]
    gain = 0.0
    for record in range(many):
        clock[0] += 1
        now, seen, e, at = clock[0], 0, v, first_below
        other[column[v]] = b
        while e >= 0:
            # Node e has changed: all cliques that hold it are touched, its home is known but for the first.
            changed[column[e]] = now
            start_step = -1 if e == v else 0
            for k in range(start_step, steps_of[e + 1] - steps_of[e]):
                step = v if k < 0 else steps[steps_of[e] + k]
                clique = clique_of[step]
                if visited[clique] == now:
                    continue
                visited[clique] = now
                base = 0
                for h in range(have_of[step], have_of[step + 1]):
                    base += codes[have[h, 0]] * have[h, 1]
                start, end = off_of[step], off_of[step + 1]
                chosen = start
                if end - start > 1:
                    first, total = firsts[clique] + base, 0
                    for r in range(start, end):
                        total += counts[first + off[r]]
                    left = int(rng.random() * total)
                    for r in range(start, end):
                        left -= counts[first + off[r]]
                        if left < 0:
                            chosen = r
                            break
                for h in range(new_of[step], new_of[step + 1]):
                    code = (chosen - start) // new[h, 1] % new[h, 2]
                    codes[new[h, 0]] = code
                    other[new[h, 0]] = code
                where[record, seen], gone[record, seen] = clique, base + off[chosen]
                seen += 1
            e = -1
            while at < last_below and e < 0:
                one = below[at]
                at += 1
                touched, was, is_now = False, 0, 0
                for k in range(above_of[one], above_of[one + 1]):
                    if changed[above[k]] == now:
                        touched = True
                        break
                if touched:
                    for k in range(above_of[one], above_of[one + 1]):
                        was = was * above_levels[k] + codes[above[k]]
                        is_now = is_now * above_levels[k] + other[above[k]]
                    levels, y = levels_of[one], codes[column[one]]
                    old_place, new_place = table_of[one] + was * levels, table_of[one] + is_now * levels
                    old_row, new_row = row_of[one] + was, row_of[one] + is_now
                    x = follow(rng, y, old_place, new_place, old_row, new_row, levels, counts, prior)
                    if x != y:
                        other[column[one]] = x
                        e = one
        found[record] = seen
        for s in range(seen):
            clique, i, j = where[record, s], gone[record, s], 0
            for k in range(columns_of[clique], columns_of[clique + 1]):
                j += other[columns[k, 0]] * columns[k, 1]
            came[record, s] = j
            for m in range(margins[clique], margins[clique + 1]):
                p, q = maps[map_of[m] + i], maps[map_of[m] + j]
                if p == q:
                    continue
                if kind[m] == 1:
                    gain += cell_fit(observed, rates, curvatures, p, counts[p], np.int64(-1))
                    gain += cell_fit(observed, rates, curvatures, q, counts[q], np.int64(1))
                elif kind[m] == 2:
                    even = min(p, q)
                    value, move = counts[even] - counts[even + 1], 2 if q == even else -2
                    gain += cell_fit(observed, rates, curvatures, even, value, move)
                counts[p] -= 1
                counts[q] += 1
    return gain


@inner
def undo(many: int, tables: Tables, counts: Integers, scratch: Scratch) -> None:
    """Give records back what they had."""
    margins, map_of, maps = tables.of, tables.map_of, tables.maps
    where, gone, came, found = scratch.where, scratch.gone, scratch.came, scratch.found
    for record in range(many):
        for s in range(found[record]):
            clique, i, j = where[record, s], gone[record, s], came[record, s]
            for m in range(margins[clique], margins[clique + 1]):
                counts[maps[map_of[m] + i]] += 1
                counts[maps[map_of[m] + j]] -= 1


@inner
def cascade(
    rng: np.random.Generator,
    v: int,
    tables: Tables,
    paths: Paths,
    nodes: Nodes,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> bool:
    """Try to move some records of a row of a node's table from a level to another, and what is below."""
    levels, codes, other = nodes.levels[v], scratch.codes, scratch.other
    if levels < 2:
        return False
    u = int(rng.random() * nodes.rows[v])
    a = int(rng.random() * levels)
    b = (a + 1 + int(rng.random() * (levels - 1))) % levels
    p, q = nodes.table[v] + u * levels + a, nodes.table[v] + u * levels + b
    both = counts[p] + counts[q]
    if both == 0:
        return False
    gain, d, coin = 0.0, both, rng.random()
    if coin < _SPLITS:
        most = int(min(float(both), FAR * paths.most[v]))
        if counts[q] > most:
            return False
        more, gain = new_split(counts[q], most, rng.random())
        d = more - counts[q]
        if d < 0:
            a, b, p, q, d = b, a, q, p, -d
    elif coin < 0.9:
        d = log_uniform(min(float(both), paths.most[v], float(MOST_AT_ONCE)), rng.random())
    elif coin < 0.95:
        d = counts[p] - counts[q]  # the levels change places
    if d > min(counts[p], MOST_AT_ONCE) or d <= 0:
        return False
    # Beside the Hastings term of a split: Γ(c_b+a_b+d)/Γ(c_b+a_b) Γ(c_a-d+a_a)/Γ(c_a+a_a), and the number of
    # choices of the d records
    gain += rise(counts[q] + prior[q], d) + rise(counts[p] + prior[p], -d)
    gain -= rise(counts[q] + 1.0, d) + rise(counts[p] + 1.0, -d)
    first, end = nodes.below_of[v], nodes.below_of[v + 1]
    drawn = noise.sticks.rates.size > 0
    if drawn:
        gain -= drawn_fit(v, nodes, noise, counts)
        for k in range(first, end):
            gain -= drawn_fit(nodes.below[k], nodes, noise, counts)
    rest = u
    for k in range(nodes.above_of[v + 1] - 1, nodes.above_of[v] - 1, -1):
        codes[nodes.above[k]] = rest % nodes.above_levels[k]
        other[nodes.above[k]] = codes[nodes.above[k]]
        rest //= nodes.above_levels[k]
    codes[nodes.column[v]] = a
    gain += change(rng, d, v, b, tables, paths, nodes, noise, counts, prior, scratch)
    if drawn:
        gain += drawn_fit(v, nodes, noise, counts)
        for k in range(first, end):
            gain += drawn_fit(nodes.below[k], nodes, noise, counts)
    if gain >= 0 or rng.random() < math.exp(gain):
        return True
    undo(d, tables, counts, scratch)
    return False
