"""privior doctor: whether this machine can be trusted with a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, Quiet, screen_of


def doctor(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Where ledgers and releases will lie.")] = Path(),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check entropy, samplers, engine, disk and versions."""
    from privior.health import examine

    screen = screen_of(context)
    with screen.progress() as say:
        findings = examine(folder, say)
    well = all(finding.well for finding in findings)
    screen.document(
        {
            "well": well,
            "findings": [
                {"part": finding.part, "well": finding.well, "found": finding.found} for finding in findings
            ],
        }
    )
    screen.answer_table(
        ["part", "verdict", "found"],
        [[finding.part, "ok" if finding.well else "FAILED", finding.found] for finding in findings],
    )
    if not well:
        screen.complain("this machine is not ready for a release")
        raise typer.Exit(ExitCode.NO)
