"""privior predict: the chances of a column's levels for rows of one's own. Free, as often as one likes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.commands.ask import share_of
from privior.cli.options import AlsoReleases, Json, Quiet, ReleaseFile, screen_of
from privior.cli.priors import OwnPrior, inferred, own_prior


def predict(
    context: typer.Context,
    release: ReleaseFile,
    rows: Annotated[
        Path,
        typer.Argument(
            metavar="ROWS",
            help="A CSV file with rows of your own.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)],
    target: Annotated[
        str | None,
        typer.Option(help="The column to predict, if the model has no target.", show_default=False),
    ] = None,
    level: Annotated[str | None, typer.Option(help="Intervals too: 0.9 or 90%.", show_default=False)] = None,
    also: AlsoReleases = None,
    prior: OwnPrior = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Predict a column from others, row by row, by a network or a regression; free.

    Writes the number of each row, from 1, and its most probable level with the chance of each level, or the
    expected number. Networks sum over empty cells; regressions read them as the schema says.
    """
    from privior.errors import ReleaseError, TableError
    from privior.queries.records import csv_text
    from privior.release import Release
    from privior.schema.own_rows import read_own_rows
    from privior.whole_files import write_whole

    screen = screen_of(context)
    if output.exists():
        raise TableError("the file exists already", where=str(output), advice="Name another with -o.")
    releases = [Release.read(path) for path in (release, *(also or []))]
    frame = read_own_rows(rows, releases[0].plan.schema)
    posterior = inferred(screen, releases, own_prior(prior))
    columns = posterior.predictions(frame, target, None if level is None else share_of(level))
    number = len(next(iter(columns.values())))
    try:
        write_whole(output, csv_text({"row": range(1, number + 1), **columns}) + "\n")
    except (OSError, ValueError) as error:
        raise ReleaseError(f"cannot write the file: {error}", where=str(output)) from None
    screen.document({"predictions": str(output), "rows": number, "warnings": list(posterior.warnings)})
    screen.text(f"Wrote {output}: {number} rows.")
    for warning in posterior.warnings:
        screen.warn(warning)
    if screen.quiet:
        screen.answer(str(output))
