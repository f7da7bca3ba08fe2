"""What follows from noisy moments: against importance sampling of rows, least squares, and by questions."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.errors import InferenceError, QuestionError
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics
from privior.models.weight_prior import STANDARD
from privior.posterior.kept import read, written
from privior.posterior.regression import moments_law as law
from privior.posterior.regression.hamiltonian import Shape, shape_at_mode, walk
from privior.posterior.regression.moments_target import MomentsTarget, WeightLaw
from privior.posterior.regression.observations import Observations
from privior.posterior.regression.regression_draws import FREEDOM, sampled
from privior.testing.small_tables import statistics

SCHEMA = pv.Schema(
    {
        "income": pv.Integer(0, 100_000, missing=20_000),
        "age": pv.Integer(18, 90, missing=40),
        "sex": pv.Categorical(["male", "female"]),
        "town": pv.Categorical(["Oslo", "Bergen", "else"]),
    },
    population="people",
    unit="person",
)


def people(many: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    age, sex, town = rng.integers(18, 91, many), rng.integers(2, size=many), rng.integers(3, size=many)
    income = (
        15_000 + 500 * age + 9_000 * sex + np.array([0, 4_000, -6_000])[town] + rng.normal(0, 8_000, many)
    )
    return {"income": np.clip(income, 0, 100_000).round().astype(int), "age": age, "sex": sex, "town": town}


@cache
def posterior(epsilon: str = "50", relation: pv.Neighbours = pv.REPLACE_ONE, prior: str = "learned") -> Any:
    model = pv.LinearRegression("income ~ age*sex + town", prior=prior)
    rows = people(4000)
    codes = np.column_stack([rows["income"], rows["age"] - 18, rows["sex"], rows["town"]])
    plan = pv.plan(
        model,
        SCHEMA,
        records=4000,
        epsilon=epsilon,
        delta="1e-5",
        neighbours=relation,
        mechanism=pv.GaussianMoments,
    )
    exact = ExactStatistics(statistics(model, SCHEMA, relation, codes))
    ledger = pv.Ledger.in_memory(population="people", epsilon=1000, delta="1e-2")
    return pv.infer(measure_statistics(plan, exact, ledger=ledger))


def asked(found: Any, text: str) -> Any:
    return pv.ask(found, text)


@pytest.mark.parametrize(
    ("public", "intercept", "prior"),
    [
        (True, True, WeightLaw()),
        (False, True, WeightLaw(heavy=True)),
        (True, True, WeightLaw(heavy=True, effects=np.vstack([np.eye(3), [[1.0, -1.0, -1.0]]]))),
        (True, False, WeightLaw(np.array([0.1, 0.0, -0.2]), np.eye(3) * 0.3 + 0.05)),
    ],
)
def test_slopes_are_those_of_the_density(public: bool, intercept: bool, prior: WeightLaw) -> None:
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    rows = np.eye(15)[: 14 if public else 15]
    seen = 30 * rng.standard_normal(len(rows)) + 20
    target = MomentsTarget(
        3, 3, 200.0, public, intercept, rows, seen, np.full(len(rows), 0.01), prior, basis, 7.0, (0.3, 0.6)
    )
    points = 0.2 * rng.standard_normal((2, target.size))
    if not public:
        points[:, -1] = math.log(150)
    step = 1e-5 * np.eye(target.size)
    numeric = [(target.density(points + one)[0] - target.density(points - one)[0]) / 2e-5 for one in step]
    assert np.allclose(np.array(numeric).T, target.density(points)[1], rtol=1e-5, atol=1e-3)


def test_the_sampler_follows_a_known_law() -> None:
    """A correlated Normal law with one heavy coordinate, whose moments are known; a wrong one is noticed."""
    covariance = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 0.25]])
    known = np.linalg.inv(covariance)

    def density(points: Any) -> Any:
        return -np.einsum("bi,ij,bj->b", points, known, points) / 2, -points @ known

    shape = shape_at_mode(density, np.full(3, 2.0), np.array([], np.int64))
    assert np.allclose(shape.point, 0, atol=1e-2)
    found = walk(
        density, Shape(shape.point, np.eye(3)), np.random.default_rng(1), chains=8, forgotten=50, kept=400
    )
    states = found.states.reshape(-1, 3)
    assert np.allclose(np.cov(states.T), covariance, atol=0.12)
    assert not np.allclose(np.cov(states.T), 1.3 * covariance, atol=0.12)


def drawn_rows(rng: Any, n: int) -> tuple[Any, Any]:
    """Draw parameters from the prior, then rows, and return the weight and the moments of the rows.

    One feature with exactly the mean and the scatter that were drawn: inference conditions on features.
    """
    s, v = math.exp(rng.normal(*law.LOG_S)), math.exp(rng.normal(*law.LOG_V))
    tau = s * math.sqrt(math.exp(rng.normal(*law.LOG_SIGNAL)) / v)
    scatter = v / (1 + FREEDOM) * rng.chisquare(1 + FREEDOM)
    x = rng.standard_normal(n)
    x = (x - x.mean()) / x.std() * math.sqrt(scatter) + rng.normal(0, law.MEAN_STDDEV)
    own = law.TAILS / 2 / rng.gamma(law.TAILS / 2)
    w = rng.normal(0, tau * math.sqrt(own) * (v / scatter) ** (STANDARD / 2))
    u = rng.normal(0, law.ALPHA_STDDEV) + (x - x.mean()) * w + s * rng.standard_normal(n)
    return w, [(x**2).sum(), x.sum(), (x * u).sum(), u.sum(), (u**2).sum(), n]


@pytest.mark.parametrize("heavy", [0, 1])
def test_the_posterior_is_that_of_rows_by_importance_sampling(heavy: int) -> None:
    """The oracle draws rows and weighs them by the noise: it knows nothing of latent moments."""
    n, rng = 40, np.random.default_rng(3)
    seen, spread = np.array([22.0, 9.0, 5.0, 4.0, 6.0]), np.array([7.0, 7.0, 3.5, 5.0, 4.0])
    drawn = [drawn_rows(rng, n) for _ in range(30_000)]
    weights, moments = np.array([w for w, _ in drawn]), np.array([one[:5] for _, one in drawn])
    away = (moments - seen) / spread
    logs = -math.sqrt(2) * np.abs(away).sum(axis=1) if heavy else -(away**2).sum(axis=1) / 2
    share = np.exp(logs - logs.max())
    share /= share.sum()
    size = 1 / (share**2).sum()
    assert size > 300
    mean = float(share @ weights)
    stddev = math.sqrt(float(share @ (weights - mean) ** 2))
    schema = pv.Schema({"y": pv.Integer(0, 9), "x": pv.Integer(0, 9)}, population="few", unit="person")
    model = pv.LinearRegression("y ~ x")
    said = Observations(np.eye(6)[:5], seen, spread**2, np.full(5, heavy), 5)
    found = sampled(said, model.layout(schema, pv.REPLACE_ONE), model, n, public=True)
    own = found.weights[:, 0]
    room = 5 * stddev / math.sqrt(size) + 5 * stddev / math.sqrt(400)
    assert abs(own.mean() - mean) < room
    assert own.std() == pytest.approx(stddev, rel=0.25)
    assert abs(own.mean() - 3 * mean) > room  # so far off would be noticed


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE], ids=str)
def test_with_little_noise_it_is_least_squares(relation: pv.Neighbours) -> None:
    found, rows = posterior("50", relation), people(4000)
    sex, one, two = (rows["sex"] == 1), (rows["town"] == 1), (rows["town"] == 2)
    design = np.column_stack([np.ones(4000), rows["age"], sex, one, two, rows["age"] * sex])
    exact = np.linalg.lstsq(design, rows["income"], rcond=None)[0]
    names = ["intercept", "age", "sex[female]", "town[Bergen]", "town[else]", "age:sex[female]"]
    for name, truth in zip(names, exact, strict=True):
        one_of = found.parameter(name)
        assert abs(one_of.mean - truth) < 4 * one_of.stddev
    assert found.parameter("stddev of errors").mean == pytest.approx(8000, rel=0.1)
    low, high = found.parameter("R squared").interval()
    assert low < 0.6 < high or abs(found.parameter("R squared").mean - 0.64) < 0.15
    assert found.found.diagnostics.r_hat < 1.1
    assert 0.2 < found.found.diagnostics.misfit < 2
    if relation is pv.ADD_OR_REMOVE_ONE:
        assert found.found.records.mean() == pytest.approx(4000, rel=0.02)


def test_more_noise_gives_wider_intervals_and_says_so() -> None:
    clear, noisy = posterior("50"), posterior("0.5")
    for name in ("age", "sex[female]"):
        assert noisy.parameter(name).stddev > 2 * clear.parameter(name).stddev
    assert noisy.noise_share > 0.8 > clear.noise_share
    assert "privacy noise accounts for" in noisy.findings()[0].words()


def test_questions() -> None:
    found = posterior()
    women = asked(found, "mean(income | age=50, sex=female, town=Oslo)")
    assert women.mean == pytest.approx(15_000 + 25_000 + 9_000, abs=2_500)
    everyone = asked(found, "mean(income | age=50)")
    assert everyone.mean == pytest.approx(people(4000)["income"][people(4000)["age"] == 50].mean(), abs=3_000)
    assert "age:sex[female]" in str(asked(found, "parameters()"))
    assert asked(found, "parameter('town[else]')").mean == pytest.approx(-6_000, abs=3_000)
    assert asked(found, "parameter(age)").mean == found.parameter("age").mean
    chance = asked(found, "P(income>49000 | age=50, sex=female, town=Oslo)")
    assert chance.mean == pytest.approx(0.5, abs=0.12)
    middle = asked(found, "median(income | age=50, sex=female, town=Oslo)")
    assert middle.mean == pytest.approx(women.mean, abs=600)
    for text in ("P(income>49000 | age=50)", "median(income)", "P(income>49000) / P(income>20000)"):
        single = asked(found, text)
        assert single.provided == single.to_document()["provided"] == "the errors of income are Normal"
        assert "if the errors of income are Normal" in " ".join(str(single).split())
    assert not everyone.provided
    for text in (
        "mean(age)",
        "P(sex=male)",
        "mean(income | age in {40, 50})",
        "counts()",
        "parameter(nobody)",
    ):
        with pytest.raises((QuestionError, InferenceError)):
            asked(found, text)


def test_predictions_are_the_same_for_every_kind_of_frame() -> None:
    import pandas as pd
    import polars as pl

    found = posterior()
    rows = {"age": [30, None, 300, 50], "sex": ["male", "female", "female", "female"], "town": ["Oslo"] * 4}
    frames = [rows, pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)]
    said = [found.predict(frame) for frame in frames]
    assert all(np.array_equal(said[0], one) for one in said)
    for place, (age, sex) in enumerate([(30, "male"), (40, "female"), (90, "female"), (50, "female")]):
        said_so = asked(found, f"mean(income | age={age}, sex={sex}, town=Oslo)")
        assert said[0][place] == pytest.approx(said_so.mean, rel=1e-6)
    ends = found.predict_interval(rows, 0.8)
    written = found.predictions(rows, level=0.8)
    name = found.model.target
    assert list(written) == [name, f"low {name}", f"high {name}"]
    assert np.allclose(np.array(list(written.values()), float).T, np.column_stack([said[0], ends]))
    with pytest.raises(pv.PriviorError, match="predicts its target"):
        found.predictions(rows, "x")
    assert ends.shape == (4, 2)
    assert (ends[:, 0] < said[0]).all()
    assert (said[0] < ends[:, 1]).all()
    assert (found.predict_interval(rows, 0.95)[:, 1] > ends[:, 1]).all()
    test = people(4000)
    frame = {"age": test["age"], "sex": np.array(["male", "female"])[test["sex"]]}
    frame["town"] = np.array(["Oslo", "Bergen", "else"])[test["town"]]
    low, high = found.predict_interval(frame, 0.9).T
    assert 0.85 < ((low <= test["income"]) & (test["income"] <= high)).mean() < 0.95
    for wrong in (
        {"age": [30]},
        {**rows, "sex": ["male"]},
        {**rows, "age": 3},
        {**rows, "sex": ["what"] * 4},
    ):
        with pytest.raises(InferenceError):
            found.predict(wrong)


def test_rows_that_the_schema_leaves_out_have_no_prediction() -> None:
    schema = pv.Schema(
        {"y": pv.Integer(0, 9), "x": pv.Integer(0, 9, missing=pv.DROP)}, population="few", unit="person"
    )
    model = pv.LinearRegression("y ~ x")
    table = pa.table({"x": [1, 2, None, 8] * 30, "y": [2, 2, 5, 7] * 30})
    plan = pv.plan(model, schema, records=200, epsilon=20, delta="1e-5", neighbours=pv.ADD_OR_REMOVE_ONE)
    made = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=99, delta="1e-3"))
    found = pv.infer(made)
    assert np.isnan(found.predict({"x": [None, 3]})).tolist() == [True, False]
    assert found.found.records.mean() == pytest.approx(90, abs=12)


def test_the_fan_and_the_chart_can_be_drawn() -> None:
    found = posterior()
    fan = found.fan("age", given={"sex": "female", "town": "Oslo"})
    assert fan.middle[0] < fan.middle[-1]
    assert "income by age" in fan.text(60)
    assert "<svg" in str(fan.html())
    assert fan.figure().axes
    assert "town[else]" in found.picture().text(80)
    with pytest.raises(InferenceError, match="column of numbers"):
        found.fan("sex")


def test_what_was_drawn_can_be_kept() -> None:
    found = posterior()
    plain, arrays = written(found.state)
    again = pv.RegressionPosterior.with_state(found.releases, None, read(plain, arrays))
    assert again.parameter("age").mean == found.parameter("age").mean


def test_it_is_the_same_for_the_same_release() -> None:
    found = posterior("0.5")
    assert np.array_equal(pv.infer(found.releases[0]).theta, found.theta)


@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize("mechanism", [None, pv.LaplaceMoments])
def test_too_few_records_are_refused_before_the_spend(delta: str, mechanism: type[Mechanism] | None) -> None:
    model = pv.LinearRegression("income ~ age*sex + town")
    with pytest.raises(pv.PlanError, match="this would give the prior back") as caught:
        pv.plan(model, SCHEMA, records=100, epsilon="0.1", delta=delta, mechanism=mechanism)
    assert "100 records are too few for" in caught.value.what
    assert "fewer features" in str(caught.value)
    assert "Nothing was spent" in str(caught.value)


def test_a_level_of_many_scatters_less_than_a_number() -> None:
    """Twenty levels: a level that few records have is told much less of, and a plan does not hide that."""
    schema = pv.Schema(
        {"y": pv.Integer(0, 100), "g": pv.Categorical([str(level) for level in range(20)])},
        population="town",
        unit="person",
    )
    model = pv.LinearRegression("y ~ g", prior=pv.Ridge("0.2"))
    few, many = (
        pv.plan(model, schema, records=records, epsilon="0.2", delta="1e-6") for records in (1_000, 100_000)
    )
    assert few.forecast.width > 0.95 * few.without_release.width
    assert any("hardly anything of the coefficients" in one for one in few.warnings)
    assert many.warnings == ()


def test_few_records_are_noted_and_enough_are_not() -> None:
    model = pv.LinearRegression("income ~ age*sex + town")

    def said(records: int) -> bool:
        plan = pv.plan(model, SCHEMA, records=records, epsilon="0.1", delta="1e-6")
        return any("hardly anything of the coefficients" in one for one in plan.warnings)

    assert said(1_000)
    assert not said(10**6)


def test_what_is_refused_is_what_noise_hides() -> None:
    """A prior that even true moments would not move is its owner's choice."""
    sure = pv.LinearRegression("income ~ age", prior=pv.Ridge("1e-6"))
    assert pv.plan(sure, SCHEMA, records=100, epsilon="0.1", delta="1e-6").cost.epsilon > 0


def test_the_smallest_epsilon_for_a_width_passes_by_what_is_refused() -> None:
    want, model = pv.Want.of("width 20000"), pv.LinearRegression("income ~ age")
    assert pv.plan_for(want, model, SCHEMA, records=100, delta="1e-6").forecast.width <= 20_000
