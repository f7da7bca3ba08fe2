"""One contract for all posteriors: every registered one keeps to it, and what does not is noticed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from posterior_contract import CHECKS

import privior as pv
from privior.errors import InferenceError
from privior.posterior import (
    POSTERIORS,
    Finding,
    Posterior,
    Quantity,
    Table,
    TablePosterior,
    posterior_for,
    posterior_of,
)
from privior.posterior.cells import CellNumbers
from privior.posterior.summary import Summary

KEPT = Path(__file__).parents[1] / "compat"
#: a release for each kind of posterior, by noise and by draws
RELEASES = [
    "0.2/k-norm",
    "draws/dirichlet-draw-minimum",
    "kinds/dirichlet-categorical.ehds",
    "kinds/markov-chain.k-norm",
    "kinds/finite-family.gaussian-counts",
    "kinds/finite-family.model-draws",
    "kinds/beta-bernoulli.noisy-statistics",
    "kinds/normal-mean.posterior-draws",
    "kinds/normal-mean-precision.noisy-statistics",
    "networks/bayesian-network.gaussian-tables",
    "networks/bayesian-network.network-draws",
    "regressions/gibbs-posterior.gibbs-draws",
    "regressions/linear-regression.gaussian-moments",
    "regressions/logistic-regression.objective-perturbation.intervals",
]
#: releases that tell estimates alone, and what is to be kept to then
ESTIMATES = ["regressions/logistic-regression.objective-perturbation"]
WITHOUT_INTERVALS = [
    "opposite_events_share_all_records",
    "a_mode_is_a_draw_or_refused",
    "documents_are_plain",
    "ignoring_the_noise_is_said_or_refused",
    "the_prior_is_the_model_s_or_the_analyst_s",
    "the_class_is_final_and_documented",
]


@cache
def inferred(name: str) -> Any:
    return pv.infer(pv.Release.read(KEPT / f"{name}.json"))


def test_every_posterior_is_here() -> None:
    assert {type(inferred(name)) for name in (*RELEASES, *ESTIMATES)} == {kind for _, kind in POSTERIORS}
    assert all(inferred(name).uncertain for name in RELEASES)


@pytest.mark.parametrize("point", WITHOUT_INTERVALS)
@pytest.mark.parametrize("name", ESTIMATES)
def test_contract_without_intervals(name: str, point: str) -> None:
    assert not inferred(name).uncertain
    CHECKS[point](inferred(name))


#: inferred once more from its release; that of the same kind without intervals is so on every commit
SLOW = {(RELEASES[-1], "the_prior_is_the_model_s_or_the_analyst_s")}


@pytest.mark.parametrize(
    ("name", "point"),
    [
        pytest.param(name, point, marks=[pytest.mark.slow] if (name, point) in SLOW else [])
        for name in RELEASES
        for point in CHECKS
    ],
)
def test_contract(name: str, point: str) -> None:
    CHECKS[point](inferred(name))


def halved(self: Any, event: object, given: object = None) -> Quantity:
    whole = TablePosterior.probability(self, event, given)
    return replace(whole, mean=whole.mean / 2)


def with_prior_of_5(releases: Any, prior: object, *, ignore_noise: bool) -> Posterior:
    return TablePosterior.given.__func__(pv.CategoricalPosterior, releases, 5, ignore_noise=ignore_noise)  # type: ignore[attr-defined,no-any-return]


UNDERSTANDS = pv.CategoricalPosterior.understands
UNEVEN = Table(["a", "b"], [["1"]])
#: the point that is broken, where, and by what
FAULTS: dict[str, tuple[str, str, object]] = {
    "a seed is not used": (
        "draws_are_as_asked_for",
        "_draws",
        lambda self, number, rng: np.random.default_rng().dirichlet(np.ones(6), size=number),
    ),
    "draws of another law": (
        "numbers_are_those_of_the_draws",
        "_draws",
        lambda self, number, rng: rng.dirichlet(np.full(6, 50.0), size=number),
    ),
    "probabilities do not add up": ("opposite_events_share_all_records", "probability", halved),
    "another answer each time": (
        "asking_twice_gives_one_answer",
        "probability",
        lambda self, event, given=None: Quantity.of("x", np.random.default_rng().random(9)),
    ),
    "comparisons of another law": (
        "comparisons_and_quantiles_are_those_of_the_draws",
        "quantity",
        lambda self, name, function: Quantity.of(name, function(self.draws(100, 1)) / 2),
    ),
    "names in another order": (
        "numbers_have_names_beside_them",
        "summary",
        lambda self, level=0.9: Summary.of(self.quantities()[::-1], level),
    ),
    "no number has a name": ("quantities_have_names_and_intervals", "quantities", lambda self: []),
    "a mode of another shape": ("a_mode_is_a_draw_or_refused", "mode", lambda self: np.ones(2)),
    "columns are missing from samples": (
        "samples_are_records",
        "sample",
        lambda self, n, seed=None: {"fruit": ["apple"] * n},
    ),
    "rows do not fit their header": (
        "findings_are_shown_alike_everywhere",
        "findings",
        lambda self, level=0.9: [Finding("x", UNEVEN)],
    ),
    "print leaves out the source": (
        "findings_are_shown_alike_everywhere",
        "computed",
        property(lambda self: ()),
    ),
    "warnings are left out of documents": (
        "documents_are_plain",
        "to_document",
        lambda self, level=0.9: {"level": level, "warnings": ["none"]},
    ),
    "a question that nobody can ask": (
        "it_answers_what_it_understands_and_no_more",
        "understands",
        {**UNDERSTANDS, "nonsense": "mean"},
    ),
    "a question that makes no sense here": (
        "it_answers_what_it_understands_and_no_more",
        "understands",
        {**UNDERSTANDS, "stationary": "probability"},
    ),
    "ignored noise is not said": (
        "ignoring_the_noise_is_said_or_refused",
        "caveats",
        property(lambda self: self.warnings),
    ),
    "an analyst's prior is not used": (
        "the_prior_is_the_model_s_or_the_analyst_s",
        "given",
        staticmethod(with_prior_of_5),
    ),
    "draws are taken for chains": (
        "arviz_gets_draws_alone",
        "numbers",
        property(lambda self: Chains(self.model, self.schema)),
    ),
    "a class that may be derived from": ("the_class_is_final_and_documented", "__final__", False),
}


class Chains(CellNumbers):
    """Takes each draw for a chain."""

    def variables(self, theta: Any) -> dict[str, Any]:
        return {"posterior": {"theta": theta}}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point, name, value = FAULTS[fault]
    CHECKS[point](inferred("0.2/k-norm"))
    monkeypatch.setattr(pv.CategoricalPosterior, name, value, raising=False)
    posterior = replace(inferred("0.2/k-norm"))
    with pytest.raises((AssertionError, InferenceError)):
        CHECKS[point](posterior)


def test_every_point_has_a_planted_fault() -> None:
    assert {point for point, _, _ in FAULTS.values()} == set(CHECKS)


@dataclass(frozen=True)
class Coins:
    """A model of somebody else."""

    family = "coins"


class OwnCoins(Coins):
    """One that derives from it."""


def test_posteriors_are_registered_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(POSTERIORS, "_made", dict(POSTERIORS))
    with pytest.raises(InferenceError, match="no posterior") as refused:
        posterior_of(Coins())
    assert refused.value.where == "Coins"
    posterior_for(Coins)(pv.CategoricalPosterior)
    assert posterior_of(OwnCoins()) is posterior_of(Coins()) is pv.CategoricalPosterior
    with pytest.raises(InferenceError, match="another posterior"):
        posterior_for(Coins)(pv.MarkovPosterior)


def test_no_posterior_derives_from_another() -> None:
    kinds = {kind for _, kind in POSTERIORS}
    assert not any(issubclass(one, other) for one in kinds for other in kinds - {one})
    assert all(issubclass(kind, Posterior) for kind in kinds)


def test_releases_of_different_models_are_not_used_together() -> None:
    """Of one family and column, but with another known spread: they do not say the same of a mean."""
    schema = pv.Schema({"x": pv.Bounded(-4, 4, grid=1)}, population="few", unit="person")
    made = []
    for stddev in (1, 2):
        plan = pv.plan(
            pv.NormalMean("x", pv.Normal(0, stddev=1), stddev=stddev), schema, records=5, epsilon=1
        )
        made.append(pv.measure(plan, pa.table({"x": ["0"] * 5}), ledger=pv.Ledger.in_memory()))
    with pytest.raises(InferenceError, match="differ in their model"):
        pv.infer(made)
