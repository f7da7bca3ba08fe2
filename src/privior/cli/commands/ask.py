"""privior ask: put questions to a release. Free, as often as one likes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, ReleaseFile, screen_of


def ask(
    context: typer.Context,
    release: ReleaseFile,
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            help='Such as "P(education=phd)", "P(a=x | b=y)", "mean(age)", "interval(a=x, 0.9)", '
            '"counts(a)", "sample 100". None: the whole posterior.',
            show_default=False,
        ),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", help="Another release of the same table, used as well.", show_default=False),
    ] = None,
    prior: Annotated[
        str | None, typer.Option(help="Your own prior parameter, for every cell alike.", show_default=False)
    ] = None,
    level: Annotated[float, typer.Option(help="The probability that an interval holds.")] = 0.9,
    seed: Annotated[
        int | None, typer.Option(help="Of `sample`, to get the same records again.", show_default=False)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask a release: probabilities, means, intervals, counts, synthetic records. All free."""
    from privior.posterior import infer
    from privior.queries import ask as answered
    from privior.queries import parse
    from privior.release import Release

    screen = screen_of(context)
    parsed = [parse(question) for question in questions or []]
    releases = [Release.read(path) for path in (release, *(also or []))]
    posterior = infer(releases, prior=prior)
    answers = [answered(posterior, question, level=level, seed=seed) for question in parsed]
    if not parsed:
        screen.document(posterior.to_document(level))
        screen.answer(str(posterior))
        return
    documents = [answer.to_document() for answer in answers]
    screen.document({"answers": documents, "warnings": list(posterior.warnings)})
    for answer in answers:
        screen.answer(str(answer))
    for warning in posterior.warnings:
        screen.complain(warning)
