"""privior release: the one command that spends and reads data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.commands.plan import planned
from privior.cli.options import (
    AnalysisFile,
    Analyst,
    BuyAgain,
    Calibrate,
    ConcentratedDraws,
    Delta,
    Draws,
    Epsilon,
    Json,
    Least,
    LedgerAddress,
    MechanismName,
    NeighboursName,
    Quiet,
    RecordsNumber,
    SpendKey,
    TableVersion,
    screen_of,
)
from privior.cli.priors import notes
from privior.cli.screen import Screen
from privior.cli.spending import Terms, checked_page, named, spend
from privior.privacy import NOTHING

if TYPE_CHECKING:
    from privior.curator import Measurement
    from privior.release import Release


def release(
    context: typer.Context,
    analysis: AnalysisFile,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="A CSV or Parquet file, a URL of one, or a quoted glob of files.",
            show_default=False,
        ),
    ],
    ledger: LedgerAddress = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The release file to write.", show_default=False)
    ] = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write the HTML report beside the release.")
    ] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Spend without asking.")] = False,
    records: RecordsNumber = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    neighbours: NeighboursName = None,
    mechanism: MechanismName = None,
    draws: Draws = None,
    concentrated: ConcentratedDraws = False,
    calibrate: Calibrate = False,
    least: Least = 0,
    again: BuyAgain = False,
    key: SpendKey = None,
    analyst: Analyst = None,
    table_version: TableVersion = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Spend, read the table once, write the release."""
    screen = screen_of(context)
    plan = planned(
        analysis,
        records,
        epsilon,
        delta,
        neighbours,
        mechanism,
        draws=draws,
        concentrated=concentrated,
        calibrate=calibrate,
        least=least,
    )
    terms = Terms(named(ledger, "release"), key, analyst, table_version, yes, again)
    place = output or Path(f"{analysis.stem}.release.json")
    page = checked_page(place) if report else None

    def tell(ready: Measurement) -> None:
        screen.facts(plan.facts())
        for note in notes(plan):
            screen.text(f"NOTE: {note}")
        _remind(screen, ready, analysis, table)

    spend(
        screen,
        plan,
        table,
        [place],
        terms,
        complete=_complete(place),
        tell=tell,
        write=lambda made, say: _with_page(screen, say, made[0], place, page),
        show=lambda made, written, again: _show(screen, made[0], place, written, again=again),
    )


def _remind(screen: Screen, ready: Measurement, analysis: Path, table: str) -> None:
    """Say before the first spend of a population how to see whether cells are what the schema says."""
    if ready.stored is None and ready.charge.ledger.spent == NOTHING:
        checked = f"privior check {quote(str(analysis))} {quote(table)}"
        screen.text(
            "NOTE: cells that are missing, unknown or written otherwise than the schema says count as its "
            f"`missing` value. See how many first (--look, or --epsilon E to publish it):\n  {checked} --look"
        )


def _show(screen: Screen, made: Release, place: Path, written: Path | None, *, again: bool) -> None:
    """Say what was done; from the release alone, since all else may have changed."""
    plan, receipt = made.plan, made.receipt
    left = receipt.left
    if screen.as_json:  # what an attacker may gain takes long to load
        screen.document(
            {
                "release": str(place),
                "report": None if written is None else str(written),
                "id": made.identifier,
                "sha256": made.sha256,
                "guarantee": plan.guarantee.to_document(),
                "ledger": receipt.to_document(),
                "left": None if left is None else left.to_document(),
            }
        )
    screen.text("Nothing was spent." if again else f"Spent {plan.cost}; left {receipt.left_in_words}.")
    screen.text(f"Wrote {place}, which may be published" + ("." if written is None else f", and {written}."))
    screen.text(f"SHA-256 of {place}: {made.sha256}")
    screen.text(f'Ask it, free: privior ask {quote(str(place))} "{plan.model.first_question}"')
    if plan.model.assumption:
        fit = f"privior check-fit {quote(str(place))} --write histogram.toml --epsilon 0.1"
        screen.text(
            f"Probabilities of records hold if {plan.model.assumption}, which sums cannot tell: {fit}"
        )
    if screen.quiet:
        screen.answer(str(place))


def _complete(place: Path) -> str:
    return f"The release is complete: {place}. Make its report, free: privior report {quote(str(place))}"


def _with_page(
    screen: Screen, say: Callable[[str], None], made: Release, place: Path, page: Path | None
) -> Path | None:
    """Write the report; what goes wrong with it can be done again, and the release is complete."""
    from privior.cache import inferred
    from privior.errors import PriviorError
    from privior.report import write_report

    if page is None:
        return None
    say("writing the report")
    try:
        write_report(made, page, inferred([made]))
    except PriviorError as error:
        screen.complain(f"the report could not be written: {error.what}. {_complete(place)}")
        return None
    return page
