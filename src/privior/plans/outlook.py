"""The outlook of a plan: what other mechanisms and budgets would give, and what to mind before spending."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from privior.errors import PlanError
from privior.exact import decimal, round_up

if TYPE_CHECKING:
    from privior.forecasting import Forecast
    from privior.pictures import ErrorCurve
    from privior.plans.candidate import Candidate
    from privior.plans.plan import Plan

#: header and rows
TableOfWords = tuple[list[str], list[list[str]]]

#: the budgets that are shown beside the one that was asked for, as multiples of it
BUDGETS = [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)]
#: likewise for the curve: powers of the root of 2, to three digits, from 1/32 to 32
_CURVE = [Fraction(f"{2 ** (step / 2):.2e}") for step in range(-10, 11)]
#: a promise under which an attacker may be as sure as this, in percent, is called weak
_WEAK = 90
#: a release whose error is more than this share of the prior's own is hardly worth its budget
_IDLE = 0.9


def warnings(plan: Plan) -> Iterator[str]:
    """Yield what somebody should know before she spends; where others have spent, what they cannot keep."""
    if plan.mechanism.imported:
        yield from filter(None, [plan.mechanism.drawback])
        return
    noun = plan.schema.unit.noun

    def left_open() -> float:
        before = plan.without_release.error
        return plan.without_noise.error / before if before > 0 else 1.0

    outweighed = plan.inferred.prior_outweighs(plan.schema, plan.records, left_open)
    if outweighed:
        yield outweighed
    elif plan.forecast.error > _IDLE * plan.without_release.error:
        yield f"This release would hardly say more than the prior alone. Take {plan.model.remedy}."
    yield from plan.cautions
    if plan.schema.unit.max_rows > 1:
        yield (
            f"Rows of one {noun} are treated as independent: if they resemble each other, intervals are too "
            "narrow (max_rows = 1 avoids this). Forecasts assume one row each; more rows give narrower ones."
        )
    if plan.mechanism.drawback:
        yield plan.mechanism.drawback
    if plan.effort is not None and plan.effort.warning():
        yield plan.effort.warning()
    sure = plan.guarantee.attacker_percent
    if sure >= _WEAK:
        pure = plan.guarantee.pure is not None
        gain = f"end {sure:g}% sure" if pure else f"guess right {sure:g}% of the time"
        yield f"A weak promise: an attacker may {gain}. Take a smaller epsilon."


def unsaid(plan: Plan) -> Iterator[str]:
    """Yield what the schema leaves unsaid: to be mended before the spend, and settled by it."""
    for name in plan.model.columns:
        column = plan.schema.column(name)
        if not column.missing_said:
            yield (
                f"A missing or unreadable {name} counts as {column.labels[column.missing_code or 0]}, "
                'because the schema does not say what it means: give the column missing = a value, or "drop".'
            )


def comparison(plan: Plan) -> TableOfWords:
    """Return what the planner compared, with publishing nothing as the last row."""
    measures = list(plan.without_release.measures)
    rows = [_row(candidate, len(measures)) for candidate in plan.candidates]
    nothing = ["(prior alone)", "0", "0", *_errors(plan.without_release), "no release"]
    return ["mechanism", "epsilon", "delta", *measures, ""], [*rows, nothing]


def budgets(plan: Plan) -> TableOfWords:
    """Return what smaller and larger budgets would buy with the plan's mechanism."""

    def row(epsilon: str, ahead: Forecast, sure: float, note: str) -> list[str]:
        return [epsilon, f"{ahead.width:.3g}", f"{ahead.error:.3g}", f"{sure:g}%", note]

    rows = [
        row(
            _amount(other.cost.epsilon),
            other.forecast,
            other.guarantee.attacker_percent,
            "this plan" if other.cost == plan.cost else "",
        )
        for other in plan.nearby()
    ]
    nothing = row("0", plan.without_release, 50, "no release")
    everything = row("no limit", plan.without_noise, 100, "no privacy")
    gain = "attacker at most" if plan.guarantee.pure is not None else "attacker right"
    return ["epsilon", "90% width", plan.model.error_heading, gain, ""], [nothing, *rows, everything]


def curve(plan: Plan) -> ErrorCurve:
    """Draw the expected width of the intervals against epsilon, and what else is drawn of the model."""
    from privior.pictures import ErrorCurve

    further = [] if plan.mechanism.slow else plan.around([one for one in _CURVE if one not in BUDGETS])
    plans = {round_up(other.cost.epsilon): other for other in (*plan.nearby(), *further, plan)}
    epsilons = sorted(epsilon for epsilon, other in plans.items() if math.isfinite(other.forecast.width))
    if round_up(plan.cost.epsilon) not in epsilons or not math.isfinite(plan.without_release.width):
        raise PlanError("no width is forecast for this prior: it is beyond 64-bit floats", where="plan")
    drawn = {name: [plans[one].forecast.measures[name] for one in epsilons] for name in plan.model.pictured}
    of = " (width)" if drawn else ""
    return ErrorCurve(
        epsilons,
        {"90% interval": [plans[epsilon].forecast.width for epsilon in epsilons], **drawn},
        title="What epsilon buys",
        y_label=", ".join(["expected width", *drawn]),
        chosen=round_up(plan.cost.epsilon),
        chosen_label=decimal(plan.cost.epsilon),
        lines={
            f"no noise: the records alone{of}": plan.without_noise.width,
            f"no release: the prior alone{of}": plan.without_release.width,
        },
        note=f"{plan.model.width_in_words(plan.schema)}; forecast for {plan.expect.words}, "
        f"{plan.mechanism.name}",
    )


def _row(candidate: Candidate, measures: int) -> list[str]:
    if candidate.forecast is None or candidate.cost is None:
        return [candidate.name, *[""] * (measures + 2), (candidate.unfit or "").partition(":")[0]]
    cost = [_amount(candidate.cost.epsilon), _amount(candidate.cost.delta)]
    return [candidate.name, *cost, *_errors(candidate.forecast), ""]


def _amount(exact: Fraction) -> str:
    """Write an amount for a narrow column: exactly, or rounded up to four digits."""
    written = decimal(exact)
    return written if len(written) <= 8 else f"{float(exact) * 1.0005:.4g}"


def _errors(ahead: Forecast) -> list[str]:
    return [f"{distance:.4g}" for distance in ahead.measures.values()]
