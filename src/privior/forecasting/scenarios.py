"""Scenarios: a fixed set of tables and noises that stands for all, the same in every run.

Each coordinate takes one place in each of equally likely strata, at places and in an order that are fixed and
look random (a Latin hypercube). Nothing here is random: no draw, no seed, no data; forecasts are functions of
public facts.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.forecasting.one_cell import CountNoise
from privior.special import bdtrik, betaincinv, ndtri

#: counts whose standard deviation is larger than this are taken as normal
_NORMAL = 50.0
#: noise that changes fewer counts of a table than this is looked at as if it changed so many, and weighted
_CHANGED = 0.7
_EDGE = 1e-12


def strata(size: int, dimensions: int, first: int = 0) -> Floats:
    """Return points of the unit cube, as (size, dimensions); `first` dimensions are left out.

    >>> sorted((4 * strata(4, 2)[:, 1]).astype(int).tolist())
    [0, 1, 2, 3]
    """
    numbers = np.arange(first * size, (first + dimensions) * size, dtype=np.uint64)
    scattered = _scattered(numbers).reshape(dimensions, size)
    within = _scattered(scattered).astype(np.float64) / 2.0**64
    return np.asarray((scattered.argsort(axis=1) + np.clip(within, _EDGE, 1 - _EDGE)).T / size)


def tables(prior: tuple[float, ...], records: int, expect: Expect, size: int) -> Floats:
    """Return tables with the law that is expected, as (size, cells)."""
    typical = expect is Expect.TYPICAL
    return expected_tables(
        prior, records, None if typical else tuple(expect.shares(np.array(prior)).tolist()), size
    )


@lru_cache(maxsize=8)
def expected_tables(
    prior: tuple[float, ...], records: int, shares: tuple[float, ...] | None, size: int
) -> Floats:
    """Return tables with these shares of all records, or as typical of the prior."""
    alpha = np.broadcast_to(np.array(prior), (size, len(prior)))
    found = splits(records, alpha, None if shares is None else np.array(shares), strata(size, 2 * len(prior)))
    found.setflags(write=False)
    return found


def splits(records: int, parameters: Floats, shares: Floats | None, places: Floats) -> Floats:
    """Split up records: cell after cell from what is left, with these shares or ones from a Dirichlet law.

    Args:
        records: in each scenario
        parameters: of the Dirichlet law, as (size, cells)
        shares: of the cells, if they are known
        places: in the unit cube, two for each cell
    """
    left, found = np.full(len(parameters), float(records)), np.zeros(parameters.shape)
    for cell in range(parameters.shape[1] - 1):
        if shares is None:
            rest = parameters[:, cell + 1 :].sum(axis=1)
            chance = betaincinv(parameters[:, cell], rest, places[:, 2 * cell])
        else:
            chance = np.full(left.shape, shares[cell] / shares[cell:].sum())
        found[:, cell] = _binomial(left, np.clip(chance, 0.0, 1.0), places[:, 2 * cell + 1])
        left = left - found[:, cell]
    found[:, -1] = left
    return found


def noises(law: CountNoise, size: int, cells: int) -> tuple[Floats, Floats]:
    """Return noises, as (size, cells), and the weights of the tables they are for, which add up to 1."""
    place = strata(size, cells, first=2 * cells)
    changed, sizes = law.change()
    looked_at = max(changed, min(0.5, _CHANGED / cells))
    hit = place < looked_at
    within = place / looked_at
    sign = np.where(within < 0.5, -1.0, 1.0)
    within = np.clip(2 * within - (within >= 0.5), _EDGE, 1 - _EDGE)
    if law.laplace:
        amount = np.ceil(np.log(within) / -law.rate)
    elif sizes is not None:
        amount = 1.0 + np.minimum(np.searchsorted(sizes, within), sizes.size - 1)
    else:
        amount = np.round(-ndtri(within / 2) * math.sqrt(law.parameter))
    weights = np.where(hit, changed / looked_at, (1 - changed) / max(1 - looked_at, _EDGE)).prod(axis=1)
    return np.where(hit, sign * np.maximum(amount, 1.0), 0.0), weights / weights.sum()


def calibrated(weights: Floats, values: Floats, expected: Floats) -> Floats:
    """Change weights of scenarios, as little as possible, so that their values have means that are known.

    Where no weights can have them, they stay as they are.

    Args:
        weights: which add up to 1
        values: of each scenario, as (size, values)
        expected: their true means
    """
    apart = values - weights @ values
    spread = (weights[:, None] * apart).T @ apart
    spread += np.diag(1e-9 * np.diag(spread) + 1e-300)
    changed = weights * np.maximum(1 + apart @ np.linalg.solve(spread, expected - weights @ values), 0.0)
    total = float(changed.sum())
    return np.asarray(changed / total) if 0 < total < math.inf else weights


def _binomial(trials: Floats, chance: Floats, place: Floats) -> Floats:
    """Return quantiles of binomial counts."""
    mean = trials * chance
    deviation = np.sqrt(mean * (1 - chance))
    few = (deviation < _NORMAL) & (deviation > 0)
    found = np.round(mean + deviation * ndtri(place))
    found[few] = np.ceil(bdtrik(place[few], trials[few], chance[few]))
    return np.clip(np.where(np.isfinite(found), found, np.round(mean)), 0.0, trials)


def _scattered(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of whole numbers: a bijection that leaves no pattern."""
    with np.errstate(over="ignore"):
        mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
