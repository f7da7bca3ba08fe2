"""privior review: what somebody who signs must know of a release, and what can be checked of it."""

from __future__ import annotations

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, LedgerAddress, Quiet, ReleaseFile, screen_of


def review(
    context: typer.Context,
    release: ReleaseFile,
    ledger: LedgerAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Review a release before you sign it."""
    from privior.ledger import Ledger
    from privior.release import Release
    from privior.reviews import review as reviewed
    from privior.vocabulary import explained

    screen = screen_of(context)
    given = Release.read(release)
    found = reviewed(given, None if ledger is None else Ledger.open(ledger))
    screen.document(found.to_document())
    screen.facts(given.facts())
    for word, meaning in explained(value for _, value in given.facts()):
        screen.text(f"{word}: {meaning}")
    screen.heading("Checks")
    screen.answer_table(*found.table())
    screen.text(f"\n{found.fingerprint}")
    if not found.passed:
        screen.complain("a check failed: do not sign this release")
        raise typer.Exit(ExitCode.NO)
