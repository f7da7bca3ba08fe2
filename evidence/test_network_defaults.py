"""Default settings on networks that nobody drew from a prior: 90% intervals of entries and of P(A | B).

Records of networks that people have drawn up, add-or-remove-one, twice the number of records declared; the
learned prior beside prior 1. Chances of 0 and 1 are left out: no interval of chances in between holds them.
"""

from __future__ import annotations

import os

import numpy as np
from network_trials import Truth, counted, planned, released
from record import Certificate, store
from test_network_coverage import QUESTIONS, spread

import privior as pv

RECORDS = 5_000
#: releases at each epsilon
RELEASES = {"earthquake": 8, "cancer": 8, "survey": 8, "asia": 8, "sachs": 3, "child": 2}
FEW = int(os.environ.get("PRIVIOR_FEW_TRIALS", "1000"))
EPSILONS = ("0.1", "1", "10")
PRIORS = ("learned", 1)
ON_AVERAGE, LEAST = 0.87, 0.8


def held(truth: Truth, posterior: pv.NetworkPosterior, rng: np.random.Generator) -> tuple[float, float]:
    """Return which part of the entries, and of some conditional chances, intervals hold."""
    entries, asked = list[bool](), list[bool]()
    for node in truth.model.columns:
        ends, true = posterior.table(node).interval(0.9), truth.elimination.table(truth.theta, node)[0]
        inside = (true > 0) & (true < 1)
        entries += ((ends[..., 0] <= true) & (true <= ends[..., 1]))[inside].tolist()
    for _ in range(QUESTIONS):
        one, other = (str(name) for name in rng.choice(truth.model.columns, size=2, replace=False))
        event = {one: truth.schema.column(one).labels[0]}
        given = {other: truth.schema.column(other).labels[-1]}
        low, high = posterior.probability(event, given).interval(0.9)
        _, chance = posterior.numbers.probability(event, given)
        asked.append(bool(low <= chance(truth.theta)[0] <= high))
    return float(np.mean(entries)), float(np.mean(asked))


def test_default_intervals_hold_networks_that_people_drew_up() -> None:
    certificate = Certificate.of(__file__)
    rows, bad, averages = [], [], []
    for name, most in RELEASES.items():
        truth, rng = Truth.of(name), np.random.default_rng(11)
        for epsilon in EPSILONS:
            plan = planned(truth.model, truth.schema, RECORDS, epsilon, pv.ADD_OR_REMOVE_ONE)
            shares: dict[object, list[tuple[float, float]]] = {prior: [] for prior in PRIORS}
            for _ in range(min(most, FEW)):
                release = released(plan, counted(truth.model, truth.schema, truth.records(RECORDS, rng)))
                for prior in PRIORS:
                    shares[prior].append(held(truth, pv.infer(release, prior=prior), rng))
            said = [name, epsilon]
            for prior in PRIORS:
                for each in zip(*shares[prior], strict=True):
                    said.append(f"{np.mean(each):.1%} ± {spread(list(each)):.1%}")
            rows.append(tuple(said))
            entries = [one for one, _ in shares["learned"]]
            averages.append(float(np.mean(entries)))
            if np.mean(entries) + 2 * spread(entries) < LEAST:
                bad.append(rows[-1])
    store(
        "network_defaults",
        certificate,
        title=f"Intervals of networks that people drew up, {RECORDS:,} records",
        claim=f"90% intervals by the learned prior hold at least {ON_AVERAGE:.0%} of the entries on average "
        f"over all, and none at one epsilon less than {LEAST:.0%} beyond two standard errors; "
        f"{', '.join(f'{name} {many}' for name, many in RELEASES.items())} releases; a row's mean over its "
        "releases and its standard error",
        header=("network", "epsilon", "entries", "P(A | B)", "entries, prior 1", "P(A | B), prior 1"),
        rows=rows,
    )
    assert not bad, bad
    assert np.mean(averages) >= ON_AVERAGE, averages
