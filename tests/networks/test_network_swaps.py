"""Swaps alone, against all tables with the margins that swaps keep; records enough that factorials matter."""

from __future__ import annotations

import inspect
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

import privior as pv
from privior.models import ExactStatistics, Observed
from privior.posterior.networks import joint_swaps
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.tables.counts_given import total_of

#: the root of the mean square of standardised differences: about 1 for the right law, of 75 tables
LARGE = 1.6
#: rows are values of a, columns those of b
STARTED = np.array([[5, 1, 2], [0, 4, 1], [3, 0, 4]])
PRIOR = 0.25


def chains() -> tuple[JointChains, Any, Any]:
    """Return chains over a network of two nodes, its plan and what was seen."""
    columns = {name: pv.Categorical(["x", "y", "z"]) for name in "ab"}
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior="1/4")
    schema = pv.Schema(columns, population="few", unit="person")
    plan = pv.plan(model, schema, records=20, epsilon=2, delta="1e-3", mechanism=pv.GaussianTables)
    numbers = STARTED.sum(axis=1).tolist(), [4, 3, 1, 2, 1, 2, 1, 3, 3]
    observed = Observed(plan.mechanism.layouts, tuple(map(tuple, numbers)))
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    evidence = joint_evidence([release], model, total_of([release]))
    return JointChains(evidence, model.parameters(schema), 1, chains=1), plan, observed


def listed(plan: Any, observed: Any) -> dict[bytes, float]:
    """List all tables with these sums of rows and columns; return the chance of each given the sums."""
    rows, columns = STARTED.sum(axis=1), STARTED.sum(axis=0)
    logs = {}
    for a, b, c, d in product(range(9), repeat=4):
        table = np.zeros((3, 3), dtype=np.int64)
        table[:2, :2] = [[a, b], [c, d]]
        table[:2, 2] = rows[:2] - table[:2, :2].sum(axis=1)
        table[2] = columns - table[:2].sum(axis=0)
        if table.min() < 0:
            continue
        # data sets with this table, the chance of one with all parameters integrated out, and the noise
        log = -gammaln(table + 1.0).sum() + gammaln(table + PRIOR).sum()
        counts = ExactStatistics(np.concatenate([rows, table.ravel()]))
        logs[table.tobytes()] = log + plan.mechanism.log_likelihood(observed, counts)
    weights = np.exp(np.array(list(logs.values())) - max(logs.values()))
    return dict(zip(logs, (weights / weights.sum()).tolist(), strict=True))


def far_off(loop: Any) -> float:
    """Return how many standard errors the chances of tables are away after many swaps."""
    found, plan, observed = chains()
    wanted = listed(plan, observed)
    state = found.states[0]
    counts, place = state.counts, 0
    for margin in found.layout.margins:
        axes = tuple(axis for axis, name in enumerate("ab") if name not in margin.columns)
        own = STARTED.sum(axis=axes)
        if own.ndim == 2:
            place, whole = margin.start, tuple(margin.columns) == ("a", "b")
            own = own if whole else own.T
        counts[margin.start : margin.start + own.size] = own.ravel()
    places = {table: place for place, table in enumerate(wanted)}
    chances = np.array(list(wanted.values()))
    rng = np.random.default_rng(7)
    batches = np.zeros((40, chances.size))
    for batch in batches:
        for _ in range(500):
            loop(rng, 5, found.tables, found.swaps, found.noise, counts, state.prior)
            table = counts[place : place + 9].reshape(3, 3)
            batch[places[np.ascontiguousarray(table if whole else table.T).tobytes()]] += 1 / 500
    common = chances > 0.004
    assert common.sum() > 20
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    away = (batches.mean(axis=0) - chances) / (error + 1e-4)
    return float(np.sqrt(np.mean(away[common] ** 2)))


def test_swaps_keep_the_law_of_all_tables_with_their_margins() -> None:
    assert far_off(joint_swaps.swap) < LARGE


#: a line of a swap, and what is planted there
PLANTED = {
    "half of the factorials forgotten": (
        "gain -= moved_factorials(logs, counts[r], counts[s], d)",
        "pass",
    ),
    "capped by the source cells": (
        "most, gain = both + back, 0.0",
        "most, gain = both, 0.0",
    ),
    "the Hastings term of a split upside down": (
        "d = other - back",
        "d, gain = other - back, -gain",
    ),
    "noise of one cell forgotten": (
        "gain += cell_fit(observed, rates, curvatures, s, counts[s], d)",
        "pass",
    ),
}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault, marks=[] if "factorials" in fault or "split" in fault else [pytest.mark.slow], id=fault
        )
        for fault in PLANTED
    ],
)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    right, wrong = PLANTED[fault]
    source = inspect.getsource(joint_swaps.swap.py_func)
    assert source.count(right) == 1
    names = {**vars(joint_swaps)}
    exec(source.replace(right, wrong).replace("cache=True", "cache=False"), names)
    assert far_off(names["swap"]) > LARGE
