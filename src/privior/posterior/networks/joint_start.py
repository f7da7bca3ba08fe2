"""Where chains start: data sets drawn from the network that the noisy tables suggest."""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import JointLayout

#: records that are drawn one by one; in larger data sets each of them stands for several
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
    return counted(layout, _drawn(layout, np.maximum(noisy, 0) + 0.5, records, rng))


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
) -> list[tuple[dict[str, Integers], int]]:
    """Draw records node by node: codes of each column, and for how many records each draw stands."""
    each = -(-records // _MOST_DRAWN) if records > _MOST_DRAWN else 1
    parts = [(records // each, each), (records % each, 1)]
    model, ends = layout.model, np.cumsum([0, *layout.model.sizes(layout.schema)])
    found = []
    for number, times in parts:
        codes: dict[str, Integers] = {}
        for node in model.order:
            place = model.columns.index(node)
            shape = model.shape(node, layout.schema)
            table = np.cumsum(weights[ends[place] : ends[place + 1]].reshape(-1, shape[-1]), axis=1)
            row = np.zeros(number, dtype=np.int64)
            for name in model.parents[node]:
                row = row * layout.tree.levels[name] + codes[name]
            lines = table[row]
            below = rng.random((number, 1)) * lines[:, -1:] >= lines
            codes[node] = np.minimum(below.sum(axis=1), shape[-1] - 1)
        found.append((codes, times))
    return found


def counted(layout: JointLayout, records: list[tuple[dict[str, Integers], int]]) -> Integers:
    """Count records in all margins."""
    counts = np.zeros(layout.size, dtype=np.int64)
    cliques: dict[int, Integers] = {}
    for number, clique in enumerate(layout.tree.cliques):
        cells = np.zeros(layout.tree.sizes[number], dtype=np.int64)
        for codes, times in records:
            cell = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
            for name in clique:
                cell = cell * layout.tree.levels[name] + codes[name]
            cells += times * np.bincount(cell, minlength=cells.size)
        cliques[number] = cells
    for margin in layout.margins:
        np.add.at(counts, margin.cells, cliques[margin.clique])
    return counts
