"""The kit accepts what keeps the contract, and notices a fault planted into each of its points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from own_example import SCHEMA, imported, own

import privior as pv
from privior.extend import Factor, Layout, Observed, Offer, Summand
from privior.testing import ContractError, check_mechanism, check_model
from privior.testing.likelihoods import likelihood
from privior.testing.releases import check_variances


@pytest.fixture(autouse=True, scope="module")
def _example() -> Iterator[None]:
    """Know the example's kinds, in this file alone."""
    with imported():
        yield


def test_the_example_keeps_both_contracts() -> None:
    check_model(own().BetaGeometric("wait", pv.Beta(1, 2)), SCHEMA)
    check_mechanism(own().StepNoise(30, 1), own().BetaGeometric("wait"), SCHEMA, records=50)


def _half_ratio(self: Any) -> Fraction:
    return Fraction(math.ceil(math.exp(-2 * float(self.epsilon)) * 2**40), 2**40)


def _one_too_many(self: Any, statistics: Any) -> Observed:
    return Observed.of([int(statistics.counts[0]), 0])


def _without_noise(self: Any, statistics: Any) -> Observed:
    return Observed.of([int(statistics.counts[0])])


def _dearer(cls: Any, asked: Any) -> tuple[Offer, ...]:
    return (Offer(cls.name, lambda: cls(30, 2 * asked.budget.epsilon)),)


def _every_sum(self: Any, asked: Any) -> None:
    if asked.neighbours is not pv.REPLACE_ONE:
        raise pv.PlanError("is for replace-one")


LAW: dict[str, tuple[str, Any, str]] = {
    "another class has its name": ("name", "k-norm", "name"),
    "it does not say what it does": ("about", "", "words"),
    "what is read back is another": (
        "to_document",
        lambda self: {"name": self.name, "move": 3, "epsilon": "1"},
        "document",
    ),
    "it is for other models": ("models", (pv.FiniteFamily,), "FINITE"),
    "it accepts every relation": ("check", lambda self, asked: None, "fit"),
    "nothing is offered": ("offers", classmethod(lambda cls, asked: ()), "offers"),
    "what is offered costs twice": ("offers", classmethod(_dearer), "offers"),
    "another budget is not kept": ("at", lambda self, asked: self, "at"),
    "layouts are wrong": ("layouts", property(lambda self: (Layout("counts", (2,)),)), "layouts"),
    "one number too many": ("release", _one_too_many, "layouts"),
    "its own release is refused": ("admits", lambda self, observed, records: False, "admits"),
    "no noise is drawn": ("release", _without_noise, "log_likelihood"),
    "noise of half the width": ("ratio", property(_half_ratio), "guarantee"),
    "chances are doubled": (
        "log_likelihoods",
        lambda self, observed, sums: math.log(2) + own().StepNoise.kept(self, observed, sums),
        "log_likelihood",
    ),
    "variances are a quarter": (
        "variances",
        property(lambda self: (self.variances_kept[0] / 4,)),
        "variances",
    ),
    "variances are a hundred times": (
        "variances",
        property(lambda self: (self.variances_kept[0] * 100,)),
        "variances",
    ),
    "there is no variance": ("variances", property(lambda self: ()), "variances"),
    "a variance is no number": ("variances", property(lambda self: (math.nan,)), "variances"),
    "it is made for smaller moves": (
        "sensitivity",
        property(lambda self: pv.Sensitivity.of_sums([(0, 1)], pv.REPLACE_ONE)),
        "sensitivity",
    ),
    "it accepts every sum": ("check", _every_sum, "fit"),
    "the count's chances are no numbers": (
        "count_log_likelihoods",
        lambda self, observed, numbers: np.full(numbers.shape, math.nan),
        "log_likelihood",
    ),
    "there is one chance for all counts": (
        "count_log_likelihoods",
        lambda self, observed, numbers: np.zeros(1),
        "log_likelihood",
    ),
    "a table has other chances than many": (
        "log_likelihoods",
        lambda self, observed, sums: own().StepNoise.kept(self, observed, sums) - (sums.shape[1] > 1),
        "log_likelihood",
    ),
    "a table's chance is no number": (
        "log_likelihood",
        lambda self, observed, statistics: math.nan,
        "log_likelihood",
    ),
    "facts fail": ("facts", lambda self, model, schema: [].pop(), "words"),
    "a fact says nothing": ("facts", lambda self, model, schema: [("noise", "")], "words"),
    "no theorem": (
        "guarantee",
        property(lambda self: replace(self.guarantee_kept, reason="")),
        "guarantee",
    ),
    "another relation is promised": (
        "guarantee",
        property(lambda self: replace(self.guarantee_kept, neighbours=pv.ADD_OR_REMOVE_ONE)),
        "guarantee",
    ),
}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = own().StepNoise
    monkeypatch.setattr(kind, "guarantee_kept", kind.guarantee, raising=False)
    monkeypatch.setattr(kind, "variances_kept", kind.variances, raising=False)
    monkeypatch.setattr(kind, "kept", kind.log_likelihoods, raising=False)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("fault", LAW)
