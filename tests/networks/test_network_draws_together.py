"""Draws of all tables of a network say what they say of one data set: against all data sets, listed.

What is listed knows no sticks' sums and no closed form of a box: densities are scipy's, masses are integrals.
"""

from __future__ import annotations

import inspect
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from listed_data_sets import DataSets, by_listing
from scipy import integrate, stats
from test_network_together import FOUR_SIGMA, far_off, sampled

import privior as pv
from privior.mechanisms.drawn_sticks import DrawnSticks, log_box
from privior.models import Observed
from privior.models.statistics import ExactStatistics
from privior.posterior.networks import joint_sticks, joint_walk
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.networks.joint_sums import SummedTables
from privior.posterior.tables.counts_given import total_of

GRAPHS: dict[str, dict[str, list[str]]] = {
    "pair": {"a": [], "b": ["a"]},
    "chain": {"a": [], "b": ["a"], "c": ["b"]},
    "collider": {"c": ["a", "b"], "a": [], "b": []},
    "common cause": {"b": ["a"], "a": [], "c": ["a"]},
}
#: a mechanism with public numbers of its own, so that none are searched for
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "diffuse": (pv.NetworkDraws, {"delta": "0.99", "rate": "0.4"}),
    "diffuse, three draws": (pv.NetworkDraws, {"delta": "0.999", "rate": "0.3", "draws": 3}),
    "concentrated": (pv.NetworkDraws, {"delta": "0.99", "rate": 1, "floor": 3}),
    "box": (pv.TruncatedNetworkDraws, {}),
    "box, two draws": (pv.TruncatedNetworkDraws, {"draws": 2}),
}
Case = tuple[str, int, str, str, int]
CASES: list[Case] = [
    (graph, levels, kind, relation, records)
    for graph in GRAPHS
    for kind in KINDS
    for levels, relation, records in (
        (2, "replace-one", 5),
        (2, "add-or-remove-one", 4),
        (3, "replace-one", 2 if graph != "pair" else 5),
    )
    if levels == 2 or "box" not in kind
]


@cache
def released(graph: str, levels: int, kind_name: str, relation: str, records: int) -> Any:
    """Release few records that go together, so that tables tell of each other."""
    columns = {name: pv.Categorical([f"level {k}" for k in range(levels)]) for name in sorted(GRAPHS[graph])}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork(GRAPHS[graph], prior=1)
    kind, facts = KINDS[kind_name]
    law = kind(model, schema, records, 4, neighbours=relation, **facts)
    public = {"model": model, "schema": schema, "mechanism": law, "records": records}
    plan = SimpleNamespace(**public, total_public=relation == "replace-one")
    draw = np.random.default_rng(sum(map(ord, f"{graph}{kind_name}")) + records)
    numbers = []
    for layout in plan.mechanism.layouts:
        sticks = draw.beta(1, 1, size=layout.size)
        least = float(plan.mechanism.smallest_chance)
        numbers.append(tuple(int((least + (1 - 2 * least) * one) * 2**53) for one in sticks))
    return SimpleNamespace(plan=plan, statistics=Observed(plan.mechanism.layouts, tuple(numbers)))


def drawn_log_likelihood(release: Any, counts: np.ndarray) -> float:
    """Return the log density of all sticks of a release, by scipy."""
    law, total, start = release.plan.mechanism, 0.0, 0
    rate, box = float(law.record_weight), float(law.smallest_chance)
    for place, (prior, size) in enumerate(zip(law.prior_parameters, law.levels, strict=True)):
        sticks = release.statistics.array(place) / 2**53
        table = counts[start : start + len(prior)].reshape(-1, size)
        weights = np.array([float(one) for one in prior]).reshape(-1, size) + rate * table
        start += len(prior)
        for row, stick in np.ndindex(sticks.shape[1:]):
            a, b = float(weights[row, stick]), float(weights[row, stick + 1 :].sum())
            total += density(tuple(sticks[:, row, stick]), a, b, box)
    return total


@cache
def density(sticks: tuple[float, ...], a: float, b: float, box: float) -> float:
    """Return the log density of draws of one stick, given the chance of a box by an integral."""
    inside = 1.0
    if box:
        inside = integrate.quad(lambda x: stats.beta.pdf(x, a, b), box, 1 - box, epsabs=1e-12)[0]
    return float(stats.beta.logpdf(sticks, a, b).sum() - len(sticks) * np.log(inside))


def listed(releases: tuple[Any, ...], likelihood: Any) -> DataSets:
    """List all data sets."""
    plan = releases[0].plan
    nodes, records = plan.model.columns, plan.records
    levels = {node: plan.schema.column(node).size for node in nodes}
    priors = zip(nodes, plan.model.parameters(plan.schema), strict=True)
    return by_listing(
        plan.model.parents,
        levels,
        {node: prior.reshape(-1, levels[node]) for node, prior in priors},
        [records] if plan.total_public else range(records + 1),
        likelihood,
    )


@cache
def true(*case: Any) -> DataSets:
    release = released(*case)
    return listed((release,), lambda counts: drawn_log_likelihood(release, counts))


def evidence_of(*releases: Any) -> Any:
    return joint_evidence(releases, releases[0].plan.model, total_of(releases))


def summed(*releases: Any) -> SummedTables:
    plan = releases[0].plan
    return SummedTables(evidence_of(*releases), tuple(plan.model.parameters(plan.schema)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(map(str, case)))
def test_sums_are_those_over_all_listed_data_sets(case: Case) -> None:
    wanted, known = true(*case), summed(released(*case))
    for place, node in enumerate(GRAPHS[case[0]]):
        assert known.mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-6)
        assert known.counts(place).mean == pytest.approx(wanted.counts[node], abs=1e-6)


SAMPLED: list[Case] = [
    ("pair", 3, "concentrated", "replace-one", 5),
    ("chain", 2, "diffuse", "add-or-remove-one", 4),
    ("collider", 2, "diffuse, three draws", "replace-one", 5),
    ("collider", 3, "concentrated", "replace-one", 2),
    ("collider", 2, "box, two draws", "add-or-remove-one", 4),
    ("common cause", 2, "box", "replace-one", 5),
    ("common cause", 3, "diffuse", "replace-one", 2),
]


def chains_of(*releases: Any) -> JointChains:
    evidence = evidence_of(*releases)
    return JointChains(evidence, evidence.layout.model.parameters(evidence.layout.schema), 3)


def entries(wanted: DataSets) -> np.ndarray:
    return np.concatenate([table.ravel() for table in wanted.tables.values()])


@pytest.mark.parametrize("case", SAMPLED, ids=lambda case: ", ".join(map(str, case)))
def test_chains_agree_with_all_listed_data_sets(case: Case) -> None:
    assert far_off(sampled(chains_of(released(*case)), 4000), entries(true(*case))) < FOUR_SIGMA
