"""How a change of one column spreads through the cliques of a network, as flat arrays."""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats
from privior.posterior.networks.joint_arrays import integers_of, strides_of
from privior.posterior.networks.joint_layout import JointLayout
from privior.posterior.networks.joint_state import Paths


def paths_of(layout: JointLayout, precisions: Floats) -> Paths:
    """Return the steps of cascades, and how far these go.

    Args:
        layout: of the network
        precisions: about one over the variance of the noise of each cell of all tables
    """
    tree, model = layout.tree, layout.model
    order = model.order
    into = [(tree.homes[node], {node, *model.parents[node]}) for node in order]
    edges: dict[tuple[int, int], int] = {}
    for clique, near in enumerate(layout.near):
        for other in near:
            edges[clique, other] = len(into)
            into.append((other, set(tree.cliques[clique]) & set(tree.cliques[other])))
    number = {node: place for place, node in enumerate(model.columns)}
    have_of, have, new_of, new, off_of, off = [0], [], [0], [], [0], list[int]()
    for clique, known in into:
        columns = tree.cliques[clique]
        stride = dict(zip(columns, strides_of([tree.size_of[name] for name in columns]), strict=True))
        have += [(number[name], stride[name]) for name in columns if name in known]
        drawn = [name for name in columns if name not in known]
        inner = strides_of([tree.size_of[name] for name in drawn])
        new += [(number[name], step, tree.size_of[name]) for name, step in zip(drawn, inner, strict=True)]
        offsets = np.zeros(1, dtype=np.int64)
        for name in drawn:
            offsets = (offsets[:, np.newaxis] + stride[name] * np.arange(tree.size_of[name])).ravel()
        off += offsets.tolist()
        have_of.append(len(have))
        new_of.append(len(new))
        off_of.append(len(off))
    of, steps = [0], list[int]()
    for node in order:
        left = [(tree.homes[node], -1)]
        while left:
            clique, before = left.pop()
            further = [one for one in layout.near[clique] if one != before and node in tree.cliques[one]]
            steps += [edges[clique, one] for one in further]
            left += [(one, clique) for one in further]
        of.append(len(steps))
    columns_of, columns_in = [0], []
    for columns in tree.cliques:
        every = strides_of([tree.size_of[name] for name in columns])
        columns_in += [(number[name], step) for name, step in zip(columns, every, strict=True)]
        columns_of.append(len(columns_in))
    return Paths(
        integers_of([clique for clique, _ in into]),
        integers_of(have_of),
        integers_of(have, 2),
        integers_of(new_of),
        integers_of(new, 3),
        integers_of(off_of),
        integers_of(off),
        integers_of(of),
        integers_of(steps),
        integers_of(columns_of),
        integers_of(columns_in, 2),
        _reaches(layout, precisions),
    )


def _reaches(layout: JointLayout, precisions: Floats) -> Floats:
    """Return 4σ + 2 of each node, with all that is below it."""
    model = layout.model
    cuts = np.split(precisions, np.cumsum(model.sizes(layout.schema))[:-1])
    known = {node: float(part.mean()) for node, part in zip(model.columns, cuts, strict=True)}
    sums = [2 * sum(known[one] for one in (node, *layout.below[node])) for node in model.order]
    return np.array([4 / math.sqrt(one) + 2 if one > 0 else 2.0**60 for one in sums])
