"""The dials of posterior draws, chosen together from public facts."""

from __future__ import annotations

from fractions import Fraction

import pytest

import privior as pv
from privior.models.laws import Law, Truncated
from privior.planning import DrawCalibration

SCHEMA = pv.Schema(
    {"wait": pv.Bounded(0, 20, grid="0.1"), "sick": pv.Boolean()}, population="clinic", unit="patient"
)
MODEL = pv.GammaExponential("wait", pv.Gamma(20, 20))


def chosen(*models: pv.GammaExponential, **given: object) -> DrawCalibration:
    asked = {"records": 1000, "epsilon": 1, "delta": "1e-6", **given}
    return pv.calibrate_draws(models[0] if models else MODEL, SCHEMA, **asked)  # type: ignore[arg-type]


def test_the_choice_is_the_best_of_what_was_tried() -> None:
    found = chosen()
    errors = [one.error for one in found.settings if one.error is not None]
    assert found.chosen is found.settings[0]
    assert found.chosen.error is not None
    assert found.chosen.error <= 1.01 * min(errors)
    assert {one.draws for one in found.settings} > {1, 4, 16}
    assert {isinstance(one.prior, Truncated) for one in found.settings} == {True, False}
    assert {one.prior_weight for one in found.settings} == {1, 2, 4}
    mechanism = found.plan.mechanism
    assert isinstance(mechanism, pv.PosteriorDraws)
    assert (mechanism.draws, mechanism.weight) == (found.chosen.draws, found.chosen.weight)
    assert found.plan.cost == pv.Budget.of(1, "1e-6")
    for words in (
        f"Takes {found.chosen.draws} draw",
        "another number of draws",
        "With a cut",
        "Noisy statistics",
    ):
        assert words in str(found)
    assert "pv.infer(release, prior=...)" in found.reason


def test_the_plan_is_a_plan_like_any_other() -> None:
    plan = chosen(draws=2).plan
    assert pv.Plan.from_document(plan.to_document()) == plan
    table = "wait\n" + "\n".join(["0.5", "1.5"] * 500)
    assert "Takes 2 draws" in str(plan)
    with pytest.raises(pv.PriviorError):  # no such file: nothing is read before the spend
        pv.measure(plan, table[:4], ledger=pv.Ledger.in_memory(population="clinic", epsilon=2, delta="1e-3"))


def test_all_forecasts_are_for_who_infers_with_the_prior_that_is_believed() -> None:
    """Whatever prior the draws are made with: else the prior alone would seem to be better than a release."""
    model = pv.GammaExponential("wait", pv.Gamma(2, 2))
    found = chosen(model, records=60, epsilon=2)
    plan = found.plan
    assert plan.model.prior != model.prior
    (candidate,) = [one for one in plan.candidates if one.name == plan.mechanism.name]
    assert plan.forecast == candidate.forecast
    assert plan.forecast.error == found.chosen.error
    assert plan.at(2).forecast == plan.forecast
    plain = pv.plan(model, SCHEMA, records=60, epsilon=2)
    assert isinstance(plain, pv.Plan)
    assert (plan.without_release, plan.without_noise) == (plain.without_release, plain.without_noise)
    assert plan.forecast.error < plan.without_release.error
    assert "Gamma(2, 2), and who infers with it" in dict(plan.facts())["forecasts"]
    assert "forecasts" not in dict(plain.facts())
    draws_alone = pv.Plan(SCHEMA, plan.model, plan.mechanism, plan.neighbours, plan.records)
    assert draws_alone == plan  # what is believed is no part of what is released
    assert draws_alone.without_release.error < plan.forecast.error  # that of another prior is no comparison


@pytest.mark.parametrize(
    ("given", "prior"),
    [
        ({"draws": 3, "cut": (), "prior_weight": 1}, pv.Gamma(20, 20)),
        ({"cut": ("0.5", 2), "prior_weight": 2}, pv.Truncated(pv.Gamma(40, 40), "0.5", 2)),
    ],
    ids=str,
)
def test_what_is_pinned_stays(given: dict[str, object], prior: Law) -> None:
    found = chosen(**given)
    assert {one.prior for one in found.settings} == {prior}
    assert "draws" not in given or {one.draws for one in found.settings} == {3}
    least = chosen(**given, weight="0.001")
    assert least.chosen.weight == Fraction(1, 1000)
    assert (least.chosen.error or 0) > (found.chosen.error or 0)


def test_without_delta_only_cut_laws_fit() -> None:
    found = chosen(delta=0)
    assert isinstance(found.chosen.prior, Truncated)
    assert any("delta" in one.unfit for one in found.settings)
    assert found.plan.cost.delta == 0


def test_a_prior_that_is_cut_or_reweighted_stays() -> None:
    prior = pv.Reweighted(pv.Truncated(pv.Gamma(20, 20), "0.4", 3), 2)
    found = chosen(pv.GammaExponential("wait", prior), delta=0)
    assert {one.prior for one in found.settings} == {prior}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"cut": (1,)}, "two ends"),
        ({"cut": (2, 1)}, "nothing is left"),
        ({"prior_weight": 0}, "prior weight"),
        ({"draws": 0}, "no setting"),
        ({"weight": 1}, "no setting"),
        ({"delta": 0, "cut": ()}, "no setting"),
    ],
    ids=str,
)
def test_bad_input(given: dict[str, object], says: str) -> None:
    with pytest.raises(pv.PriviorError, match=says):
        chosen(**given)
