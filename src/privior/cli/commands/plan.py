"""privior plan: compare mechanisms and budgets before any data are opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privior.cli.options import (
    AnalysisFile,
    Calibrate,
    ConcentratedDraws,
    Delta,
    Draws,
    Epsilon,
    ExpectName,
    Json,
    Least,
    MechanismName,
    NeighboursName,
    Quiet,
    RecordsNumber,
    screen_of,
)
from privior.cli.priors import notes

if TYPE_CHECKING:
    from privior.plans import Plan


#: distances that are left out where there is little room; JSON has them
_SELDOM, _WIDE = ("total variation", "Hellinger", "KL"), 105


def plan(
    context: typer.Context,
    analysis: AnalysisFile,
    records: RecordsNumber = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    neighbours: NeighboursName = None,
    mechanism: MechanismName = None,
    draws: Draws = None,
    concentrated: ConcentratedDraws = False,
    calibrate: Calibrate = False,
    least: Least = 0,
    expect: ExpectName = "typical",
    want: Annotated[
        str | None,
        typer.Option(
            help='Find the epsilon: "width 0.02", "l2 0.01", "total-variation 0.05", "hellinger 0.05", '
            '"kl 0.01".',
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare mechanisms and budgets, free, without data."""
    screen = screen_of(context)
    with screen.waiting("planning"):
        made = planned(
            analysis,
            records,
            epsilon,
            delta,
            neighbours,
            mechanism,
            want,
            draws=draws,
            concentrated=concentrated,
            calibrate=calibrate,
            least=least,
            expect=expect,
        )
        document = _document(made) if screen.as_json else None
        budgets = made.budgets() if screen.explains else ([], [])
    screen.document(document)
    if screen.explains:
        screen.facts(made.facts())
        from privior.vocabulary import explained

        for word, meaning in explained(value for _, value in made.facts()):
            screen.text(f"{word}: {meaning}")
        screen.heading("Mechanisms" if want is None else f"Mechanisms, at the epsilon that reaches {want}")
        header, rows = made.comparison()
        kept = [place for place, name in enumerate(header) if name not in _SELDOM or screen.width >= _WIDE]
        screen.table([header[place] for place in kept], [[row[place] for place in kept] for row in rows])
        screen.text(f"{made.choice}")
        for note in notes(made):
            screen.text(f"NOTE: {note}")
        if made.model.assumption:
            tells = "a histogram can, as a second release: privior check-fit"
            screen.text(
                f"Probabilities of records hold if {made.model.assumption}; sums cannot tell, {tells}."
            )
        screen.heading("Budgets")
        screen.table(*budgets)
        screen.text(f"\n{made.picture().text(screen.width)}")
    if screen.quiet:
        screen.answer(f"{made.mechanism.name}: {made.cost}, 90% width {made.forecast.width:.4g}")


def planned(
    analysis: Path,
    records: int | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    neighbours: str | None = None,
    mechanism: str | None = None,
    want: str | None = None,
    *,
    draws: int | None = None,
    concentrated: bool = False,
    calibrate: bool = False,
    least: int = 0,
    expect: str = "typical",
) -> Plan:
    """Plan what an analysis file asks for, with what the command line says instead."""
    from privior.analyses import Analysis
    from privior.errors import PlanError
    from privior.mechanisms import MECHANISMS
    from privior.planning import Want, plan_for

    kind = None if mechanism is None else MECHANISMS.named(mechanism)
    told = {"draws": draws, "concentrated": concentrated or None, "least": least or None}
    # Mechanisms know what an option is if nothing is said.
    options: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    others = want is not None or least or concentrated or expect != "typical"
    if calibrate and (others or getattr(kind, "name", "posterior-draws") != "posterior-draws"):
        raise PlanError(
            "--calibrate chooses the dials of posterior draws at a given epsilon, for a typical truth",
            where="calibrate",
            advice="Leave out --want, --least, --concentrated, --expect and other mechanisms.",
        )
    if want is None:
        asked = Analysis.read(analysis, records=records, epsilon=epsilon, delta=delta, neighbours=neighbours)
        if calibrate:
            return asked.calibrate_draws(draws).plan
        return asked.plan(kind, expect=expect, **options)
    if epsilon is not None:
        raise PlanError("--want finds the epsilon: --epsilon cannot be given with it", where="want")
    wanted = Want.of(want)
    asked = Analysis.read(analysis, records=records, epsilon="1", delta=delta, neighbours=neighbours)
    return plan_for(
        wanted,
        asked.model,
        asked.schema,
        records=asked.records,
        delta=asked.budget.delta,
        neighbours=asked.neighbours,
        mechanism=kind or asked.mechanism,
        expect=expect,
        **{**asked.options_for(kind), **options},
    )


def _document(made: Plan) -> dict[str, object]:
    return {
        "plan": made.to_document(),
        "digest": made.digest,
        "guarantee": made.guarantee.to_document(),
        "claim": made.guarantee.claim(),
        "expect": made.expect.value,
        "forecast": made.forecast.to_document(),
        "without_release": made.without_release.to_document(),
        "without_noise": made.without_noise.to_document(),
        "candidates": [
            {
                "mechanism": candidate.name,
                "cost": None if candidate.cost is None else candidate.cost.to_document(),
                "forecast": None if candidate.forecast is None else candidate.forecast.to_document(),
                "unfit": candidate.unfit,
            }
            for candidate in made.candidates
        ],
        "choice": made.choice,
        "warnings": list(made.notes),
        "budgets": [
            {"cost": other.cost.to_document(), "forecast": other.forecast.to_document()}
            for other in made.nearby()
        ],
    }
