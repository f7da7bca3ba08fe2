"""Planning: build every mechanism that fits, forecast its error from public facts, pick the best."""

from __future__ import annotations

from numbers import Integral
from typing import overload

from privior.errors import PlanError, shown
from privior.mechanisms import (
    FAMILY_MECHANISMS,
    MECHANISMS,
    ON_REQUEST,
    AnyMechanism,
    DirichletDraw,
    Expect,
    Mechanism,
    ModelDraws,
    PublicFacts,
    VirtualRecords,
    forecast,
)
from privior.models import DirichletCategorical, Family, FiniteFamily, JointFamily, Model, SummedModel
from privior.planning.families import family_plan
from privior.planning.finite import finite_plan
from privior.plans import Candidate, FamilyPlan, FinitePlan, JointPlan, TablePlan, check_records
from privior.privacy import REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema


@overload
def plan(
    model: DirichletCategorical,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = ...,
    neighbours: Neighbours | str = ...,
    mechanism: type[AnyMechanism] | None = ...,
    draws: int = ...,
    least: int = ...,
    expect: Expect | str = ...,
) -> TablePlan: ...


@overload
def plan(
    model: Family,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = ...,
    neighbours: Neighbours | str = ...,
    mechanism: type[AnyMechanism] | None = ...,
    draws: int = ...,
    least: int = ...,
    expect: Expect | str = ...,
) -> FamilyPlan: ...


@overload
def plan(
    model: FiniteFamily,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = ...,
    neighbours: Neighbours | str = ...,
    mechanism: type[AnyMechanism] | None = ...,
    draws: int = ...,
    least: int = ...,
    expect: Expect | str = ...,
) -> FinitePlan: ...


@overload
def plan(
    model: JointFamily,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = ...,
    neighbours: Neighbours | str = ...,
    mechanism: type[AnyMechanism] | None = ...,
    draws: int = ...,
    least: int = ...,
    expect: Expect | str = ...,
) -> JointPlan: ...


@overload
def plan(
    model: Model,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = ...,
    neighbours: Neighbours | str = ...,
    mechanism: type[AnyMechanism] | None = ...,
    draws: int = ...,
    least: int = ...,
    expect: Expect | str = ...,
) -> TablePlan | FamilyPlan | FinitePlan | JointPlan: ...


