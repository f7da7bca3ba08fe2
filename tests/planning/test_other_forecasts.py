"""Forecasts for laws that are no noise on the cells, against sums over everything and simulated releases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln, kl_div

import privior as pv
from forecast_grid import MEASURES, Case, Tally, simulated
from kinds import ON_REQUEST
from privior.forecasting import Expect, error_law, forecast
from privior.mechanisms import HellingerMechanism, Mechanism, PosteriorRelease
from privior.models import ExactStatistics, Observed
from privior.privacy.hellinger import all_tables

PRIOR = ("0.4", "1.5")


def summed(
    mechanism: Mechanism, prior: np.ndarray, tables: np.ndarray, outputs: np.ndarray, expect: Expect
) -> list[float]:
    """Sum over every truth and every output."""
    likely = np.exp(
        [
            [
                mechanism.log_likelihood(Observed.of(tuple(r)), ExactStatistics(np.array(x)))
                for r in outputs.tolist()
            ]
            for x in tables.tolist()
        ]
    )
    believed = np.exp((gammaln(tables + prior) - gammaln(tables + 1)).sum(axis=1))
    true = believed
    if expect is not Expect.TYPICAL:
        true = np.prod(expect.shares(prior) ** tables, axis=1) / np.exp(gammaln(tables + 1).sum(axis=1))
    joint = (true / true.sum())[:, None] * likely
    posterior = believed[:, None] * likely
    means = posterior.T @ tables / posterior.sum(axis=0)[:, None]
    records = tables[0].sum()
    p, q = (tables / records)[:, None, :], (means / records)[None]
    smooth = (means + prior) / (records + prior.sum())
    return [
        float(np.sqrt((joint * ((p - q) ** 2).sum(axis=2)).sum())),
        float((joint * np.abs(p - q).sum(axis=2)).sum() / 2),
        float(np.sqrt((joint * ((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=2)).sum() / 2)),
        float((joint * kl_div(p, smooth[None]).sum(axis=2)).sum()),
    ]


@pytest.mark.parametrize("expect", list(Expect))
@pytest.mark.parametrize(
    "mechanism",
    [
        pv.EHD(2, 2, 9, PRIOR),
        pv.EHDS(2, 2, 9, PRIOR),
        pv.EHDL(2, 2, 9, PRIOR),
        pv.VirtualRecords(2, PRIOR, 12, rate="0.6", records=9),
        pv.EHDS(3, 1, 5, ("0.4", "1.5", "3")),
    ],
    ids=lambda one: f"{one.name}-{one.cells}",
)
def test_few_outputs_are_summed_exactly(mechanism: Mechanism, expect: Expect) -> None:
    assert isinstance(mechanism, (HellingerMechanism, PosteriorRelease))
    assert isinstance(mechanism.prior, tuple)
    prior = np.array([float(one) for one in mechanism.prior])
    tables = all_tables(mechanism.records, mechanism.cells)
    outputs = all_tables(getattr(mechanism, "drawn", mechanism.records), mechanism.cells)
    ahead = forecast(error_law(mechanism), prior, mechanism.records, expect)
    exact = summed(mechanism, prior, tables, outputs, expect)
    assert [getattr(ahead, measure) for measure in MEASURES] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("kind", ON_REQUEST, ids=lambda kind: kind.name)
def test_forecasts_are_near_simulated_errors(kind: type[Mechanism]) -> None:
    """Few facts, always the same ones; evidence/ draws many at run time."""
    rng = np.random.default_rng(8)
    tally = Tally()
    for _ in range(4):
        case, plan = Case.planned(rng, kind, 10, 1100 if issubclass(kind, HellingerMechanism) else 100, 1100)
        tables = [case.truth(rng) for _ in range(60)]
        tally.compare(case, [(plan, *simulated(plan, tables, rng))])
    assert (tally.near == tally.judged).all()
    assert tally.judged.sum() >= 8


@pytest.mark.parametrize("kind", [pv.EHDS, pv.VirtualRecords], ids=lambda kind: kind.name)
def test_a_forecast_for_another_budget_is_found_out(kind: type[Mechanism]) -> None:
    """The comparison can fail."""
    case = Case(("1", "1", "1"), 40, "4", "0", "replace-one", Expect.TYPICAL)
    rng = np.random.default_rng(5)
    plan = case.plan(kind)
    tables = [case.truth(rng) for _ in range(200)]
    for factor, good in ((1, True), (Fraction(1, 3), False)):
        other = plan.at(plan.mechanism.epsilon * factor)
        tally = Tally()
        tally.compare(case, [(other, *simulated(plan, tables, rng))])
        assert bool((tally.near == tally.judged).all()) == good
        assert tally.judged.sum() == 4
