"""A class and features that depend on it alone: sums and chains, against all data sets of few records."""

from __future__ import annotations

import inspect
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from listed_data_sets import DataSets, by_listing, learned_entries

import privior as pv
from privior.models import Observed
from privior.models.statistics import ExactStatistics
from privior.posterior.networks import class_births, class_walk
from privior.posterior.networks import class_sums as summing
from privior.posterior.networks.class_chains import ClassChains
from privior.posterior.networks.class_sums import ClassSums, class_sums
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import JointEvidence, joint_evidence
from privior.posterior.networks.network_chains import NetworkChains
from privior.posterior.tables.counts_given import total_of

LEVELS = {"x": 2, "class": 3, "z": 2}
PARENTS: dict[str, list[str]] = {"x": ["class"], "class": [], "z": ["class"]}
PRIOR = {
    "x": ["1/5", "1", "2", "1", "1", "1/3"],
    "class": ["1/2", "1", "3"],
    "z": ["1", "1", "1", "2", "4", "1"],
}
FOUR_SIGMA = 4.0
RECORDS = 3


def planned(epsilon: str, delta: str, relation: str, records: int = RECORDS, prior: object = PRIOR) -> Any:
    """Plan a release of a small star whose root is not its first column."""
    columns = {name: pv.Categorical([f"level {k}" for k in range(size)]) for name, size in LEVELS.items()}
    schema = pv.Schema(columns, population="few", unit="person")
    kind = pv.LaplaceTables if delta == "0" else pv.GaussianTables
    facts = {"records": records, "epsilon": epsilon, "delta": delta, "neighbours": relation}
    model = pv.BayesianNetwork(PARENTS, prior=prior)
    return pv.plan(model, schema, mechanism=kind, **facts)  # type: ignore[arg-type]


@cache
def released(*case: Any, **more: Any) -> tuple[Any, Any]:
    """Invent noisy numbers: what inference says of any numbers is compared."""
    plan = planned(*case, **more)
    draw, most = np.random.default_rng(3), plan.records
    numbers = tuple(
        tuple(draw.integers(-2, most + 2, size=layout.size).tolist()) for layout in plan.mechanism.layouts
    )
    return plan, Observed(plan.mechanism.layouts, numbers)


def evidence_of(plan: Any, observed: Any, times: int = 1) -> JointEvidence:
    """Return what the numbers say, once or several times."""
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    return joint_evidence([release] * times, plan.model, total_of([release]))


def fixed(plan: Any) -> tuple[Any, ...]:
    return tuple(plan.model.parameters(plan.schema))


@cache
def true(*case: Any, times: int = 1) -> DataSets:
    """List all data sets."""
    plan, observed = released(*case)
    priors = zip(PARENTS, fixed(plan), strict=True)
    return by_listing(
        PARENTS,
        LEVELS,
        {node: prior.reshape(-1, LEVELS[node]) for node, prior in priors},
        [RECORDS] if case[2] == "replace-one" else range(RECORDS + 1),
        lambda counts: times * plan.mechanism.log_likelihood(observed, ExactStatistics(counts)),
    )


CASES = [
    (epsilon, delta, relation)
    for epsilon, delta in (("2", "0"), ("2", "1e-3"), ("1/5", "0"), ("40", "0"))
    for relation in ("replace-one", "add-or-remove-one")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(case))
@pytest.mark.parametrize("times", [1, 2])
def test_sums_are_those_over_all_listed_data_sets(case: tuple[Any, ...], times: int) -> None:
    plan, observed = released(*case)
    known, wanted = class_sums(evidence_of(plan, observed, times), fixed(plan)), true(*case, times=times)
    assert known is not None
    drawn, start = known.tables(4000, np.random.default_rng(1)), 0
    for place, node in enumerate(PARENTS):
        assert known.mean(place) == pytest.approx(wanted.tables[node].ravel(), abs=1e-9)
        counts = known.counts(place)
        variance = wanted.squares[node] - wanted.counts[node] ** 2
        assert counts.mean == pytest.approx(wanted.counts[node], abs=1e-9)
        assert counts.stddev**2 == pytest.approx(variance, abs=1e-9)
        own = drawn[:, start : start + counts.mean.size]
        start += counts.mean.size
        error = np.sqrt(np.maximum(variance, 1e-12) / len(own))
        assert (np.abs(own.mean(axis=0) - counts.mean) < FOUR_SIGMA * error + 1e-3).all()
    assert known.diagnostics.exact
    assert known.total.mean == pytest.approx(wanted.records @ np.arange(wanted.records.size), abs=1e-9)
    assert [_at(known.total, n, n)[0] for n in range(RECORDS + 1)] == pytest.approx(wanted.records, abs=1e-9)


