"""privior ask: put questions to a release. Free, as often as one likes."""

from __future__ import annotations

from typing import Annotated

import typer

from privior.cli.options import AlsoReleases, Json, Quiet, ReleaseFile, screen_of
from privior.cli.priors import OwnPrior, inferred, own_prior


def ask(
    context: typer.Context,
    release: ReleaseFile,
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION]...",
            help='Such as "P(education=phd)", "P(a=x | b=y)", "mean(age)", "interval(a=x, 0.9)", '
            '"counts(a)", "sample 100". None: the whole posterior.',
            show_default=False,
        ),
    ] = None,
    also: AlsoReleases = None,
    prior: OwnPrior = None,
    level: Annotated[str, typer.Option(help="The probability of an interval: 0.9 or 90%.")] = "0.9",
    seed: Annotated[
        int | None, typer.Option(help="Of `sample`, to get the same records again.", show_default=False)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask a release, free: probabilities, means, intervals, counts."""
    from privior.queries import ask as answered
    from privior.queries import parse
    from privior.release import Release

    screen = screen_of(context)
    parsed = [parse(question) for question in questions or []]
    releases = [Release.read(path) for path in (release, *(also or []))]
    posterior = inferred(screen, releases, own_prior(prior))
    share = _share(level)
    answers = [answered(posterior, question, level=share, seed=seed) for question in parsed]
    if not parsed:
        screen.document(posterior.to_document(share))
        screen.answer(posterior.text(share))
        return
    documents = [answer.to_document() for answer in answers]
    screen.document({"answers": documents, "warnings": list(posterior.warnings)})
    for answer in answers:
        screen.answer(answer.brief if screen.quiet else str(answer))
    if not any(answer.warns for answer in answers):
        for warning in posterior.warnings:
            screen.complain(warning)


def _share(level: str) -> float:
    """Read a level, which may be written in percent."""
    from privior.exact import rational

    number = rational(level.removesuffix("%"), "level")
    return float(number / 100 if level.endswith("%") else number)
