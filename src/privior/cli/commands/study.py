"""privior study: make a figure of a paper anew; synthetic data, nothing is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, screen_of
from privior.cli.screen import Screen


def study(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The study; without one, all are listed.", show_default=False),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A coarser grid and fewer repetitions: under half a minute.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The folder to write into; else study-NAME.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over files in the folder.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a figure of a paper anew: tables, pictures and what is seen."""
    from privior.errors import PlanError, TableError
    from privior.papers.studies import STUDIES, files_of
    from privior.whole_files import write_whole

    screen = screen_of(context)
    if name is None:
        _list(screen)
        return
    if name not in STUDIES:
        raise PlanError("there is no such study", where="study", asked=repr(name), allowed=", ".join(STUDIES))
    chosen, folder = STUDIES[name], output or Path(f"study-{name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise TableError(f"the folder cannot be used: {error.strerror}", where=str(folder)) from None
    if taken and not force:
        advice = "Choose another with -o, or say --force to write over them."
        raise TableError("the folder holds files already", where=str(folder), advice=advice)
    with screen.progress() as say:
        findings = chosen.run(quick, say)
        say("drawing and writing")
        files = files_of(chosen, findings, quick)
    try:
        for file, content in files.items():
            write_whole(folder / file, content)
    except OSError as error:
        raise TableError(f"the file cannot be written: {error.strerror}", where=str(folder)) from None
    screen.document(
        {"study": name, "quick": quick, "files": [str(folder / f) for f in files], "text": findings.text}
    )
    screen.heading(f"{chosen.paper}, {chosen.figure}")
    screen.text(findings.text)
    screen.text(f"\nWritten into {folder}: {', '.join(files)}")
    if screen.quiet:
        screen.answer(str(folder))


def _list(screen: Screen) -> None:
    from privior.papers.studies import STUDIES

    screen.document(
        [
            {"name": s.name, "about": s.about, "paper": str(s.paper), "figure": s.figure}
            for s in STUDIES.values()
        ]
    )
    rows = [(s.name, s.figure, s.about) for s in STUDIES.values()]
    screen.answer_table(("study", "figure", "about"), rows)
    papers = sorted({str(s.paper) for s in STUDIES.values()})
    screen.text(f"\nFigures of: {'; '.join(papers)}.\nRun one: privior study {rows[0][0]} --quick")
