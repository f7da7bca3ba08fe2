"""Forecasts for networks: divergence and log loss, from public facts alone, against simulated releases."""

from __future__ import annotations

import gzip
import itertools
import math
import time
from pathlib import Path

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.forecasting import Expect, NetworkDivergence
from privior.models import ExactStatistics
from privior.planning import plan_for
from privior.posterior.networks.elimination import Elimination
from privior.posterior.networks.network_posterior import NetworkPosterior
from privior.posterior.networks.tables_given import tables_apart

BIF = Path(__file__).parent.parent / "networks" / "bif"
GRAPH = {"a": [], "b": ["a"], "c": ["a", "b"], "d": ["c"]}
SCHEMA = pv.Schema(
    {"a": pv.Integer(0, 1), "b": pv.Integer(0, 2), "c": pv.Integer(0, 1), "d": pv.Integer(0, 3)},
    population="p",
    unit="u",
)


def real(name: str) -> tuple[pv.BayesianNetwork, pv.Schema]:
    """Return the graph of one of the repository's networks, and the public facts of its columns."""
    file = pv.NetworkFile.from_text(gzip.decompress((BIF / f"{name}.bif.gz").read_bytes()).decode())
    schema = pv.Schema(file.columns, population=name, unit="person")
    return pv.BayesianNetwork(file.parents), schema


def divergence(true: np.ndarray, learned: np.ndarray, known: Elimination) -> float:
    """Return KL(true || learned) over all combinations of levels of all columns."""
    laws = [known.joint(theta, known.model.columns, {}).ravel() for theta in (true, learned)]
    return float((laws[0] * np.log(laws[0] / laws[1])).sum())


def simulated(
    model: pv.BayesianNetwork, plan: pv.Plan, records: int, runs: int
) -> tuple[list[float], list[float]]:
    """Return the divergences of networks that are drawn from the prior, released and inferred.

    First with each table inferred by itself, as forecasts have it, and then together.
    """
    apart: list[float] = []
    found: list[float] = []
    known, rng = Elimination(model, SCHEMA), np.random.default_rng(2)
    for _ in range(runs):
        rows = [rng.dirichlet(np.ones(s[-1]), size=math.prod(s[:-1])).ravel() for s in known.shapes.values()]
        theta = np.concatenate(rows)
        law = known.joint(theta[None], model.columns, {})[0]
        joint = rng.multinomial(records, law.ravel()).reshape(law.shape)
        axes = {name: place for place, name in enumerate(model.columns)}
        counts = []
        for names in model.tables:
            kept = joint.sum(axis=tuple(axes[name] for name in axes if name not in names))
            order = [sorted(names, key=axes.__getitem__).index(name) for name in names]
            counts.append(kept.transpose(order).ravel())
        ledger = pv.Ledger.in_memory(population="p", epsilon=100)
        release = measure_statistics(plan, ExactStatistics(np.concatenate(counts)), ledger=ledger)
        together = pv.infer(release)
        alone = NetworkPosterior((release,), model, tables_apart((release,), model))
        for several, posterior in ((found, together), (apart, alone)):
            learned = np.concatenate([posterior.table(node).mean().ravel() for node in model.columns])
            several.append(divergence(theta[None], learned[None], known))
    return apart, found


@pytest.mark.parametrize(
    "epsilon", ["1", *(pytest.param(one, marks=pytest.mark.slow) for one in ("0.2", "5"))]
)
def test_the_divergence_of_released_networks_is_forecast(epsilon: str, seeded_noise: None) -> None:
    model = pv.BayesianNetwork(GRAPH, prior=1)
    plan = pv.plan(model, SCHEMA, records=2000, epsilon=epsilon)
    apart, together = simulated(model, plan, 2000, 8)
    found, ahead = np.array(apart), plan.forecast
    assert 1 / 1.6 < ahead.divergence / found.mean() < 1.6
    assert np.mean(together) < found.mean()
    assert ahead.measures["KL"] == ahead.divergence == ahead.to_document()["divergence"]
    assert plan.without_noise.measures["KL"] < ahead.divergence < plan.without_release.measures["KL"]
    assert plan.without_release.measures["KL"] > 5 * found.mean()  # which would be noticed


