"""Tables that are typical of a network's prior: a few networks that stand for all, always the same ones.

How much noise hurts depends on how uneven tables are: rows of parents' levels that are rare have few records,
and small entries drown first. Rows of a prior in numbers are drawn from it. Those of a learned prior that
resemble each other have Dirichlet parameters k b; so what is uneven about b stays so where rows are mixed,
and those below have rare rows too. Rows by themselves, half of them, are not in these tables. Parents are
taken as independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privior.arrays import Floats
from privior.forecasting.expect import Expect
from privior.forecasting.scenarios import strata
from privior.models import Network
from privior.schema import Schema
from privior.special import ndtri

#: networks: so many, fewer where they are large, never less
_MOST, _NUMBERS, _LEAST = 200, 200_000, 8
#: log(k / levels) of a learned prior: normal with this mean, half of what is believed (rows of real networks
#: differ more), and standard deviation 1
_RESEMBLANCE = 0.35
#: smaller Dirichlet parameters are taken as if they were this
_LEAST_WEIGHT = 1e-3


@dataclass(frozen=True, eq=False)
class TypicalTable:
    """One table of all networks.

    Attributes:
        shares: of the records, in the rows of the table: networks x rows
        chances: of the levels in each row: networks x rows x levels
        weights: the Dirichlet parameters of the rows, shaped alike, or 1 where they are the same
        alike: what rows are about, where that is learned too: networks x 1 x levels
    """

    shares: Floats
    chances: Floats
    weights: Floats
    alike: Floats | None = None


@lru_cache(maxsize=4)
def typical_tables(model: Network, schema: Schema, expect: Expect) -> Mapping[str, TypicalTable]:
    """Return typical tables of each node; another expectation than the prior's has one network."""
    if expect is not Expect.TYPICAL:
        return _expected(model, schema, expect)
    parameters = dict(zip(model.columns, model.parameters(schema), strict=True))
    networks = int(np.clip(_NUMBERS // sum(model.sizes(schema)), _LEAST, _MOST))
    levels, found, used = dict[str, Floats](), dict[str, TypicalTable](), 0
    for node in model.order:
        shares = np.ones((networks, 1))
        for name in model.parents[node]:
            shares = (shares[:, :, np.newaxis] * levels[name][:, np.newaxis]).reshape(networks, -1)
        *above, size = model.shape(node, schema)
        found[node] = _typical(shares, parameters[node], math.prod(above), size, used)
        used += 2 * size * (math.prod(above) + 1) + 1
        levels[node] = (shares[:, :, np.newaxis] * found[node].chances).sum(axis=1)
    return found


def _typical(shares: Floats, parameters: Floats | None, rows: int, size: int, used: int) -> TypicalTable:
    shape, alike = (len(shares), rows, size), None
    if parameters is not None:
        weights = parameters.reshape(1, rows, size)
    elif rows == 1:
        weights = np.ones((1, 1, size))
    else:
        alike = _dirichlet(np.ones((len(shares), 1, size)), used + 1)
        apart = ndtri(strata(len(shares), 1, used))[:, :, np.newaxis]
        weights = np.maximum(size * np.exp(_RESEMBLANCE + apart) * alike, _LEAST_WEIGHT)
    chances = _dirichlet(np.broadcast_to(weights, shape), used + 1 + 2 * size)
    return TypicalTable(shares, chances, weights, alike)


def _dirichlet(weights: Floats, used: int) -> Floats:
    """Return rows, of however small parameters: Gammas by their logarithms, those of one more about normal.

    The cube of a normal number is nearly a Gamma of parameter 1 or more (Wilson, Hilferty 1931).
    """
    networks, cells = len(weights), weights[0].size
    points = strata(networks, 2 * cells, used).reshape(networks, 2, *weights.shape[1:])
    more = weights + 1
    cubes = np.maximum(1 - 1 / (9 * more) + ndtri(points[:, 0]) / (3 * np.sqrt(more)), 1e-3)
    logs = np.log(more) + 3 * np.log(cubes) + np.log(points[:, 1]) / weights
    found = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def _expected(model: Network, schema: Schema, expect: Expect) -> dict[str, TypicalTable]:
    found = {}
    for node, said in zip(model.columns, model.parameters(schema), strict=True):
        *above, size = model.shape(node, schema)
        shape = (1, math.prod(above), size)
        weights = np.ones(shape) if said is None else said.reshape(shape)
        cells = expect.shares(weights.ravel()).reshape(shape)
        shares = cells.sum(axis=2)
        found[node] = TypicalTable(shares, cells / shares[:, :, np.newaxis], weights)
    return found
