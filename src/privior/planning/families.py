"""Planning for families: noisy statistics against draws from the posterior."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from privior.errors import PlanError, shown
from privior.mechanisms import (
    FAMILY_MECHANISMS,
    AnyMechanism,
    Expect,
    FamilyMechanism,
    NoisyStatistics,
    PosteriorDraws,
    parameter_forecast,
)
from privior.models import SummedModel
from privior.plans import Candidate, FamilyPlan, JointPlan, summed_plan
from privior.privacy import REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema

#: what is compared, by the names that the table of candidates shows
_LAPLACE, _GAUSSIAN = "noisy-statistics, Laplace", "noisy-statistics, Gaussian"


def family_plan(
    model: SummedModel,
    schema: Schema,
    records: int,
    budget: Budget,
    neighbours: Neighbours,
    wanted: type[AnyMechanism] | None,
    draws: int,
    least: int,
    expect: Expect,
) -> FamilyPlan | JointPlan:
    """Build every mechanism that fits, forecast the interval's width, and take the narrowest."""
    if wanted is not None and wanted not in FAMILY_MECHANISMS:
        known = ", ".join(f"pv.{kind.__name__}" for kind in FAMILY_MECHANISMS)
        raise PlanError(
            "not a mechanism for a family",
            where="mechanism",
            asked=shown(wanted),
            allowed=known,
        )
    if least != 0:
        raise PlanError("a public minimum of counts is for tables", where="least", asked=shown(least))
    if draws != 1 and wanted is not PosteriorDraws:
        raise PlanError(
            "only posterior draws have a number of draws",
            where="draws",
            asked=shown(draws),
            advice="Say mechanism=pv.PosteriorDraws, or --mechanism posterior-draws.",
        )
    ranges = [one.bounds(schema) for one in model.summands(schema, neighbours)]

    def noisy(delta: Fraction) -> NoisyStatistics:
        return NoisyStatistics(ranges, budget.epsilon, delta, neighbours=neighbours)

    def gaussian() -> NoisyStatistics:
        if budget.delta == 0:
            raise PlanError("needs delta > 0: Gaussian noise is never pure", where=_GAUSSIAN)
        return noisy(budget.delta)

    def drawn() -> PosteriorDraws:
        if neighbours is not REPLACE_ONE:
            raise PlanError("needs a public number of records: replace-one", where=PosteriorDraws.name)
        return PosteriorDraws(model, schema, records, budget.epsilon, budget.delta, draws=draws)

    makers: dict[str, Callable[[], FamilyMechanism]] = {
        _LAPLACE: lambda: noisy(Fraction(0)),
        _GAUSSIAN: gaussian,
        PosteriorDraws.name: drawn,
    }
    built: list[tuple[FamilyMechanism, Candidate]] = []
    candidates = []
    for name, make in makers.items():
        try:
            law = make()
        except PlanError as error:
            candidates.append(Candidate(name, "", None, None, unfit=error.what, advice=error.advice))
            continue
        ahead = parameter_forecast(model, schema, records, law)
        candidates.append(Candidate(name, law.about, ahead, law.guarantee.cost))
        built.append((law, candidates[-1]))
    chosen, choice = _choose(built, candidates, wanted)
    choice += _draws_or_noise(built, candidates)
    if budget.delta > 0 and chosen.guarantee.cost.delta == 0:
        choice += " It needs no delta, and none is spent."
    return summed_plan(schema, model, chosen, neighbours, records, tuple(candidates), choice, expect)


def _choose(
    built: list[tuple[FamilyMechanism, Candidate]],
    candidates: list[Candidate],
    wanted: type[AnyMechanism] | None,
) -> tuple[FamilyMechanism, str]:
    """Return the mechanism to use and one sentence that says why."""
    fitting = [pair for pair in built if wanted is None or isinstance(pair[0], wanted)]
    if not fitting:
        unfit = next(one for one in candidates if wanted is None or one.name.startswith(wanted.name))
        raise unfit.refusal("plan" if wanted is None else wanted.name)
    best, candidate = min(fitting, key=_error)
    if wanted is not None:
        return best, f"Takes {candidate.name} because it was asked for."
    others = [_error(pair) for pair in built if pair[0] is not best]
    margin = f", {min(others) / _error((best, candidate)):.3g} times smaller than the next" if others else ""
    return best, f"Takes {candidate.name}: the smallest forecast error of those that fit{margin}."


def _draws_or_noise(built: list[tuple[FamilyMechanism, Candidate]], candidates: list[Candidate]) -> str:
    """Compare draws with noise at this guarantee, in words."""
    drawn = [_error(pair) for pair in built if isinstance(pair[0], PosteriorDraws)]
    noisy = [_error(pair) for pair in built if not isinstance(pair[0], PosteriorDraws)]
    if not drawn:
        why = next(one.unfit for one in candidates if one.name == PosteriorDraws.name)
        return f" Posterior draws do not fit: {why}."
    if not noisy:
        return ""
    ratio = drawn[0] / min(noisy)
    if ratio > 1:
        return f" At this guarantee noise beats draws: these err {ratio:.3g} times as much."
    return f" At this guarantee draws beat noise: that errs {1 / ratio:.3g} times as much."


def _error(pair: tuple[FamilyMechanism, Candidate]) -> float:
    ahead = pair[1].forecast
    return float("inf") if ahead is None else ahead.error