def test_without_noise_rows_of_many_records_have_the_divergence_of_theory() -> None:
    """A root of k levels known from n records: (k - 1) / 2n; nothing known: the prior's own divergence."""
    schema = pv.Schema({"a": pv.Integer(0, 4)}, population="p", unit="u")
    ahead = NetworkDivergence(pv.BayesianNetwork({"a": []}, prior=1), schema, Expect.TYPICAL)
    assert ahead(10**6, [0.0]) == pytest.approx(4 / 2e6, rel=1e-4)
    theta = np.random.default_rng(1).dirichlet(np.ones(5), size=200_000)
    assert ahead(0, [0.0]) == pytest.approx((theta * np.log(5 * theta)).sum(axis=1).mean(), rel=0.01)
    assert ahead(100, [50.0]) > ahead(100, [5.0]) > ahead(100, [0.0])


@pytest.mark.parametrize("prior", ["1", "learned"])
def test_the_log_loss_of_a_target_is_forecast(prior: str, seeded_noise: None) -> None:
    """By its own simulation, within a factor of 2; the divergence of the law of a record bounds it."""
    names = [f"f{place}" for place in range(4)]
    schema = pv.Schema({name: pv.Integer(0, 2) for name in ("y", *names)}, population="p", unit="u")
    model = pv.NaiveBayes("y", names, prior=prior)
    plan = pv.plan(model, schema, records=500, epsilon="0.5")
    ahead = plan.forecast
    assert f"{ahead.log_loss:.3g}" in dict(plan.facts())["log loss"]
    assert ahead.measures["log loss"] == ahead.log_loss == ahead.to_document()["log_loss"]
    rng, over = np.random.default_rng(3), []
    for _ in range(6):
        tables = {name: rng.dirichlet(np.ones(3), size=3) for name in names}
        y = rng.choice(3, size=3000, p=rng.dirichlet(np.ones(3)))
        rows = {n: (rng.random((3000, 1)) > np.cumsum(t[y], axis=1)).sum(axis=1) for n, t in tables.items()}
        counts = [np.bincount(y[:500], minlength=3)]
        counts += [np.bincount(3 * y[:500] + rows[name][:500], minlength=9) for name in names]
        ledger = pv.Ledger.in_memory(population="p", epsilon=100)
        release = measure_statistics(plan, ExactStatistics(np.concatenate(counts)), ledger=ledger)
        chances = pv.infer(release).predict_proba(rows)
        prior_of_y = np.bincount(y, minlength=3) / y.size
        best = prior_of_y * np.prod([tables[name][:, rows[name]] for name in names], axis=0).T
        best /= best.sum(axis=1, keepdims=True)
        places = np.arange(3000)[500:], y[500:]
        over.append(float((np.log(best[places]) - np.log(chances[places])).mean()))
    assert 0 < np.mean(over) <= ahead.divergence
    assert ahead.log_loss / 2 < np.mean(over) < ahead.log_loss * 2


def test_log_loss_is_a_measure_of_every_candidate_and_can_be_wanted() -> None:
    """Of a class beside the divergence that bounds it; without a class it is that of a record."""
    names = [f"f{place}" for place in range(10)]
    schema = pv.Schema({name: pv.Integer(0, 2) for name in ("y", *names)}, population="p", unit="u")
    model = pv.NaiveBayes("y", names, prior=1)
    plan = pv.plan(model, schema, records=2000, epsilon="0.5", delta="1e-5")
    header, rows = plan.comparison()
    place = header.index("log loss")
    fitting = [row for row in rows if row[place]]
    assert len(fitting) >= 3
    assert len({row[place] for row in fitting}) == len(fitting)
    assert plan.forecast.log_loss < plan.forecast.divergence / 2
    assert plan.without_noise.log_loss < plan.forecast.log_loss < plan.without_release.log_loss
    found = plan_for(pv.Want.of("log-loss 0.02"), model, schema, records=2000, delta="1e-5")
    assert found.forecast.log_loss <= 0.02 < found.at(found.mechanism.epsilon * 9 / 10).forecast.log_loss
    other = pv.plan(pv.BayesianNetwork(GRAPH), SCHEMA, records=2000, epsilon=1)
    assert other.forecast.log_loss == other.forecast.divergence
    assert "which is the KL" in dict(other.facts())["log loss"]


