"""Noise on parities: its guarantee by enumeration, M by brute force, tables that agree, exact posteriors."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from network_cases import bundled
from network_parities_oracle import binary, data_sets, mechanisms, moved, neighbours, numbers, tables
from network_tables_oracle import GRAPHS, delta

import privior as pv
from privior.mechanisms.networks import fourier_tables
from privior.mechanisms.networks.parities import most_turned, subsets
from privior.models import ExactStatistics, Observed


def published(mechanism: Any, graph: dict[str, list[str]], most: int) -> dict[Any, Any]:
    """Return what the mechanism would publish of each data set, without noise."""
    return {
        records: np.array(mechanism.release(ExactStatistics(tables(graph, records))).counts)
        for records in data_sets(graph, most)
    }


def largest_loss(mechanism: Any, graph: dict[str, list[str]], most: int) -> float:
    """Return the largest loss of Laplace noise over all neighbours: at the outcome that has none."""
    exact = published(mechanism, graph, most)
    pairs = neighbours(graph, most, mechanism.neighbours is pv.REPLACE_ONE)
    moves = max(int(np.abs(exact[before] - exact[after]).sum()) for before, after in pairs)
    return moves / float(mechanism.scale)


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(fourier_tables, name, lambda size, scale: [0] * size)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_claimed_is_attained_and_never_exceeded(name: str) -> None:
    graph, most = GRAPHS[name], 4
    for _, mechanism in mechanisms(graph):
        replaced = mechanism.neighbours is pv.REPLACE_ONE
        if mechanism.delta:
            true = max(
                delta(((many, 0),), (mechanism.scale,), float(mechanism.epsilon))
                for many in moved(graph, 1, replaced)
            )
            assert 0.9 * float(mechanism.delta) < true <= float(mechanism.delta) * (1 + 1e-9)
        else:
            loss = largest_loss(mechanism, graph, most)
            assert loss <= 1.5 * (1 + 1e-12)
            assert loss == pytest.approx(1.5, rel=1e-9)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("replaced", [True, False])
def test_parities_are_those_of_the_records_and_have_independent_noise(replaced: bool) -> None:
    graph = GRAPHS["collider"]
    relation = pv.REPLACE_ONE if replaced else pv.ADD_OR_REMOVE_ONE
    for noise in (0, "0.01"):
        mechanism = pv.FourierTables(*binary(graph), 1, noise, neighbours=relation)
        one, other = ((0, 1, 1), (1, 1, 0), (1, 1, 1)), ((1, 0, 0), (0, 1, 0), (1, 1, 1))
        first, second = (ExactStatistics(tables(graph, some)) for some in (one, other))
        before, after = (np.array(mechanism.release(some).counts) for some in (first, second))
        for records, seen in ((one, before), (other, after)):
            assert sorted(seen) == sorted(numbers(graph, records, replaced).values())
            names = [frozenset("abc"[place] for place in some) for some in mechanism.subsets]
            by_hand = numbers(graph, records, replaced)
            assert seen.tolist() == [by_hand[some] for some in names if some or not replaced]
        scale = float(mechanism.scale)
        for shift in (-3, 0, 7):
            out = before + shift * np.arange(before.size)
            observed = Observed(mechanism.layouts, (tuple(out.tolist()),))
            loss = mechanism.log_likelihood(observed, first) - mechanism.log_likelihood(observed, second)
            if noise:
                own = ((out - after) ** 2 - (out - before) ** 2).sum() / (2 * scale**2)
            else:
                own = (np.abs(out - after) - np.abs(out - before)).sum() / scale
            assert loss == pytest.approx(own, abs=1e-9)


@pytest.mark.usefixtures("no_noise")
def test_faults_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One parity too few in M, or one that is published twice: more is lost than is claimed."""
    graph = GRAPHS["chain"]
    with monkeypatch.context() as fault:
        fault.setattr(fourier_tables, "most_turned", lambda families: most_turned(families) - 1)  # type: ignore[operator]
        assert largest_loss(pv.FourierTables(*binary(graph), 1), graph, 2) > 1.2
    exact = fourier_tables.FourierTables._numbers
    for relation in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE):
        with monkeypatch.context() as fault:
            for twice in range(5):
                fault.setattr(
                    fourier_tables.FourierTables,
                    "_numbers",
                    lambda self, some, twice=twice: np.append(exact(self, some), exact(self, some)[twice]),
                )
                mechanism = pv.FourierTables(*binary(graph), 1, neighbours=relation)
                if largest_loss(mechanism, graph, 2) > 1.1:
                    break
            else:
                pytest.fail("nobody noticed")


