"""Finite families from a CSV file to an answer, by each mechanism, and what they refuse."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from finite_cases import CASES, DIE, GRID, PAIR, SCHEMA, STRICT, chances_of, csv_of, rows_of

import privior as pv
from privior.models import to_model
from privior.report import page_of

RECORDS = 300
WAYS: dict[str, tuple[type, str, pv.Neighbours]] = {
    "k-norm": (pv.KNorm, "0", pv.REPLACE_ONE),
    "laplace": (pv.LaplaceCounts, "0", pv.REPLACE_ONE),
    "gaussian": (pv.GaussianCounts, "1e-5", pv.REPLACE_ONE),
    "private number": (pv.LaplaceCounts, "0", pv.ADD_OR_REMOVE_ONE),
    "private number, gaussian": (pv.GaussianCounts, "1e-5", pv.ADD_OR_REMOVE_ONE),
    "draws": (pv.ModelDraws, "0", pv.REPLACE_ONE),
    "draws, delta": (pv.ModelDraws, "1e-5", pv.REPLACE_ONE),
    "draws, private number": (pv.ModelDraws, "0", pv.ADD_OR_REMOVE_ONE),
}


def planned(model: pv.FiniteFamily, way: str, epsilon: object = 3, draws: int = 1) -> pv.Plan:
    mechanism, delta, relation = WAYS[way]
    return pv.plan(
        model,
        SCHEMA,
        records=RECORDS,
        epsilon=epsilon,
        delta=delta,
        neighbours=relation,
        mechanism=mechanism,
        draws=draws,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_from_a_file_to_an_answer(name: str, way: str, tmp_path: Path) -> None:
    model = CASES[name]
    if way.startswith("draws") and not model.bounded:
        with pytest.raises(pv.PlanError, match="excludes a level") as refusal:
            planned(model, way)
        assert "Nothing was spent." in str(refusal.value)
        return
    truth = len(model.names) - 1
    counts = np.random.default_rng(3).multinomial(RECORDS, chances_of(model)[truth])
    (tmp_path / "casino.csv").write_text(csv_of(model, counts))
    table = str(tmp_path / "casino.csv") if way == "laplace" else pa.table(rows_of(model, counts))
    plan = planned(model, way)
    ledger = pv.Ledger.create(tmp_path / "casino.ledger", population="casino", epsilon=10, delta="1e-3")
    made = pv.measure(plan, table, ledger=ledger, output=tmp_path / "release.json")
    release = pv.Release.read(tmp_path / "release.json")
    assert (release.plan, release.statistics) == (plan, made.statistics)
    assert release.format == 5
    assert pv.verify(release, ledger).passed
    assert pv.review(release, ledger).passed
    posterior = pv.infer(release)
    assert isinstance(posterior, pv.FinitePosterior)
    assert math.isclose(sum(posterior.models().values()), 1)
    if not way.startswith("draws"):
        assert posterior.best() == model.names[truth]
    answer = pv.ask(posterior, f"model('{model.names[truth]}')").to_document()
    assert math.isclose(float(str(answer["mean"])), posterior.models()[model.names[truth]])
    every = pv.ask(posterior, "models()")
    assert posterior.best() == every.to_document()["models"][0]["name"]  # type: ignore[index]
    column = model.columns[0]
    label = SCHEMA.column(column).labels[0]
    asked = pv.ask(posterior, f"P({column}={label})").to_document()
    assert math.isclose(float(str(asked["mean"])), posterior.probability({column: label}).mean)
    assert float(str(asked["low"])) <= float(str(asked["high"]))
    assert "sample 5" in str(pv.ask(posterior, "sample 5", seed=1).to_document())
    promised = (column, f"{plan.mechanism.name}: ", str(plan.guarantee), plan.guarantee.claim())
    assert all(words in str(plan) for words in promised)
    assert posterior.best() in str(posterior)
    if way == "laplace":  # a page plans many budgets anew
        assert posterior.best() in page_of(release, posterior)
    assert posterior.to_document()["best"] == posterior.best()
    if way.startswith("draws"):
        assert release.draws.shape == (1, len(model.chances[0]))
        assert posterior.sample(3, seed=1, released=0)[column]


def test_answers_are_averages_over_models() -> None:
    """Predictive chances, conditional ones, means and intervals, by hand."""
    plan = planned(PAIR, "laplace", epsilon="0.05")
    counts = np.random.default_rng(5).multinomial(RECORDS, chances_of(PAIR)[1])
    ledger = pv.Ledger.in_memory(epsilon=10)
    posterior = pv.infer(pv.measure(plan, pa.table(rows_of(PAIR, counts)), ledger=ledger))
    shares, laws = posterior.chances.shares, chances_of(PAIR)
    assert 0.01 < shares.max() < 0.999
    assert np.allclose(posterior.predictive(), shares @ laws)
    given = laws[:, 3:].sum(axis=1)
    assert math.isclose(
        posterior.probability({"hits": 2}, {"coin": True}).mean, float(shares @ (laws[:, 5] / given))
    )
    hits = laws @ np.array([0, 1, 2, 0, 1, 2])
    mean = posterior.average("hits")
    assert math.isclose(mean.mean, float(shares @ hits))
    assert math.isclose(mean.stddev, math.sqrt(float(shares @ (hits - shares @ hits) ** 2)))
    low, high = mean.interval(0.99)
    assert low in hits
    assert high in hits
    assert math.isclose(
        posterior.expected(dict(zip(PAIR.names, (1, 2, 3), strict=True))).mean, float(shares @ [1, 2, 3])
    )
    assert posterior.model_chance("apart").interval(0.9) == (shares[0], shares[0])
    with pytest.raises(pv.InferenceError, match="not a model"):
        posterior.model_chance("nowhere")
    own = pv.infer(posterior.releases[0], prior={"apart": 5, "together": 1, "mostly": "1e-9"})
    assert math.isclose(own.chances.shares[0] / own.chances.shares[1], 5 * shares[0] / shares[1])
    naive = pv.infer(posterior.releases[0], noise="ignore")
    assert naive.warnings
    assert np.isclose(naive.chances.shares.sum(), 1)


def test_decisions() -> None:
    counts = np.random.default_rng(5).multinomial(RECORDS, chances_of(DIE)[0])
    ledger = pv.Ledger.in_memory(epsilon=10)
    release = pv.measure(planned(DIE, "draws", draws=5), pa.table(rows_of(DIE, counts)), ledger=ledger)
    decision = pv.Decision("P(die=high)", pv.SquaredError(), pv.ResponseGrid(0, 1, 100))
    assert 0 <= float(str(decision.decide(release).response)) <= 1
    alone = float(str(decision.by_draws(release).response))
    assert abs(alone - float(release.draws[:, 2].mean())) <= 0.0051
    assert decision.compare(release)


def test_documents_and_files(tmp_path: Path) -> None:
    for model in CASES.values():
        assert to_model(model.to_document()) == model
        for way in WAYS:
            if way.startswith("draws") and not model.bounded:
                continue
            plan = planned(model, way)
            assert pv.Plan.from_document(plan.to_document()) == plan
    document = planned(DIE, "draws").to_document()
    better = {**document["mechanism"], "weight": "1"}  # type: ignore[dict-item]
    with pytest.raises(pv.PlanError, match="does not give"):
        pv.Plan.from_document({**document, "mechanism": {**better, "epsilon": "0.1"}})
    analysis = pv.Analysis(SCHEMA, DIE, 300, pv.Budget.of(1))
    analysis.write(tmp_path / "a.toml")
    assert pv.Analysis.read(tmp_path / "a.toml") == analysis
    by_name = {"columns": ["coin"], "models": {"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]}, "prior": [1, 2]}
    assert to_model({"family": "finite-family", **by_name}).prior == (1, 2)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"models": {"a": ["1/2", "1/2"]}}, "two models or more"),
        ({"models": {"a": ["1/2", "1/2"], "b": ["1/2", "1/3"]}}, "add up to 1"),
        ({"models": {"a": ["1/2", "1/2"], "b": ["3/2", "-1/2"]}}, "negative"),
        ({"models": {"a": ["1/2", "1/2"], "b": ["x", "1/2"]}}, "cannot be read"),
        ({"models": {"a": ["1/2", "1/2"], "b": ["0.5", "0.5"]}}, "same chances"),
        ({"models": {"a": ["1/2", "1/2"], "b": ["0.5", "0.3", "0.2"]}}, "different numbers of cells"),
        ({"prior": [1]}, "one weight for each model"),
        ({"prior": [1, 0]}, "out of range"),
        ({"prior": {"a": 1, "c": 1}}, "one weight for each model"),
        ({"columns": []}, "no columns"),
        ({"sort": 1}, "unknown or missing"),
        ({"models": [{"name": "a", "chances": ["1/2", "1/2"]}, {"name": "a", "chances": [0, 1]}]}, "twice"),
    ],
)
def test_bad_models(change: dict[str, object], what: str) -> None:
    good: dict[str, object] = {
        "family": "finite-family",
        "columns": ["coin"],
        "models": {"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]},
    }
    assert to_model(good)
    with pytest.raises(pv.ModelError, match=what):
        to_model({**good, **change})


def test_bad_plans() -> None:
    with pytest.raises(pv.ModelError, match="one chance for each cell"):
        pv.plan(pv.FiniteFamily("die", {"a": [1, 0], "b": [0, 1]}), SCHEMA, records=10, epsilon=1)
    with pytest.raises(pv.PlanError, match="not a mechanism for"):
        pv.plan(DIE, SCHEMA, records=10, epsilon=1, delta="1e-5", mechanism=pv.DirichletDraw)
    with pytest.raises(pv.PlanError, match="only model-draws can be told this"):
        pv.plan(DIE, SCHEMA, records=10, epsilon=1, draws=3)
    with pytest.raises(pv.PlanError, match="only other models can be told this"):
        pv.plan(DIE, SCHEMA, records=10, epsilon=1, least=3)
    with pytest.raises(pv.PlanError, match="not a mechanism for dirichlet-categorical"):
        pv.plan(
            pv.DirichletCategorical("die", prior=1), SCHEMA, records=10, epsilon=1, mechanism=pv.ModelDraws
        )
    plan = pv.plan(pv.DirichletCategorical("die", prior=1), SCHEMA, records=3, epsilon=1)
    rows = pa.table({"die": ["low", "low", "high"]})
    release = pv.measure(plan, rows, ledger=pv.Ledger.in_memory(epsilon=1))
    with pytest.raises(pv.QuestionError, match="finite family"):
        pv.ask(release, "models()")
    dropping = pv.Schema(
        {"die": pv.Categorical(["low", "middle", "high"], missing=pv.DROP)}, population="p", unit="throw"
    )
    with pytest.raises(pv.ModelError, match="dropped under replace-one"):
        pv.plan(DIE, dropping, records=10, epsilon=1)
    assert pv.plan(DIE, dropping, records=10, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE)


def test_questions_that_a_finite_family_does_not_answer() -> None:
    ledger = pv.Ledger.in_memory(epsilon=10)
    counts = np.array([100, 200])
    posterior = pv.infer(pv.measure(planned(GRID, "laplace"), pa.table(rows_of(GRID, counts)), ledger=ledger))
    with pytest.raises(pv.QuestionError, match="not for counts"):
        pv.ask(posterior, "counts()")
    with pytest.raises(pv.QuestionError, match="no single parameter"):
        pv.ask(posterior, "parameter(coin)")


def test_groups(tmp_path: Path) -> None:
    """A finite family in each group of a column, all groups for the price of one."""
    plan = pv.plan(DIE, SCHEMA, records=RECORDS, epsilon=2, neighbours=pv.ADD_OR_REMOVE_ONE)
    rng = np.random.default_rng(1)
    rows = {"die": [], "coin": []}  # type: dict[str, list[str]]
    for coin, law in (("true", chances_of(DIE)[1]), ("false", chances_of(DIE)[2])):
        rows["die"] += list(rng.choice(["low", "middle", "high"], size=150, p=law))
        rows["coin"] += [coin] * 150
    batch = pv.Batch.of([plan], by="coin")
    assert batch.cost.epsilon == 2
    ledger = pv.Ledger.in_memory(population="casino", epsilon=2)
    found = [pv.infer(one).best() for one in pv.measure_all(batch, pa.table(rows), ledger=ledger)]
    assert found == ["loaded", "tilted"]


def test_impossible_levels_exclude_models() -> None:
    """A noisy count says so softly; without noise it would be certain."""
    plan = planned(STRICT, "laplace", epsilon=50)
    ledger = pv.Ledger.in_memory(epsilon=1000)
    posterior = pv.infer(pv.measure(plan, pa.table(rows_of(STRICT, np.array([150, 150, 0]))), ledger=ledger))
    assert posterior.models()["two"] > 0.999
    with pytest.raises(pv.InferenceError, match="no chance"):
        posterior.expected(lambda name: math.nan)
