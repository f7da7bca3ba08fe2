"""Coverage of networks: 90% intervals of entries and of P(A | B), for data sets from the prior.

Random graphs (4 nodes of 2 or 3 levels, up to 2 parents, another one for each data set) and asia's graph;
default mechanisms. Under add-or-remove-one twice the number of records is declared, and the number inferred.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict

import numpy as np
from network_trials import Truth, counted, planned, released
from record import Certificate, store

import privior as pv

SETS = min(300, int(os.environ.get("PRIVIOR_FEW_TRIALS", "300")))
EPSILONS = ("0.1", "1", "10")
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
RECORDS = {"random": 400, "asia": 1000}
#: questions about two columns each, of a data set
QUESTIONS = 4


def graph(kind: str, rng: np.random.Generator) -> Truth:
    """Draw a network from the prior 1."""
    if kind == "asia":
        known = Truth.of("asia")
        return Truth.drawn(pv.BayesianNetwork(known.model.parents, prior=1), known.schema, rng)
    names = ["a", "b", "c", "d"]
    parents = {
        name: [
            str(one)
            for one in rng.choice(names[:place], size=min(place, int(rng.integers(0, 3))), replace=False)
        ]
        for place, name in enumerate(names)
    }
    columns = {name: pv.Integer(0, int(rng.integers(1, 3))) for name in names}
    schema = pv.Schema(columns, population="random", unit="person")
    return Truth.drawn(pv.BayesianNetwork(parents, prior=1), schema, rng)


def held(kind: str, epsilon: str, neighbours: pv.Neighbours, seed: int) -> tuple[list[bool], list[bool]]:
    """Say which entries and which conditional chances of one network their intervals hold."""
    rng = np.random.default_rng([seed, int(10 * float(epsilon)), neighbours is pv.REPLACE_ONE])
    truth = graph(kind, rng)
    counts = counted(truth.model, truth.schema, truth.records(RECORDS[kind], rng))
    plan = planned(truth.model, truth.schema, RECORDS[kind], epsilon, neighbours)
    posterior = pv.infer(released(plan, counts))
    entries: list[bool] = []
    for node in truth.model.columns:
        ends, true = posterior.table(node).interval(0.9), truth.elimination.table(truth.theta, node)[0]
        entries += ((ends[..., 0] <= true) & (true <= ends[..., 1])).ravel().tolist()
    asked: list[bool] = []
    for _ in range(QUESTIONS):
        one, other = (str(name) for name in rng.choice(truth.model.columns, size=2, replace=False))
        levels = truth.schema.column(one).labels, truth.schema.column(other).labels
        event, given = {one: levels[0][0]}, {other: levels[1][-1]}
        low, high = posterior.probability(event, given).interval(0.9)
        _, chance = posterior.numbers.probability(event, given)
        asked.append(bool(low <= chance(truth.theta)[0] <= high))
    return entries, asked


def spread(shares: list[float]) -> float:
    """Return the standard error of the mean share over data sets, whose own are not independent."""
    return float(np.std(shares, ddof=1) / math.sqrt(len(shares)))


def test_intervals_of_networks_cover() -> None:
    certificate = Certificate.of(__file__)
    rows, bad, every = [], [], defaultdict(list)
    for kind in RECORDS:
        for relation in RELATIONS:
            for epsilon in EPSILONS:
                found = [held(kind, epsilon, relation, seed) for seed in range(SETS)]
                said = [kind, str(relation), epsilon]
                for place, what in enumerate(("entries", "P(A | B)")):
                    shares = [float(np.mean(one[place])) for one in found]
                    covered, error = float(np.mean(shares)), spread(shares)
                    every[what].append(covered)
                    said.append(f"{covered:.1%} ± {error:.1%}")
                    if not 0.87 - 2 * error <= covered <= 0.93 + 2 * error:
                        bad.append((*said[:3], what, covered))
                rows.append(tuple(said))
    averages = [f"{np.mean(every[what]):.1%}" for what in ("entries", "P(A | B)")]
    rows.append(("average", "", "", *averages))
    store(
        "network_coverage",
        certificate,
        title="Coverage of 90% intervals of networks",
        claim=f"87% to 93% give or take two standard errors in each cell, 89% to 91% on average; {SETS} "
        "networks from the prior in each cell",
        header=("graph", "neighbours", "epsilon", "entries", "P(A | B)"),
        rows=rows,
    )
    assert not bad, bad
    if SETS >= 300:
        assert all(0.89 <= np.mean(shares) <= 0.91 for shares in every.values()), averages
