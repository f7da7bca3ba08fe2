"""The kit accepts what keeps the contract, and notices a fault planted into each of its points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from own_example import SCHEMA, imported, own

import privior as pv
from privior.extend import Layout, Observed, Offer
from privior.testing import ContractError, check_mechanism, check_model


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


def _kept(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = vars(own().BetaGeometric)[name]
    return found


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
