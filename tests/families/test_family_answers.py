"""Every family of one parameter goes from a CSV file to an answer, by each mechanism."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from family_cases import CASES, SCHEMA, Case, table_of
from summed_cases import RECORDS, WAYS, planned

import privior as pv
from privior.report import page_of


def from_file(case: Case, way: str) -> bool:
    """Whether the table is a file, which a process of its own reads; else it is one in memory.

    One way for each case, in turn, so that every way and every case is read from a file.
    """
    return list(WAYS).index(way) == CASES.index(case) % len(WAYS)


@pytest.fixture
def ledger(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "clinic.ledger", population="clinic", epsilon=10, delta="1e-3")


def told(case: Case, way: str) -> Any:
    """Every second way on every commit, others for the next families: each has both kinds of neighbours."""
    turn = CASES.index(case) // 2 + list(WAYS).index(way)
    marks = [] if turn % 2 == 0 or from_file(case, way) else [pytest.mark.slow]
    return pytest.param(case, way, marks=marks, id=f"{case.name}-{case.model.column}-{way}")


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize(("case", "way"), [told(case, way) for case in CASES for way in WAYS])
def test_from_a_file_to_an_answer(case: Case, way: str, tmp_path: Path, ledger: pv.Ledger) -> None:
    rng = np.random.default_rng(54)  # of its tables none is far from what its parameter leads one to expect
    theta = 0.4 if isinstance(case.model, pv.BetaBinomial | pv.BetaBernoulli) else case.draw(rng)
    cells = case.cells(rng, theta, RECORDS)
    (tmp_path / "clinic.csv").write_text(table_of(case, cells))
    table = str(tmp_path / "clinic.csv") if from_file(case, way) else pa.table({case.model.column: cells})
    plan = planned(case.cut if way == "pure draws" else case.model, SCHEMA, way, 3)
    made = pv.measure(plan, table, ledger=ledger, output=tmp_path / "release.json")
    release = pv.Release.read(tmp_path / "release.json")
    assert (release.plan, release.statistics) == (plan, made.statistics)
    assert pv.verify(release, ledger).passed
    posterior = pv.infer(release)
    low, high = posterior.interval(0.9999)
    assert from_file(case, way) or low <= theta <= high  # what is drawn for a file has no seed
    assert low < posterior.mean() < high
    column = case.model.column
    answer = pv.ask(posterior, f"parameter({column})").to_document()
    assert math.isclose(float(str(answer["mean"])), posterior.mean())
    some = ", ".join(SCHEMA.column(column).labels[:3])
    every = pv.ask(posterior, f"P({column} in {{{some}}})").to_document()
    assert 0 <= float(str(every["low"])) <= float(str(every["high"])) <= 1
    decision = pv.Decision(f"parameter({column})", pv.SquaredError(lower=-1000, upper=1000))
    assert decision.decide(posterior).response == pytest.approx(posterior.mean(), rel=1e-2)
    assert "sample 5" in str(pv.ask(posterior, "sample 5", seed=1).to_document())
    assert set(map(str, posterior.sample(50, seed=1)[column])) <= {
        *SCHEMA.column(column).labels,
        "True",
        "False",
    }
    promised = (column, f"{plan.mechanism.name}: ", str(plan.guarantee), plan.guarantee.claim())
    assert all(words in str(plan) for words in promised)
    assert case.model.parameter in str(posterior)
    if from_file(case, way):  # a page plans many budgets anew, and these infer again
        assert column in page_of(release, posterior)
        assert pv.review(release, ledger).passed
        assert decision.decide(release) == decision.decide(posterior)


@pytest.mark.usefixtures("seeded_noise")
def test_intervals_that_ignore_the_noise_do_not_hold() -> None:
    """The comparison with the truth, given much noise: the same releases, inferred rightly and wrongly."""
    rng = np.random.default_rng(54)
    right: list[bool] = []
    wrong: list[bool] = []
    for case in CASES:
        theta = 0.4 if isinstance(case.model, pv.BetaBinomial | pv.BetaBernoulli) else case.draw(rng)
        table = pa.table({case.model.column: case.cells(rng, theta, RECORDS)})
        ledger = pv.Ledger.in_memory(population="clinic", epsilon=1)
        release = pv.measure(planned(case.model, SCHEMA, "laplace", "0.02"), table, ledger=ledger)
        for found, posterior in ((right, pv.infer(release)), (wrong, pv.infer(release, noise="ignore"))):
            low, high = posterior.interval(0.9999)
            found.append(low <= theta <= high)
    assert all(right)
    assert sum(wrong) <= len(CASES) // 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_the_statistic_is_what_the_definition_says(case: Case) -> None:
    """T = sum of t, by the values of the column and not by their codes."""
    column = SCHEMA.column(case.model.column)
    codes = np.arange(column.size)
    summed = case.model.summand(SCHEMA).of({case.model.column: codes})
    values = np.array([float(label) if label[0] in "-0123456789" else math.nan for label in column.labels])
    model = case.model
    t = {
        "beta-bernoulli": np.array([label in ("true", "yes") for label in column.labels], dtype=float),
        "laplace-scale": np.abs(values - 0.25),
        "normal-precision": values**2 / 2,
    }.get(model.family, values)
    totals = [float(model.total(SCHEMA, 1, int(one))) for one in summed]
    assert np.allclose(totals, t)
    low, high = model.summand(SCHEMA).bounds(SCHEMA)
    assert (low, high) == (summed.min(), summed.max())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_the_update_is_bayes(case: Case) -> None:
    """Prior times likelihood is the updated law, exactly and in floats, up to a constant."""
    for model in (case.model, case.cut):
        records, summed = 7, 7 * sum(model.summand(SCHEMA).bounds(SCHEMA)) // 3
        total = model.total(SCHEMA, records, summed)
        law = model.update(model.law, records, total)  # type: ignore[arg-type]
        theta = np.array([model.law.quantile(share) for share in (0.2, 0.4, 0.7)])
        bayes = model.law.log_density(theta) + model.natural(theta) * float(total)
        bayes = bayes - model.partition(theta) * records
        apart = bayes - law.log_density(theta)
        assert np.allclose(apart, apart[0])
        inside = np.array(
            [model.log_posterior(point, records, np.array([float(total)]), 1.0)[0] for point in theta]
        )
        assert np.allclose(inside - law.log_density(theta), inside[0] - law.log_density(theta)[0])
        low, high = (None if end is None else float(end) for end in model.prior.support)
        first, last = law.quantile(1e-10), law.quantile(1 - 1e-10)
        points = np.linspace(
            first if low is None else max(low, first), last if high is None else min(high, last), 2001
        )
        density = [
            math.exp(model.log_posterior(point, records, np.array([float(total)]), 1.0)[0])
            for point in points
        ]
        assert math.isclose(np.trapezoid(density, points), 1, rel_tol=2e-3)


def test_a_law_cut_at_one_end_has_no_draws() -> None:
    model = pv.GammaExponential("wait", pv.Truncated(pv.Gamma(2, 2), upper=3))
    with pytest.raises(pv.PlanError, match="cut at one end"):
        pv.plan(model, SCHEMA, records=10, epsilon=1, delta="1e-5", mechanism=pv.PosteriorDraws)
    assert pv.plan(model, SCHEMA, records=10, epsilon=1).mechanism.name == "noisy-statistics"


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_where_records_are_dropped_the_number_of_values_is_released(relation: pv.Neighbours) -> None:
    schema = pv.Schema({"events": pv.Integer(0, 12, missing=pv.DROP)}, population="clinic", unit="patient")
    model = pv.GammaPoisson("events")
    plan = pv.plan(model, schema, records=10, epsilon=1, neighbours=relation)
    assert plan.cost.epsilon == 1
    assert len(plan.summands) == 2
    with pytest.raises(pv.PlanError, match="dropped under replace-one"):
        pv.plan(model, schema, records=10, epsilon=1, delta="1e-5", mechanism=pv.PosteriorDraws)


def test_sums_that_engines_cannot_hold_are_refused() -> None:
    schema = pv.Schema({"x": pv.Bounded(-1, 1, grid="0.000003125")}, population="clinic", unit="patient")
    with pytest.raises(pv.PlanError, match="might not be exact"):
        pv.plan(pv.NormalPrecision("x", 0), schema, records=10**12, epsilon=1)


def test_groups(tmp_path: Path) -> None:
    """A family in each group of a column, all groups for the price of one."""
    rng = np.random.default_rng(1)
    schema = pv.Schema(
        {"ward": pv.Categorical(["a", "b"]), "events": pv.Integer(0, 12)}, population="clinic", unit="patient"
    )
    rows = [("a", count) for count in rng.poisson(1, 300)] + [("b", count) for count in rng.poisson(4, 300)]
    (tmp_path / "x.csv").write_text("ward,events\n" + "".join(f"{ward},{count}\n" for ward, count in rows))
    plan = pv.plan(
        pv.GammaPoisson("events"), schema, records=1000, epsilon=6, neighbours=pv.ADD_OR_REMOVE_ONE
    )
    batch = pv.Batch.of([plan], by="ward")
    assert batch.cost.epsilon == 6
    ledger = pv.Ledger.in_memory(population="clinic", epsilon=6)
    first, second = (pv.infer(one) for one in pv.measure_all(batch, str(tmp_path / "x.csv"), ledger=ledger))
    for posterior, mean in ((first, 1), (second, 4)):
        low, high = posterior.interval(0.999)
        assert low < mean < high
