"""Forecasts of KL(true || learned): random networks from their priors, released with default settings."""

from __future__ import annotations

import math
import os

import numpy as np
from network_trials import Truth, counted, planned, released, tables_of
from record import Certificate, store

import privior as pv

CASES = min(16, int(os.environ.get("PRIVIOR_FEW_TRIALS", "16")))
RELEASES = 8


def case(rng: np.random.Generator) -> tuple[pv.BayesianNetwork, pv.Schema, int, str, pv.Neighbours]:
    """Draw public facts."""
    names = [f"v{place}" for place in range(int(rng.integers(3, 9)))]
    parents = {
        name: [
            str(one)
            for one in rng.choice(names[:place], size=min(place, int(rng.integers(0, 4))), replace=False)
        ]
        for place, name in enumerate(names)
    }
    columns = {name: pv.Integer(0, int(rng.integers(1, 5))) for name in names}
    schema = pv.Schema(columns, population="random", unit="person")
    model = pv.BayesianNetwork(parents, prior=str(rng.choice(["1", "1/2"])))
    relation = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)[int(rng.integers(2))]
    return model, schema, int(rng.choice([500, 3000])), str(rng.choice(["0.1", "0.5", "2", "10"])), relation


def test_the_divergence_of_networks_is_as_forecast() -> None:
    certificate, rng = Certificate.of(__file__), np.random.default_rng(21)
    rows, ratios = [], []
    for _ in range(CASES):
        model, schema, records, epsilon, relation = case(rng)
        plan = planned(model, schema, records, epsilon, relation)
        about = pv.plan(
            model, schema, records=records, epsilon=epsilon, delta="1e-5", neighbours=relation
        ).forecast.measures["KL"]  # for as many records as there are, where the plan declares twice as many
        found = []
        for _ in range(RELEASES):
            truth = Truth.drawn(model, schema, rng)
            counts = counted(model, schema, truth.records(records, rng))
            found.append(truth.divergence(tables_of(pv.infer(released(plan, counts)))))
        error = float(np.std(found, ddof=1) / math.sqrt(RELEASES))
        ratios.append(about / np.mean(found))
        facts = (str(len(model.columns)), str(sum(model.sizes(schema))), str(model.prior), str(records))
        told = (epsilon, str(relation), plan.mechanism.name)
        rows.append((*facts, *told, f"{about:.4f}", f"{np.mean(found):.4f} ± {error:.4f}"))
    store(
        "network_forecasts",
        certificate,
        title="Forecast KL(true || learned) against that of released networks",
        claim=f"the middle half of {CASES} random networks within a factor 1.3, all within 2; {RELEASES} "
        "networks from the prior for each",
        header=(
            "nodes",
            "cells",
            "prior",
            "records",
            "epsilon",
            "neighbours",
            "mechanism",
            "forecast",
            "found",
        ),
        rows=rows,
    )
    low, high = np.quantile(ratios, [0.25, 0.75])
    assert 1 / 1.3 <= low <= high <= 1.3
    assert 0.5 <= min(ratios) <= max(ratios) <= 2
