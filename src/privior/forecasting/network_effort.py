"""What inference from a network's release takes, from public facts: cells, graph, noise and records.

Chains over the data sets behind all tables are run on until they agree. What a sweep takes is in proportion
to the cells of all tables; how many sweeps there are, and how long each is, grows with the share of the
noise in the counts, up to a public number of moves. Seconds were measured with asia, child, alarm, sachs
and survey (10,000 records, epsilon 0.1 to 10), and are told to within a factor of 2. Where a junction tree
is too large, tables are inferred each by itself.
"""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats
from privior.forecasting.effort import Effort
from privior.mechanisms import Mechanism
from privior.models import JunctionTree, Network
from privior.schema import Schema

#: counts whose log likelihood is so far below the largest do not matter, beside the number of cells
_DEPTH = 36.0
#: seconds of one core: of any chains; for each cell where nothing drowns, and more where all do; at most
_START, _CELL, _DROWNED, _MOST = 0.5, 0.013, 0.2, 52.0
#: seconds for each cell of chains over naive Bayes
_STAR_START, _STAR_CELL = 0.3, 0.0035


def network_effort(model: Network, schema: Schema, mechanism: Mechanism, rows: int, noises: Floats) -> Effort:
    """Estimate it for so many rows and noise of these variances on the counts of each table."""
    sizes, tree = model.sizes(schema), JunctionTree.of(model, schema)
    if not tree.together:
        return _apart(model, schema, mechanism, rows, tree)
    published = sum(layout.size for layout in mechanism.layouts)
    if model.root is not None and published == sum(sizes):
        seconds = _STAR_START + _STAR_CELL * sum(sizes)
    else:
        cells, deviations = np.array(sizes), np.sqrt(noises)
        drowned = float((cells * (deviations / (deviations + rows / cells))).sum())
        seconds = _START + min(_CELL * sum(sizes) + _DROWNED * drowned, _MOST)
    return Effort.of_chains(sum(sizes), len(sizes), seconds, tree.megabytes)


def _apart(model: Network, schema: Schema, mechanism: Mechanism, rows: int, tree: JunctionTree) -> Effort:
    """Add up what each table takes by itself."""
    noise, known = mechanism.cell_noise, mechanism.sensitivity.total_fixed
    sizes, parts = model.sizes(schema), []
    for node, cells, start in zip(model.columns, sizes, np.cumsum((0, *sizes))[:-1], strict=True):
        if noise is None or model.prior.of(node, cells) is None:
            parts.append(Effort.of_alike(cells))
        else:
            depth, rate, bend = math.log(cells) + _DEPTH, noise.rates[start], noise.curvatures[start]
            reach = depth / rate if rate > 0 else math.sqrt(2 * depth / bend) if bend > 0 else math.inf
            parts.append(Effort.of(cells, min(reach, rows) + 1, rows, known=known))
    return Effort.together(parts, f"together they would take tables of {tree.cells} cells")
