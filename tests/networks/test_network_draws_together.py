"""Draws of all tables of a network say what they say of one data set: against all data sets, listed.

What is listed knows no sticks' sums and no closed form of a box: densities are scipy's, masses are integrals.
"""

from __future__ import annotations

from dataclasses import replace
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
from privior.mechanisms.networks.drawn_sticks import log_box
from privior.models import JunctionTree, Observed
from privior.models.statistics import ExactStatistics
from privior.posterior.networks import joint_sticks
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
#: a kind of draws, a relation and a graph that others of these have as well
FURTHER = SAMPLED[1], SAMPLED[3], SAMPLED[5]


def chains_of(*releases: Any) -> JointChains:
    evidence = evidence_of(*releases)
    return JointChains(evidence, evidence.layout.model.parameters(evidence.layout.schema), 3)


def entries(wanted: DataSets) -> np.ndarray:
    return np.concatenate([table.ravel() for table in wanted.tables.values()])


def words_of(case: Any) -> str:
    return ", ".join(map(str, case))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case in FURTHER else [], id=words_of(case))
        for case in SAMPLED
    ],
)
def test_chains_agree_with_all_listed_data_sets(case: Case) -> None:
    assert far_off(sampled(chains_of(released(*case)), 4000), entries(true(*case))) < FOUR_SIGMA


@pytest.mark.parametrize("fault", ["a record weighs half", "draws are counted twice", "a table is not used"])
def test_what_draws_do_not_say_is_noticed(fault: str) -> None:
    """Chains whose likelihood of draws is wrong end elsewhere."""
    case = ("collider", 2, "diffuse, three draws", "replace-one", 5)
    chains = chains_of(released(*case))
    right = chains.noise.sticks
    if fault == "a record weighs half":
        wrong = right._replace(rates=right.rates / 2)
    elif fault == "draws are counted twice":
        each = ("taken", "left", "draws")
        wrong = right._replace(**{name: 2 * getattr(right, name) for name in each})
    else:
        margin, _ = chains.layout.table("a")
        first = right.first.copy()
        first[:, margin.start : margin.start + 2] = 0
        wrong = right._replace(first=first)
    chains.noise = chains.noise._replace(sticks=wrong)
    assert far_off(sampled(chains, 4000), entries(true(*case))) > FOUR_SIGMA


def test_rows_drawn_by_themselves_would_be_noticed() -> None:
    """The margins of a collider's parents bind its rows: sums that forget them are far from the truth."""
    case = ("collider", 2, "concentrated", "replace-one", 5)
    wanted, release = true(*case), released(*case)
    evidence = evidence_of(release)
    own = evidence.layout.model.columns.index("c")
    alone = tuple(one if place == own else None for place, one in enumerate(evidence.drawn[0]))
    priors = tuple(release.plan.model.parameters(release.plan.schema))
    known = SummedTables(replace(evidence, drawn=(alone,)), priors)
    assert np.abs(known.mean(own) - wanted.tables["c"].ravel()).max() > 1e-3


@pytest.mark.parametrize("graph", ["collider", "chain"])
def test_draws_and_noisy_tables_are_used_together(graph: str) -> None:
    """The likelihoods of both kinds of release multiply, in sums and in chains."""
    drawn = released(graph, 2, "diffuse", "replace-one", 5)
    model, schema = drawn.plan.model, drawn.plan.schema
    law = pv.LaplaceTables(model, schema, 2)
    numbers = tuple(tuple(range(layout.size)) for layout in law.layouts)
    public = {"model": model, "schema": schema, "mechanism": law, "records": 5, "total_public": True}
    noisy = SimpleNamespace(plan=SimpleNamespace(**public), statistics=Observed(law.layouts, numbers))

    def both(counts: np.ndarray) -> float:
        seen = law.log_likelihood(noisy.statistics, ExactStatistics(counts))
        return float(seen) + drawn_log_likelihood(drawn, counts)

    wanted = listed((drawn,), both)
    known = summed(drawn, noisy)
    for place, node in enumerate(GRAPHS[graph]):
        assert known.mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-6)
    assert far_off(sampled(chains_of(noisy, drawn), 2000), entries(wanted)) < FOUR_SIGMA