#: KL(true || learned) that was found: 10,000 records, delta 1e-5, by epsilon; evidence stores more
FOUND = {
    "asia": {"0.1": 0.0232, "0.5": 0.0042, "1": 0.0019, "2": 0.0014, "5": 0.0009, "10": 0.0008},
    "child": {"0.1": 0.54, "1": 0.0404, "2": 0.0257, "5": 0.0162, "10": 0.0133},
    "alarm": {"0.1": 1.34, "1": 0.172, "5": 0.055, "10": 0.035},
}


def test_real_networks_are_forecast_within_a_factor_of_2_from_what_is_declared() -> None:
    """20,000 records are declared, 10,000 there are; tables are known by how many levels they have alone."""
    ratios = []
    for name, found in FOUND.items():
        model, schema = real(name)
        relation = pv.ADD_OR_REMOVE_ONE
        plan = pv.plan(model, schema, records=20_000, epsilon=1, delta="1e-5", neighbours=relation)
        assert "forecasts are for 10000 of them" in plan.records_in_words
        ratios += [plan.at(epsilon).forecast.divergence / kl for epsilon, kl in found.items()]
    assert 1 / 2 < min(ratios) < max(ratios) < 2
    assert math.exp(np.abs(np.log(ratios)).mean()) < 1.5
    assert len(ratios) == 15


def test_other_truths_wants_and_budgets_are_quick() -> None:
    model = pv.BayesianNetwork(GRAPH)
    plans = [
        pv.plan(model, SCHEMA, records=2000, epsilon=1, expect=expect)
        for expect in ("typical", "uniform", "skewed")
    ]
    assert all(one.forecast.measures["KL"] > one.without_noise.measures["KL"] for one in plans)
    found = plan_for(pv.Want.of("kl 0.05"), model, SCHEMA, records=2000)
    assert found.forecast.measures["KL"] <= 0.05
    names = [f"x{place}" for place in range(40)]
    wide = pv.BayesianNetwork({name: names[max(0, k - 3) : k] for k, name in enumerate(names)})
    schema = pv.Schema(dict.fromkeys(names, pv.Integer(0, 3)), population="p", unit="u")
    ahead = NetworkDivergence(wide, schema, Expect.TYPICAL)
    begun = time.process_time()
    curve = [ahead(10_000, [4.0**step] * 40) for step in range(21)]
    assert time.process_time() - begun < 1
    assert curve == sorted(curve)


#: CPU seconds that inference took: 10,000 records, 20,000 declared, delta 1e-5, one core
TOOK = {
    "asia": {"0.1": 1.3, "1": 1.0, "10": 0.8},
    "child": {"0.1": 32.0, "1": 6.8, "10": 5.4},
    "alarm": {"0.1": 51.0, "1": 20.8, "10": 10.3},
}


def test_seconds_of_real_networks_are_told_within_a_factor_of_2() -> None:
    for name, took in TOOK.items():
        model, schema = real(name)
        relation = pv.ADD_OR_REMOVE_ONE
        plan = pv.plan(model, schema, records=20_000, epsilon=1, delta="1e-5", neighbours=relation)
        for epsilon, seconds in took.items():
            effort = plan.at(epsilon).effort
            assert effort is not None
            assert seconds / 2 < effort.seconds < seconds * 2
    names = [f"f{place}" for place in range(20)]
    columns = {"y": pv.Boolean(), **dict.fromkeys(names, pv.Integer(0, 4))}
    schema = pv.Schema(columns, population="p", unit="u")
    effort = pv.plan(pv.NaiveBayes("y", names), schema, records=10_000, epsilon=1).effort
    assert effort is not None
    assert 0.9 / 2 < effort.seconds < 0.7 * 2


