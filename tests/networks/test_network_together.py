"""All tables of a network together, against all data sets of few records listed one by one."""

from __future__ import annotations

import inspect
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from listed_data_sets import DataSets, by_arrays, by_listing
from network_cases import Invented

import privior as pv
from privior.models import JunctionTree, Observed
from privior.models.statistics import ExactStatistics
from privior.posterior.kept import read, written
from privior.posterior.networks import joint_start, joint_swaps, joint_walk
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import JointEvidence, joint_evidence
from privior.posterior.networks.joint_sums import SummedTables, summable
from privior.posterior.networks.joint_tables import joint_tables
from privior.posterior.tables.counts_given import total_of
from privior.release import LedgerReceipt, Release

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
    "imported": (None, "0"),
    "imported, cut at zero": (None, "0"),
}
TREATMENTS = {"imported": pv.AS_DRAWN, "imported, cut at zero": pv.Treatment(clipped_at=0)}
#: of tables that others published: no law that privior draws from
THEIRS = pv.LaplaceNoise("1.7", discrete=False)
FOUR_SIGMA = 4.0
PAID = LedgerReceipt("few", 0, "0" * 64, durable=False)

#: a graph, levels, a mechanism, a relation, and the number of records or the largest one
Case = tuple[str, int, str, str, int]


def numbered(draw: np.random.Generator, sizes: Any, records: int) -> tuple[Any, ...]:
    """Invent noisy numbers: what inference says of any numbers is compared."""
    return tuple(tuple(draw.integers(-2, records + 2, size=size).tolist()) for size in sizes)


@cache
def released(graph: str, levels: int, mechanism: str, relation: str, records: int) -> pv.Release:
    """Release a small network with an uneven prior."""
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
    facts: dict[str, Any] = {"records": records, "epsilon": 2, "delta": delta, "neighbours": relation}
    draw = np.random.default_rng(records)
    if kind is None:
        treatment = TREATMENTS[mechanism]
        numbers = numbered(draw, model.sizes(schema), records)
        cut = treatment.clipped_at is not None
        said = {
            node: ["0" if cut and k < 0 else f"{k}.37" for k in one]
            for node, one in zip(model.columns, numbers, strict=True)
        }
        return pv.import_release(
            model, schema, said, noise=THEIRS, treatment=treatment, source="Office", **facts
        )
    plan = pv.plan(model, schema, mechanism=kind, **facts)
    numbers = numbered(draw, (layout.size for layout in plan.mechanism.layouts), records)
    return Release(plan, Observed(plan.mechanism.layouts, numbers), PAID, "0" * 32, pv.__version__)


def evidence_of(*case: Any) -> JointEvidence:
    """Return what the numbers say."""
    release = released(*case)
    return joint_evidence([release], release.plan.model, total_of([release]))


@cache
def true(graph: str, levels: int, mechanism: str, relation: str, records: int) -> DataSets:
    """List all data sets."""
    release = released(graph, levels, mechanism, relation, records)
    plan, law, seen = release.plan, release.plan.mechanism, release.statistics
    nodes = plan.model.columns
    priors = zip(nodes, plan.model.parameters(plan.schema), strict=True)

    def log_likelihoods(tables: Any) -> Any:
        if mechanism in TREATMENTS:
            return law.log_likelihoods(seen, tables.T)
        if levels == 2:
            return np.array([law.log_likelihood(seen, ExactStatistics(one)) for one in tables])
        noise, scales = np.asarray(seen.counts) - tables, np.array(law.scales, dtype=float)
        each = np.repeat(scales, [len(one) for one in seen.numbers])
        logs = (
            -((noise / each) ** 2).sum(axis=1) / 2
            if mechanism == "gaussian"
            else -(np.abs(noise) / each).sum(axis=1)
        )
        some = [law.log_likelihood(seen, ExactStatistics(tables[k])) for k in (0, -1)]
        assert some[0] - some[1] == pytest.approx(logs[0] - logs[-1])  # it is that law
        return logs

    return by_arrays(
        plan.model.parents,
        dict.fromkeys(nodes, levels),
        {node: prior.reshape(-1, levels) for node, prior in priors},
        [records] if relation == "replace-one" else range(records + 1),
        log_likelihoods,
    )


CASES: list[Case] = [
    (graph, levels, mechanism, relation, records)
    for graph in GRAPHS
    for mechanism in MECHANISMS
    for relation in RELATIONS
    for levels, records in ((2, 6), (3, 3), (3, 6))
    if levels == 2 or "parities" not in mechanism  # which need two levels
]


def words_of(case: Any) -> str:
    return ", ".join(map(str, case))


def marked(cases: Any, quick: Any) -> list[Any]:
    """Return cases, all marked slow but for some."""
    return [
        pytest.param(case, marks=[] if quick(case) else [pytest.mark.slow], id=words_of(case))
        for case in cases
    ]