def test_a_fault_of_a_mechanism_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, planted, point = LAW[fault]
    mechanism = own().StepNoise(30, 1)
    monkeypatch.setattr(own().StepNoise, name, planted)
    with pytest.raises(
        (ContractError, pv.PlanError), match="not a mechanism for" if point == "FINITE" else f"^{point}:"
    ):
        check_mechanism(mechanism, own().BetaGeometric("wait"), SCHEMA, records=50)


def test_a_count_with_noise_has_the_chances_of_its_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    model, relation = pv.GammaPoisson("wait", pv.Gamma(3, 2)), pv.ADD_OR_REMOVE_ONE
    plan = pv.plan(model, SCHEMA, records=50, epsilon=1, neighbours=relation, mechanism=pv.NoisyStatistics)
    check_mechanism(plan.mechanism, model, SCHEMA, records=50, neighbours=relation, releases=400)
    kept = pv.NoisyStatistics.count_log_likelihoods
    planted = lambda self, observed, numbers: 2 * kept(self, observed, numbers)  # noqa: E731
    monkeypatch.setattr(pv.NoisyStatistics, "count_log_likelihoods", planted)
    with pytest.raises(ContractError, match=r"^log_likelihood: count_log_likelihoods says another"):
        check_mechanism(plan.mechanism, model, SCHEMA, records=50, neighbours=relation, releases=400)


@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_right_variances_are_accepted_and_others_are_not(law: str) -> None:
    rng = np.random.default_rng(1)
    for size in (40, 400, 4000):
        for stddev in (0.3, 3, 300):
            wide = stddev / math.sqrt(2) if law == "laplace" else stddev
            drawn = np.rint(getattr(rng, law)(0, wide, (size, 8))).astype(np.int64)
            right = np.full(8, drawn.astype(float).var())
            check_variances(right, drawn)
            if size == 4000 and stddev > 1:
                for times in (0.5, 2):
                    with pytest.raises(ContractError, match=r"^variances: that of number 3"):
                        check_variances(np.where(np.arange(8) == 3, times, 1) * right, drawn)


