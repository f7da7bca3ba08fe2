"""Whether the releases of a table contradict the prior, or what else was taken for granted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privior.arrays import Integers
from privior.posterior.conflict import Conflict, Look
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.evidence import CellEvidence
from privior.posterior.numbers import Floats
from privior.posterior.tables.groups import Groups
from privior.posterior.tables.prior_looks import prior_looks
from privior.posterior.tables.residuals import residual_looks
from privior.release import Release

#: draws that are looked at, fewer of large tables; their seed is fixed, so that asking twice gives one answer
_DRAWS, _FEWEST, _COUNTS, _SEED = 200, 21, 600_000, 20_261_117


def table_conflict(
    releases: Sequence[Release], latent: LatentCounts, prior: Floats | None, groups: Groups
) -> Conflict | None:
    """Look at draws of the true counts beside the releases and the prior.

    Args:
        releases: of one table; those that are no noise on counts say nothing here
        latent: the posterior of the true counts
        prior: the Dirichlet parameters of the cells; None if another prior was learned. Where every cell is
            known to have some records, counts do not follow it, and are not compared with it
        groups: of cells
    """
    noises = [(one.statistics, one.plan.mechanism.cell_noise) for one in releases]
    seen = [
        (CellEvidence(observed.amounts, noise.rates, noise.curvatures), noise.sums_to_zero)
        for observed, noise in noises
        if noise is not None and not noise.clamped
    ]
    if not seen:
        return None
    rng = np.random.default_rng(_SEED)
    tables = latent.draws(draws_looked_at(latent.mean.size), rng)
    least = max(release.plan.mechanism.minimum for release in releases)
    return Conflict.of(
        table_looks(seen, tables, None if least else prior, groups, rng, learned=prior is None)
    )


def draws_looked_at(cells: int) -> int:
    """Return how many draws of so many cells are looked at."""
    return min(_DRAWS, max(_FEWEST, _COUNTS // cells))


def table_looks(
    seen: Sequence[tuple[CellEvidence, bool]],
    tables: Integers,
    prior: Floats | None,
    groups: Groups,
    rng: np.random.Generator,
    *,
    learned: bool,
) -> list[Look]:
    """Look at draws of the true counts of one table.

    Args:
        seen: noisy counts, and whether their noise sums to zero
        tables: the draws, one a row
        prior: the Dirichlet parameters that counts are compared with; None if with none
        groups: of cells
        rng: for ties
        learned: whether the prior was learned
    """
    looks: list[Look] = []
    for evidence, zero in seen:
        looks += residual_looks(evidence, tables, groups, rng, zero=zero, learned=learned)
    precision = np.sum([evidence.precisions for evidence, _ in seen], axis=0)
    if prior is not None and precision.min() > 0:
        pull = np.sum([evidence.precisions * evidence.observed for evidence, _ in seen], axis=0)
        stddev = float(1 / np.sqrt(precision.mean()))
        looks += prior_looks(pull / precision, stddev, tables, prior, groups, rng)
    return looks
