"""Where chains start: data sets drawn from the network that the noisy tables suggest.

Of many records the counts are not drawn but shared out, clique by clique: a drawn data set is off by the root
of its counts, which is then much more than the noise, and moves are as small as the noise.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.elimination import Elimination
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import JointLayout

#: records that are drawn one by one; larger data sets are shared out
_MOST_DRAWN = 20_000


def started(evidence: JointEvidence, far: float, rng: np.random.Generator) -> Integers:
    """Return the counts of a data set near the noisy tables, at all places of the layout.

    Args:
        evidence: what was released
        far: how far noisy counts are perturbed before, in standard deviations of their noise
        rng: of the data set
    """
    layout, total = evidence.layout, evidence.total
    precisions = evidence.table_precisions
    seen = precisions > 0
    deviation = np.where(seen, 1 / np.sqrt(np.where(seen, precisions, 1.0)), 0.0)
    noisy = evidence.guess + far * deviation * rng.standard_normal(precisions.size)
    records = total.most if total.known else _records(evidence, noisy, rng)
    weights = np.maximum(noisy, 0) + 0.5
    if records > _MOST_DRAWN:
        return _placed(layout, _shared_out(layout, weights, records))
    return counted(layout, _drawn(layout, weights, records, rng))


def _records(evidence: JointEvidence, noisy: Floats, rng: np.random.Generator) -> int:
    """Return about how many records there are: what the sums of noisy tables say, the sure ones most.

    Draws of tables hardly say it: any number will do.
    """
    sizes = evidence.layout.model.sizes(evidence.layout.schema)
    cuts = np.cumsum(sizes)[:-1]
    sums = np.array([part.sum() for part in np.split(noisy, cuts)])
    parts = np.split(evidence.noise_precisions, cuts)
    sure = np.array([1 / (1 / part).sum() if (part > 0).all() else 0.0 for part in parts])
    if not sure.any():
        return int(rng.integers(evidence.total.most + 1))
    return int(np.clip(np.rint(sums @ sure / sure.sum()), 0, evidence.total.most))


def _drawn(
    layout: JointLayout, weights: Floats, records: int, rng: np.random.Generator
) -> dict[str, Integers]:
    """Draw records node by node: the codes of each column."""
    model, ends = layout.model, np.cumsum([0, *layout.model.sizes(layout.schema)])
    codes: dict[str, Integers] = {}
    for node in model.order:
        place = model.columns.index(node)
        shape = model.shape(node, layout.schema)
        table = np.cumsum(weights[ends[place] : ends[place + 1]].reshape(-1, shape[-1]), axis=1)
        row = np.zeros(records, dtype=np.int64)
        for name in model.parents[node]:
            row = row * layout.tree.size_of[name] + codes[name]
        lines = table[row]
        below = rng.random((records, 1)) * lines[:, -1:] >= lines
        codes[node] = np.minimum(below.sum(axis=1), shape[-1] - 1)
    return codes


def counted(layout: JointLayout, codes: dict[str, Integers]) -> Integers:
    """Count records in all margins."""
    cliques = []
    for clique, cells in zip(layout.tree.cliques, layout.tree.sizes, strict=True):
        cell = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
        for name in clique:
            cell = cell * layout.tree.size_of[name] + codes[name]
        cliques.append(np.bincount(cell, minlength=cells))
    return _placed(layout, cliques)


def _shared_out(layout: JointLayout, weights: Floats, records: int) -> list[Integers]:
    """Share records out among the cells of each clique, as those of the clique that it hangs on allow."""
    tree, model = layout.tree, layout.model
    elimination = Elimination(model, layout.schema)
    parts = []
    for node, place in elimination.places.items():
        rows = weights[place].reshape(-1, tree.size_of[node])
        parts.append((rows / rows.sum(axis=1, keepdims=True)).ravel())
    theta = np.concatenate(parts)[np.newaxis]
    found: list[Integers] = []
    for clique, columns in enumerate(tree.cliques):
        chances = elimination.joint(theta, columns, {}).ravel()
        shared = tree.separator(clique)
        groups = layout.cells(clique, shared)
        totals = np.array([records])
        if shared:
            above = tree.above[clique]
            totals = np.bincount(layout.cells(above, shared), weights=found[above]).astype(np.int64)
        counts = np.zeros(chances.size, dtype=np.int64)
        for group, total in enumerate(totals):
            cells = np.flatnonzero(groups == group)
            counts[cells] = _rounded(int(total), chances[cells])
        found.append(counts)
    return found


def _rounded(total: int, chances: Floats) -> Integers:
    """Return counts in proportion to chances: rounded down, and one more where most was cut off."""
    exact = total * chances / chances.sum()
    counts = np.floor(exact).astype(np.int64)
    left = total - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    return np.asarray(counts)


def _placed(layout: JointLayout, cliques: list[Integers]) -> Integers:
    """Return the counts of all margins that follow from those of the cliques."""
    counts = np.zeros(layout.size, dtype=np.int64)
    for margin in layout.margins:
        np.add.at(counts, margin.cells, cliques[margin.clique])
    return counts
