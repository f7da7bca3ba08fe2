"""privior verify: whether a release is what it says, for programs and for people in a hurry."""

from __future__ import annotations

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, LedgerAddress, Quiet, ReleaseFile, screen_of


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
    found = verified(Release.read(release), None if ledger is None else Ledger.open(ledger))
    screen.document(found.to_document())
    screen.answer_table(*found.table())
    screen.text(f"\n{found.fingerprint}")
    if not found.passed:
        screen.complain("a check failed: this is not what it says")
        raise typer.Exit(ExitCode.NO)
    if ledger is None:
        screen.complain(
            "nothing failed, but no ledger is named: that these counts were paid for is not checked. "
            "Say --ledger, or set PRIVIOR_LEDGER."
        )
        raise typer.Exit(ExitCode.OPEN)
