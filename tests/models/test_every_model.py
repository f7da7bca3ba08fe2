"""Every model keeps the contract of models: the kit that others use for theirs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from summed_cases import SUMMED, Summed, planned
from write_files import GARDEN, KINDS

import privior as pv
from privior.models import MODELS, Family, to_model
from privior.models.laws import to_joint_law, to_law
from privior.registry import outside
from privior.testing import check_model


def test_every_registered_model_is_checked() -> None:
    assert {type(model) for model, _ in KINDS} == {kind for kind in MODELS if not outside(kind)}


@pytest.mark.parametrize("model", [model for model, _ in KINDS], ids=lambda model: model.family)
def test_it_keeps_the_contract(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privior.posterior.families.joint_chain._SWEEPS", 100)  # not how well it is answered
    monkeypatch.setattr("privior.posterior.families.joint_chain._ROUNDS", 1)
    monkeypatch.setattr("privior.posterior.regression.regression_draws._KEPT", 20)
    records = 600 if isinstance(model, pv.LinearRegression) else 60  # so few would give its prior back
    check_model(model, GARDEN, records=records)


# Families: what they refuse, and what they write, in every way that a release of them is made


@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_a_family_is_written_and_read_back(case: Summed) -> None:
    read = to_law if isinstance(case.model, Family) else to_joint_law
    for model in {model for model in case.by_way.values() if model is not None}:
        assert to_model(model.to_document()) == model
        assert read(model.prior.to_document()) == model.prior
    for way, model in case.by_way.items():
        if model is None:
            continue
        plan = planned(model, case.schema, way, case.epsilon)
        document = plan.to_document()
        assert pv.Plan.from_document(document) == plan
        mechanism = dict(document["mechanism"])  # type: ignore[call-overload]
        better: dict[str, object] = {"weight": "1"}
        if "scales" in mechanism:
            better = {"scales": [f"{Fraction(scale) / 2}" for scale in mechanism["scales"]]}
        if mechanism != {**mechanism, **better}:
            with pytest.raises(pv.PlanError, match=r"do(es)? not give"):
                pv.Plan.from_document({**document, "mechanism": {**mechanism, **better}})


@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_a_family_refuses_bad_input(case: Summed) -> None:
    model, schema, document = case.model, case.schema, case.model.to_document()
    with pytest.raises(pv.ModelError, match="not conjugate"):
        to_model({**document, "prior": case.wrong.to_document()})
    with pytest.raises(pv.ModelError, match="unknown or missing"):
        to_model({**document, "sort": 1})
    with pytest.raises(pv.ModelError, match="unknown law"):
        to_model({**document, "prior": {"law": "cauchy"}})
    if "column" in document:
        with pytest.raises(pv.SchemaError):
            pv.plan(to_model({**document, "column": "nowhere"}), schema, records=10, epsilon=1)
    facts: dict[str, Any] = {"population": "clinic", "unit": "patient"}
    words = pv.Schema({name: pv.Categorical(["a", "b", "c"]) for name in model.columns}, **facts)
    with pytest.raises(pv.ModelError, match=r"not a column of numbers|more than two levels"):
        pv.plan(model, words, records=10, epsilon=1)
    unit = pv.Unit("patient", column="who", max_rows=3)
    several = pv.Schema(dict(schema.columns), population="clinic", unit=unit)
    counted = len(pv.plan(model, schema, records=10, epsilon=1).summands) + 1
    assert len(pv.plan(model, several, records=10, epsilon=1).summands) == counted
    with pytest.raises(pv.PriviorError, match="one row of each unit"):
        pv.plan(model, several, records=10, epsilon=1, delta="1e-5", mechanism=pv.PosteriorDraws)
    if model.least_records > 1:
        with pytest.raises(pv.PlanError, match="too few records"):
            pv.plan(model, schema, records=model.least_records - 1, epsilon=1)


@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_a_family_refuses_mechanisms_that_do_not_fit(case: Summed) -> None:
    model, schema = case.model, case.schema
    with pytest.raises(pv.PlanError, match="not a mechanism for"):
        pv.plan(model, schema, records=10, epsilon=1, mechanism=pv.KNorm)
    facts: dict[str, Any] = {"records": 10, "epsilon": 1, "mechanism": pv.PosteriorDraws}
    if case.by_way["pure draws"] is not model:  # else its draws are pure
        with pytest.raises(pv.PlanError, match=r"no privacy is proved|delta > 0"):
            pv.plan(model, schema, **facts)
    with pytest.raises(pv.PlanError, match="public number of records"):
        pv.plan(model, schema, delta="1e-5", neighbours=pv.ADD_OR_REMOVE_ONE, **facts)
    if isinstance(model, Family):
        with pytest.raises(pv.PlanError, match="only posterior-draws can be told this"):
            pv.plan(model, schema, records=10, epsilon=1, draws=3)