def chances(chains: NetworkChains, sweeps: int, moves: int = 20) -> np.ndarray:
    """Return the expected entries of all tables in each stored state, as (chain, state, entry)."""
    chains.run(sweeps // 4, moves, 1, lambda part: None)
    found = chains.run(sweeps, moves, sweeps, lambda part: None)
    return np.stack([chains.chances(one[0] + one[1])[0] for one in found])


def far_off(states: np.ndarray, wanted: np.ndarray) -> float:
    """Return how many standard errors the worst mean is away, by means of batches."""
    batches = states.reshape(states.shape[0], 10, -1, states.shape[2]).mean(axis=2)
    flat = batches.reshape(-1, states.shape[2])
    error = flat.std(axis=0, ddof=1) / np.sqrt(len(flat))
    return float((np.abs(flat.mean(axis=0) - wanted) / (error + 1e-5)).max())


def expected(case: tuple[Any, ...]) -> np.ndarray:
    return np.concatenate([true(*case).tables[node].ravel() for node in PARENTS])


#: noise that births look at, and noise that they need not look at
SAMPLED = [("2", "1e-3", "replace-one"), ("2", "0", "add-or-remove-one"), ("1/5", "0", "add-or-remove-one")]


@pytest.mark.parametrize("case", SAMPLED, ids=lambda case: ", ".join(case))
def test_chains_agree_with_all_listed_data_sets(case: tuple[Any, ...]) -> None:
    plan, observed = released(*case)
    chains = ClassChains(evidence_of(plan, observed), fixed(plan), 3)
    assert (chains.star.at_once < class_births.LOOKING) is (case[0] == "2")
    assert far_off(chances(chains, 4000), expected(case)) < FOUR_SIGMA


def planted(module: Any, function: str, right: str, wrong: str) -> Any:
    """Return a compiled function with a fault."""
    source = inspect.getsource(getattr(module, function).py_func)
    assert right in source
    names = {**vars(module)}
    exec(source.replace(right, wrong).replace("cache=True", "cache=False"), names)
    return names[function]


def test_a_shift_that_looks_at_the_source_cell_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shifts alone leave the numbers of classes as they are: rows are compared given these."""
    plan, observed = released("2", "0", "replace-one", records=12)
    evidence, found = evidence_of(plan, observed), {}
    summed = class_sums(evidence, fixed(plan))
    assert summed is not None
    wrong = planted(class_walk, "shift", "d, coin = counts[p] + counts[q]", "d, coin = counts[p]")
    monkeypatch.setattr(class_walk, "walk_on", class_walk.walk_on.py_func)
    monkeypatch.setattr(class_walk, "step", lambda *rest: False)
    for which, code in {"right": class_walk.shift, "planted": wrong}.items():
        monkeypatch.setattr(class_walk, "shift", code)
        chains, wanted = ClassChains(evidence, fixed(plan), 4, chains=1), list[float]()
        classes = chains.states[0].counts[6:9]
        for place in (0, 2):
            for c, number in enumerate(classes.tolist()):
                row = summed.rows[place, c]
                laws = zip(row.cells, row.laws(number, np.ones(1)), strict=True)
                means = [float(mass @ (cell.low + np.arange(mass.size))) + cell.prior for cell, mass in laws]
                wanted += [mean / (number + row.kappa) for mean in means]
        entries = chances(chains, 600, 60)[:, :, [*range(6), *range(9, 15)]]
        found[which] = far_off(entries, np.array(wanted))
    assert found["right"] < FOUR_SIGMA < found["planted"]


def test_a_birth_that_forgets_the_way_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case, found = SAMPLED[1], {}
    wrong = planted(class_births, "step_row", "(number + kappa) * before / downs", "(number + kappa)")
    monkeypatch.setattr(class_walk, "walk_on", class_walk.walk_on.py_func)
    monkeypatch.setattr(class_walk, "step", class_births.step.py_func)
    monkeypatch.setattr(class_births, "step_class", class_births.step_class.py_func)
    for which, code in {"right": class_births.step_row, "planted": wrong}.items():
        monkeypatch.setattr(class_births, "step_row", code)
        plan, observed = released(*case)
        chains = ClassChains(evidence_of(plan, observed), fixed(plan), 4)
        found[which] = far_off(chances(chains, 400, 9), expected(case))
    assert found["right"] < FOUR_SIGMA < found["planted"]


#: a graph, and noisy tables of it
STAR: tuple[Any, Any] = ({"y": [], "a": ["y"], "b": ["y"]}, ((3, -1), (4, 0, 1, -1), (0, 2, 0, 1)))
COLLIDER: tuple[Any, Any] = (
    {"y": [], "a": [], "b": ["y", "a"]},
    ((3, 1), (0, 4), (2, 0, 0, 1, -1, 2, 0, 0)),
)
LEARNED = {
    "a class": (ClassChains, *STAR),
    "a class by any chain": (JointChains, *STAR),
    "two parents": (JointChains, *COLLIDER),
}


@pytest.mark.parametrize("graph", LEARNED)
def test_learned_priors_agree_with_quadrature(graph: str) -> None:
    kind, parents, numbers = LEARNED[graph]
    schema = pv.Schema({name: pv.Boolean() for name in parents}, population="few", unit="person")
    model = pv.BayesianNetwork(parents)
    facts = {"records": RECORDS, "epsilon": 3, "neighbours": "add-or-remove-one"}
    plan = pv.plan(model, schema, mechanism=pv.LaplaceTables, **facts)  # type: ignore[arg-type]
    observed = Observed(plan.mechanism.layouts, numbers)
    chains = kind(evidence_of(plan, observed), model.parameters(schema), 5)
    found = chances(chains, 8000 if kind is ClassChains else 20000)

    def wanted(alone: float) -> np.ndarray:
        return learned_entries(
            parents,
            range(RECORDS + 1),
            lambda counts: plan.mechanism.log_likelihood(observed, ExactStatistics(counts)),
            alone,
        )

    assert far_off(found, wanted(0.5)) < FOUR_SIGMA
    for wrong in (0.0, 0.75):
        assert far_off(found, wanted(wrong)) > FOUR_SIGMA


def test_what_sums_leave_out_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("2", "1e-3", "add-or-remove-one", records=60)
    numbers = ((12, 9, 5, 10, 7, 2), (20, 16, 10), (13, 8, 9, 5, 2, 8))
    evidence, priors = evidence_of(plan, Observed(plan.mechanism.layouts, numbers)), fixed(plan)
    whole = summing._summed(evidence, priors, 1e9)
    assert whole is not None
    assert whole.error == 0
    for fall in (4.0, 8.0):
        part = summing._summed(evidence, priors, fall)
        assert part is not None
        off = max(
            float(np.abs(law.mass - _at(other, law.low, law.high)).sum() / 2)
            for place in range(3)
            for law, other in zip(whole.laws(place), part.laws(place), strict=True)
        )
        assert 1e-9 < off < part.error
    enough = class_sums(evidence, priors)
    assert enough is not None
    assert enough.error < 1e-9
    assert np.concatenate([enough.mean(k) - whole.mean(k) for k in range(3)]) == pytest.approx(0, abs=1e-9)
    monkeypatch.setattr(summing, "_MOST_COST", 10.0)
    assert class_sums(evidence, priors) is None


def _at(law: Any, low: int, high: int) -> np.ndarray:
    return np.array(
        [law.mass[k - law.low] if law.low <= k <= law.high else 0.0 for k in range(low, high + 1)]
    )


ROWS = {name: np.random.default_rng(place).integers(0, 2, 400) > 0 for place, name in enumerate("yabc")}


def measured(epsilon: int = 1, **more: Any) -> pv.Release:
    schema = pv.Schema({name: pv.Boolean() for name in ROWS}, population="few", unit="person")
    plan = pv.plan(pv.NaiveBayes("y", list("abc"), prior=1), schema, records=400, epsilon=epsilon, **more)
    ledger = pv.Ledger.in_memory(population="few", epsilon=epsilon)
    return pv.measure(plan, pa.table(ROWS), ledger=ledger)


def test_fixed_priors_are_summed_and_learned_ones_sampled() -> None:
    release = measured(mechanism=pv.LaplaceTables)
    summed, learned = pv.infer(release), pv.infer(release, prior="learned")
    assert isinstance(summed.known, ClassSums)
    assert "summed over all data sets (exact" in summed.computed[0]
    assert "sums are for fixed ones" in learned.computed[0]
    assert "4 x" in learned.computed[0]
    chains = ClassChains(summed.known.evidence, summed.known.priors, 1).settled()
    each = np.concatenate([summed.known.mean(place) for place in range(4)])
    assert chains.means == pytest.approx(each, abs=0.01)
    assert np.array_equal(learned.kept, pv.infer(release, prior="learned").kept)
    theta = summed.draws(2000, seed=1)
    assert theta.mean(axis=0) == pytest.approx(each, abs=0.02)
    for place, node in enumerate(ROWS):
        assert 0 <= summed.known.noise_share(place, 50, np.random.default_rng(1)) <= 1
        assert summed.table(node).mean().ravel() == pytest.approx(summed.known.mean(place))
    assert "summed" not in pv.infer(measured(mechanism=pv.FourierTables)).computed[0]


def test_who_listens_hears_how_far_inference_is() -> None:
    release, heard = measured(), list[float]()
    quiet = pv.infer(release, prior="learned")
    told = pv.infer(release, prior="learned", progress=heard.append)
    assert heard == sorted(heard)
    assert heard[0] < heard[-1] == 1.0

    def failing(part: float) -> None:
        raise ValueError(part)

    pv.infer(release, prior="learned", progress=failing)
    assert np.array_equal(quiet.kept, told.kept)
    many = len(heard)
    pv.infer(release, prior="learned")
    assert len(heard) == many  # nobody listens any longer


def test_a_star_has_a_root() -> None:
    assert pv.NaiveBayes("y", ["a"]).root == "y"
    assert pv.BayesianNetwork({"a": ["y"], "y": [], "b": ["y"]}).root == "y"
    others: list[dict[str, list[str]]] = [
        {"a": []},
        {"a": [], "b": []},
        {"a": [], "b": ["a"], "c": ["b"]},
        {"a": [], "b": [], "c": ["a"]},
    ]
    assert [pv.BayesianNetwork(graph).root for graph in others] == [None] * 4


def test_chances_that_a_small_prior_makes_tiny_are_told_apart() -> None:
    """Neither class has a level: which of two tiny chances is larger is as open as can be."""
    schema = pv.Schema(
        {"y": pv.Boolean(), "a": pv.Categorical(["u", "v", "w"])}, population="few", unit="person"
    )
    release = pv.import_release(
        pv.NaiveBayes("y", ["a"], prior="1/100"),
        schema,
        {"y": [3, 200], "a": [2, 1, 0, 100, 100, 0]},
        noise=pv.GaussianNoise("0.05", discrete=True),
        treatment=pv.AS_DRAWN,
        records=203,
        epsilon=1,
        delta="1e-5",
        neighbours="replace-one",
        source="somebody",
    )
    posterior = pv.infer(release)
    assert posterior.predict_proba({"a": ["w"]})[0, 0] == pytest.approx(0.5, abs=0.06)
    assert (posterior.kept == posterior.kept.min()).mean() < 0.01
