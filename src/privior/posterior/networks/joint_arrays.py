"""The layout of a network's counts as flat arrays, as compiled loops read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import CELLS, JointLayout
from privior.posterior.networks.joint_records import MOST_AT_ONCE
from privior.posterior.networks.joint_state import NetworkNoise, Nodes, Scratch, Tables, Walks
from privior.posterior.networks.joint_sticks import Sticks, box_table

#: how often the columns of an arc are moved together, beside one column alone
_ARCS = 0.5
#: how much more often a column is moved for each of its children
_CHILDREN = 0.25
#: the part of shifts that goes to all columns alike, not by the cells of their tables
_ALIKE = 0.5
#: shifts for each cascade: so many for each cell of a table that has others below, within these ends
_SHIFTS, _FEWEST, _MOST = 2, 4, 256
#: factorials whose logarithms are made beforehand
_FACTORIALS = 2**16
#: integrals over boxes that are made beforehand, at most
_MOST_BOXES = 2_000_000


def tables_of(layout: JointLayout) -> Tables:
    """Return the margins of all cliques."""
    margins = layout.margins
    first = np.searchsorted([one.clique for one in margins], np.arange(len(layout.tree.cliques) + 1))
    sizes = [one.cells.size for one in margins]
    return Tables(
        first.astype(np.int64),
        np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
        np.concatenate([one.cells for one in margins]).astype(np.int64),
        integers_of([one.sign for one in margins]),
        integers_of([one.kind for one in margins]),
        integers_of([margins[one].start for one in first[:-1]]),
        integers_of([one.start for one in margins]),
        integers_of(
            [layout.tree.size_of[one.columns[-1]] if one.sign and one.kind == CELLS else 0 for one in margins]
        ),
        gammaln(np.arange(1.0, _FACTORIALS + 1)),
    )


def walks_of(layout: JointLayout, precisions: Floats) -> Walks:
    """Return the walks, and how far they go.

    Args:
        layout: of the network
        precisions: about one over the variance of the noise of each cell of all tables
    """
    tree, model = layout.tree, layout.model
    number = {node: place for place, node in enumerate(model.columns)}
    walks = layout.walks
    of, clique, have_of, have, new_of, new, off_of, off, strides = [0], [], [0], [], [0], [], [0], [], []
    for walk in walks:
        for place, known, drawn in walk.steps:
            stride = strides_of([tree.size_of[name] for name in tree.cliques[place]])
            stride_of = dict(zip(tree.cliques[place], stride, strict=True))
            clique.append(place)
            have += [(number[name], stride_of[name]) for name in known]
            shape = [tree.size_of[name] for name in drawn]
            inner = strides_of(shape)
            new += [
                (number[name], step, tree.size_of[name], stride_of[name])
                for name, step in zip(drawn, inner, strict=True)
            ]
            codes = np.unravel_index(np.arange(math.prod(shape)), shape) if shape else ()
            steps = (one * stride_of[name] for name, one in zip(drawn, codes, strict=True))
            offsets = sum(steps, start=np.zeros(1, dtype=np.int64))
            off += np.broadcast_to(offsets, math.prod(shape)).tolist()
            strides.append([*(stride_of.get(name, 0) for name in walk.block), 0, 0][:2])
            have_of.append(len(have))
            new_of.append(len(new))
            off_of.append(len(off))
        of.append(len(clique))
    sizes = [[*(tree.size_of[name] for name in walk.block), 1, 1][:2] for walk in walks]
    most, weights = _reaches(layout, [walk.block for walk in walks], precisions)
    chances = chances_of(weights)
    return Walks(
        integers_of(of),
        integers_of(clique),
        integers_of(have_of),
        integers_of(have, 2),
        integers_of(new_of),
        integers_of(new, 4),
        integers_of(off_of),
        integers_of(off),
        integers_of(strides, 2),
        integers_of(sizes, 2),
        most,
        chances,
    )


def _reaches(
    layout: JointLayout, blocks: Sequence[tuple[str, ...]], precisions: Floats
) -> tuple[Floats, Floats]:
    """Return 4σ + 2 of each block, and how often it is moved."""
    model = layout.model
    sizes = model.sizes(layout.schema)
    cuts = np.split(precisions, np.cumsum(sizes)[:-1])
    known = {node: float(part.mean()) for node, part in zip(model.columns, cuts, strict=True)}
    cells = dict(zip(model.columns, sizes, strict=True))
    touching: dict[str, set[str]] = {node: set() for node in model.columns}
    for node, names in zip(model.columns, model.tables, strict=True):
        for name in names:
            touching[name].add(node)
    most, weights, alike = [], [], []
    for block in blocks:
        touched = sorted(set().union(*(touching[name] for name in block)))
        precision = 2 * sum(known[node] for node in touched)
        most.append(4 / math.sqrt(precision) + 2 if precision > 0 else 2.0**60)
        share = 1.0 if len(block) == 1 else _ARCS / max(len(model.parents[block[-1]]), 1) if block else 0.0
        children = len(touching[block[-1]]) - 1 if block else 0
        weights.append(share * cells[block[-1]] * (1 + _CHILDREN * children) if block else 0.0)
        alike.append(share if block else 0.0)
    every = max(sum(weights), 1e-9), max(sum(alike), 1e-9)
    shared = (1 - _ALIKE) * np.array(weights) / every[0] + _ALIKE * np.array(alike) / every[1]
    return np.array(most), np.asarray(shared)


def nodes_of(layout: JointLayout, learned: Sequence[bool]) -> Nodes:
    """Return the tables of the nodes, parents first.

    Args:
        layout: of the network
        learned: for each node of the model whether its prior is learned
    """
    model, tree = layout.model, layout.tree
    number = {node: place for place, node in enumerate(model.columns)}
    levels = [tree.size_of[node] for node in model.columns]
    weight = dict(zip(model.columns, np.cumsum([0, *levels[:-1]]).tolist(), strict=True))
    cells = dict(zip(model.columns, model.sizes(layout.schema), strict=True))
    order, places = model.order, [layout.table(node) for node in model.order]
    above = [name for node in order for name in model.parents[node]]
    return Nodes(
        integers_of([number[node] for node in order]),
        integers_of([table.start for table, _ in places]),
        integers_of([rows.start for _, rows in places]),
        integers_of([math.prod(tree.size_of[name] for name in model.parents[node]) for node in order]),
        integers_of([tree.size_of[node] for node in order]),
        integers_of([learned[number[node]] for node in order]),
        integers_of([weight[node] for node in order]),
        integers_of(np.cumsum([0, *(len(model.parents[node]) for node in order)])),
        integers_of([number[name] for name in above]),
        integers_of([tree.size_of[name] for name in above]),
        integers_of(np.cumsum([0, *(len(layout.below[node]) for node in order)])),
        integers_of([order.index(one) for node in order for one in layout.below[node]]),
        chances_of([_cascades(cells[node], len(layout.below[node])) for node in order]),
    )


def _cascades(cells: int, below: int) -> float:
    """Return how often a node's table is changed by cascades: those of nodes with many below take long."""
    return cells**0.75 / math.sqrt(1 + below) if below else 0.0