def test_ends_of_the_grid_have_their_chance() -> None:
    """Sticks that were rounded to 0 or 1 are told to chains as to sums, also those before other sticks."""
    columns = {"a": pv.Categorical(list("xyz")), "b": pv.Boolean()}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior="1/2")
    law = pv.NetworkDraws(model, schema, 4, 4, "0.99", rate="0.3", places=16)
    observed = Observed(law.layouts, ((2**16, 0), (0, 2**16, 3)))
    public = {"model": model, "schema": schema, "mechanism": law, "records": 4, "total_public": True}
    release = SimpleNamespace(plan=SimpleNamespace(**public), statistics=observed)

    def seen(counts: np.ndarray) -> float:
        """Return the log mass of the half cells at the ends, and of the cells within."""
        total, start = 0.0, 0
        for place, (rows, size) in enumerate([(1, 3), (3, 2)]):
            table = 0.5 + 0.3 * counts[start : start + rows * size].reshape(rows, size)
            start += rows * size
            sticks = observed.array(place)[0]
            for row, stick in np.ndindex(sticks.shape):
                a, b = table[row, stick], table[row, stick + 1 :].sum()
                low, high = (np.clip((sticks[row, stick] + side) / 2**16, 0, 1) for side in (-0.5, 0.5))
                upper = low > 0.5
                some = stats.beta.sf((low, high), a, b) if upper else stats.beta.cdf((low, high), a, b)
                total += float(np.log(abs(some[1] - some[0])))
        return total

    wanted = listed((release,), seen)
    known = summed(release)
    for place, node in enumerate("ab"):
        assert known.mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-3)
    exact = np.concatenate([known.mean(0), known.mean(1)])
    assert far_off(sampled(chains_of(release), 2000), exact) < FOUR_SIGMA


def test_compiled_boxes_are_those_of_the_mechanism() -> None:
    for a, b, w in (
        (1, 1, 0.2),
        (21, 31, 0.3),
        (0.2, 0.3, 0.01),
        (3, 30, 0.4),
        (9e4, 1.1e5, 0.3),
        (900, 2, 0.1),
    ):
        inside = float(log_box(np.array(float(a)), np.array(float(b)), w))
        assert joint_sticks.box(float(a), float(b), w) == pytest.approx(inside, abs=1e-8)
    table = joint_sticks.box_table(1.0, 2.0, 1.0, 0.2, 6)
    assert table[2, 3] == joint_sticks.box(3.0, 5.0, 0.2)


def test_a_network_that_is_too_wide_is_inferred_table_by_table(
    monkeypatch: pytest.MonkeyPatch, seeded_noise: None
) -> None:
    """Each with the tables of parents that depend on each other alone: for a collider that is everything."""
    columns = {name: pv.Boolean() for name in "abcd"}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork({"d": ["c"], "c": ["a", "b"], "a": [], "b": []}, prior=1)
    plan = pv.plan(model, schema, records=12, epsilon=3, delta="1e-2", mechanism=pv.NetworkDraws)
    table = pa.table({name: [True, False, True] * 4 for name in "abcd"})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=9, delta="0.1"))
    together = pv.infer(release)
    monkeypatch.setattr(JunctionTree, "together", property(lambda tree: False))
    apart = pv.infer(release)
    assert "each table by itself" in apart.computed[0]
    assert not apart.known.together
    assert apart.table("a").mean() == pytest.approx(together.table("a").mean(), abs=0.05)
    assert apart.table("c").mean() == pytest.approx(together.table("c").mean(), abs=0.05)
    assert apart.counts("c", "a").mean().sum() == pytest.approx(12)
    noisy = pv.plan(model, schema, records=12, epsilon=1, mechanism=pv.LaplaceTables)
    other = pv.measure(noisy, table, ledger=pv.Ledger.in_memory(population="few", epsilon=9))
    with pytest.raises(pv.InferenceError, match="this wide are not used together"):
        pv.infer([release, other])
