"""Planning: build all that mechanisms offer for a model, forecast it from public facts, pick the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

from privior.errors import PlanError, shown
from privior.forecasting import Expect, Forecast, forecaster
from privior.mechanisms import MECHANISMS, Asked, Mechanism, Offer, compared_for, unsuited
from privior.models import Model
from privior.plans import Candidate, Plan, check_records
from privior.privacy import REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema


def plan(
    model: Model,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = 0,
    neighbours: Neighbours | str = REPLACE_ONE,
    mechanism: type[Mechanism] | None = None,
    expect: Expect | str = Expect.TYPICAL,
    **options: Any,
) -> Plan:
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
        expect: what the truth is expected to look like, for forecasts and the choice alone: "typical" of
            the prior, "uniform" or "skewed"
        options: what only this mechanism knows. `draws`: how many draws from the posterior to release.
            `least`: how many records every cell has at least, if that is public (the design of a sample,
            say), for `pv.DirichletDraw` and `pv.VirtualRecords`; never read it from the data
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
    wanted = _wanted(mechanism, model)
    _check_options(options, wanted or only_mechanism(model), model)
    asked = Asked(model, schema, records, relation, budget, options)
    tried = [_try(offer, kind, asked, expected) for kind, offer in _offers(asked, wanted)]
    chosen = _choose(tried, wanted)
    candidates = tuple(one.candidate for one in tried)
    choice = _why(chosen, tried, asked, wanted)
    law = chosen.mechanism
    if law is None:
        raise chosen.candidate.refusal("plan" if wanted is None else wanted.name)
    return Plan(schema, model, law, relation, records, candidates, choice, expected)


@dataclass(frozen=True)
class _Tried:
    """An offer that was looked at: what was built, if anything, and what the planner says of it."""

    kind: type[Mechanism]
    mechanism: Mechanism | None
    candidate: Candidate

    @property
    def error(self) -> float:
        ahead = self.candidate.forecast
        return float("inf") if ahead is None else ahead.error


def _wanted(mechanism: object, model: Model) -> type[Mechanism] | None:
    """Return the mechanism that was asked for: it, or the one that stands for it with this model."""
    if mechanism is None:
        return None
    if not isinstance(mechanism, type) or not issubclass(mechanism, Mechanism):
        raise unsuited(mechanism, model)
    if not MECHANISMS.has(mechanism):
        raise PlanError("not a registered mechanism", where="mechanism", asked=shown(mechanism))
    if isinstance(model, mechanism.models):
        return mechanism
    for kind in MECHANISMS:
        if kind.stands_for == mechanism.name and isinstance(model, kind.models):
            return kind
    raise unsuited(mechanism, model)


def only_mechanism(model: Model) -> type[Mechanism] | None:
    """Return the one mechanism that is compared for a model, which nobody needs to name; else None."""
    having = [kind for kind in compared_for(model) if not kind.on_request]
    return having[0] if len(having) == 1 else None


def _check_options(options: dict[str, Any], told: type[Mechanism] | None, model: Model) -> None:
    """Refuse what the mechanism does not know, and leave out what is as it would be anyway."""
    known = {} if told is None else told.options
    for name in [one for one in options if one not in known]:
        usual = {one: value for kind in MECHANISMS for one, value in kind.options.items()}
        if type(options[name]) is type(usual.get(name)) and options[name] == usual[name]:
            del options[name]
        else:
            having = [kind for kind in MECHANISMS if name in kind.options and isinstance(model, kind.models)]
            ways = [f"mechanism=pv.{one.__name__} (--mechanism {one.name})" for one in having]
            raise PlanError(
                f"only {', '.join(one.name for one in having) or 'other models'} can be told this",
                where=name,
                asked=shown(options[name]),
                advice=f"Say {' or '.join(ways)}." if ways else None,
            )


def _offers(asked: Asked, wanted: type[Mechanism] | None) -> Iterator[tuple[type[Mechanism], Offer]]:
    """Yield all that mechanisms offer for a model; some only if they are asked for by name."""
    for kind in compared_for(asked.model):
        if kind is wanted or not kind.on_request:
            own = {name: value for name, value in asked.options.items() if name in kind.options}
            for offer in kind.offers(replace(asked, options=own)):
                yield kind, offer


def _try(offer: Offer, kind: type[Mechanism], asked: Asked, expect: Expect) -> _Tried:
    try:
        law = offer.build()
    except PlanError as error:
        unfit = Candidate(offer.name, kind.about, None, None, unfit=error.what, advice=error.advice)
        return _Tried(kind, None, unfit)

    foreseen = forecaster(asked.model, asked.schema, expect)
    wasted = foreseen.wasted(foreseen.typical_records(asked.records, asked.neighbours), law)
    if wasted is not None:
        advice, cost = f"Take {asked.model.remedy}.", law.guarantee.cost
        return _Tried(kind, None, Candidate(offer.name, kind.about, None, cost, wasted, advice))
    ahead = partial(_ahead, asked, expect, law)
    return _Tried(kind, law, Candidate(offer.name, law.about, ahead, law.guarantee.cost))


def _ahead(asked: Asked, expect: Expect, law: Mechanism) -> Forecast:
    """Return what can be expected of a mechanism; a function with a name, so that plans can be copied."""
    foreseen = forecaster(asked.model, asked.schema, expect)
    return foreseen.ahead(foreseen.typical_records(asked.records, asked.neighbours), law)


def _choose(tried: list[_Tried], wanted: type[Mechanism] | None) -> _Tried:
    """Return the offer with the smallest forecast error, of those that are wanted and fit.

    What is kept for study is not wanted unless it was asked for.
    """
    among = [one for one in tried if (not one.kind.for_study if wanted is None else one.kind is wanted)]
    fitting = [one for one in among if one.mechanism is not None]
    if not among:
        raise PlanError("no mechanism fits these public facts", where="plan")
    if len(fitting) > 1:
        return min(fitting, key=lambda one: one.error)
    # Of those that do not fit, one that could be built says best what is missing.
    return fitting[0] if fitting else min(among, key=lambda one: one.candidate.cost is None)


def _why(chosen: _Tried, tried: list[_Tried], asked: Asked, wanted: type[Mechanism] | None) -> str:
    """Say why this one is taken, and how noise compares with draws from the posterior."""
    name = chosen.candidate.name
    rivals = [one for one in tried if one is not chosen and one.mechanism is not None]
    others = [one for one in rivals if not one.kind.for_study]
    if wanted is not None:
        words = f"Takes {name} because it was asked for."
    elif not others:
        words = f"Takes {name}: the only one that fits."
    else:
        error = asked.model.error_name
        next_best = min(one.error for one in others)
        words = f"Takes {name}: the smallest forecast {error} of those that fit"
        words += f"{_margin(next_best / chosen.error) if chosen.error > 0 else ''}."
    words += _draws_or_noise(tried)
    law = chosen.mechanism
    if law is not None and asked.budget.delta > 0 and law.guarantee.cost.delta == 0:
        words += " It needs no delta, and none is spent."
    return words


def _margin(ratio: float) -> str:
    """Say how much larger the next forecast is; a ratio that would be shown as 1 is none."""
    times = f"{ratio:.3g}"
    return ", hardly smaller than the next" if times == "1" else f", {times} times smaller than the next"


def _draws_or_noise(tried: list[_Tried]) -> str:
    """Compare draws from the posterior with noise at this guarantee, in words."""
    drawn = [one for one in tried if one.kind.draws_posterior]
    rest = [one for one in tried if one.mechanism is not None and not one.kind.draws_posterior]
    if not drawn or not rest:
        return ""
    if drawn[0].mechanism is None:
        return f" Posterior draws do not fit: {drawn[0].candidate.unfit}."
    noisy = [one.error for one in rest]
    if not drawn[0].error > 0 or not min(noisy) > 0:
        return ""
    ratio = drawn[0].error / min(noisy)
    if f"{ratio:.3g}" == "1" or f"{1 / ratio:.3g}" == "1":
        return " At this guarantee draws and noise err about as much."
    if ratio > 1:
        return f" At this guarantee noise beats draws: these err {ratio:.3g} times as much."
    return f" At this guarantee draws beat noise: that errs {1 / ratio:.3g} times as much."
