"""Noise on the tables of networks: all neighbours of all small data sets, in both relations (oracle)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from network_tables_oracle import GRAPHS, delta, largest_loss, mechanisms, moves

import privior as pv
from privior.models import ExactStatistics, Observed


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        pytest.param(name, levels, marks=[pytest.mark.slow] if levels == 3 and name != "collider" else [])
        for name, levels in product(GRAPHS, (2, 3))
    ],
)
def test_what_is_claimed_is_attained_and_never_exceeded(name: str, levels: int) -> None:
    """Up to four records."""
    for _, mechanism in mechanisms(GRAPHS[name], levels):
        found = moves(name, levels, 4, mechanism.neighbours is pv.REPLACE_ONE)
        promised = mechanism.guarantee
        if promised.pure is not None:
            loss = largest_loss(mechanism, found)
            assert loss <= float(promised.cost.epsilon) * (1 + 1e-12)
            assert loss == pytest.approx(float(promised.cost.epsilon), rel=1e-9)
        else:
            epsilon, allowed = float(promised.cost.epsilon), float(promised.cost.delta)
            true = max(delta(move, mechanism.scales, epsilon) for move in found)
            assert 0.9 * allowed < true <= allowed * (1 + 1e-9)
            assert max(delta(move, mechanism.scales, 1.0) for move in found) <= promised.delta(1.0) * (
                1 + 1e-9
            )


@pytest.mark.parametrize("kind", [pv.LaplaceTables, pv.GaussianTables])
def test_the_likelihood_is_that_of_independent_noise(kind: Any) -> None:
    """Which the enumeration takes for granted: the loss of an outcome is the sum over the moved counts."""
    graph = GRAPHS["collider"]
    mechanism = next(one for _, one in mechanisms(graph, 2) if isinstance(one, kind))
    rng, sizes = np.random.default_rng(1), mechanism.sizes
    before, after = rng.integers(0, 4, (2, sum(sizes)))
    scales = np.repeat([float(one) for one in mechanism.scales], sizes)
    for _ in range(5):
        out = rng.integers(-5, 9, sum(sizes))
        observed = Observed(mechanism.layouts, tuple(map(tuple, np.split(out, np.cumsum(sizes)[:-1]))))
        loss = mechanism.log_likelihood(observed, ExactStatistics(before)) - mechanism.log_likelihood(
            observed, ExactStatistics(after)
        )
        if kind is pv.LaplaceTables:
            own = ((np.abs(out - after) - np.abs(out - before)) / scales).sum()
        else:
            own = (((out - after) ** 2 - (out - before) ** 2) / (2 * scales**2)).sum()
        assert loss == pytest.approx(own, abs=1e-9)
