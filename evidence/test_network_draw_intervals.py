"""Intervals from draws of a network's tables hold the truth as often as they say.

Tables are drawn from the prior, records from the tables, and a release is made and inferred from like any
other. Under the prior 90% intervals should hold 90% of the entries, on average over the releases.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from record import Certificate, store

import privior as pv

SCHEMA = pv.Schema(
    {**{name: pv.Boolean() for name in "abd"}, "c": pv.Categorical(["x", "y", "z"])},
    population="invented",
    unit="person",
)
#: no other table holds both parents of d
MODEL = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}, prior=1)
BINARY = pv.BayesianNetwork({"a": [], "b": ["a"], "d": ["a"]}, prior=1)
COLLIDER = pv.BayesianNetwork({"a": [], "b": [], "d": ["a", "b"]}, prior=1)
CASES: list[tuple[str, pv.BayesianNetwork, int, dict[str, Any]]] = [
    ("one draw", MODEL, 100, {"mechanism": pv.NetworkDraws, "epsilon": 1, "delta": "1e-5"}),
    ("five draws", MODEL, 100, {"mechanism": pv.NetworkDraws, "epsilon": 1, "delta": "1e-5", "draws": 5}),
    (
        "one draw, concentrated",
        MODEL,
        2000,
        {"mechanism": pv.NetworkDraws, "epsilon": 1, "delta": "1e-5", "concentrated": True},
    ),
    ("one draw in a box", BINARY, 100, {"mechanism": pv.TruncatedNetworkDraws, "epsilon": 4}),
]
COLLIDERS: list[tuple[str, pv.BayesianNetwork, int, dict[str, Any]]] = [
    ("a collider of few", COLLIDER, 10, {"mechanism": pv.NetworkDraws, "epsilon": 5, "delta": "1e-2"}),
    ("a collider", COLLIDER, 60, {"mechanism": pv.NetworkDraws, "epsilon": 5, "delta": "1e-3"}),
    (
        "a collider, concentrated",
        COLLIDER,
        500,
        {"mechanism": pv.NetworkDraws, "epsilon": 1, "delta": "1e-5", "concentrated": True},
    ),
    ("a collider in a box", COLLIDER, 60, {"mechanism": pv.TruncatedNetworkDraws, "epsilon": 6, "draws": 2}),
]
RELEASES = 120
#: intervals of 90% must hold between these shares of the entries
BAR = (0.87, 0.93)


def one_release(model: pv.BayesianNetwork, plan: pv.Plan, rng: np.random.Generator) -> tuple[int, int, float]:
    """Return how many entries lie in their intervals, how many there are, and the sum of the widths."""
    rows = []
    for node in model.columns:
        gammas = rng.standard_gamma(np.ones(model.shape(node, SCHEMA)))
        rows.append((gammas / gammas.sum(axis=-1, keepdims=True)).ravel())
    numbers = pv.NetworkPosterior.numbers_of(model, SCHEMA)
    records = numbers.records(np.concatenate(rows), plan.records, rng)
    ledger = pv.Ledger.in_memory(population="invented", epsilon=9, delta="1e-1")
    posterior = pv.infer(pv.measure(plan, pa.table(records), ledger=ledger))
    held, width = 0, 0.0
    for node, truth in zip(model.columns, rows, strict=True):
        ends = posterior.table(node).interval(0.9).reshape(-1, 2)
        held += int(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum())
        width += float((ends[:, 1] - ends[:, 0]).sum())
    return held, sum(one.size for one in rows), width


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("cases", "stored", "of"),
    [
        (COLLIDERS, "network-draws-colliders", "a collider's tables"),
        (CASES, "network-draws", "a network's tables"),
    ],
    ids=["colliders", "networks"],
)
def test_intervals_hold_what_they_say(cases: list[Any], stored: str, of: str) -> None:
    certificate = Certificate.of(__file__, "src/privior/posterior/networks/joint_sticks.py")
    rng, rows = np.random.default_rng(11), []
    for name, model, records, options in cases:
        plan = pv.plan(model, SCHEMA, records=records, **options)
        start = time.process_time()
        found = [one_release(model, plan, rng) for _ in range(RELEASES)]
        held, entries, width = (sum(part) for part in zip(*found, strict=True))
        seconds = (time.process_time() - start) / RELEASES
        share = held / entries
        assert BAR[0] <= share <= BAR[1], (name, share)
        rows.append((name, str(records), f"{share:.3f}", f"{width / entries:.3f}", f"{seconds:.1f}"))
    store(
        stored,
        certificate,
        title=f"Draws of {of}: how often 90% intervals hold the entries",
        claim=f"between {BAR[0]} and {BAR[1]}, {RELEASES} releases each",
        header=("release", "records", "held", "average width", "CPU seconds a release"),
        rows=rows,
    )
