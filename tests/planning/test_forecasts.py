"""Forecasts against simulated releases, on the same public facts each time. The full grid is in evidence/."""

from __future__ import annotations

from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privior as pv
from forecast_grid import MEASURES, RELATIONS, Case, Tally, simulated
from privior.forecasting import TableForecast, error_law, prior_alone
from privior.forecasting.one_cell import CountLaw, CountNoise, SeenCell

SCHEMA = pv.Schema({"x": pv.Categorical([f"level {i}" for i in range(6)])}, population="p", unit="person")
MODEL = pv.DirichletCategorical("x", prior=1)
SEED = 1


def planned(**facts: object) -> pv.Plan:
    return pv.plan(MODEL, SCHEMA, **{"records": 1000, "epsilon": "0.1", **facts})  # type: ignore[arg-type]


def test_forecasts_and_choices_on_a_grid() -> None:
    """Always the same facts and simulations, so that it never fails by chance; evidence/ draws new ones."""
    rng = np.random.default_rng(SEED)
    cases = [replace(Case.drawn(rng, 8, 300), neighbours=RELATIONS[i % 2]) for i in range(8)]
    for relation, tally in Tally.of(cases, 60, rng).items():
        for measure, off in zip(MEASURES, tally.off.tolist(), strict=True):
            assert off == 0, f"{measure} off in {off} cases, {relation}"
        assert tally.cases.min() >= 4  # all can be told
        assert tally.right == tally.choices >= 3, relation


@pytest.mark.parametrize("expect", ["uniform", "typical", "skewed"])
def test_a_forecast_for_another_budget_is_found_out(expect: str) -> None:
    """The comparison can fail: half or twice the noise is not within 20%, in any measure."""
    case = Case(("1",) * 6, 400, "0.2", "0", "replace-one", pv.Expect.of(expect))
    rng = np.random.default_rng(5)
    plan = case.plan(pv.KNorm)
    real, spread = simulated(plan, [case.truth(rng) for _ in range(150)], rng)
    for factor, good in ((1, True), (Fraction(1, 2), False), (2, False)):
        ahead = plan.at(plan.mechanism.epsilon * factor).forecast
        for place, measure in enumerate(MEASURES):
            ratio = getattr(ahead, measure) / getattr(real, measure)
            assert (1 / 1.2 < ratio < 1.2 + 2 * spread[place]) == good, (measure, ratio)


@pytest.mark.parametrize("records", [7, 30, 300])
@pytest.mark.parametrize("laplace", [True, False])
@pytest.mark.parametrize("variance", [0.01, 1.0, 50.0])
def test_the_sums_over_some_numbers_are_those_over_all(records: int, laplace: bool, variance: float) -> None:
    law, noise = CountLaw(records, 0.7, 1.9), CountNoise(variance, laplace)
    cell = SeenCell.of(law, noise, law)
    estimates, left = cell.estimates(0.0)
    squared = cell.expected((estimates - cell.counts[:, None]) ** 2)

    counts, z = np.arange(records + 1.0), np.arange(-300.0, 301.0)
    prior, likely = np.exp(law.log_mass(counts)), np.exp(noise.log_mass(z))
    prior, likely = prior / prior.sum(), likely / likely.sum()
    assert (likely * z**2).sum() == pytest.approx(variance, rel=0.02)
    seen = np.arange(-300.0, records + 301.0)
    joint = prior[:, None] * np.exp(noise.log_mass(seen[None, :] - counts[:, None]))
    joint /= np.exp(noise.log_mass(z)).sum()
    means = (joint * counts[:, None]).sum(axis=0) / np.maximum(joint.sum(axis=0), 1e-300)
    exact = (joint * (counts[:, None] - means) ** 2).sum()
    assert squared == pytest.approx(exact, rel=0.05)
    assert left == pytest.approx(exact, rel=0.05)


def test_no_noise_and_no_release_are_the_ends() -> None:
    plan = planned(expect="skewed")
    assert plan.without_noise.l2 < 1e-6
    assert 0 < plan.without_noise.kl < 1e-2  # the prior's pull, which the posterior mean keeps
    errors = [asdict(one) for one in (plan.without_noise, plan.at(10).forecast, plan.forecast)]
    for measure in MEASURES:
        values = [error[measure] for error in errors]
        assert values[0] < values[1] * 1.01 < values[2]
    tiny = plan.at("1e-9").forecast
    for measure in MEASURES:
        assert getattr(tiny, measure) == pytest.approx(getattr(plan.without_release, measure), rel=0.02)


def test_the_prior_alone_is_what_it_is_for_a_table_of_one() -> None:
    """One record, Dirichlet(1, 3): p is (1, 0) with chance 1/4, and q = (1/4, 3/4)."""
    found = prior_alone(np.array([1.0, 3.0]), 1)
    assert found.l2**2 == pytest.approx(2 * (9 / 16 / 4 + 1 / 16 * 3 / 4))
    assert found.total_variation == pytest.approx(3 / 4 / 4 + 1 / 4 * 3 / 4)
    assert found.kl == pytest.approx(np.log(4) / 4 + np.log(4 / 3) * 3 / 4)
    assert found.hellinger**2 == pytest.approx(1 - (np.sqrt(1 / 4) / 4 + np.sqrt(3 / 4) * 3 / 4))


def test_huge_tables_keep_their_digits() -> None:
    """K-norm noise on two cells has variance about 2 / epsilon^2 on each, whatever the number of records."""
    for records in (10**6, 10**9, 10**12):
        for expect in pv.Expect:
            spectrum: Any = error_law(pv.KNorm(2, "0.5"))
            ahead = pv.plan(
                MODEL_OF_TWO, SCHEMA_OF_TWO, records=records, epsilon="0.5", mechanism=pv.KNorm, expect=expect
            ).forecast
            assert ahead.l2 * records == pytest.approx(np.sqrt(sum(spectrum.variances)), rel=0.05)


def test_what_is_expected_changes_forecasts_and_nothing_else() -> None:
    plans = [planned(expect=expect) for expect in ("uniform", "typical", "skewed")]
    assert len({plan.digest for plan in plans}) == 1
    assert plans[0] == plans[1] == plans[2]
    assert len({plan.forecast.l2 for plan in plans}) == 3
    assert plans[0].without_release.l2 < plans[2].without_release.l2
    assert plans[2].at(1).expect is pv.Expect.SKEWED
    assert planned().expect is pv.Expect.TYPICAL
    with pytest.raises(pv.PlanError, match="unknown expectation"):
        planned(expect="steep")


def test_every_forecast_stands_beside_the_prior_alone() -> None:
    header, rows = planned(expect="uniform").comparison()
    assert "KL" in header
    assert rows[-1][0] == "(prior alone)"
    assert all(len(row) == len(header) for row in rows)
    assert rows[-1][header.index("KL")] == f"{planned(expect='uniform').without_release.kl:.4g}"
    assert "kl" in TableForecast.__dataclass_fields__


SCHEMA_OF_TWO = pv.Schema({"x": pv.Boolean()}, population="p", unit="person")
MODEL_OF_TWO = pv.DirichletCategorical("x", prior=1)
