"""Coverage of networks: 90% intervals of entries and of P(A | B), for data sets from the prior.

Random graphs (20 of 4 nodes of 2 or 3 levels, up to 2 parents) and asia's graph, with other tables for each
data set; default mechanisms. Under add-or-remove-one twice the number of records is declared, and the number
inferred. Beside coverage: whether chains agree, whether what they disagree about is said, and whether tables
that overlap agree in every draw.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from network_chains import DRAWS, apart, r_hats_of, told
from network_trials import Floats, Truth, counted, planned, released
from record import Certificate, store

import privior as pv
from privior.posterior.diagnostics import WORST_R_HAT

SETS = min(300, int(os.environ.get("PRIVIOR_FEW_TRIALS", "300")))
EPSILONS = ("0.1", "1", "10")
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
RECORDS = {"random": 400, "asia": 1000}
#: how many graphs there are
GRAPHS = {"random": 20, "asia": 1}
#: questions about two columns each, of a data set
QUESTIONS = 4


@cache
def graph(kind: str, number: int) -> tuple[pv.BayesianNetwork, pv.Schema]:
    """Return a network with the prior 1."""
    if kind == "asia":
        known = Truth.of("asia")
        return pv.BayesianNetwork(known.model.parents, prior=1), known.schema
    rng, names = np.random.default_rng([7, number]), ["a", "b", "c", "d"]
    parents = {
        name: [
            str(one)
            for one in rng.choice(names[:place], size=min(place, int(rng.integers(0, 3))), replace=False)
        ]
        for place, name in enumerate(names)
    }
    columns = {name: pv.Integer(0, int(rng.integers(1, 3))) for name in names}
    return pv.BayesianNetwork(parents, prior=1), pv.Schema(columns, population="random", unit="person")


@cache
def plan_of(kind: str, number: int, epsilon: str, neighbours: pv.Neighbours) -> pv.Plan:
    """Plan a release, once for all data sets of a network."""
    return planned(*graph(kind, number), RECORDS[kind], epsilon, neighbours)


@dataclass(frozen=True)
class Found:
    """What was found of one network.

    Attributes:
        entries: which entries their intervals hold
        asked: which conditional chances
        r_hats: of the entries; none where all data sets were summed
        told: how many entries warnings say that chains disagree about
        apart: draws in which two tables do not agree about what both hold
    """

    entries: list[bool]
    asked: list[bool]
    r_hats: Floats
    told: int
    apart: int


def found(kind: str, epsilon: str, neighbours: pv.Neighbours) -> list[Found]:
    """Infer all networks of a kind, those of one graph together."""
    every: list[Found] = []
    for number in range(min(GRAPHS[kind], SETS)):
        plan, made = plan_of(kind, number, epsilon, neighbours), list[tuple[Truth, np.random.Generator]]()

        def releases(plan: pv.Plan = plan, made: Any = made, number: int = number) -> Iterator[pv.Release]:
            for seed in range(number, SETS, GRAPHS[kind]):
                rng = np.random.default_rng([seed, int(10 * float(epsilon)), neighbours is pv.REPLACE_ONE])
                truth = Truth.drawn(*graph(kind, number), rng)
                counts = counted(truth.model, truth.schema, truth.records(RECORDS[kind], rng))
                made.append((truth, rng))
                yield released(plan, counts)

        every += [judged(posterior, *made[-1]) for posterior in pv.infer_many(releases())]
    return every


def judged(posterior: Any, truth: Truth, rng: np.random.Generator) -> Found:
    """Compare a posterior with the truth."""
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
    return Found(entries, asked, r_hats_of(posterior), told(posterior), apart(posterior))


def spread(shares: list[float]) -> float:
    """Return the standard error of the mean share over data sets, whose own are not independent."""
    return float(np.std(shares, ddof=1) / math.sqrt(len(shares)))


@pytest.mark.parametrize("kind", RECORDS)
def test_intervals_of_networks_cover(kind: str) -> None:
    certificate = Certificate.of(__file__)
    rows, bad, every = [], [], defaultdict(list)
    for relation in RELATIONS:
        for epsilon in EPSILONS:
            some = found(kind, epsilon, relation)
            said = [str(relation), epsilon]
            for what in ("entries", "P(A | B)"):
                shares = [float(np.mean(one.entries if what == "entries" else one.asked)) for one in some]
                covered, error = float(np.mean(shares)), spread(shares)
                every[what].append(covered)
                said.append(f"{covered:.1%} ± {error:.1%}")
                if not 0.87 - 2 * error <= covered <= 0.93 + 2 * error:
                    bad.append((*said[:2], what, covered))
            r_hats = np.concatenate([one.r_hats for one in some])
            above = [int((one.r_hats > WORST_R_HAT).sum()) for one in some]
            silent = sum(one.told != many for one, many in zip(some, above, strict=True))
            differ = sum(one.apart for one in some)
            agree = float(np.mean(r_hats <= WORST_R_HAT)) if r_hats.size else 1.0
            most = float(r_hats.max(initial=1.0))
            said.append(f"{agree:.2%}, the worst {most:.3f}")
            said += map(str, (sum(map(bool, above)), silent, differ))
            if agree < 0.99 or silent or differ:
                bad.append((*said[:2], "chains", *said[-4:]))
            rows.append(tuple(said))
            print(*said, flush=True)
    averages = [f"{np.mean(every[what]):.1%}" for what in ("entries", "P(A | B)")]
    rows.append(("average", "", *averages, "", "", "", ""))
    store(
        f"network_coverage_{kind}",
        certificate,
        title=f"Coverage of 90% intervals of networks: {kind}",
        claim=f"87% to 93% give or take two standard errors in each cell, 89% to 91% on average; {SETS} "
        f"networks from the prior in each cell, {RECORDS[kind]} records; 99% of entries with a split R-hat "
        f"of {WORST_R_HAT} or less, warnings that count the others, and {DRAWS} draws of each, in none of "
        "which two tables differ about what both hold",
        header=(
            "neighbours",
            "epsilon",
            "entries",
            "P(A | B)",
            "entries about which chains agree",
            "networks with a warning",
            "without the one they need",
            "draws with tables that differ",
        ),
        rows=rows,
    )
    assert not bad, bad
    if SETS >= 300:
        assert all(0.89 <= np.mean(shares) <= 0.91 for shares in every.values()), averages
