"""privior ask: put questions to a release. Free, as often as one likes."""

from __future__ import annotations

from typing import Annotated

import typer

from privior.cli.exit_codes import exit_code
from privior.cli.options import AlsoReleases, Json, Quiet, ReleaseFile, screen_of
from privior.cli.priors import OwnPrior, inferred, own_prior


def ask(
    context: typer.Context,
    release: ReleaseFile,
    questions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION]...",
            help='Such as "P(a=x or b=y | c>=3)", "mean(age)", "median(age)", "P(a=x) - P(a=y)"; of the '
            'table itself "share(a=x)", "table(mean(age))", "counts(a)"; "sample 100". '
            "None: the whole posterior.",
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
    """Ask a release, free: probabilities, means, quantiles, differences, counts.

    P(...), mean(...) and so on are of the next record, from the process behind the table; share(...),
    table(...) and counts(...) are of the table itself.
    """
    from privior.errors import InferenceError
    from privior.queries import Answer, parse
    from privior.queries import ask as answered
    from privior.release import Release

    screen = screen_of(context)
    asked = questions or []
    if len(asked) == 1:
        parse(asked[0])  # before anything is read
    releases = [Release.read(path) for path in (release, *(also or []))]
    share = share_of(level)
    posterior = inferred(screen, releases, own_prior(prior))
    if not asked:
        screen.document(posterior.to_document(share))
        screen.answer(posterior.text(share, screen.width))
        return
    found: list[Answer | InferenceError] = []
    for question in asked:
        try:
            found.append(answered(posterior, question, level=share, seed=seed))
        except InferenceError as error:
            if len(asked) == 1:
                raise
            found.append(error)
    documents = [
        one.to_document() if isinstance(one, Answer) else {"question": question, "error": one.to_document()}
        for question, one in zip(asked, found, strict=True)
    ]
    notes = list(dict.fromkeys(note for one in found if isinstance(one, Answer) for note in one.notes))
    screen.document({"answers": documents, "warnings": list(posterior.warnings), "notes": notes})
    for one in found:
        if isinstance(one, Answer):
            screen.answer(one.brief if screen.quiet else one.text(screen.width))
        elif not screen.as_json:
            screen.error(one)
    for note in notes:
        screen.text(note)
    if not any(isinstance(one, Answer) and one.warns for one in found):
        for warning in posterior.warnings:
            screen.warn(warning)
    bad = [one for one in found if not isinstance(one, Answer)]
    if bad:
        raise typer.Exit(exit_code(bad[0]))


def share_of(level: str) -> float:
    """Read a level, which may be written in percent."""
    from privior.exact import rational

    number = rational(level.removesuffix("%"), "level")
    return float(number / 100 if level.endswith("%") else number)
