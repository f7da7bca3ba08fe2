"""Planning for finite families: noise on the table of counts against draws of a model."""

from __future__ import annotations

from collections.abc import Callable

from privior.errors import PlanError, shown
from privior.mechanisms import (
    AnyMechanism,
    Expect,
    FiniteMechanism,
    GaussianCounts,
    KNorm,
    LaplaceCounts,
    Mechanism,
    ModelDraws,
    PosteriorDraws,
    PublicFacts,
    model_forecast,
)
from privior.models import FiniteFamily
from privior.plans import Candidate, FinitePlan
from privior.privacy import Budget, Neighbours
from privior.schema import Schema

#: noise that is compared; of two that are forecast equal the first is taken
_NOISE: tuple[type[Mechanism], ...] = (KNorm, LaplaceCounts, GaussianCounts)


def finite_plan(
    model: FiniteFamily,
    schema: Schema,
    records: int,
    budget: Budget,
    neighbours: Neighbours,
    wanted: type[AnyMechanism] | None,
    draws: int,
    least: int,
    expect: Expect,
) -> FinitePlan:
    """Build every mechanism that fits, forecast what it leaves open, and take the best."""
    size = model.size(schema)
    kind = ModelDraws if wanted is PosteriorDraws else wanted
    if kind is not None and kind not in (*_NOISE, ModelDraws):
        known = ", ".join(f"pv.{one.__name__}" for one in (*_NOISE, ModelDraws))
        raise PlanError(
            "not a mechanism for a finite family", where="mechanism", asked=shown(wanted), allowed=known
        )
    if least != 0:
        raise PlanError(
            "a public minimum of counts is for Dirichlet tables", where="least", asked=shown(least)
        )
    if draws != 1 and kind is not ModelDraws:
        raise PlanError(
            "only draws of a model have a number of draws",
            where="draws",
            asked=shown(draws),
            advice="Say mechanism=pv.ModelDraws, or --mechanism model-draws.",
        )
    rows = schema.unit.max_rows
    facts = PublicFacts(size, records, rows, neighbours, budget)

    def drawn() -> ModelDraws:
        return ModelDraws(
            model,
            records,
            budget.epsilon,
            budget.delta,
            draws=draws,
            neighbours=neighbours,
            max_rows=rows,
        )

    makers: dict[str, Callable[[], FiniteMechanism]] = {
        one.name: lambda one=one: one.for_facts(facts)  # type: ignore[misc]
        for one in _NOISE
    }
    makers[ModelDraws.name] = drawn
    built: list[tuple[FiniteMechanism, Candidate]] = []
    candidates = []
    for name, make in makers.items():
        try:
            law = make()
        except PlanError as error:
            candidates.append(Candidate(name, "", None, None, unfit=error.what, advice=error.advice))
            continue
        ahead = model_forecast(model, records, law)
        candidates.append(Candidate(name, law.about, ahead, law.guarantee.cost))
        built.append((law, candidates[-1]))
    chosen, choice = _choose(built, candidates, kind)
    if budget.delta > 0 and chosen.guarantee.cost.delta == 0:
        choice += " It needs no delta, and none is spent."
    return FinitePlan(schema, model, chosen, neighbours, records, tuple(candidates), choice, expect)


def _choose(
    built: list[tuple[FiniteMechanism, Candidate]],
    candidates: list[Candidate],
    wanted: type[AnyMechanism] | None,
) -> tuple[FiniteMechanism, str]:
    """Return the mechanism to use and one sentence that says why."""
    fitting = [pair for pair in built if wanted is None or isinstance(pair[0], wanted)]
    if not fitting:
        unfit = next(one for one in candidates if wanted is None or one.name == wanted.name)
        raise unfit.refusal("plan" if wanted is None else wanted.name)
    best, candidate = min(fitting, key=_error)
    if wanted is not None:
        return best, f"Takes {candidate.name} because it was asked for."
    return best, f"Takes {candidate.name}: the least chance of wrong models, as forecast, of those that fit."


def _error(pair: tuple[FiniteMechanism, Candidate]) -> float:
    ahead = pair[1].forecast
    return float("inf") if ahead is None else ahead.error
