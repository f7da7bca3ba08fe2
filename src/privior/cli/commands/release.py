"""privior release: the one command that spends and reads data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.commands.plan import planned
from privior.cli.commands.report import page_beside
from privior.cli.exit_codes import ExitCode
from privior.cli.options import (
    AnalysisFile,
    Analyst,
    Calibrate,
    Delta,
    Draws,
    Epsilon,
    Json,
    Key,
    Least,
    LedgerAddress,
    MechanismName,
    NeighboursName,
    Quiet,
    Records,
    TableVersion,
    screen_of,
)
from privior.cli.priors import notes
from privior.cli.screen import Screen
from privior.errors import ReleaseInterruptedError
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
    records: Records = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    neighbours: NeighboursName = None,
    mechanism: MechanismName = None,
    draws: Draws = None,
    calibrate: Calibrate = False,
    least: Least = 0,
    key: Key = None,
    analyst: Analyst = None,
    table_version: TableVersion = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Spend, read the table once, write the release."""
    from privior.curator import prepare
    from privior.errors import LedgerError

    screen = screen_of(context)
    plan = planned(
        analysis,
        records,
        epsilon,
        delta,
        neighbours,
        mechanism,
        draws=draws,
        calibrate=calibrate,
        least=least,
    )
    if ledger is None:
        raise LedgerError(
            "no ledger is named",
            where="release",
            advice="Say --ledger FILE or set PRIVIOR_LEDGER; make one with: privior ledger create",
        )
    place = output or Path(f"{analysis.stem}.release.json")
    page = checked_page(place) if report else None
    warn_of_corrections(screen, ledger)
    with screen.progress() as say:
        ready = prepare(
            plan,
            table,
            ledger=ledger,
            output=place,
            key=key,
            analyst=analyst,
            version=table_version,
            progress=say,
        )
    with ready:
        screen.facts(plan.facts())
        for note in notes(plan):
            screen.text(f"NOTE: {note}")
        _remind(screen, ready, analysis, table)
        confirm(screen, ready, yes=yes)
        with said_if_it_stands(screen, place, _complete(place)):
            _carry_out(screen, ready, place, page)


def _remind(screen: Screen, ready: Measurement, analysis: Path, table: str) -> None:
    """Say before the first spend of a population how to see whether cells are what the schema says."""
    if ready.stored is None and ready.charge.book.spent == NOTHING:
        checked = f"privior check {quote(str(analysis))} {quote(table)}"
        screen.text(
            "NOTE: cells that are missing, unknown or written otherwise than the schema says count as its "
            f"`missing` value. See how many first: {checked} --look, or --epsilon E to publish it."
        )


def warn_of_corrections(screen: Screen, ledger: str) -> None:
    """Say that earlier spends will be charged what they lack before this one is looked at."""
    from privior.ledger import Ledger, uncharged_in_words

    due = Ledger.open(ledger).uncharged()
    if due:
        screen.complain(f"{ledger}: {uncharged_in_words(due)}. It is charged now, whatever becomes of this.")


def confirm(screen: Screen, ready: Measurement, *, yes: bool) -> None:
    """Show what will be spent and ask, unless it was said already or nothing will be."""
    if ready.stored is not None:
        entry = ready.stored[0].receipt.entry
        screen.text(f"\nThis key was charged before (entry {entry}): the same is given again, free.\n")
        return
    before = ready.charge.bought()
    if before is not None:
        again = f"privior ledger release {quote(ready.charge.book.where)} {before.number}"
        screen.text(f"NOTE: the same was bought before; to use that again is free: {again} -o FILE")
    screen.text(f"\n{ready.picture().text(screen.width)}\n")
    if not yes and not _agreed(screen, ready):
        screen.fail("NotConfirmed", "not confirmed. Nothing was spent.")
        raise typer.Exit(ExitCode.NO)


@contextmanager
def said_if_it_stands(screen: Screen, place: Path, complete: str) -> Iterator[None]:
    """Say of an interruption after a release file was written that the spend stands."""
    try:
        yield
    except ReleaseInterruptedError:
        raise
    except KeyboardInterrupt:
        if not place.exists():  # the name was taken for this release, so a file there is its own
            raise
        screen.fail("Interrupted", f"interrupted. The spend stands. {complete}")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _carry_out(screen: Screen, ready: Measurement, place: Path, page: Path | None) -> None:
    with screen.progress() as say:
        made = ready.carry_out(say)
        written = _with_page(screen, say, made, place, page)
    with screen.undisturbed():
        _show(screen, made, place, written, again=ready.stored is not None)


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


def checked_page(place: Path) -> Path:
    """Return where the report of a release goes, or refuse where it cannot be written: before the spend."""
    from privior.errors import TableError
    from privior.whole_files import folder_missing, give_back, take_name

    page = page_beside(place)
    if page.exists():
        advice = "Choose another -o, or say --no-report."
        raise TableError("the report exists already", where=str(page), advice=advice)
    try:
        take_name(page)
        give_back(page)
    except (OSError, ValueError):
        raise TableError(
            "the release file cannot be written there", where=str(place), advice=folder_missing(place)
        ) from None
    return page


def _agreed(screen: Screen, ready: Measurement) -> bool:
    from privior.errors import PlanError

    if not screen.can_ask:
        raise PlanError(
            "nobody can be asked here whether to spend",
            where="release",
            asked=ready.charge.work.cost,
            advice="Say --yes to spend without being asked.",
        )
    work = ready.charge.work
    return screen.confirmed(f"Spend {work.cost} of {work.schema.population}, for ever?")


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
