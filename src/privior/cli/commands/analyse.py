"""privior analyse: what posterior draws of a model reveal, and what the papers' bounds make of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.options import AnalysisFile, Json, Quiet, Records, screen_of

if TYPE_CHECKING:
    from privior.smoothness import ModelAnalysis


def analyse(
    context: typer.Context,
    analysis: AnalysisFile,
    records: Records = None,
    draws: Annotated[int, typer.Option(help="How many posterior draws somebody sees.")] = 1,
    distance: Annotated[
        str,
        typer.Option(help="Distance of two records: records, values, statistic or squares."),
    ] = "records",
    failure: Annotated[str, typer.Option(help="The chance that bounds about draws may fail.")] = "0.05",
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw the mass of smooth parameters into this file, the other pictures beside it.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Analyse what posterior draws of a model reveal; free, without data."""
    from privior.analyses import Analysis
    from privior.smoothness import analyse as analysed

    screen = screen_of(context)
    asked = Analysis.read(analysis, records=records, epsilon="1")
    made = analysed(
        asked.model, asked.schema, records=asked.records, draws=draws, distance=distance, failure=failure
    )
    if screen.as_json:
        screen.document(made.to_document())
    if screen.explains:
        screen.facts(made.facts())
        if made.trade:
            screen.heading("Utility against privacy: the prior cut to smooth parameters (Theorem 17)")
            screen.table(*made.trades())
        screen.text(f"\n{made.picture().text(screen.width)}")
    if picture is not None:
        drawn = _draw(made, picture)
        screen.text(f"Drew {', '.join(map(str, drawn))}.")
    if screen.quiet:
        screen.answer(made.facts()[5][1])


def _draw(made: ModelAnalysis, place: Path) -> list[Path]:
    from privior.errors import TableError

    places = [place, *(place.with_stem(f"{place.stem}-{name}") for name in ("tests", "utility"))]
    drawn = []
    try:
        for picture, file in zip(made.pictures(), places, strict=False):
            picture.figure().savefig(file, dpi=150)
            drawn.append(file)
    except (OSError, ValueError) as error:
        raise TableError(f"the picture cannot be written there: {error}", where=str(place)) from None
    return drawn