def brute_force(families: list[tuple[int, ...]], columns: int) -> int:
    """Return M by all 2^columns differences."""
    z = np.arange(1 << columns)
    total = np.zeros(z.size, dtype=np.int64)
    found = {
        frozenset(some)
        for one in families
        for k in range(len(one))
        for some in itertools.combinations(one, k + 1)
    }
    for some in found:
        total += sum((z >> place) & 1 for place in some) % 2
    return int(total.max())


def test_the_most_turned_parities_are_those_of_brute_force() -> None:
    for seed, columns in enumerate((1, 2, 5, 8, 9, 11, 13, 16)):
        draw = random.Random(seed)
        families = [
            (*draw.sample(range(node), min(node, draw.randint(0, 3))), node) for node in range(columns)
        ]
        draw.shuffle(families)
        assert most_turned(families) == brute_force(families, columns)
        assert 2 * brute_force(families, columns) >= len(subsets(families))
    assert most_turned([(0,), *((0, one) for one in range(1, 9))]) == 16  # a class with eight features: 2 d
    assert most_turned([tuple(range(one + 1)) for one in range(5)]) == 16  # five in a clique: half of |N|
    assert most_turned([tuple(range(30))[max(0, one - 2) : one + 1] for one in range(30)]) is not None
    assert (
        most_turned([(*some, 30 + place) for place, some in enumerate(itertools.combinations(range(25), 2))])
        is None
    )


def test_several_records_a_unit_are_worst_if_all_of_them_are_replaced() -> None:
    """By all units of up to two records: L1 and squares, of the numbers that are published."""
    graph = GRAPHS["common cause"]
    units = data_sets(graph, 2)
    own = [np.array(list(numbers(graph, some, replaced=False).values())) for some in units]
    for relation, moves in (
        (pv.REPLACE_ONE, [one - other for one in own for other in own]),
        (pv.ADD_OR_REMOVE_ONE, own),
    ):
        many, by = pv.FourierTables(*binary(graph), 1, neighbours=relation, max_rows=2).moved
        assert many * by == max(np.abs(move).sum() for move in moves)
        assert many * by**2 == max((move**2).sum() for move in moves)