def plan(
    model: Model,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = 0,
    neighbours: Neighbours | str = REPLACE_ONE,
    mechanism: type[AnyMechanism] | None = None,
    draws: int = 1,
    least: int = 0,
    expect: Expect | str = Expect.TYPICAL,
) -> TablePlan | FamilyPlan | FinitePlan | JointPlan:
    """Plan one release: free, and without data.

    Args:
        model: what is to be learned
        schema: the public facts about the table
        records: number of units, exact under replace-one, the largest possible one otherwise
        epsilon: the privacy loss to allow; text, whole numbers and Fractions are exact, a float is read
            as its shortest decimal
        delta: the chance to allow for a larger loss; 0 for a pure guarantee
        neighbours: `pv.REPLACE_ONE` (the number of records is public) or `pv.ADD_OR_REMOVE_ONE`
        mechanism: a class such as `pv.GaussianCounts` to use instead of the best forecast;
            `pv.DirichletDraw` and `pv.VirtualRecords` are built only if asked for here
        draws: how many draws from the posterior to release; for `pv.DirichletDraw`
        least: how many records every cell has at least, if that is public (the design of a sample, say), for
            `pv.DirichletDraw` and `pv.VirtualRecords`; never read it from the data
        expect: what the truth is expected to look like, for forecasts and the choice alone: "typical" of
            the prior, "uniform" or "skewed"
    """
    if not isinstance(model, Model):
        raise PlanError(
            "not a model", where="model", asked=shown(model), allowed="pv.DirichletCategorical(...), a family"
        )
    if not isinstance(schema, Schema):
        raise PlanError("not a schema", where="schema", asked=shown(schema), allowed="pv.Schema(...)")
    relation, expected = Neighbours.of(neighbours), Expect.of(expect)
    model.sensitivity(schema, relation)
    budget = Budget.of(epsilon, delta)
    records = int(records) if isinstance(records, Integral) else records  # numpy's numbers are not int
    check_records(records, schema)
    if isinstance(model, SummedModel):
        return family_plan(model, schema, records, budget, relation, mechanism, draws, least, expected)
    if isinstance(model, FiniteFamily):
        return finite_plan(model, schema, records, budget, relation, mechanism, draws, least, expected)
    size = model.size(schema)
    if mechanism is ModelDraws:
        raise PlanError("for finite families, not for Dirichlet tables", where=mechanism.name)
    if mechanism in FAMILY_MECHANISMS:
        raise PlanError("for families, not for tables", where=mechanism.name)
    if draws != 1 and mechanism is not DirichletDraw:
        raise PlanError(
            "only posterior draws have a number of draws",
            where="draws",
            asked=shown(draws),
            advice="Say mechanism=pv.DirichletDraw, or --mechanism dirichlet-draw.",
        )
    if least != 0 and mechanism not in (DirichletDraw, VirtualRecords):
        raise PlanError(
            "only releases from the posterior use a public minimum of the counts",
            where="least",
            asked=shown(least),
            advice="Say mechanism=pv.DirichletDraw or pv.VirtualRecords, or --mechanism dirichlet-draw.",
        )
    facts = PublicFacts(size, records, schema.unit.max_rows, relation, budget, model.prior, draws, least)
    parameters = model.parameters(schema)

    built: list[tuple[Mechanism, Candidate]] = []
    candidates: list[Candidate] = []
    for kind in (*MECHANISMS, *(one for one in ON_REQUEST if one is mechanism)):
        try:
            fitting = kind.for_facts(facts)
        except PlanError as error:
            candidates.append(
                Candidate(kind.name, kind.about, None, None, unfit=error.what, advice=error.advice)
            )
            continue
        error_ahead = forecast(fitting.spectrum, parameters, records, expected)
        candidate = Candidate(kind.name, kind.about, error_ahead, fitting.guarantee.cost)
        candidates.append(candidate)
        built.append((fitting, candidate))

    chosen, choice = _choose(built, candidates, mechanism)
    if budget.delta > 0 and chosen.guarantee.cost.delta == 0:
        choice += " It needs no delta, and none is spent."
    return TablePlan(schema, model, chosen, relation, records, tuple(candidates), choice, expected)


def _choose(
    built: list[tuple[Mechanism, Candidate]], candidates: list[Candidate], wanted: type[AnyMechanism] | None
) -> tuple[Mechanism, str]:
    """Return the mechanism to use and one sentence that says why."""
    if wanted is not None:
        every = MECHANISMS + ON_REQUEST
        if wanted not in every:
            known = "a class: " + ", ".join(f"pv.{kind.__name__}" for kind in every)
            raise PlanError(
                "not a mechanism for a table of counts",
                where="mechanism",
                asked=shown(wanted),
                allowed=known,
            )
        for fitting, candidate in built:
            if isinstance(fitting, wanted):
                return fitting, f"Takes {candidate.name} because it was asked for."
        unfit = next(candidate for candidate in candidates if candidate.name == wanted.name)
        raise unfit.refusal(wanted.name)
    if not built:
        raise PlanError("no mechanism fits these public facts", where="plan")
    best, candidate = min(built, key=lambda pair: _l2(pair[1]))
    others = [_l2(other) for _, other in built if other is not candidate]
    if not others:
        return best, f"Takes {candidate.name}: the only one that fits."
    margin = f", {min(others) / _l2(candidate):.3g} times smaller than the next" if _l2(candidate) > 0 else ""
    return best, f"Takes {candidate.name}: the smallest forecast l2 error of those that fit{margin}."


def _l2(candidate: Candidate) -> float:
    return float("inf") if candidate.forecast is None else candidate.forecast.error
