"""All tables of a network together, against all data sets of few records listed one by one."""

from __future__ import annotations

import inspect
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from listed_data_sets import DataSets, by_listing
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
def released(graph: str, levels: int, mechanism: str, relation: str, records: int) -> tuple[Any, Any]:
    """Invent noisy numbers: what inference says of any numbers is compared."""
    plan = planned(graph, levels, mechanism, relation, records)
    draw = np.random.default_rng(records)
    numbers = tuple(
        tuple(draw.integers(-2, records + 2, size=layout.size).tolist()) for layout in plan.mechanism.layouts
    )
    return plan, Observed(plan.mechanism.layouts, numbers)


def evidence_of(graph: str, levels: int, mechanism: str, relation: str, records: int) -> JointEvidence:
    """Return what the numbers say."""
    plan, observed = released(graph, levels, mechanism, relation, records)
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
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
        assert (np.abs(own.mean(axis=0) - counts.mean) < FOUR_SIGMA * error + 1e-3).all()
        start += counts.mean.size


def sampled(chains: JointChains, sweeps: int, moves: int = 40) -> np.ndarray:
    """Return the expected entries of all tables in each stored state, as (chain, state, entry)."""
    chains.run(sweeps // 4, moves, 1, lambda part: None)
    found = chains.run(sweeps, moves, sweeps, lambda part: None)
    return np.stack([chains.chances(one[0], one[1])[0] for one in found])


def chains_of(case: tuple[Any, ...], seed: int) -> JointChains:
    evidence = evidence_of(*case)
    return JointChains(evidence, evidence.layout.model.parameters(evidence.layout.schema), seed)


def expected(case: tuple[Any, ...]) -> np.ndarray:
    wanted = true(*case)
    return np.concatenate([wanted.tables[node].ravel() for node in evidence_of(*case).layout.model.columns])


def far_off(states: np.ndarray, wanted: np.ndarray) -> float:
    """Return how many standard errors the worst mean is away, by means of batches."""
    batches = (
        states.reshape(states.shape[0], 10, -1, states.shape[2]).mean(axis=2).reshape(-1, states.shape[2])
    )
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    return float((np.abs(batches.mean(axis=0) - wanted) / (error + 1e-5)).max())


SAMPLED = [
    ("chain", 2, "laplace", "replace-one", 4),
    ("chain", 3, "gaussian", "add-or-remove-one", 3),
    ("collider", 2, "gaussian", "replace-one", 4),
    ("collider", 2, "parities, laplace", "add-or-remove-one", 4),
    ("chain", 2, "parities, gaussian", "replace-one", 4),
]
#: noise that others of these have as well; that of the first is told apart from its faults below
FURTHER = SAMPLED[0], SAMPLED[2]


def words_of(case: Any) -> str:
    return ", ".join(map(str, case))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=[pytest.mark.slow] if case in FURTHER else [], id=words_of(case))
        for case in SAMPLED
    ],
)
def test_chains_agree_with_all_listed_data_sets(case: tuple[Any, ...]) -> None:
    assert far_off(sampled(chains_of(case, 3), 4000), expected(case)) < FOUR_SIGMA


def test_four_times_the_draws_halve_the_error() -> None:
    case = SAMPLED[0]
    wanted = expected(case)
    errors = {}
    for sweeps in (250, 1000):
        means = [sampled(chains_of(case, seed), sweeps, 10).mean(axis=(0, 1)) for seed in range(12)]
        errors[sweeps] = float(np.sqrt(np.mean((np.array(means) - wanted) ** 2)))
    assert 1.4 < errors[250] / errors[1000] < 2.8


#: a kind of move, the case that shows it, a line of it, and what is planted there
PLANTED = {
    "a step bound by the source cell alone": (
        ("shift", SAMPLED[0]),
        "smallest = min(smallest, counts[first + i] + counts[first + j])",
        "smallest = min(smallest, counts[first + i])",
    ),
    "the Hastings term of a split upside down": (
        ("shift", SAMPLED[0]),
        "d = other - more",
        "d, gain = other - more, -gain",
    ),
    "a swap that is always accepted": (
        ("swap", SAMPLED[2]),
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
    plan, observed = released(*case)
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    return joint_evidence([release], model, total_of([release]))


def test_several_releases_of_one_network_add_up() -> None:
    case = ("collider", 2, "gaussian", "replace-one", 4)
    plan, observed = released(*case)
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    twice = joint_evidence([release, release], plan.model, total_of([release]))
    priors = tuple(plan.model.parameters(plan.schema))
    wanted = by_listing(
        plan.model.parents,
        dict.fromkeys(plan.model.columns, 2),
        {node: one.reshape(-1, 2) for node, one in zip(plan.model.columns, priors, strict=True)},
        [4],
        lambda counts: 2 * plan.mechanism.log_likelihood(observed, ExactStatistics(counts)),
    )
    for place, node in enumerate(plan.model.columns):
        assert SummedTables(twice, priors).mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-9)


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
