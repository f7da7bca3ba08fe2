"""privior report: one HTML page that says what a release says, to anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, ReleaseFile, screen_of


def report(
    context: typer.Context,
    release: ReleaseFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The page to write; else beside the release.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over an existing page.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write one self-contained page about a release, free."""
    from privior.cache import inferred
    from privior.errors import ReleaseError
    from privior.release import Release
    from privior.report import write_report

    screen = screen_of(context)
    given = Release.read(release)
    place = output or page_beside(release)
    if place.exists() and not force:
        advice = "Say --force to write over it."
        raise ReleaseError("the page exists already", where=str(place), advice=advice)
    with screen.progress() as say:
        say("inferring the posterior")
        write_report(given, place, inferred([given]))
    screen.document({"report": str(place)})
    screen.text(f"Wrote {place}: open it in a browser, print it, or publish it beside the release.")
    if screen.quiet:
        screen.answer(str(place))


def page_beside(release: Path) -> Path:
    """Return where the report of a release file goes if nothing is said."""
    return release.with_name(release.name.removesuffix(".json").removesuffix(".release") + ".report.html")
