"""privior ledger: create, show and history. What has been spent on a population."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.options import Json, Quiet, screen_of

if TYPE_CHECKING:
    from privior.ledger import Ledger

ledger = typer.Typer(
    help="Create and read the ledger of a population.", no_args_is_help=True, rich_markup_mode=None
)

LedgerPath = Annotated[
    Path, typer.Argument(envvar="PRIVIOR_LEDGER", help="The file of the ledger.", show_default=False)
]


@ledger.command()
def create(
    context: typer.Context,
    path: LedgerPath,
    population: Annotated[
        str, typer.Option("--population", "-p", help="Whose budget this is, as the schema says.")
    ],
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="What may be spent in all, exact.")],
    delta: Annotated[str, typer.Option("--delta", "-d", help="Likewise; 0: pure guarantees only.")] = "0",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Open a new ledger with a cap. An existing file is never touched."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    made = Ledger.create(path, population=population, epsilon=epsilon, delta=delta)
    screen.document(_document(made))
    screen.facts(made.facts())
    screen.text(
        "\nKeep this file with the data: it is the only memory of what was spent. "
        "Every release of this population is charged to it."
    )


@ledger.command()
def show(context: typer.Context, path: LedgerPath, json: Json = False, quiet: Quiet = False) -> None:
    """Show how the budget stands."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    book = Ledger.open(path)
    screen.document(_document(book))
    screen.facts(book.facts())
    screen.text(f"\n{book.picture().text(screen.width)}")
    if screen.quiet:
        screen.answer(str(book.left))


@ledger.command()
def history(context: typer.Context, path: LedgerPath, json: Json = False, quiet: Quiet = False) -> None:
    """List every spend, after checking the whole chain."""
    from privior.ledger import Ledger

    screen = screen_of(context)
    book = Ledger.open(path)
    last = book.verify()
    told = book.history()
    screen.document({**_document(book), "entries": told.documents()})
    screen.answer_table(*told.table())
    many = "1 release" if last.spends == 1 else f"{last.spends} releases"
    screen.text(f"\nThe chain holds: {last.number + 1} entries, {many}; head {last.hash}.")


def _document(book: Ledger) -> dict[str, object]:
    last = book.last()
    return {
        "ledger": book.where,
        "population": last.population,
        "cap": last.cap.to_document(),
        "spent": last.spent.to_document(),
        "left": last.left.to_document(),
        "releases": last.spends,
        "unit": last.unit,
        "neighbours": None if last.neighbours is None else last.neighbours.value,
        "head": last.hash,
    }
