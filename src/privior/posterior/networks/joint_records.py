"""Moves of whole records, compiled: births, deaths, renewals and cascades; the proof is in `joint_walk`."""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import fit, inner, log_uniform, rise
from privior.posterior.networks.joint_state import Nodes, Noise, Scratch, Tables, Walks
from privior.posterior.networks.joint_sticks import table_fit

#: records that are born, die or are renewed at once, at most
MOST_AT_ONCE = 256
#: the walk over whole records, and what becomes of one; plain numbers would each be compiled for
RECORDS, TAKEN, ADDED = np.int64(0), np.int64(-1), np.int64(1)


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
