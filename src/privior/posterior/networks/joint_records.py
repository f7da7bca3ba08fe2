"""Moves of whole records, compiled: births, deaths and renewals; the proof is in `joint_walk`."""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import cell_fit, inner
from privior.posterior.networks.joint_state import NetworkNoise, Nodes, Scratch, Tables, Walks
from privior.posterior.networks.joint_sticks import table_fit

#: records that are born, die or are renewed at once, at most
MOST_AT_ONCE = 256
#: the walk over whole records, and what becomes of one; plain numbers would each be compiled for
RECORDS, TAKEN, ADDED = np.int64(0), np.int64(-1), np.int64(1)


@inner
def change_record(
    start: int,
    end: int,
    cliques: Integers,
    margins: Integers,
    map_of: Integers,
    maps: Integers,
    kind: Integers,
    observed: Floats,
    rates: Floats,
    curvatures: Floats,
    counts: Integers,
    cells: Integers,
    step: int,
) -> float:
    """Add or take a record in the cliques of some steps; return how the noise's likelihood changes."""
    gain = 0.0
    for s in range(start, end):
        clique = cliques[s]
        cell = cells[clique]
        for m in range(margins[clique], margins[clique + 1]):
            p = maps[map_of[m] + cell]
            if kind[m] == 1:
                gain += cell_fit(observed, rates, curvatures, p, counts[p], step)
            elif kind[m] == 2:
                even = maps[map_of[m]]  # all codes zero: an even number of ones
                value = counts[even] - counts[even + 1]
                gain += cell_fit(observed, rates, curvatures, even, value, step if p == even else -step)
            counts[p] += step
    return gain


@inner
def change(
    many: int,
    tables: Tables,
    walks: Walks,
    noise: NetworkNoise,
    counts: Integers,
    cells: Integers,
    step: int,
) -> None:
    """Add or take records whose cells are known."""
    start, end, cliques = walks.of[RECORDS], walks.of[RECORDS + 1], walks.clique
    margins, map_of, maps, kind = tables.of, tables.map_of, tables.maps, tables.kind
    seen, rates, curvatures = noise.observed, noise.rates, noise.curvatures
    for r in range(many):
        change_record(
            start, end, cliques, margins, map_of, maps, kind, seen, rates, curvatures, counts, cells[r], step
        )


@inner
def take(
    rng: np.random.Generator,
    many: int,
    tables: Tables,
    walks: Walks,
    noise: NetworkNoise,
    counts: Integers,
    scratch: Scratch,
) -> float:
    """Take records, all of them equally likely; return the change of the noise's likelihood.

    Where they were is written into `scratch`.
    """
    start, end, cliques = walks.of[RECORDS], walks.of[RECORDS + 1], walks.clique
    have_of, have, new_of, new = walks.have_of, walks.have, walks.new_of, walks.new
    off_of, off, firsts = walks.off_of, walks.off, tables.clique
    margins, map_of, maps, kind = tables.of, tables.map_of, tables.maps, tables.kind
    seen, rates, curvatures = noise.observed, noise.rates, noise.curvatures
    codes, gone = scratch.codes, scratch.gone
    gain = 0.0
    for r in range(many):
        cells = gone[r]
        for s in range(start, end):
            clique = cliques[s]
            base = 0
            for k in range(have_of[s], have_of[s + 1]):
                base += codes[have[k, 0]] * have[k, 1]
            if off_of[s + 1] - off_of[s] == 1:
                cells[clique] = base + off[off_of[s]]
                continue
            first, total = firsts[clique] + base, 0
            for e in range(off_of[s], off_of[s + 1]):
                total += counts[first + off[e]]
            left = int(rng.random() * total)
            for e in range(off_of[s], off_of[s + 1]):
                left -= counts[first + off[e]]
                if left < 0:
                    for k in range(new_of[s], new_of[s + 1]):
                        codes[new[k, 0]] = (e - off_of[s]) // new[k, 1] % new[k, 2]
                    cells[clique] = base + off[e]
                    break
        gain += change_record(
            start, end, cliques, margins, map_of, maps, kind, seen, rates, curvatures, counts, cells, TAKEN
        )
    return gain


@inner
def add(
    rng: np.random.Generator,
    many: int,
    tables: Tables,
    walks: Walks,
    nodes: Nodes,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> float:
    """Add records of the predictive law given all others; return the change of the noise's likelihood."""
    start, end, cliques = walks.of[RECORDS], walks.of[RECORDS + 1], walks.clique
    have_of, have, new_of, new = walks.have_of, walks.have, walks.new_of, walks.new
    margins, map_of, maps, kind = tables.of, tables.map_of, tables.maps, tables.kind
    seen, rates, curvatures = noise.observed, noise.rates, noise.curvatures
    above_of, above, above_levels, level_of = nodes.above_of, nodes.above, nodes.above_levels, nodes.levels
    row_of, table_of, column = nodes.row, nodes.table, nodes.column
    codes, came = scratch.codes, scratch.came
    gain = 0.0
    for r in range(many):
        for node in range(column.size):
            u = 0
            for k in range(above_of[node], above_of[node + 1]):
                u = u * above_levels[k] + codes[above[k]]
            row, levels = row_of[node] + u, level_of[node]
            first = table_of[node] + u * levels
            left, drawn = rng.random() * (counts[row] + prior[row]), levels - 1
            for x in range(levels):
                left -= counts[first + x] + prior[first + x]
                if left < 0:
                    drawn = x
                    break
            codes[column[node]] = drawn
        cells = came[r]
        for s in range(start, end):
            cell = 0
            for k in range(have_of[s], have_of[s + 1]):
                cell += codes[have[k, 0]] * have[k, 1]
            for k in range(new_of[s], new_of[s + 1]):
                cell += codes[new[k, 0]] * new[k, 3]
            cells[cliques[s]] = cell
        gain += change_record(
            start, end, cliques, margins, map_of, maps, kind, seen, rates, curvatures, counts, cells, ADDED
        )
    return gain


@inner
def drawn_fit(v: int, nodes: Nodes, noise: NetworkNoise, counts: Integers) -> float:
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
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    scratch: Scratch,
) -> bool:
    """Try to take some records and to add some others; say whether that was accepted."""
    gain, drawn = 0.0, noise.sticks.rates.size > 0
    for v in range(nodes.column.size if drawn else 0):
        gain -= drawn_fit(v, nodes, noise, counts)
    gain += take(rng, deaths, tables, walks, noise, counts, scratch)
    gain += add(rng, births, tables, walks, nodes, noise, counts, prior, scratch)
    for v in range(nodes.column.size if drawn else 0):
        gain += drawn_fit(v, nodes, noise, counts)
    if gain >= 0 or rng.random() < math.exp(gain):
        return True
    change(births, tables, walks, noise, counts, scratch.came, TAKEN)
    change(deaths, tables, walks, noise, counts, scratch.gone, ADDED)
    return False
