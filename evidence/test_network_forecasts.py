"""Forecasts of networks from what a plan knows, where the number of records is private from twice as many.

KL(true || learned) of random networks from their priors and of networks of the repository, whose tables are
drawn from none; the log loss of a class by naive Bayes. All are released with default settings, delta 1e-5.
"""

from __future__ import annotations

import math
import os

import numpy as np
from network_trials import Codes, Truth, counted, planned, released, tables_of
from record import Certificate, store

import privior as pv

#: fewer of everything, to look at a change
FEW = int(os.environ.get("PRIVIOR_FEW_TRIALS", "1000"))
CASES, CLASSIFIERS = min(16, FEW), min(10, FEW)
RELEASES = max(2, min(8, FEW))
#: networks of the repository, data sets of each, and records of each; no forecast may be farther off than by
#: this factor, nor all of them by more than the next, in the geometric mean
REAL, RECORDS, FARTHEST, USUALLY = {"asia": 8, "child": 4, "alarm": 2}, 10_000, 2.0, 1.5


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


def test_the_divergence_of_random_networks_is_as_forecast() -> None:
    certificate, rng = Certificate.of(__file__), np.random.default_rng(21)
    rows, ratios = [], []
    for _ in range(CASES):
        model, schema, records, epsilon, relation = case(rng)
        plan = planned(model, schema, records, epsilon, relation)
        about = plan.forecast.measures["KL"]
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


def usually(ratios: list[float]) -> float:
    """Return by what factor forecasts are off, in the geometric mean."""
    return math.exp(float(np.abs(np.log(ratios)).mean()))


def written(about: float, found: list[float]) -> tuple[str, str, str]:
    """Write what was told, what was found, and their ratio."""
    mean, error = float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(len(found)))
    return f"{about:.4f}", f"{mean:.4f} ± {error:.4f}", f"{about / mean:.2f}"


def test_the_divergence_of_networks_of_the_repository_is_as_forecast() -> None:
    certificate, rows, ratios = Certificate.of(__file__), list[tuple[str, ...]](), list[float]()
    for name, many in REAL.items():
        truth = Truth.of(name)
        for epsilon in ("0.1", "1", "10"):
            plan = planned(truth.model, truth.schema, RECORDS, epsilon, pv.ADD_OR_REMOVE_ONE)
            about, found = plan.forecast.measures["KL"], []
            assert plan.forecast.measures["log loss"] == about  # of a record
            for repeat in range(max(2, min(many, FEW))):
                rng = np.random.default_rng(3000 + repeat)
                counts = counted(truth.model, truth.schema, truth.records(RECORDS, rng))
                found.append(truth.divergence(tables_of(pv.infer(released(plan, counts)))))
            ratios.append(about / float(np.mean(found)))
            rows.append((name, epsilon, plan.mechanism.name, *written(about, found)))
    store(
        "network_forecasts_real",
        certificate,
        title=f"Forecast KL(true || learned), which is the log loss of a record, from {RECORDS:,} records",
        claim=f"each within a factor of {FARTHEST:g}, {USUALLY:g} in the geometric mean; add-or-remove-one, "
        f"{2 * RECORDS:,} records declared; data sets: "
        + ", ".join(f"{many} of {name}" for name, many in REAL.items()),
        header=("network", "epsilon", "mechanism", "forecast", "found", "forecast / found"),
        rows=rows,
    )
    assert 1 / FARTHEST <= min(ratios) <= max(ratios) <= FARTHEST
    assert usually(ratios) <= USUALLY


def classifier(rng: np.random.Generator) -> tuple[pv.NaiveBayes, pv.Schema, int]:
    """Draw public facts of naive Bayes."""
    names = [f"f{place}" for place in range(int(rng.integers(4, 16)))]
    columns = {name: pv.Integer(0, int(rng.integers(1, 5))) for name in names}
    schema = pv.Schema(
        {"y": pv.Integer(0, int(rng.integers(1, 4))), **columns}, population="random", unit="person"
    )
    return (
        pv.NaiveBayes("y", names, prior=str(rng.choice(["1", "1/2"]))),
        schema,
        int(rng.choice([500, 3000])),
    )


def excess_loss(truth: Truth, posterior: pv.NetworkPosterior, codes: Codes) -> float:
    """Return by how much the log loss of the class is above that of the true tables, for naive Bayes."""
    target, *features = truth.model.columns
    logs = np.zeros((len(codes[target]), 1))
    with np.errstate(divide="ignore"):
        for node in truth.model.columns:
            table = np.log(truth.elimination.table(truth.theta, node)[0])
            logs = logs + (table if node == target else table[:, codes[node]].T)
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    said = posterior.predict_proba({name: codes[name] for name in features})
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(chances > 0, chances * (np.log(chances) - np.log(said)), 0.0)
    return float(each.sum(axis=1).mean())


def test_the_log_loss_of_classes_is_as_forecast() -> None:
    certificate, rng = Certificate.of(__file__), np.random.default_rng(22)
    rows, ratios = list[tuple[str, ...]](), list[float]()
    for place in range(CLASSIFIERS):
        model, schema, records = classifier(rng)
        epsilon = ("0.1", "0.5", "1", "2", "10")[place % 5]
        plan = planned(model, schema, records, epsilon, pv.ADD_OR_REMOVE_ONE)
        about, found, kl = plan.forecast.measures["log loss"], [], []
        for _ in range(2 * RELEASES):
            truth = Truth.drawn(model, schema, rng)
            posterior = pv.infer(released(plan, counted(model, schema, truth.records(records, rng))))
            found.append(excess_loss(truth, posterior, truth.records(4000, rng)))
            kl.append(truth.divergence(tables_of(posterior)))
        ratios.append(about / float(np.mean(found)))
        divergence = written(plan.forecast.measures["KL"], kl)[:2]
        facts = (str(len(model.features)), str(schema.column("y").size), str(model.prior), str(records))
        rows.append((*facts, epsilon, plan.mechanism.name, *written(about, found), *divergence))
    store(
        "network_forecasts_loss",
        certificate,
        title="Forecast log loss of a class by naive Bayes, above that of the true tables",
        claim=f"each of {CLASSIFIERS} random classifiers within a factor of {FARTHEST:g}, {USUALLY:g} in the "
        f"geometric mean; {2 * RELEASES} drawn from the prior for each, add-or-remove-one, twice the records "
        "declared; the KL of a record, which bounds it, beside it",
        header=(
            *("features", "classes", "prior", "records", "epsilon", "mechanism"),
            *("forecast", "found", "forecast / found", "KL forecast", "KL found"),
        ),
        rows=rows,
    )
    assert 1 / FARTHEST <= min(ratios) <= max(ratios) <= FARTHEST
    assert usually(ratios) <= USUALLY
