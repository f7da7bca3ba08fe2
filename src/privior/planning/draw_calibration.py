"""The number of draws, the interval, the weight of the prior and that of records, chosen together.

Posterior draws have four dials. More draws average out, but each may then look less at the records. A cut
interval makes a draw pure, but a parameter outside it is lost. A prior that weighs more, or records that
weigh less (the temperature), hide each record better, but tell less. At a given (epsilon, delta) they trade
off against each other, so they are searched together, from public facts alone: every setting gets the largest
weight of records that keeps the promise, and the smallest forecast error wins. Whoever reads the release is
taken to infer with the model's own prior, `pv.infer(release, prior=...)`, whatever the draws were made with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from privior.errors import ModelError, PlanError, shown
from privior.exact import decimal, positive
from privior.forecasting import forecaster
from privior.mechanisms import NoisyStatistics, PosteriorDraws
from privior.models import Family
from privior.models.laws import Conjugate, Ends, Law, Reweighted, Truncated
from privior.pictures import listing
from privior.planning.comparison import plan
from privior.plans import Candidate, Plan
from privior.privacy import REPLACE_ONE, Budget
from privior.schema import Schema

#: numbers of draws that are tried: of families whose draws compose in closed form, and of cut laws
_DRAWS, _CUT_DRAWS = (1, 2, 4, 8, 16, 32, 64), (1, 4, 16)
#: how often the prior's own knowledge counts
_PRIOR_WEIGHTS = (1, 2, 4)
#: of settings whose errors differ by no more than this factor the simplest is taken
_CLOSE = 1.01
#: shares of the prior that are cut off at each end
_TAILS = (1e-2, 1e-3, 1e-4)


@dataclass(frozen=True)
class DrawSetting:
    """One setting of the dials, and what it is forecast to give.

    Attributes:
        draws: how many
        prior: what the draws are made with
        prior_weight: how often the prior's own knowledge counts in it
        weight: of a record; None if the setting does not fit
        error: the forecast; None if it does not fit
        unfit: why it does not
    """

    draws: int
    prior: Law
    prior_weight: Fraction
    weight: Fraction | None = None
    error: float | None = None
    unfit: str = ""


@dataclass(frozen=True)
class DrawCalibration:
    """What was tried and what was chosen.

    Attributes:
        plan: of the best setting, to be measured like any other
        chosen: the best setting
        settings: all of them, the best first and those that do not fit last
        noise: the forecast error of noisy statistics at the same guarantee
        reason: why this one, and how it compares with noise, in words
    """

    plan: Plan
    chosen: DrawSetting
    settings: tuple[DrawSetting, ...]
    noise: float
    reason: str

    def __str__(self) -> str:
        rows = [
            [str(one.draws), str(one.prior), f"{float(one.weight or 0):.4g}", f"{one.error:.4g}"]
            for one in self.settings[:8]
            if one.error is not None
        ]
        return "\n".join([*listing.table(["draws", "prior", "weight", "error"], rows), "", self.reason])


def calibrate_draws(
    model: Family,
    schema: Schema,
    *,
    records: int,
    epsilon: object,
    delta: object = 0,
    draws: int | None = None,
    cut: Sequence[object] | None = None,
    prior_weight: object = None,
    weight: object = None,
) -> DrawCalibration:
    """Choose the dials of posterior draws at an (epsilon, delta), from public facts: free, and without data.

    Args:
        model: the family, with the prior that is believed
        schema: the public facts about the table
        records: the exact public number of records
        epsilon: the privacy loss to allow
        delta: the chance to allow for a larger loss
        draws: how many, if that is given; else a few numbers are tried
        cut: the two ends of the interval to which the prior is cut, or () for none; else quantiles of the
            prior are tried. A prior that is cut or re-weighted already stays as it is.
        prior_weight: how often the prior's own knowledge counts in the draws; else 1, 2 and 4 are tried
        weight: of a record, at most 1; else the largest that keeps the promise
    """
    if not isinstance(model, Family):
        raise PlanError("not a family of one parameter", where="model", asked=shown(model))
    budget = Budget.of(epsilon, delta)
    plain = plan(
        model, schema, records=records, epsilon=budget.epsilon, delta=budget.delta, mechanism=NoisyStatistics
    )
    forecasts = forecaster(model, schema)
    tried: list[tuple[DrawSetting, PosteriorDraws | None]] = []
    for setting in _settings(model, draws, cut, prior_weight):
        own = model.with_prior(setting.prior)
        try:
            law = PosteriorDraws(
                own, schema, records, budget.epsilon, budget.delta, draws=setting.draws, weight=weight
            )
        except PlanError as error:
            facts = (setting.draws, setting.prior, setting.prior_weight)
            tried.append((DrawSetting(*facts, unfit=error.what), None))
            continue
        found = forecasts.ahead(records, law).error
        facts = (setting.draws, setting.prior, setting.prior_weight)
        tried.append((DrawSetting(*facts, law.weight, found), law))
    tried.sort(key=lambda pair: math.inf if pair[0].error is None else pair[0].error)
    least = tried[0][0].error or math.inf
    close = [pair for pair in tried if pair[0].error is not None and pair[0].error <= _CLOSE * least]
    best, mechanism = min(close or tried, key=lambda pair: _effort(pair[0]))
    tried.sort(key=lambda pair: pair[0] is not best)
    if mechanism is None or best.error is None:
        raise PlanError(
            f"no setting of posterior draws fits: {best.unfit}",
            where=PosteriorDraws.name,
            asked=str(budget),
            advice="Pin fewer settings, ask for a larger epsilon or a delta, or release noisy statistics.",
        )
    settings = tuple(setting for setting, _ in tried)
    reason = _reason(model, best, settings, plain.forecast.error)
    ahead = partial(forecasts.ahead, records, mechanism)
    candidates = [one for one in plain.candidates if one.name != mechanism.name]
    candidates.append(Candidate(mechanism.name, mechanism.about, ahead, mechanism.guarantee.cost))
    made = Plan(
        schema, mechanism.model, mechanism, REPLACE_ONE, records, tuple(candidates), reason, believed=model
    )
    return DrawCalibration(made, best, settings, plain.forecast.error, reason)


def _effort(setting: DrawSetting) -> tuple[bool, int, Fraction]:
    """Order settings that are as good: those without a cut, with few draws, with the prior as it is."""
    return isinstance(setting.prior, Truncated), setting.draws, setting.prior_weight


def _settings(
    model: Family, draws: int | None, cut: Sequence[object] | None, prior_weight: object
) -> Iterator[DrawSetting]:
    """List what is to be tried; whatever is pinned is pinned."""
    weights = (
        tuple(map(Fraction, _PRIOR_WEIGHTS))
        if prior_weight is None
        else (positive(prior_weight, "prior weight", least=Fraction(1, 1000), most=Fraction(1000)),)
    )
    fixed = isinstance(model.prior, Truncated | Reweighted)
    if fixed and (cut is not None or prior_weight not in (None, 1)):
        raise PlanError(
            "a prior that is cut or re-weighted stays as it is", where="prior", asked=str(model.prior)
        )
    for times in (Fraction(1),) if fixed else weights:
        laws: list[Law] = (
            [model.prior] if fixed else [_cut(model.law.knowing(times), ends) for ends in _ends(model, cut)]
        )
        for law in laws:
            bounded = isinstance(law, Truncated | Reweighted)
            closed = _DRAWS if model.draws_compose else (1,)
            for number in (_CUT_DRAWS if bounded else closed) if draws is None else (draws,):
                yield DrawSetting(number, law, times)


def _ends(model: Family, cut: Sequence[object] | None) -> list[Ends | None]:
    """Return the intervals to try; None is none."""
    if cut is not None:
        if len(cut) == 0:
            return [None]
        if len(cut) != 2:
            raise PlanError(
                "an interval has two ends", where="cut", asked=shown(cut), allowed="(lower, upper)"
            )
        made = _cut(model.law, (cut[0], cut[1]))
        return [made.support]
    found: list[Ends | None] = [None]
    for tail in _TAILS:
        low, high = (_short(model.law.quantile(share)) for share in (tail, 1 - tail))
        first, last = model.law.support
        if (first is None or low > first) and (last is None or high < last) and low < high:
            found.append((low, high))
    return found


def _cut(law: Conjugate, ends: tuple[object, object] | None) -> Law:
    if ends is None:
        return law
    try:
        return Truncated(law, *ends)
    except ModelError as error:
        raise PlanError(error.what, where="cut", asked=error.asked) from None


def _short(number: float) -> Fraction:
    """Round a public number to three digits."""
    return Fraction(f"{number:.2e}")


def _reason(model: Family, best: DrawSetting, settings: tuple[DrawSetting, ...], noise: float) -> str:
    """Say what was chosen, what each dial does to the error, and whether noise would have been better."""
    error = best.error or math.inf
    number = f"{best.draws} draw{'' if best.draws == 1 else 's'}"
    fitting = [one for one in settings if one.error is not None]
    said = [
        f"Takes {number} from the posterior of {best.prior}, each record weighing "
        f"{decimal(best.weight or Fraction(0))}: the smallest forecast error ({error:.4g}), within 1%, of "
        f"the {len(fitting)} settings that fit, of {len(settings)} tried."
    ]

    def beside(others: list[DrawSetting], words: str) -> None:
        errors = [one.error for one in others if one.error is not None]
        if errors:
            said.append(f"{words} it would be {min(errors) / error:.3g} times as large.")

    cut = isinstance(best.prior, Truncated | Reweighted)
    beside([one for one in fitting if one.draws != best.draws], "With another number of draws")
    beside(
        [one for one in fitting if isinstance(one.prior, Truncated | Reweighted) != cut],
        "Without the cut" if cut else "With a cut",
    )
    beside(
        [one for one in fitting if one.prior_weight != best.prior_weight], "With another weight of the prior"
    )
    if best.prior != model.prior:
        said.append("Infer with your own prior: pv.infer(release, prior=...).")
    if noise < error:
        said.append(
            f"Noisy statistics win at this guarantee: their forecast is {error / noise:.3g} times smaller."
        )
    else:
        said.append(f"Draws win at this guarantee: noisy statistics err {noise / error:.3g} times as much.")
    return " ".join(said)