def of_few(case: Case) -> bool:
    """Say whether its data sets are some thousands: a million take seconds."""
    return case[1] == 2 or case[4] < 6


@pytest.mark.parametrize("case", marked(CASES, of_few))
def test_the_posterior_is_that_of_all_listed_data_sets(case: Case) -> None:
    wanted, posterior = true(*case), pv.infer(released(*case))
    known = posterior.known
    assert isinstance(known, SummedTables)
    drawn, start = known.tables(4000, np.random.default_rng(1)), 0
    for node in posterior.model.columns:
        assert posterior.table(node).mean().ravel() == pytest.approx(wanted.tables[node].ravel(), abs=1e-9)
        counts = posterior.counts(*posterior.model.parents[node], node)
        assert counts.mean() == pytest.approx(wanted.counts[node], abs=1e-9)
        variance = wanted.squares[node] - wanted.counts[node] ** 2
        assert counts.stddev() ** 2 == pytest.approx(variance, abs=1e-9)
        own = drawn[:, start : start + variance.size]
        error = np.sqrt(np.maximum(variance, 1e-12) / len(own))
        assert (np.abs(own.mean(axis=0) - counts.mean()) < FOUR_SIGMA * error + 1e-3).all()
        start += variance.size
    assert known.total.mass[-wanted.records.size :] == pytest.approx(wanted.records, abs=1e-9)
    if case[3] == "replace-one":
        assert posterior.records is None
        return
    numbers = np.arange(wanted.records.size)
    assert posterior.records.mean == pytest.approx(numbers @ wanted.records, abs=1e-9)
    low, high = posterior.records.interval(0.8)
    below = np.cumsum(wanted.records)
    assert (low, high) == tuple(np.searchsorted(below, [0.1, 0.9]))
    assert posterior.records.values.mean() == pytest.approx(posterior.records.mean, abs=0.2)
    assert posterior.labels[-1] == "records"
    assert f"{posterior.records.mean:.1f}" in str(posterior)
    assert posterior.to_document(0.8)["records"]["low"] == low


def test_data_sets_at_once_are_those_one_by_one() -> None:
    case = ("collider", 3, "gaussian", "add-or-remove-one", 3)
    release, wanted = released(*case), true(*case)
    plan, seen = release.plan, release.statistics
    priors = zip(plan.model.columns, plan.model.parameters(plan.schema), strict=True)
    plain = by_listing(
        plan.model.parents,
        dict.fromkeys(plan.model.columns, 3),
        {node: prior.reshape(-1, 3) for node, prior in priors},
        range(4),
        lambda counts: plan.mechanism.log_likelihood(seen, ExactStatistics(counts)),
    )
    assert plain.records == pytest.approx(wanted.records)
    for node in plan.model.columns:
        assert plain.tables[node].ravel() == pytest.approx(wanted.tables[node].ravel())
        assert plain.squares[node] == pytest.approx(wanted.squares[node])


