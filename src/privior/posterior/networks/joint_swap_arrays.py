"""Which swaps there are in the cliques of a network, as flat arrays."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_arrays import chances_of, integers_of, strides_of
from privior.posterior.networks.joint_layout import JointLayout
from privior.posterior.networks.joint_state import Swaps

#: columns of a clique of which all subsets are swapped; of larger ones single columns are
_MOST_COLUMNS = 6


def swaps_of(layout: JointLayout, precisions: Floats, *, none: bool = False) -> Swaps:
    """Return the swaps, and how far they go.

    Args:
        layout: of the network
        precisions: about one over the variance of the noise of each cell of all tables
        none: whether there shall be none
    """
    tree, model = layout.tree, layout.model
    sizes = model.sizes(layout.schema)
    cuts = np.split(precisions, np.cumsum(sizes)[:-1])
    known = {node: float(part.mean()) for node, part in zip(model.columns, cuts, strict=True)}
    clique_of, own_of, own, rest_of, rest, free = [], [0], list[int](), [0], list[int](), []
    most, weights = [], []
    for clique, columns in enumerate(() if none else tree.cliques):
        stride = dict(zip(columns, strides_of([tree.size_of[name] for name in columns]), strict=True))
        found = []
        for some in _subsets(columns):
            bound = _bound(layout, clique, some)
            others = [name for name in columns if name not in some]
            loose = [name for name in others if name not in bound]
            many = [math.prod(tree.size_of[name] for name in names) for names in (some, loose)]
            if min(many) > 1:
                tied = [name for name in others if name in bound]
                found.append(
                    (_offsets(layout, stride, some), _offsets(layout, stride, [*tied, *loose]), many[1])
                )
                touched = [
                    node
                    for node, home in tree.homes.items()
                    if home == clique
                    and set(some) & {node, *model.parents[node]}
                    and set(loose) & {node, *model.parents[node]}
                ]
                precision = 4 * sum(known[node] for node in touched)
                most.append(4 / math.sqrt(precision) + 2 if precision > 0 else 2.0**60)
        for values, others_values, group in found:
            clique_of.append(clique)
            own += values.tolist()
            rest += others_values.tolist()
            own_of.append(len(own))
            rest_of.append(len(rest))
            free.append(group)
            weights.append(tree.sizes[clique] / len(found))
    return Swaps(
        integers_of(clique_of),
        integers_of(own_of),
        integers_of(own),
        integers_of(rest_of),
        integers_of(rest),
        integers_of(free),
        np.array(most),
        chances_of(weights) if weights else np.zeros(0),
    )


def _subsets(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return which columns may be swapped; to swap all others would be the same."""
    if len(columns) > _MOST_COLUMNS:
        return [(name,) for name in columns]
    found = [some for many in range(1, len(columns) // 2 + 1) for some in combinations(columns, many)]
    return [some for some in found if 2 * len(some) < len(columns) or columns[0] in some]


def _bound(layout: JointLayout, clique: int, some: tuple[str, ...]) -> set[str]:
    """Return the other columns that stand in a separator of a clique with one of some columns."""
    own, found = set(layout.tree.cliques[clique]), set[str]()
    for near in layout.near[clique]:
        shared = own & set(layout.tree.cliques[near])
        if shared & set(some):
            found |= shared - set(some)
    return found


def _offsets(layout: JointLayout, stride: dict[str, int], columns: tuple[str, ...] | list[str]) -> Integers:
    """Return where the cells of all values of some columns are, the last one varying fastest."""
    found = np.zeros(1, dtype=np.int64)
    for name in columns:
        steps = stride[name] * np.arange(layout.tree.size_of[name])
        found = (found[:, np.newaxis] + steps).ravel()
    return found
