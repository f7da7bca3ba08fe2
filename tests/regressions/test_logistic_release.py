"""Logistic regression from a table to predictions: what is released, by which rule, and what is said."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from program import run_here

import privior as pv
import privior.posterior.regression.logistic_draws as logistic_draws
from privior.mechanisms.regression.noisy_products import NoisyProducts
from privior.models import ExactRecords, Observed
from privior.posterior.regression.logistic_draws import Said, sampled
from privior.privacy.pairs import GaussianPair
from privior.testing import check_mechanism
from privior.testing.small_tables import codes

SCHEMA = pv.Schema(
    {
        "ill": pv.Categorical(["no", "yes"], missing="no"),
        "age": pv.Integer(20, 80, missing=50),
        "sex": pv.Categorical(["f", "m"], missing="f"),
        "town": pv.Categorical(["a", "b", "c"], missing="a"),
    },
    population="town",
    unit="person",
)
MODEL = pv.LogisticRegression("ill ~ age + sex + town")
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)


def made_up(records: int, seed: int = 1) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 81, records)
    sex = rng.integers(0, 2, records)
    odds = 2 * (age - 50) / 30 + 0.8 * sex - 0.5
    ill = rng.random(records) < 1 / (1 + np.exp(-odds))
    return {
        "ill": ["yes" if one else "no" for one in ill],
        "age": age.tolist(),
        "sex": ["fm"[one] for one in sex],
        "town": rng.choice(["a", "b", "c"], records).tolist(),
    }


def planned(
    relation: pv.Neighbours = pv.REPLACE_ONE, records: int = 3000, epsilon: Any = 1, **more: Any
) -> Any:
    more.setdefault("mechanism", pv.ObjectivePerturbation)
    return pv.plan(MODEL, SCHEMA, records=records, epsilon=epsilon, delta="1e-5", neighbours=relation, **more)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_noise_and_penalty_follow_the_public_rule(relation: pv.Neighbours, epsilon: str) -> None:
    law = planned(relation, 2000, epsilon).mechanism
    steps, squared = (2 if relation is pv.REPLACE_ONE else 1), 4
    n = 2000 if relation is pv.REPLACE_ONE else 1000
    assert law.design.squared_norm == squared
    assert law.expected == n
    mu2 = Fraction(steps**2 * squared) / law.variance
    assert (
        GaussianPair(mu2).delta(float(epsilon))
        <= 1e-5
        < GaussianPair(mu2 * Fraction(1001, 1000)).delta(float(epsilon))
    )
    rule = steps * squared / Fraction(epsilon) + Fraction(8 * 5, 9 * n) * law.variance
    assert float(law.ridge) == pytest.approx(float(rule), rel=1e-6)
    assert law.guarantee.delta(law.epsilon) <= law.delta
    assert Fraction(2) ** -law.places <= Fraction(math.sqrt(law.variance)) / (law.ridge + n) / 4


def test_a_guess_of_the_number_of_records_is_public_and_never_counted() -> None:
    """T48: neither rule nor grid depends on the table, and under replace-one nobody guesses."""
    law = planned(pv.ADD_OR_REMOVE_ONE, mechanism=pv.ObjectivePerturbation, expected=700).mechanism
    assert law.expected == 700
    assert planned(pv.ADD_OR_REMOVE_ONE).mechanism.expected == 1500
    few, many = (ExactRecords(np.zeros((size, 4), np.int8)) for size in (3, 2000))
    assert law._objective(few).ridge == law._objective(many).ridge == law.ridge
    with pytest.raises(pv.PlanError, match="no guess is taken"):
        planned(mechanism=pv.ObjectivePerturbation, expected=700)
    with pytest.raises(pv.PlanError, match="another number of records"):
        pv.Plan(SCHEMA, MODEL, planned(records=3000).mechanism, pv.REPLACE_ONE, 2999)


def test_less_noise_or_penalty_than_is_enough_is_refused() -> None:
    document = planned().mechanism.to_document()
    for name in ("variance", "ridge"):
        wrong = {**document, name: str(float(document[name]) * 0.9)}
        with pytest.raises(pv.PlanError, match="do not give the stated guarantee"):
            pv.Plan.from_document({**planned().to_document(), "mechanism": wrong})
    with pytest.raises(pv.PlanError, match="delta > 0"):
        pv.plan(MODEL, SCHEMA, records=3000, epsilon=1, mechanism=pv.ObjectivePerturbation)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_it_keeps_the_contract(relation: pv.Neighbours) -> None:
    law = pv.plan(MODEL, SCHEMA, records=12, epsilon=2, delta="1e-2", neighbours=relation).mechanism
    few = pv.Schema(
        {**SCHEMA.columns, "age": pv.Integer(20, 22, missing=21)}, population="town", unit="person"
    )
    law = pv.plan(MODEL, few, records=12, epsilon=2, delta="1e-2", neighbours=relation).mechanism
    check_mechanism(law, MODEL, few, records=12, neighbours=relation, releases=400)


def test_releases_have_the_law_that_is_stated() -> None:
    """One weight, more records than were guessed: the share below quantiles of the density, by quadrature."""
    model = pv.LogisticRegression("ill ~ age - 1")
    law = pv.plan(
        model, SCHEMA, records=8, epsilon=2, delta="1e-2", neighbours=pv.ADD_OR_REMOVE_ONE
    ).mechanism
    records = ExactRecords(np.array([[1, 60], [1, 50], [0, 3], [1, 44], [1, 30], [0, 20], [1, 55]] * 3))
    grid = np.arange(-4 * 2**law.places, 4 * 2**law.places)
    logs = [law.log_likelihood(Observed(law.layouts, ((int(one),),)), records) for one in grid]
    chances = np.exp(logs)
    assert chances.sum() == pytest.approx(1, abs=1e-3)
    below = np.cumsum(chances)
    drawn = np.array([law.release(records).counts[0] for _ in range(1500)])
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        place = int(np.searchsorted(below, share))
        want = float(below[place])
        have = float((drawn <= grid[place]).mean())
        assert abs(have - want) < 5 * math.sqrt(want * (1 - want) / len(drawn)) + 1e-3


def test_from_a_file_to_predictions(tmp_path: Path) -> None:
    """CSV, plan, release, questions, predictions, report and review, all from the command line."""
    table = made_up(3000)
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (tmp_path / "town.csv").write_text("\n".join(lines) + "\n")
    pv.Analysis(SCHEMA, MODEL, 3000, pv.Budget.of(2, "1e-5")).write(tmp_path / "town.toml")
    assert 'family = "logistic-regression"' in (tmp_path / "town.toml").read_text()
    told = run_here(["plan", "town.toml"], tmp_path)
    assert told.code == 0, told.errors
    assert "objective-perturbation" in told.output
    assert "no intervals" in " ".join(told.output.split())
    pv.Ledger.create(tmp_path / "town.ledger", population="town", epsilon=3, delta="1e-4")
    made = run_here(
        ["release", "town.toml", "town.csv", "--ledger", "town.ledger", "-o", "town.json", "--yes"], tmp_path
    )
    assert made.code == 0, made.errors
    asked = run_here(["ask", "town.json", "P(ill=yes | age=75, sex=m, town=b)", "--json"], tmp_path)
    assert asked.code == 0, asked.errors
    posterior = pv.infer(pv.Release.read(tmp_path / "town.json"))
    frame = {"age": [75, 25], "sex": ["m", "f"], "town": ["b", "a"]}
    chances = posterior.predict_proba(frame)
    (answer,) = json.loads(asked.output)["answers"]
    assert answer["estimates"][0]["value"] == pytest.approx(chances[0, 1])
    assert chances[0, 1] > 0.75 > 0.25 > chances[1, 1]
    assert posterior.predict(frame).tolist() == ["yes", "no"]
    (tmp_path / "rows.csv").write_text("age,sex,town\n75,m,b\n25,f,a\n")
    ended = run_here(["predict", "town.json", "rows.csv", "-o", "out.csv"], tmp_path)
    assert ended.code == 0, ended.errors
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "row,ill,P(ill=no),P(ill=yes)"
    for command in (["report", "town.json", "-o", "town.html"], ["review", "town.json"]):
        ended = run_here(command, tmp_path)
        assert ended.code == 0, ended.errors
    assert "no intervals" in (tmp_path / "town.html").read_text()


@pytest.fixture(scope="module")
def posterior() -> Any:
    ledger = pv.Ledger.in_memory(population="town", delta="1e-3")
    return pv.infer(pv.measure(planned(epsilon=4), pa.table(made_up(3000)), ledger=ledger))


def test_estimates_have_no_intervals_and_say_so(posterior: Any) -> None:
    assert [one.name for one in posterior.parameters()] == [
        "intercept",
        "age",
        "sex[m]",
        "town[b]",
        "town[c]",
    ]
    assert "without intervals" in str(pv.ask(posterior, "parameters()"))
    ask: Any = pv.ask
    alone = ask(posterior, "P(ill=yes | age=70)").provided
    assert alone == "sex = f and town = a (the first level, not the average of all records)"
    both = ask(posterior, "P(ill=yes | age=70) - P(ill=yes | age=30)")
    assert both.provided == both.to_document()["provided"] == alone
    assert "the middle of its range or the first level" in ask(posterior, "P(ill=yes)").provided
    assert not ask(posterior, "parameter(age)").provided
    for asked in (
        lambda: posterior.draws(3),
        lambda: posterior.summary(),
        lambda: posterior.parameters()[0].interval(),
        lambda: pv.ask(posterior, "interval(ill=yes, 0.5)"),
        lambda: posterior.picture(),
        lambda: posterior.predictions({"age": [30], "sex": ["f"], "town": ["a"]}, None, 0.9),
    ):
        with pytest.raises(pv.InferenceError, match="no intervals"):
            asked()
    with pytest.raises(pv.QuestionError, match="was not released"):
        pv.ask(posterior, "sample 3")
    document = posterior.to_document()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_coefficients_are_of_the_columns_as_they_are(posterior: Any) -> None:
    """A year adds to the log odds what the formula of the coefficient says, for any two rows."""
    value = {one.name: one.mean for one in posterior.parameters()}
    frame = {"age": [30, 31, 31], "sex": ["f", "f", "m"], "town": ["a", "a", "a"]}
    no, yes = posterior.predict_proba(frame).T
    odds = np.log(yes / no)
    assert odds[1] - odds[0] == pytest.approx(value["age"])
    assert odds[2] - odds[1] == pytest.approx(value["sex[m]"])
    assert odds[0] == pytest.approx(value["intercept"] + 30 * value["age"])
    assert value["age"] == pytest.approx(2 / 30, abs=0.03)


def test_a_missing_cell_of_a_row_counts_as_in_the_table(posterior: Any) -> None:
    filled, blank = ({"age": [50, one], "sex": ["f", "m"], "town": ["a", "b"]} for one in (50, None))
    assert np.array_equal(posterior.predict_proba(filled), posterior.predict_proba(blank))
    with pytest.raises(pv.InferenceError, match="not the columns"):
        posterior.predict_proba({"age": [50]})


# Intervals


@pytest.fixture(scope="module")
def sure() -> Any:
    ledger = pv.Ledger.in_memory(population="town", delta="1e-3")
    plan = planned(epsilon=2, mechanism=pv.ObjectivePerturbation, intervals=True)
    return pv.infer(pv.measure(plan, pa.table(made_up(3000)), ledger=ledger))


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_intervals_take_a_fifth_of_the_budget_and_both_parts_are_charged(relation: pv.Neighbours) -> None:
    plain = planned(relation).mechanism
    law = planned(relation, mechanism=pv.ObjectivePerturbation, intervals=True).mechanism
    assert 1.11 < math.sqrt(law.variance / plain.variance) < 1.16
    assert law.guarantee.delta(law.epsilon) <= law.delta
    one = pv.ObjectivePerturbation(
        MODEL, SCHEMA, 1, "1e-5", expected=law.expected, neighbours=relation, variance=law.variance
    )
    assert law.guarantee.delta(0.5) > one.guarantee.delta(0.5)
    with pytest.raises(pv.PlanError, match="do not give the stated guarantee"):
        pv.ObjectivePerturbation(
            MODEL,
            SCHEMA,
            1,
            "1e-5",
            expected=law.expected,
            neighbours=relation,
            variance=plain.variance,
            products=law.products,
        )
    assert "intervals=True" in plain.drawback
    assert "best test" in law.drawback
    # both plans state the price, of their own calibration: more is lost where a record is replaced
    price = 100 * (math.sqrt(law.variance / plain.variance) - 1)
    assert round(price) == (15 if relation is pv.REPLACE_ONE else 13)
    for one in (plain, law):
        assert f"about {price:.0f}% more noise" in one.drawback
    flat = pv.LogisticRegression("ill ~ age - 1")
    bare = pv.plan(
        flat, SCHEMA, records=3000, epsilon=1, delta="1e-5", mechanism=pv.ObjectivePerturbation
    ).mechanism
    assert "no intervals" in bare.drawback
    assert "intervals=True" not in bare.drawback
    few = pv.Schema(
        {**SCHEMA.columns, "age": pv.Integer(20, 22, missing=21)}, population="town", unit="person"
    )
    small = pv.plan(
        MODEL,
        few,
        records=12,
        epsilon=2,
        delta="1e-2",
        neighbours=relation,
        mechanism=pv.ObjectivePerturbation,
        intervals=True,
    ).mechanism
    check_mechanism(small, MODEL, few, records=12, neighbours=relation, releases=400)
    with pytest.raises(pv.PlanError, match="need an intercept"):
        pv.plan(
            pv.LogisticRegression("ill ~ age - 1"),
            SCHEMA,
            records=3000,
            epsilon=1,
            delta="1e-5",
            mechanism=pv.ObjectivePerturbation,
            intervals=True,
        )


def test_no_record_moves_the_products_farther_than_is_stated() -> None:
    """All pairs of records of a small schema; attained where two can be at right angles."""
    kinds = {"ill": pv.Boolean(), "a": pv.Integer(0, 2), "b": pv.Integer(0, 2)}
    few = pv.Schema(kinds, population="few", unit="person")
    model = pv.LogisticRegression("ill ~ a + b")
    rows = model.design(few).rows(codes(model, few))
    each = np.einsum("ni,nj->nij", rows, rows).reshape(len(rows), -1)
    for relation in RELATIONS:
        away = each[:, None] - each[None] if relation is pv.REPLACE_ONE else each
        moved = NoisyProducts.moved(model.design(few), relation)
        assert (away**2).sum(axis=-1).max() <= float(moved) * (1 + 1e-12)
        if relation is pv.ADD_OR_REMOVE_ONE:
            assert (away**2).sum(axis=-1).max() == pytest.approx(float(moved))


def test_intervals_hold_what_the_records_were_made_with(sure: Any) -> None:
    """Slope of age 2 at the end of its range, of sex 0.4, of towns 0: 95% or so of seeds hold each."""
    assert sure.uncertain
    true = {"age": 2 / 30, "sex[m]": 0.8, "town[b]": 0.0, "town[c]": 0.0}
    wide = {one.name: one.interval(0.9999) for one in sure.parameters()}
    for name, value in true.items():
        low, high = wide[name]
        assert low < value < high
    low, high = sure.parameter("age").interval(0.9)
    assert 0.005 < high - low < 0.06
    answer: Any = pv.ask(sure, "P(ill=yes | age=75, sex=m, town=b)")
    assert answer.low < answer.mean < answer.high
    frame = {"age": [75], "sex": ["m"], "town": ["b"]}
    ends = sure.predict_interval(frame)
    assert ends.shape == (1, 2, 2)
    assert ends[0, 1, 0] < sure.predict_proba(frame)[0, 1] < ends[0, 1, 1]
    assert np.allclose(ends[0, 0], 1 - ends[0, 1, ::-1])
    assert [*sure.predictions(frame, None, 0.9)][:3] == ["ill", "P(ill=no)", "low P(ill=no)"]


def test_without_noise_draws_have_the_law_of_the_textbook() -> None:
    """A great many records, hardly any noise: the maximum of the likelihood, give or take its own spread."""
    rng, size, n = np.random.default_rng(5), 3, 50_000
    rows = np.column_stack([np.ones(n), rng.standard_normal((n, 2)) @ [[0.4, 0.1], [0.0, 0.3]]])
    theta = np.array([0.3, 1.0, -0.5])
    signed = rows * np.where(rng.random(n) < 1 / (1 + np.exp(-rows @ theta)), 1.0, -1.0)[:, None]
    found = np.zeros(size)
    for _ in range(30):
        q = 1 / (1 + np.exp(signed @ found))
        hessian = (signed * (q * (1 - q))[:, None]).T @ signed + 1e-3 * np.eye(size)
        found = found - np.linalg.solve(hessian, 1e-3 * found - q @ signed)
    said = Said(found, 1e-3, 1e-6, rows.T @ rows, 1e-6, n, 10.0)
    draws = sampled(said, kept_states=40).weights
    assert np.abs(draws.mean(axis=0) - found).max() < 0.25 * np.sqrt(np.diag(np.linalg.inv(hessian))).max()
    assert np.allclose(draws.std(axis=0), np.sqrt(np.diag(np.linalg.inv(hessian))), rtol=0.15)


def test_more_records_than_were_guessed_neither_overflow_nor_fail() -> None:
    """Sums of products at the end of what can be written: exact, and cut where they are published."""
    columns = {"ill": pv.Categorical(["no", "yes"], missing="no"), "x": pv.Integer(0, 9999, missing=0)}
    schema = pv.Schema({**columns, "z": pv.Integer(0, 99999, missing=0)}, population="few", unit="person")
    model = pv.LogisticRegression("ill ~ x + z")
    design = model.design(schema)
    noise = NoisyProducts(design, pv.ADD_OR_REMOVE_ONE, Fraction(1))
    codes = np.array([[1, 9999, 99999]] * 3, np.int64)
    one = noise.sums(codes[:1])
    assert noise.sums(np.repeat(codes, 50_000, axis=0)) == [150_000 * each for each in one]
    large = NoisyProducts(design, pv.ADD_OR_REMOVE_ONE, Fraction(10**40))
    assert all(abs(number) < 2**62 for number in large.noisy(codes))


def test_chains_that_disagree_walk_on_for_a_bounded_time(sure: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each walk is twice as long as the one before, and as many states are kept of the last one."""
    for said, walks in (([1.2, 1.01], 3), ([1.01], 1), ([1.2, 1.2, 1.2], 7)):
        told = iter(said)
        monkeypatch.setattr(logistic_draws, "split_r_hat", lambda _, told=told: next(told))
        monkeypatch.setattr(logistic_draws, "_FORGOTTEN", 4)
        law, release = sure.releases[0].plan.mechanism, sure.releases[0]
        found = logistic_draws.sampled(
            logistic_draws.Said(
                law.weights(release.statistics),
                float(law.ridge),
                float(law.variance),
                law.noisy_products.matrix(release.statistics.numbers[1]),
                float(law.products),
                release.plan.records,
                2.0,
            ),
            kept_states=6,
        )
        assert found.diagnostics.sweeps == 4 + 6 * walks
        assert len(found.weights) == 8 * 6
        assert found.diagnostics.r_hat == said[-1]
        assert (found.diagnostics.warning is None) == (said[-1] < 1.05)