def test_tables_agree_where_they_overlap(seeded_noise: None) -> None:
    network = bundled("asia")
    schema = pv.Schema(network.columns, population="any", unit="patient")
    model = pv.BayesianNetwork(network.parents, prior=1)
    counts = np.concatenate([np.full(size, 64 // size) for size in model.sizes(schema)])
    apart = {}
    for kind in (pv.FourierTables, pv.LaplaceTables):
        for relation in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE):
            law: Any = kind(model, schema, 1, neighbours=relation)
            noisy = law.cell_terms(law.release(ExactStatistics(counts)), 64)[0].observed
            each = dict(zip(model.tables, np.split(noisy, np.cumsum(law.sizes)[:-1]), strict=True))
            margins: dict[tuple[str, ...], list[Any]] = {}
            for names, table in each.items():
                for some in (one for k in range(3) for one in itertools.combinations(sorted(names), k)):
                    axes = tuple(place for place, name in enumerate(names) if name not in some)
                    left = [name for name in names if name in some]
                    margin = table.reshape((2,) * len(names)).sum(axis=axes)
                    margins.setdefault(some, []).append(margin.transpose([left.index(one) for one in some]))
            apart[kind, relation] = max(float(np.ptp(same, axis=0).max()) for same in margins.values())
            if kind is pv.FourierTables and relation is pv.REPLACE_ONE:
                assert margins[()][0] == 64
    assert max(apart[pv.FourierTables, one] for one in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)) < 1e-9
    assert min(apart[pv.LaplaceTables, one] for one in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)) > 5


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_tables_are_inferred_exactly_from_parities(relation: Any, seeded_noise: None) -> None:
    """Against the sum over all tables of the network's prior times the law of the parities."""
    graph, most = GRAPHS["pair"], 9
    model, schema = binary(graph)
    plan = pv.plan(
        model, schema, records=most, epsilon=2, delta="0.1", neighbours=relation, mechanism=pv.FourierTables
    )
    law: Any = plan.mechanism
    assert law.delta
    table = pa.table({"a": [True] * 6 + [False] * 3, "b": [True, False, True] * 3})
    ledger = pv.Ledger.in_memory(population="few", epsilon=3, delta="0.2")
    release = pv.measure(plan, table, ledger=ledger)
    totals = [most] if law.public_total else range(most + 1)
    total, mean = 0.0, np.zeros(4)
    for cells in itertools.product(range(most + 1), repeat=4):
        if sum(cells) in totals:
            marginal = [cells[0] + cells[1], cells[2] + cells[3]]
            # Dirichlet(1): all splits of a number of records alike, those of a, and in each row those of b
            chance = 1 / ((sum(cells) + 1) * (marginal[0] + 1) * (marginal[1] + 1))
            chance *= math.exp(law.log_likelihood(release.statistics, ExactStatistics([*marginal, *cells])))
            total, mean = total + chance, mean + chance * np.array(cells)
    posterior: Any = pv.infer(release)
    assert posterior.counts("a", "b").mean().ravel() == pytest.approx(mean / total, abs=1e-6)
    assert "approximated" not in str(posterior.computed)


def test_a_prior_that_parities_contradict_is_told(seeded_noise: None) -> None:
    model, schema = binary(GRAPHS["chain"])
    plan = pv.plan(model, schema, records=400, epsilon="0.5", delta="0.05", mechanism=pv.FourierTables)
    table = pa.table({"a": [True] * 300 + [False] * 100, "b": [True] * 320 + [False] * 80, "c": [True] * 400})
    ledger = pv.Ledger.in_memory(population="few", delta="0.1")
    release = pv.measure(plan, table, ledger=ledger)
    right: Any = pv.infer(release)
    wrong: Any = pv.infer(release, prior=2000)
    assert plan.mechanism.guarantee.cost.delta > 0
    assert right.conflict is not None
    assert not right.conflict.found
    assert wrong.conflict.found


def test_laplace_noise_of_parities_is_summed_as_it_is(seeded_noise: None) -> None:
    model, schema = binary(GRAPHS["chain"])
    plan = pv.plan(model, schema, records=40, epsilon=1)
    assert plan.mechanism.name == "fourier-tables"
    table = pa.table({name: [True, False] * 20 for name in "abc"})
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few"))
    posterior: Any = pv.infer(release)
    assert "summed over all data sets" in " ".join(posterior.computed)
    assert "approximated" not in " ".join(posterior.computed)
    assert posterior.warnings == ()
    ignoring: Any = pv.infer(release, noise="ignore")
    cut = np.maximum(plan.mechanism.noisy_tables(release.statistics, 40), 0)[2:6].reshape(2, 2) + 1
    assert np.abs(ignoring.table("b").mean() - cut / cut.sum(axis=1, keepdims=True)).max() < 0.02


def test_other_columns_are_refused_before_anything_is_read() -> None:
    columns = {"a": pv.Boolean(), "b": pv.Categorical(["x", "y", "z"])}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1)
    with pytest.raises(pv.PlanError, match="only columns of two levels have parities") as refused:
        pv.plan(model, schema, records=9, epsilon=1, mechanism=pv.FourierTables)
    assert "b has 3" in str(refused.value)
    assert "LaplaceTables" in str(refused.value)
    assert pv.plan(model, schema, records=9, epsilon=1).mechanism.name == "laplace-tables"
    with pytest.raises(pv.PlanError, match="does not give the stated guarantee"):
        pv.FourierTables(*binary(GRAPHS["pair"]), 1, scale=1)