def shifts_per_cascade(layout: JointLayout) -> int:
    """Return how many shifts are made for each cascade: more if few cells are of nodes with others below."""
    sizes = dict(zip(layout.model.columns, layout.model.sizes(layout.schema), strict=True))
    inner = sum(size for node, size in sizes.items() if layout.below[node])
    return min(max(_SHIFTS * sum(sizes.values()) // inner, _FEWEST), _MOST) if inner else _MOST


def noise_of(evidence: JointEvidence) -> NetworkNoise:
    """Return what is known of each place."""
    return NetworkNoise(evidence.observed, evidence.rates, evidence.curvatures, _sticks_of(evidence))


def _sticks_of(evidence: JointEvidence) -> Sticks:
    """Return what draws say, each stick at the place of its cell."""
    layout, drawn = evidence.layout, evidence.drawn
    placed = np.zeros((6, len(drawn), layout.size))
    for term, tables in enumerate(drawn):
        for node, one in zip(layout.model.columns, tables, strict=True):
            if one is None:
                continue
            levels = layout.tree.size_of[node]
            rows = layout.table(node)[0].start + levels * np.arange(len(one.first))
            places = rows[:, np.newaxis] + np.arange(levels - 1)
            numbers = one.first, one.second, one.taken, one.left, one.zeros, one.ones
            for array, values in zip(placed, numbers, strict=True):
                array[term, places] = values
    shared = [next(one for one in tables if one is not None) for tables in drawn]
    each = np.array([[one.rate, one.draws, one.smallest] for one in shared]).reshape(-1, 3).T.copy()
    first, second, taken, left, zeros, ones = placed
    rates, draws, smallest = each
    boxed, boxes = _boxes(placed[:2], rates, smallest, evidence.total.most)
    return Sticks(first, second, taken, left, zeros, ones, rates, draws, smallest, boxed, boxes)


def _boxes(parameters: Floats, rates: Floats, smallest: Floats, most: int) -> tuple[Integers, Floats]:
    """Return which table of integrals each stick has, and these tables; none where they would be large."""
    boxed, tables = np.full(parameters.shape[1:], -1), list[Floats]()
    for term in np.flatnonzero(smallest).tolist():
        places = np.flatnonzero(parameters[0, term])
        pairs, which = np.unique(parameters[:, term, places], axis=1, return_inverse=True)
        if (len(tables) + pairs.shape[1]) * (most + 1) ** 2 > _MOST_BOXES:
            continue
        boxed[term, places] = len(tables) + which.ravel()
        tables += [box_table(*pair, rates[term], smallest[term], most) for pair in pairs.T]
    return boxed, np.array(tables) if tables else np.zeros((0, 1, 1))


def scratch_of(layout: JointLayout, at_once: int = MOST_AT_ONCE) -> Scratch:
    """Return room for the moves of one chain, of so many records at once."""
    columns, cliques = len(layout.model.columns), len(layout.tree.cliques)
    records = max(at_once, MOST_AT_ONCE)
    shapes = (columns, cliques, cliques, cliques, (records, cliques), (records, cliques))
    more = (columns, cliques, columns, 1, (records, cliques), records)
    return Scratch(*(np.zeros(shape, dtype=np.int64) for shape in (*shapes, *more)))


def chances_of(weights: Sequence[float] | Floats) -> Floats:
    """Return the chances that go with weights, summed up."""
    found = np.cumsum(np.asarray(weights, dtype=np.float64))
    found /= found[-1] or 1.0
    found[-1] = 1.0
    return np.asarray(found)


def strides_of(shape: Sequence[int]) -> list[int]:
    """Return how far it is from a level of each column to the next, the last one varying fastest."""
    found, step = [], 1
    for size in reversed(shape):
        found.append(step)
        step *= size
    return found[::-1]


def integers_of(values: object, width: int = 0) -> Integers:
    """Return numbers as an array, in rows of some width."""
    found = np.asarray(values, dtype=np.int64)
    return found.reshape(-1, width) if width else found
