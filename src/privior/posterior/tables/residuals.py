"""Looks at a table: the noise that draws of the true counts leave over, its size and its sums over groups.

A prior that pulls many cells a little the same way leaves each residual as it should be, and their sum far
off. Groups are public, or depend on the drawn counts alone, of which noise is independent.

A prior that is learned keeps room for every shape, also where a table is quite even: then draws leave less
noise over than there was, and low counts are drawn too low. That makes intervals wider, which is no reason
for distrust, and is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from privior.arrays import Integers
from privior.posterior.conflict import Look
from privior.posterior.counts.evidence import CellEvidence
from privior.posterior.noise_sums import NoiseSums
from privior.posterior.tables.groups import Groups, halves


def residual_looks(
    evidence: CellEvidence,
    tables: Integers,
    groups: Groups,
    rng: np.random.Generator,
    *,
    zero: bool,
    learned: bool = False,
) -> Iterator[Look]:
    """Look at what a release leaves over in draws of the true counts; not if noise differs between cells.

    Args:
        evidence: the release
        tables: draws of the true counts, one a row
        groups: of cells
        rng: for ties
        zero: whether the noise sums to zero
        learned: whether the prior was learned
    """
    released = evidence.released
    kinds = np.column_stack([evidence.rates, evidence.curvatures])[released]
    if not len(kinds) or (kinds != kinds[0]).any():
        return
    law = NoiseSums(float(kinds[0, 0]), float(kinds[0, 1]), int(released.sum()), zero)
    # with decimals the nearest whole noise is looked at
    noises = np.where(released, np.rint(evidence.observed - tables).astype(np.int64), 0)
    yield Look("the size of the noise", law.size_chances(noises[:, released], rng, large=learned))
    if not zero:
        yield Look(
            "the sum of all cells beside the stated number of records",
            law.sum_chances(noises.sum(axis=1), law.cells),
        )
    order = np.argsort(tables[:, released], axis=1, kind="stable")
    rising = np.take_along_axis(noises[:, released], order, axis=1).cumsum(axis=1)
    for cells in () if learned else halves(law.cells):
        chances = law.sum_chances(rising[:, cells - 1], cells)
        yield Look(f"the noise of the {cells} cells with the fewest records", chances)
    sizes = groups.sums(released[np.newaxis].astype(np.int64))[0]
    for name, cells, sums in zip(groups.names, sizes, groups.sums(noises).T, strict=True):
        if 0 < cells < law.cells:
            yield Look(f"the noise of {name}", law.sum_chances(sums, int(cells)))
