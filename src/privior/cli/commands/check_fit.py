"""privior check-fit: whether a family fits its column, by a small histogram of the same records."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, ReleaseFile, screen_of


def check_fit(
    context: typer.Context,
    release: ReleaseFile,
    histogram: Annotated[
        Path | None,
        typer.Argument(metavar="[HISTOGRAM]", help="The release of the histogram.", show_default=False),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(help="Write the analysis file of such a histogram instead.", show_default=False),
    ] = None,
    epsilon: Annotated[str, typer.Option(help="What the histogram is to cost, with --write.")] = "0.1",
    column: Annotated[
        str | None, typer.Option(help="Which column, where the family has several.", show_default=False)
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare a family with a histogram of its column, free once both are released."""
    from privior.analyses import histogram_for
    from privior.errors import InferenceError
    from privior.posterior import check_fit as checked
    from privior.posterior.fit_bins import check_shape
    from privior.release import Release

    screen, given = screen_of(context), Release.read(release)
    check_shape(given.plan.model)
    if (histogram is None) == (write is None):
        raise InferenceError(
            "a histogram is needed, or a name for its analysis file",
            where="check-fit",
            advice=f"First privior check-fit {quote(str(release))} --write FILE, then release that.",
        )
    if histogram is not None:
        fit = checked(given, Release.read(histogram), column)
        screen.document(fit.to_document())
        if screen.explains:
            screen.table(*fit.table())
        screen.answer(fit.says)
        return
    asked = histogram_for(given, epsilon=epsilon, column=column)
    assert write is not None  # noqa: S101 - one of the two is given
    asked.write(write)
    bins = asked.model.size(asked.schema)  # type: ignore[attr-defined]
    screen.document({"analysis": str(write), "bins": bins, "epsilon": epsilon})
    screen.text(f"Wrote {write}: a histogram of {bins} bins for epsilon {epsilon}. Look at it, then:")
    group, file = given.plan.group, "HISTOGRAM.json"
    if group is None:
        screen.text(f"  privior release {quote(str(write))} TABLE --ledger LEDGER -o {file}")
    else:  # all groups cost what one costs
        file = f"{write.stem}.{group.place(given.plan.schema) + 1}.release.json"
        screen.text(f"  privior batch TABLE {quote(str(write))} --by {quote(group.column)} --ledger LEDGER")
    screen.text(f"  privior check-fit {quote(str(release))} {quote(file)}")
    if screen.quiet:
        screen.answer(str(write))