def test_what_inference_takes_is_told_before_the_spend() -> None:
    """Chains over all tables together, or a sum for each where the junction tree is too large."""
    small = pv.plan(pv.BayesianNetwork(GRAPH), SCHEMA, records=2000, epsilon=1)
    assert small.effort is not None
    assert small.effort.chained
    assert dict(small.facts())["inference"] == small.effort.in_short
    names = [f"x{place}" for place in range(16)]
    schema = pv.Schema(dict.fromkeys(names, pv.Integer(0, 4)), population="p", unit="u")
    chain = pv.BayesianNetwork({name: names[max(0, k - 3) : k] for k, name in enumerate(names)}, prior=1)
    long = pv.plan(chain, schema, records=2000, epsilon=1, mechanism=pv.LaplaceTables)
    assert long.effort is not None
    assert "chains visit the data sets" in long.effort.warning()
    triples = ("012", "234", "456", "036", "145", "024", "135", "256", "016")
    tied = {name: list[str]() for name in names[:7]}
    tied |= {name: [f"x{one}" for one in three] for name, three in zip(names[7:], triples, strict=True)}
    wide = pv.plan(pv.BayesianNetwork(tied, prior=1), schema, records=2000, epsilon=1)
    assert wide.effort is not None
    assert not wide.effort.chained
    assert wide.effort.tables == 16
    told = dict(wide.facts())["inference"]
    assert "each table by itself: together they would take tables of 36875 cells" in told
    assert "by itself" not in dict(long.facts())["inference"]


def test_equal_shares_stand_beside_those_by_cells() -> None:
    """Shares by the root of a table's cells leave less open, in error and divergence."""
    plan = pv.plan(pv.BayesianNetwork(GRAPH), SCHEMA, records=2000, epsilon=1, delta="1e-5")
    ahead = {one.name: one.forecast for one in plan.candidates if one.forecast is not None}
    for name in ("laplace-tables", "gaussian-tables"):
        assert ahead[name].error < ahead[f"{name}, equal shares"].error
        assert ahead[name].measures["KL"] < ahead[f"{name}, equal shares"].measures["KL"]
    named = {"records": 2000, "delta": "1e-5", "mechanism": pv.GaussianTables}
    equal = pv.plan(pv.BayesianNetwork(GRAPH), SCHEMA, epsilon=1, shares="equal", **named)  # type: ignore[arg-type]
    assert len(set(equal.mechanism.scales)) == 1
    assert equal.cost == pv.Budget.of(1, "1e-5")
    assert len(set(equal.at(2).mechanism.scales)) == 1
    assert equal.released.from_document(equal.to_document()).digest == equal.digest
    assert len(set(plan.at(2).mechanism.scales)) > 1
    assert [one.name for one in equal.candidates if "gaussian" in one.name] == ["gaussian-tables"]
    with pytest.raises(pv.PlanError, match="not a way to share"):
        pv.plan(pv.BayesianNetwork(GRAPH), SCHEMA, epsilon=1, shares="mine", **named)  # type: ignore[arg-type]
    alike = pv.plan(pv.BayesianNetwork({"a": [], "c": []}), SCHEMA, records=2000, epsilon=1)
    assert not [one.name for one in alike.candidates if "equal" in one.name]


def test_a_picture_shows_width_divergence_and_loss_of_21_budgets() -> None:
    names = [f"f{place}" for place in range(3)]
    schema = pv.Schema({name: pv.Integer(0, 2) for name in ("y", *names)}, population="p", unit="u")
    for model, drawn in (
        (pv.NaiveBayes("y", names), ["90% interval", "KL", "log loss"]),
        (pv.BayesianNetwork({"y": [], "f0": ["y"], "f1": []}), ["90% interval", "KL"]),
    ):
        plan = pv.plan(model, schema, records=2000, epsilon=1, delta="1e-5", mechanism=pv.GaussianTables)
        picture = plan.picture()
        assert list(picture.series) == drawn
        assert len(picture.epsilons) == 21
        for values in picture.series.values():
            assert all(more >= less for more, less in itertools.pairwise(values))
        place = list(picture.epsilons).index(1)
        assert picture.series["KL"][place] == plan.forecast.measures["KL"]
    assert [one[0] for one in plan.comparison()[1] if "equal" in one[0]]
    pure = pv.plan(model, schema, records=2000, epsilon=1)
    assert [one.name for one in pure.candidates if one.unfit] == ["gaussian-tables", "fourier-tables"]
