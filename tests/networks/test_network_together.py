"""All tables of a network together, against all data sets of few records listed one by one."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from network_data_sets_oracle import DataSets, by_listing

import privior as pv
from privior.models import JunctionTree
from privior.models.statistics import ExactStatistics
from privior.posterior.counts.evidence import Total
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import JointEvidence, joint_evidence
from privior.posterior.networks.joint_sums import SummedTables
from privior.posterior.tables.counts_given import total_of

GRAPHS: dict[str, dict[str, list[str]]] = {
    "chain": {"a": [], "b": ["a"], "c": ["b"]},
    "collider": {"c": ["a", "b"], "a": [], "b": []},
}
RELATIONS = ("replace-one", "add-or-remove-one")
MECHANISMS: dict[str, tuple[Any, str]] = {
    "laplace": (pv.LaplaceTables, "0"),
    "gaussian": (pv.GaussianTables, "1e-3"),
    "parities, laplace": (pv.FourierTables, "0"),
    "parities, gaussian": (pv.FourierTables, "1e-3"),
}
FOUR_SIGMA = 4.0


def planned(graph: str, levels: int, mechanism: str, relation: str, records: int) -> Any:
    """Plan a release of a small network with an uneven prior."""
    parents = GRAPHS[graph]
    columns = {name: pv.Categorical([f"level {k}" for k in range(levels)]) for name in sorted(parents)}
    schema = pv.Schema(columns, population="few", unit="person")
    draw = np.random.default_rng(levels)
    prior = {
        node: [Fraction(int(one), 10) for one in draw.integers(3, 15, size=levels ** (1 + len(above)))]
        for node, above in parents.items()
    }
    model = pv.BayesianNetwork(parents, prior=prior)
    kind, delta = MECHANISMS[mechanism]
    return pv.plan(
        model, schema, records=records, epsilon=2, delta=delta, neighbours=relation, mechanism=kind
    )


@cache
def released(graph: str, levels: int, mechanism: str, relation: str, records: int) -> Any:
    """Release random records."""
    plan = planned(graph, levels, mechanism, relation, records)
    draw = np.random.default_rng(records)
    number = records if relation == "replace-one" else records - 1
    rows = draw.integers(levels, size=(number, len(plan.model.columns)))
    tables = [np.zeros(size, dtype=np.int64) for size in plan.model.sizes(plan.schema)]
    places = {node: place for place, node in enumerate(plan.model.columns)}
    for row in rows:
        for table, names in zip(tables, plan.model.tables, strict=True):
            cell = 0
            for name in names:
                cell = cell * levels + row[places[name]]
            table[cell] += 1
    observed = plan.mechanism.release(ExactStatistics(np.concatenate(tables)))
    return plan, observed


def evidence_of(graph: str, levels: int, mechanism: str, relation: str, records: int) -> JointEvidence:
    plan, observed = released(graph, levels, mechanism, relation, records)

    class Shown:
        """What inference looks at."""

        statistics = observed

    Shown.plan = plan  # type: ignore[attr-defined]
    release: Any = Shown()
    return joint_evidence([release], plan.model, total_of([release]))


@cache
def true(graph: str, levels: int, mechanism: str, relation: str, records: int) -> DataSets:
    """List all data sets."""
    plan, observed = released(graph, levels, mechanism, relation, records)
    nodes = plan.model.columns
    priors = zip(nodes, plan.model.parameters(plan.schema), strict=True)
    return by_listing(
        plan.model.parents,
        dict.fromkeys(nodes, levels),
        {node: prior.reshape(-1, levels) for node, prior in priors},
        [records] if relation == "replace-one" else range(records + 1),
        lambda counts: plan.mechanism.log_likelihood(observed, ExactStatistics(counts)),
    )


CASES = [
    (graph, levels, mechanism, relation, records)
    for graph in GRAPHS
    for mechanism in MECHANISMS
    for relation in RELATIONS
    for levels, records in ((2, 4), (3, 3))
    if levels == 2 or mechanism in ("laplace", "gaussian")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(map(str, case)))
def test_sums_are_those_over_all_listed_data_sets(case: tuple[Any, ...]) -> None:
    evidence, wanted = evidence_of(*case), true(*case)
    model = evidence.layout.model
    priors = model.parameters(evidence.layout.schema)
    known = SummedTables(evidence, tuple(one for one in priors if one is not None))
    rng = np.random.default_rng(1)
    drawn = known.tables(4000, rng)
    start = 0
    for place, node in enumerate(model.columns):
        assert known.mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-9)
        counts = known.counts(place)
        assert counts.mean == pytest.approx(wanted.counts[node], abs=1e-9)
        variance = wanted.squares[node] - wanted.counts[node] ** 2
        assert counts.stddev**2 == pytest.approx(variance, abs=1e-9)
        own = drawn[:, start : start + counts.mean.size]
        error = np.sqrt(np.maximum(variance, 1e-12) / len(own))
        assert (np.abs(own.mean(axis=0) - counts.mean) < FOUR_SIGMA * 1.2 * error + 1e-6).all()
        start += counts.mean.size
