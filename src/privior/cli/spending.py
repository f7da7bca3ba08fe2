"""Spending: what every command does that reads a table: warn, prepare, ask, carry out, write, show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import typer

from privior.cli.commands.report import page_beside
from privior.cli.exit_codes import ExitCode
from privior.cli.screen import Screen
from privior.errors import LedgerError, ReleaseInterruptedError

if TYPE_CHECKING:
    from privior.curator import Measurement
    from privior.plans import Batch, Plan
    from privior.release import Release

Written = TypeVar("Written")


class Terms(NamedTuple):
    """How to spend: from which ledger, for whom, under which key, and whether it was agreed to already.

    Attributes:
        again: whether it was agreed to pay for what was bought before, too
    """

    ledger: str
    key: str | None
    analyst: str | None
    version: str | None
    yes: bool
    again: bool


def named(ledger: str | None, command: str) -> str:
    """Return the ledger, or say that none is named."""
    if ledger is None:
        raise LedgerError(
            "no ledger is named",
            where=command,
            advice="Say --ledger FILE or set PRIVIOR_LEDGER; make one with: privior ledger create",
        )
    return ledger


def spend(
    screen: Screen,
    work: Plan | Batch,
    table: str,
    places: Sequence[Path],
    terms: Terms,
    *,
    complete: str,
    tell: Callable[[Measurement], None],
    write: Callable[[tuple[Release, ...], Callable[[str], None]], Written],
    show: Callable[[tuple[Release, ...], Written, bool], None],
) -> None:
    """Prepare, ask, spend, read the table, and say what was done, whatever is interrupted.

    Args:
        screen: where it is shown
        work: what to release
        table: where the rows are
        places: the release files to write
        terms: how to spend
        complete: what to say of an interruption after these files were written
        tell: shows what is about to be done
        write: writes what goes with the releases, and may say its steps
        show: says what was done, given what was written and whether it was bought before
    """
    from privior.curator import prepare

    _warn_of_corrections(screen, terms.ledger)
    with screen.progress() as say:
        ready = prepare(
            work,
            table,
            ledger=terms.ledger,
            output=list(places),
            key=terms.key,
            analyst=terms.analyst,
            version=terms.version,
            progress=say,
        )
    with ready:
        tell(ready)
        _confirm(screen, ready, terms)
        with _said_if_it_stands(screen, places[0], complete):
            with screen.progress() as say:
                made = ready.carry_out_all(say)
                written = write(made, say)
            with screen.undisturbed():
                show(made, written, ready.stored is not None)


def checked_page(place: Path, another: str = "-o") -> Path:
    """Return where the report of a release goes, or refuse where it cannot be written: before the spend."""
    from privior.errors import TableError
    from privior.whole_files import folder_missing, give_back, take_name

    page = page_beside(place)
    if page.exists():
        advice = f"Choose another {another}, or say --no-report."
        raise TableError("the report exists already", where=str(page), advice=advice)
    try:
        take_name(page)
        give_back(page)
    except (OSError, ValueError):
        raise TableError(
            "the release file cannot be written there", where=str(place), advice=folder_missing(place)
        ) from None
    return page


def _warn_of_corrections(screen: Screen, ledger: str) -> None:
    """Say that earlier spends will be charged what they lack before this one is looked at."""
    from privior.ledger import Ledger, uncharged_in_words

    due = Ledger.open(ledger).uncharged()
    if due:
        screen.complain(f"{ledger}: {uncharged_in_words(due)}. It is charged now, whatever becomes of this.")


def _confirm(screen: Screen, ready: Measurement, terms: Terms) -> None:
    """Show what will be spent and ask, unless it was said already or nothing will be.

    Nobody reads notes where nobody is asked: there the same is not bought twice unless somebody said so.
    """
    if ready.stored is not None:
        entry = ready.stored[0].receipt.entry
        screen.text(f"\nThis key was charged before (entry {entry}): the same is given again, free.\n")
        return
    before = ready.charge.bought()
    if before is not None:
        ledger = ready.charge.ledger.where
        stored = f"privior ledger release {quote(ledger)} {before.number} -o FILE"
        if terms.yes and terms.key is None and not terms.again:
            raise LedgerError(
                "the same was bought before, and --yes asks nobody whether to pay for it twice",
                where=ledger,
                asked=f"{before.about}, as in entry {before.number}",
                advice=f"To use that again is free: {stored}. To pay again for new noise say --again; "
                "with --key NAME a script that runs twice pays once.",
            )
        screen.text(f"NOTE: the same was bought before; to use that again is free: {stored}")
    screen.text(f"\n{ready.picture().text(screen.width)}\n")
    if not terms.yes and not _agreed(screen, ready):
        screen.fail("NotConfirmed", "not confirmed. Nothing was spent.")
        raise typer.Exit(ExitCode.NO)


@contextmanager
def _said_if_it_stands(screen: Screen, place: Path, complete: str) -> Iterator[None]:
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
