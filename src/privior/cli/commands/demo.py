"""privior demo: a whole release of the bundled table, from the plan to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.exit_codes import ExitCode
from privior.cli.options import Json, Quiet, screen_of
from privior.cli.screen import Screen

_QUESTIONS = (
    "P(education=doctorate)",
    "P(education in {bachelor, master, professional, doctorate})",
    "interval(education=doctorate, 0.5)",
)


#: says that a folder is the demonstration's own; a real ledger is never deleted
_MARK = "made-by-privior-demo.txt"


def demo(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="Where to write what it makes.")] = Path("privior-demo"),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a whole private release of a bundled table."""
    screen = screen_of(context)
    try:
        _demonstrate(screen, folder)
    except KeyboardInterrupt:
        screen.fail("Interrupted", "interrupted. The demonstration spends nobody's budget: run it again.")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def _demonstrate(screen: Screen, folder: Path) -> None:
    from privior.bundled import ACS_RECORDS, acs_schema, acs_table
    from privior.curator import prepare
    from privior.errors import TableError
    from privior.ledger import Ledger
    from privior.models import DirichletCategorical
    from privior.planning import plan
    from privior.posterior import infer
    from privior.queries import ask
    from privior.release import Release
    from privior.report import write_report

    names = ("acs-2019.ledger", "education.release.json", "education.report.html", "education.png")
    charged, file, page, picture = (folder / name for name in names)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        logs = [folder / f"{charged.name}{ending}" for ending in ("-wal", "-shm", "-journal")]
        here = [old for old in (file, page, picture, charged, *logs) if old.exists()]
        if here and not (folder / _MARK).exists():
            raise TableError(
                "the folder holds files that this demonstration did not make",
                where=str(here[0]),
                advice="Choose another folder.",
            )
        (folder / _MARK).write_text("Made by `privior demo`, and made anew each time it runs.\n", "utf-8")
        for old in here:
            old.unlink()
    except OSError as error:
        raise TableError(f"the folder cannot be used: {error.strerror}", where=str(folder)) from None

    screen.heading("1  PLAN: free, no data is opened")
    model = DirichletCategorical("education", prior=1)
    planned = plan(model, acs_schema(), records=ACS_RECORDS, epsilon="0.05")
    screen.facts(planned.facts())
    screen.table(*planned.budgets())
    screen.text(f"{planned.choice}\n\n{planned.picture().text(screen.width)}")

    screen.heading("2  MEASURE: spends the budget, then reads the cells once")
    ledger = Ledger.create(charged, population="acs-2019", epsilon="1")
    with screen.progress() as say:
        prepare(planned, acs_table(), ledger=ledger, output=file, progress=say).carry_out(say)
    screen.text(ledger.picture().text(screen.width))

    screen.heading("3  INFER: free, from the release file alone")
    release = Release.read(file)
    posterior = infer(release)
    screen.text(str(posterior))

    screen.heading("4  ASK: free, as often as one likes")
    answers = [ask(posterior, question) for question in _QUESTIONS]
    for answer in answers:
        screen.text(str(answer))
    with screen.progress() as say:
        say("writing the report")
        write_report(release, page)
        posterior.plot().savefig(picture, dpi=150)
    screen.document(
        {
            "release": str(file),
            "report": str(page),
            "picture": str(picture),
            "ledger": str(charged),
            "answers": [answer.to_document() for answer in answers],
        }
    )
    screen.text(
        f"\nWritten\n  {file}  may be published\n  {page}  open it in a browser\n  {picture}\n"
        f"  {charged}  the ledger: a real one is kept for ever, this one is made anew by each demonstration\n"
        "With your own table: privior init TABLE"
    )
    if screen.quiet:
        screen.answer(str(folder))
