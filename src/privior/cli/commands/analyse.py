"""privior analyse: what posterior draws of a model reveal; with --papers what their bounds make of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.drawing import draw
from privior.cli.options import AnalysisFile, Json, Quiet, RecordsNumber, screen_of


def analyse(
    context: typer.Context,
    analysis: AnalysisFile,
    records: RecordsNumber = None,
    draws: Annotated[int, typer.Option(help="How many posterior draws somebody sees.")] = 1,
    distance: Annotated[
        str, typer.Option(help="Distance of two records: records, values, statistic or squares.")
    ] = "records",
    failure: Annotated[str, typer.Option(help="The chance that bounds about draws may fail.")] = "0.05",
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw the mass of smooth parameters into this file, the other pictures beside it.",
            show_default=False,
        ),
    ] = None,
    papers: Annotated[
        bool, typer.Option("--papers", help="Also what the papers' lemmas and theorems make of it.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Analyse what posterior draws of a model reveal; free, without data."""
    from privior.analyses import Analysis
    from privior.smoothness import analyse as analysed
    from privior.smoothness.findings import AnalysedModel

    screen = screen_of(context)
    asked = Analysis.read(analysis, records=records, epsilon="1")
    with screen.waiting("analysing the model"):
        made = analysed(
            asked.model, asked.schema, records=asked.records, draws=draws, distance=distance, failure=failure
        )
        stated: AnalysedModel = made
        if papers or screen.as_json or picture is not None:
            from privior.papers import theorems

            stated = theorems(made)
        told = stated if papers else made
        facts = [] if screen.as_json else told.facts()
        document = stated.to_document() if screen.as_json else None
        trades = told.trades() if screen.explains and told.trade else None
        drawn = [one.text(screen.width) for one in told.pictures()[:1]] if screen.explains else []
    screen.document(document)
    screen.facts(facts)
    if trades is not None:
        theorem = " (Theorem 17)" if papers else ""
        screen.heading(f"Utility against privacy: the prior cut to smooth parameters{theorem}")
        screen.table(*trades)
    for shown in drawn:
        screen.text(f"\n{shown}")
    if picture is not None:
        with screen.waiting("drawing"):
            files = draw(stated.pictures(), picture, "tests", "utility")
        screen.text(f"Drew {', '.join(map(str, files))}.")
    if screen.quiet:
        screen.answer(dict(facts)["guarantee"])