def sampled(chains: JointChains, sweeps: int, moves: int = 40) -> np.ndarray:
    """Return the expected entries of all tables in each stored state, as (chain, state, entry)."""
    chains.run(sweeps // 4, moves, 1, lambda part: None)
    found = chains.run(sweeps, moves, sweeps, lambda part: None)
    return np.stack([chains.chances(one[0] + one[1])[0] for one in found])


def chains_of(case: tuple[Any, ...], seed: int) -> JointChains:
    evidence = evidence_of(*case)
    return JointChains(evidence, evidence.layout.model.parameters(evidence.layout.schema), seed)


def expected(case: tuple[Any, ...]) -> np.ndarray:
    wanted = true(*case)
    return np.concatenate([wanted.tables[node].ravel() for node in evidence_of(*case).layout.model.columns])


def far_off(states: np.ndarray, wanted: np.ndarray, batches: int = 10) -> float:
    """Return how many standard errors the worst mean is away, by means of so many batches of each chain."""
    parts = states.reshape(states.shape[0], batches, -1, states.shape[2]).mean(axis=2)
    each = parts.reshape(-1, states.shape[2])
    error = each.std(axis=0, ddof=1) / np.sqrt(len(each))
    return float((np.abs(each.mean(axis=0) - wanted) / (error + 1e-5)).max())


#: one of each mechanism, with both relations, graphs and numbers of levels
OFTEN = [
    ("chain", 2, "laplace", "add-or-remove-one", 6),
    ("chain", 3, "gaussian", "add-or-remove-one", 3),
    ("collider", 2, "parities, laplace", "add-or-remove-one", 6),
    ("collider", 2, "imported", "replace-one", 6),
]


@pytest.mark.parametrize("case", marked(CASES, OFTEN.__contains__))
def test_chains_agree_with_all_listed_data_sets(case: Case) -> None:
    """A hundred means of batches: each entry is 4 standard errors off once in ten thousand times."""
    assert far_off(sampled(chains_of(case, 3), 4000), expected(case), 25) < FOUR_SIGMA


#: cases in which one kind of move shows
SHIFTED = ("chain", 2, "laplace", "replace-one", 4)
SWAPPED = ("collider", 2, "gaussian", "replace-one", 4)


def test_four_times_the_draws_halve_the_error() -> None:
    wanted = expected(SHIFTED)
    errors = {}
    for sweeps in (250, 1000):
        means = [sampled(chains_of(SHIFTED, seed), sweeps, 10).mean(axis=(0, 1)) for seed in range(12)]
        errors[sweeps] = float(np.sqrt(np.mean((np.array(means) - wanted) ** 2)))
    assert 1.4 < errors[250] / errors[1000] < 2.8


#: a kind of move, the case that shows it, a line of it, and what is planted there
PLANTED = {
    "a step bound by the source cell alone": (
        ("shift", SHIFTED),
        "smallest = min(smallest, counts[first + i] + counts[first + j])",
        "smallest = min(smallest, counts[first + i])",
    ),
    "the Hastings term of a split upside down": (
        ("shift", SHIFTED),
        "d = other - more",
        "d, gain = other - more, -gain",
    ),
    "a swap that is always accepted": (
        ("swap", SWAPPED),
        "if gain < 0 and rng.random() >= math.exp(gain):",
        "if gain < -1e9:",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_of_a_move_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (move, case), right, wrong = PLANTED[fault]
    module = {"shift": joint_walk, "swap": joint_swaps}[move]
    source = inspect.getsource(getattr(module, move).py_func)
    assert right in source
    found = {}
    monkeypatch.setattr(joint_walk, "walk_on", joint_walk.walk_on.py_func)
    for other in ("cascade", "renew", *({"swap"} - {move})):
        monkeypatch.setattr(joint_walk, other, lambda *rest: 0)
    splits = 0.0 if "step" in fault else 1.0 if "split" in fault else module.SPLITS  # those alone
    names = {**vars(module), "SPLITS": splits}
    exec(source.replace(right, wrong).replace("cache=True", "cache=False"), names)
    for name, loop in {"right": getattr(module, move), "planted": names[move]}.items():
        monkeypatch.setattr(joint_walk, move, loop)
        found[name] = far_off(sampled(chains_of(case, 4), 400, 20), expected(case))
    assert found["right"] < FOUR_SIGMA < found["planted"]


@pytest.mark.parametrize("records", [1000, 1_000_003])
def test_chains_start_with_tables_that_agree(records: int) -> None:
    columns = {name: pv.Categorical(list("xyz")) for name in "abcd"}
    schema = pv.Schema(columns, population="many", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}, prior=1)
    plan = pv.plan(model, schema, records=records, epsilon=1, delta="1e-5", mechanism=pv.GaussianTables)
    counts = [
        np.random.default_rng(1).multinomial(records, np.full(cells, 1 / cells))
        for cells in model.sizes(schema)
    ]
    observed = Observed(plan.mechanism.layouts, tuple(tuple(one.tolist()) for one in counts))
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    evidence = joint_evidence([release], model, total_of([release]))
    started = joint_start.started(evidence, 0.0, np.random.default_rng(2))
    layout = evidence.layout
    sums: dict[tuple[str, ...], np.ndarray] = {}
    for margin in layout.margins:
        own = started[margin.start : margin.start + 3 ** len(margin.columns)].reshape(
            (3,) * len(margin.columns)
        )
        assert own.sum() == records
        for axis, name in enumerate(margin.columns):
            others = tuple(one for one in range(own.ndim) if one != axis)
            assert np.array_equal(own.sum(axis=others), sums.setdefault((name,), own.sum(axis=others)))
    if records > 20_000:  # close to what was seen, though many records were shared out
        near = started[layout.places] - np.concatenate(counts)
        assert np.abs(near).max() < 5 * np.sqrt(records / 3)


def test_tables_agree_wherever_they_overlap_and_seeds_decide() -> None:
    case = ("chain", 3, "gaussian", "add-or-remove-one", 3)
    evidence = evidence_of(*case)
    model = pv.BayesianNetwork(evidence.layout.model.parents)  # a learned prior
    known = joint_tables(joint_evidence_again(case, model), model, seed=5)
    again = joint_tables(joint_evidence_again(case, model), model, seed=5)
    other = joint_tables(joint_evidence_again(case, model), model, seed=6)
    assert np.array_equal(known.states, again.states)
    assert not np.array_equal(known.states, other.states)
    drawn = [known.counts(place).draws(300, np.random.default_rng(1)) for place in range(3)]
    alone, first, second = (table.reshape(300, -1, 3) for table in drawn)
    assert (alone[:, 0] == first.sum(axis=2)).all()
    assert (first.sum(axis=1) == second.sum(axis=2)).all()
    assert len(np.unique(alone.sum(axis=(1, 2)))) > 1  # the number of records is unknown
    theta = known.draws(500, np.random.default_rng(2))
    assert np.allclose(theta[:, 3:12].reshape(500, 3, 3).sum(axis=2), 1)
    assert known.mean(1) == pytest.approx(theta[:, 3:12].mean(axis=0), abs=0.1)
    plain, arrays = written(known)
    assert np.array_equal(read(plain, arrays).states, known.states)


def joint_evidence_again(case: tuple[Any, ...], model: Any) -> JointEvidence:
    release = released(*case)
    return joint_evidence([release], model, total_of([release]))


@pytest.mark.parametrize("relation", RELATIONS)
def test_several_releases_of_one_network_add_up(relation: str) -> None:
    """Under add-or-remove-one with other largest numbers: the smallest holds."""
    first, *others = ("collider", 2, "gaussian", relation, 4), ("collider", 2, "laplace", relation, 4)
    if relation != "replace-one":
        others = [(*others[0][:4], 7)]
    made = [released(*case) for case in (*others, first)]
    both = [replace(one, identifier=str(place) * 32) for place, one in enumerate(made)]
    plan = made[-1].plan
    priors = zip(plan.model.columns, plan.model.parameters(plan.schema), strict=True)
    wanted = by_listing(
        plan.model.parents,
        dict.fromkeys(plan.model.columns, 2),
        {node: one.reshape(-1, 2) for node, one in priors},
        [4] if relation == "replace-one" else range(5),
        lambda counts: sum(
            one.plan.mechanism.log_likelihood(one.statistics, ExactStatistics(counts)) for one in both
        ),
    )
    posterior = pv.infer(both)
    for node in plan.model.columns:
        assert posterior.table(node).mean().ravel() == pytest.approx(wanted.tables[node].ravel(), abs=1e-9)


def test_a_network_that_is_too_wide_is_inferred_table_by_table_and_says_so() -> None:
    columns: dict[str, Any] = {f"v{place}": pv.Categorical(list("abcdef")) for place in range(9)}
    parents: dict[str, list[str]] = {name: [] for name in columns} | {
        "last": list(columns)[:3],
        "other": list(columns)[3:7],
    }
    parents |= {"far": ["v0", "v4", "v8"], "near": ["v1", "v5", "v7"], "odd": ["v2", "v6", "v8"]}
    columns |= {name: pv.Boolean() for name in ("last", "other", "far", "near", "odd")}
    schema = pv.Schema(columns, population="wide", unit="person")
    model = pv.BayesianNetwork(parents, prior=1)
    tree = JunctionTree.of(model, schema)
    assert not tree.together
    plan = pv.plan(model, schema, records=50, epsilon=10, delta="1e-5")
    told = dict(plan.facts())["inference"]
    assert f"each table by itself: together they would take tables of {tree.cells} cells" in told
    rows = {name: [column.values[0]] * 50 for name, column in schema.columns.items()}
    ledger = pv.Ledger.in_memory(population="wide", epsilon=10, delta="1e-3")
    posterior = pv.infer(pv.measure(plan, pa.table(rows), ledger=ledger))
    assert "each table by itself" in posterior.computed[0]
    assert "together would take" in posterior.computed[0]


def test_every_column_of_a_junction_tree_hangs_together() -> None:
    for seed in range(20):
        made = Invented.of(seed, 1)
        model = pv.BayesianNetwork(made.parents)
        tree = JunctionTree.of(model, made.schema)
        for node, names in zip(model.columns, model.tables, strict=True):
            assert set(names) <= set(tree.cliques[tree.homes[node]])
            holding = [place for place, clique in enumerate(tree.cliques) if node in clique]
            assert sum(tree.above[place] in holding for place in holding) == len(holding) - 1
        assert all(above < place for place, above in enumerate(tree.above))


def test_sums_take_no_more_records_than_their_integers_hold() -> None:
    """Tables of 2^15 records do not fit into 16 bits: chains take over there."""
    columns = {name: pv.Boolean() for name in "ab"}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": []}, prior=1)
    found = {}
    for records in (2**15 - 1, 2**15):
        plan = pv.plan(model, schema, records=records, epsilon=1, mechanism=pv.LaplaceTables)
        observed = Observed(plan.mechanism.layouts, ((records, 0), (records // 2, records - records // 2)))
        release: Any = SimpleNamespace(plan=plan, statistics=observed)
        evidence = joint_evidence([release], model, total_of([release]))
        found[records] = summable(evidence.layout, evidence.total)
    assert found == {2**15 - 1: True, 2**15: False}
