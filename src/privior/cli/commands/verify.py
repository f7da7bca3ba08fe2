"""privior verify: whether a release is what it says, for programs and for people in a hurry."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, LedgerAddress, Quiet, ReleaseFile, screen_of

if TYPE_CHECKING:
    from privior.ledger import Ledger


def verify(
    context: typer.Context,
    release: ReleaseFile,
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check format, guarantee, ledger entry and head of a release.

    Exit code 1 if a check fails, 10 if no ledger is named.
    """
    from privior.ledger import Ledger
    from privior.release import Release
    from privior.reviews import verify as verified

    screen = screen_of(context)
    opened = None if ledger is None else Ledger.open(ledger)
    found = verified(Release.read(release), opened)
    screen.document(found.to_document())
    screen.answer_table(*found.table())
    screen.text(f"\n{found.fingerprint}")
    if not found.passed:
        wrong = None if opened is None else _damage(opened)
        if wrong is None:
            screen.complain("a check failed: this is not what it says")
        else:
            screen.complain(
                f"the ledger does not hold ({wrong}), which need not be the release's fault: release nothing "
                f"from it, and see: privior ledger show {quote(str(ledger))}"
            )
        raise typer.Exit(ExitCode.NO)
    if ledger is None:
        screen.complain(
            "nothing failed, but no ledger is named: that these counts were paid for is not checked. "
            "Say --ledger, or set PRIVIOR_LEDGER."
        )
        raise typer.Exit(ExitCode.OPEN)


def _damage(ledger: Ledger) -> str | None:
    """Say what is wrong with a ledger; None if it holds."""
    from privior.errors import LedgerError

    try:
        ledger.verify()
    except LedgerError as error:
        return error.what
    return None