MODEL: dict[str, tuple[str, Any, str]] = {
    "another class has its name": ("family", "gamma-poisson", "name"),
    "its prior is not written": (
        "to_document",
        lambda self: {"family": self.family, "column": self.column, "prior": pv.Beta(3, 3).to_document()},
        "document",
    ),
    "another prior is taken": ("with_prior", lambda self, prior: type(self)("wait", pv.Beta(5, 5)), "prior"),
    "it reads other columns": ("columns", property(lambda self: ("other",)), "columns"),
    "a record moves farther than it says": (
        "sensitivity",
        lambda self, schema, neighbours: pv.Sensitivity.of_sums([(0, 1)], neighbours),
        "sensitivity",
    ),
    "the sensitivity is of another relation": (
        "sensitivity",
        lambda self, schema, neighbours: pv.Sensitivity.of_sums([(0, 30)], pv.REPLACE_ONE),
        "sensitivity",
    ),
    "it has no first question": ("first_question", property(lambda self: ""), "words"),
    "the update forgets the records": (
        "update",
        lambda self, law, records, total: pv.Beta(law.first, law.second + total),
        "likelihood",
    ),
    "squares are summed": (
        "summand",
        lambda self, schema: Summand((Factor("wait"), Factor("wait"))),
        "likelihood",
    ),
    "waiting times are summed from 5": (
        "summand",
        lambda self, schema: Summand((Factor("wait", 1, 5),)),
        "likelihood",
    ),
    "waiting times are summed the other way round": (
        "summand",
        lambda self, schema: Summand((Factor("wait", -1, 30),)),
        "likelihood",
    ),
    "the partition has another sign": ("partition", lambda self, theta: np.log(theta), "likelihood"),
    "waiting times are shifted": (
        "value_below",
        lambda self, theta, value: 1.1 - (1 - theta) ** (math.floor(value) + 1),
        "likelihood",
    ),
    "the measure forgets the ways": (
        "log_measure",
        lambda self, records, totals, unit: -totals,
        "likelihood",
    ),
    "a waiting time counts twice": ("grid", lambda self, schema: (Fraction(0), Fraction(2)), "likelihood"),
    "the mean is another one": ("mean_of", lambda self, theta: 1 / theta**2, "likelihood"),
    "values are two too high": (
        "value_below",
        lambda self, theta, value: 1 - (1 - theta) ** (math.floor(value) + 3),
        "likelihood",
    ),
    "it does not say what is less": ("less", "", "words"),
    "it has no subject": ("subject", property(lambda self: " "), "words"),
    "its parameter has no name": ("parameter", "", "words"),
    "its error has no name": ("error_name", "", "words"),
    "its error has no heading": ("error_heading", "", "words"),
    "it assumes a number": ("assumption", property(lambda self: 3), "words"),
    "its words fail": ("in_words", lambda self, schema: [].pop(), "words"),
    "its warning fails": ("prior_outweighs", lambda self, schema, records, left_open: [].pop(), "words"),
    "it always warns": ("prior_outweighs", lambda self, schema, records, left_open: "Mind it.", "words"),
    "it never warns": (
        "prior_outweighs",
        lambda self, schema, records, left_open: str(left_open())[:0],
        "words",
    ),
    "the first question has no answer": ("first_question", property(lambda self: "models()"), "QUESTION"),
}


@pytest.mark.parametrize("fault", MODEL)
def test_a_fault_of_a_model_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, planted, point = MODEL[fault]
    model = own().BetaGeometric("wait", pv.Beta(1, 2))
    monkeypatch.setattr(own().BetaGeometric, name, planted)
    wanted = (ContractError, pv.QuestionError, pv.ModelError)
    with pytest.raises(wanted, match=None if point == "QUESTION" else f"^{point}:"):
        check_model(model, SCHEMA)


def test_other_sums_of_several_parameters_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = pv.Schema({"x": pv.Bounded(-4, 4, grid="0.5")}, population="p", unit="person")
    model = pv.NormalMeanPrecision("x", pv.NormalGamma(0, 1, 3, 2))
    likelihood(model, schema)
    monkeypatch.setattr(pv.NormalMeanPrecision, "middle", lambda self, schema: (Fraction(1),))
    likelihood(model, schema)  # what deviations are measured from is free
    monkeypatch.setattr(pv.NormalMeanPrecision, "units", lambda self, schema: (Fraction(1), Fraction(1)))
    with pytest.raises(ContractError, match=r"^likelihood: sums and records differ"):
        likelihood(model, schema)
