"""How far a released posterior is from the true one in Hellinger distance, on average: sums over all outputs.

The posterior that is released is Dirichlet(prior + y), y the counts that came out. LSDim and LSHist clamp
theirs, as published; K-norm noise leaves the tables, so y is the nearest point with no negative count and
the public total, which costs nothing. EHD, EHDS and EHDL release tables.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from privior.arrays import Floats, Integers
from privior.mechanisms import HellingerMechanism, KNorm, Mechanism, PublishedLaplace
from privior.mechanisms.laws import laplace_log_pmf, laplace_log_tail
from privior.mechanisms.tables.dirichlet_affinity import log_affinities
from privior.papers.studies.simplex import projected
from privior.privacy.hellinger import all_tables

#: noise whose weight is e to minus this, beside no noise, is left out
_FAR = 25


def expected_distance(mechanism: Mechanism, counts: Integers, prior: float) -> float:
    """Return the expected Hellinger distance of the released posterior from the true one."""
    if isinstance(mechanism, HellingerMechanism):
        outputs = all_tables(mechanism.records, mechanism.cells).astype(np.float64)
        apart = distances(counts, outputs, prior)
        rate = float(mechanism.temperatures(counts[None, :])[0])
        weights = np.exp(-rate * apart)
        return float(weights @ apart / weights.sum())
    if isinstance(mechanism, PublishedLaplace):
        outputs, chances = _clamped(mechanism, counts)
    elif isinstance(mechanism, KNorm):
        noise, chances = _k_norm(mechanism.cells, float(mechanism.epsilon))
        records = int(counts.sum())
        outputs = records * projected((counts + noise) / records)
    else:
        raise TypeError(f"no list of outputs: {mechanism.name}")
    return float(chances @ distances(counts, outputs, prior))


def blind_distance(counts: Integers, prior: float) -> float:
    """Return the expected distance of a table drawn uniformly, whatever the data: what costs nothing."""
    outputs = all_tables(int(counts.sum()), counts.size).astype(np.float64)
    return float(distances(counts, outputs, prior).mean())


def distances(counts: Integers, outputs: Floats, prior: float) -> Floats:
    """Return the distance of Dirichlet(prior + counts) from Dirichlet(prior + y) for many y of any total."""
    overlap = log_affinities(prior + (outputs + counts) / 2, (outputs - counts) / 2).sum(axis=1)
    total = float(counts.sum())
    sums = outputs.sum(axis=1)
    overlap -= log_affinities(prior * counts.size + (sums + total) / 2, (sums - total) / 2)
    return np.asarray(np.sqrt(-np.expm1(np.minimum(overlap, 0.0))))


def _clamped(mechanism: PublishedLaplace, counts: Integers) -> tuple[Floats, Floats]:
    """List what LSDim or LSHist can release, and how likely each is: a product over k-1 cells."""
    n, rate = mechanism.records, float(1 / mechanism.laplace_scale)
    values = np.arange(n + 1)
    cells = []
    for count in counts[:-1]:
        gap = values - count
        ends = (values == 0) | (values == n)
        logs = np.where(ends, laplace_log_tail(np.abs(gap), rate), laplace_log_pmf(gap, rate))
        cells.append(np.exp(logs))
    chances = cells[0]
    for cell in cells[1:]:
        chances = np.multiply.outer(chances, cell).reshape(-1)
    first = np.stack(np.meshgrid(*[values] * len(cells), indexing="ij"), axis=-1).reshape(-1, len(cells))
    left = np.clip(n - first.sum(axis=1), 0, n)
    return np.column_stack([first, left]).astype(np.float64), chances


@lru_cache(maxsize=2)
def _k_norm(levels: int, epsilon: float) -> tuple[Floats, Floats]:
    """List the likely noise vectors; what is left out has a chance below 1e-7 where this is used."""
    reach = math.ceil(_FAR / epsilon)
    side = np.arange(-reach, reach + 1)
    first = np.stack(np.meshgrid(*[side] * (levels - 1), indexing="ij"), axis=-1).reshape(-1, levels - 1)
    noise = np.column_stack([first, -first.sum(axis=1)])
    norms = np.abs(noise).sum(axis=1) // 2
    noise, norms = noise[norms <= reach], norms[norms <= reach]
    weights = np.exp(-epsilon * norms)
    return noise.astype(np.float64), weights / weights.sum()
