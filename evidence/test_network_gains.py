"""Where the gain over peers comes from: one thing after the other, on the same data.

From what peers do (the same Gaussian noise on all tables, calibrated by concentrated divergence, counts cut
at zero and 1 added) to the default: the noise known, priors learned, tables inferred together, noise
calibrated exactly, shared by sizes, put on parities. For a class: means of tables, or averaged predictions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from network_trials import DELTA, Floats, Rows, Truth, counted, log_loss, planned, released, tables_of
from real_tables import FOLDER
from record import Certificate, store
from test_network_utility import error, peers_scale

import privior as pv
from privior.models import Network
from privior.posterior.networks.tables_given import tables_apart

FEW = int(os.environ.get("PRIVIOR_FEW_TRIALS", "1000"))
#: a network, epsilon, repeats
SETTINGS = (("asia", "0.1", 10), ("asia", "1", 10), ("child", "1", 3))
CLASSES = (("adult_disc", "0.5", 5), ("mushroom_disc", "0.5", 5))
RECORDS = 10_000


def apart(release: pv.Release, prior: object) -> pv.NetworkPosterior:
    """Infer each table by itself."""
    model = replace_prior(release.plan.model, prior)
    return pv.NetworkPosterior((release,), model, tables_apart([release], model))


def replace_prior(model: Network, prior: object) -> Network:
    return type(model).from_entries({**_entries(model), "prior": prior})


def _entries(model: Network) -> dict[str, object]:
    return {name: value for name, value in model.to_document().items() if name != "family"}


def alike(plan: pv.Plan, epsilon: str, *, exact: bool) -> pv.Plan:
    """Return a plan with the same noise on all tables, as wide as peers take it or as is needed."""
    model, tables = plan.model, len(plan.model.columns)

    def law(scale: float) -> pv.GaussianTables:
        scales = [Fraction(scale)] * tables
        unit = {"neighbours": plan.neighbours, "scales": scales}
        return pv.GaussianTables(model, plan.schema, epsilon, DELTA, **unit)  # type: ignore[arg-type]

    high = peers_scale(tables, epsilon)
    if exact:
        low = 0.8 * high
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            try:
                law(middle)
                high = middle
            except pv.PlanError:
                low = middle
    return replace(plan, mechanism=law(high))


def steps(truth: Truth, epsilon: str, repeat: int) -> dict[str, float]:
    """Return the divergence after each step."""
    model, schema = truth.model, truth.schema
    counts = counted(model, schema, truth.records(RECORDS, np.random.default_rng(3000 + repeat)))
    plan = planned(model, schema, RECORDS, epsilon, pv.ADD_OR_REMOVE_ONE)
    wide = released(alike(plan, epsilon, exact=False), counts)
    tight = released(alike(plan, epsilon, exact=True), counts)
    shared = planned(model, schema, RECORDS, epsilon, pv.ADD_OR_REMOVE_ONE, mechanism=pv.GaussianTables)
    by_size, own = released(shared, counts), released(plan, counts)
    found = {
        "peers' noise, cut at 0, 1 added": truth.plain(np.asarray(wide.statistics.counts)),
        "the noise known, each table by itself, prior 1": tables_of(apart(wide, 1)),
        "the prior of each table learned": tables_of(apart(wide, "learned")),
        "tables inferred together": tables_of(pv.infer(wide)),
        "noise calibrated exactly": tables_of(pv.infer(tight)),
        "noise shared by sizes of tables": tables_of(pv.infer(by_size)),
        "the planner's choice (parities): the default": tables_of(pv.infer(own)),
        "no privacy, 1 added": truth.plain(counts),
    }
    return {name: truth.divergence(tables) for name, tables in found.items()}


def of_class(table: Rows, epsilon: str, repeat: int) -> dict[str, float]:
    """Return the log loss after each step."""
    used, test = table.split(repeat, 1000)
    counts = counted(table.model, table.schema, used)
    plan = planned(table.model, table.schema, 1000, epsilon, pv.ADD_OR_REMOVE_ONE)
    release = released(plan, counts)
    ones, learned = pv.infer(release, prior=1), pv.infer(release)
    rows = {name: test[name] for name in table.model.features}

    def of_tables(tables: Callable[[str], Floats]) -> float:
        logs = np.log(tables("y"))[:, None] + sum(np.log(tables(name)[:, rows[name]]) for name in rows)
        return log_loss(np.exp(logs - logs.max(axis=0)).T, test["y"])

    wide = released(alike(plan, epsilon, exact=False), counts)
    return {
        "peers' noise, cut at 0, 1 added": table.plain(np.asarray(wide.statistics.counts), test),
        "own noise, tables together, prior 1: their means": of_tables(lambda node: ones.table(node).mean()),
        "prior learned: their means": of_tables(lambda node: learned.table(node).mean()),
        "predictions averaged: the default": table.loss(learned, test),
        "no privacy, 1 added": table.plain(counts, test),
    }


def kept(name: str, title: str, certificate: Certificate, each: dict[str, list[dict[str, float]]]) -> None:
    """Store the mean of each step, and how it compares with the step before."""
    rows = []
    for step in next(iter(each.values()))[0]:
        cells = [step]
        for trials in each.values():
            values = [one[step] for one in trials]
            cells.append(f"{np.mean(values):.4f} ± {error(values):.4f}")
        rows.append(tuple(cells))
    store(
        name,
        certificate,
        title=title,
        claim="told, no bar; add-or-remove-one, delta 1e-5, number of records private; means over "
        + ", ".join(f"{len(trials)} data sets ({setting})" for setting, trials in each.items()),
        header=("one thing after the other", *each),
        rows=rows,
    )


def check(each: dict[str, list[dict[str, float]]]) -> None:
    """The default is better than what peers do."""
    for trials in each.values():
        first, *_, last, _ = trials[0]
        assert np.mean([one[last] for one in trials]) < np.mean([one[first] for one in trials])


def test_what_each_thing_adds_to_networks() -> None:
    certificate = Certificate.of(__file__)
    each = {
        f"{name}, epsilon {epsilon}": [
            steps(Truth.of(name), epsilon, one) for one in range(min(repeats, FEW))
        ]
        for name, epsilon, repeats in SETTINGS
    }
    kept("network_gains", "Sources of gain: KL(true || learned), 10,000 records", certificate, each)
    check(each)


@pytest.mark.skipif(not FOLDER.exists(), reason="the real tables are not beside the repository")
def test_what_each_thing_adds_to_classes() -> None:
    certificate = Certificate.of(__file__)
    each = {
        f"{name}, epsilon {epsilon}": [
            of_class(Rows.of(name), epsilon, one) for one in range(min(repeats, FEW))
        ]
        for name, epsilon, repeats in CLASSES
    }
    kept("network_gains_class", "Sources of gain: log loss of a class, 1,000 rows", certificate, each)
    check(each)
