"""privior batch: several releases of one table, charged together, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.commands.plan import planned
from privior.cli.options import (
    Analyst,
    BuyAgain,
    Epsilon,
    Json,
    LedgerAddress,
    NeighboursName,
    Quiet,
    SpendKey,
    TableVersion,
    screen_of,
)
from privior.cli.screen import Screen
from privior.cli.spending import Terms, checked_page, named, spend

if TYPE_CHECKING:
    from privior.plans import Batch
    from privior.release import Release


def batch(
    context: typer.Context,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table.", show_default=False)],
    analyses: Annotated[
        list[Path],
        typer.Argument(metavar="ANALYSIS...", help="Analysis files with one schema.", show_default=False),
    ],
    ledger: LedgerAddress = None,
    folder: Annotated[
        Path, typer.Option("--folder", "-f", help="Where to write one release file each.")
    ] = Path(),
    by: Annotated[
        str | None,
        typer.Option(help="Release each of them for every group of this column.", show_default=False),
    ] = None,
    charge_as: Annotated[
        str | None,
        typer.Option(
            help="With --by, the neighbour relation to charge: under replace-one two groups change.",
            show_default=False,
        ),
    ] = None,
    epsilon: Epsilon = None,
    neighbours: NeighboursName = None,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Write one HTML report about all of them.")
    ] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Spend without asking.")] = False,
    again: BuyAgain = False,
    key: SpendKey = None,
    analyst: Analyst = None,
    table_version: TableVersion = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Spend for several releases at once, read the table, write them all.

    --epsilon and --neighbours are asked of each, instead of what its file asks.
    """
    from privior.errors import PlanError
    from privior.plans import Batch

    screen = screen_of(context)
    terms = Terms(named(ledger, "batch"), key, analyst, table_version, yes, again)
    stems = [path.stem for path in analyses]
    if len(set(stems)) != len(stems):
        raise PlanError("two analysis files have one name", where="batch", asked=", ".join(stems))
    plans = [planned(path, epsilon=epsilon, neighbours=neighbours) for path in analyses]
    together = Batch.of(plans, by=by, neighbours=charge_as)
    groups = len(together.members) // len(stems)
    parts = [""] if by is None else [f".{number}" for number in range(1, groups + 1)]
    places = [folder / f"{stem}{part}.release.json" for part in parts for stem in stems]
    page = checked_page(folder / "batch.release.json", "--folder") if report else None
    spend(
        screen,
        together,
        table,
        places,
        terms,
        complete="The release files are complete.",
        tell=lambda _: screen.facts(together.facts()),
        write=lambda made, say: _with_page(screen, say, together, made, page),
        show=lambda made, written, _: _show(screen, together, places, made, written),
    )


def _with_page(
    screen: Screen, say: Callable[[str], None], together: Batch, made: tuple[Release, ...], page: Path | None
) -> Path | None:
    """Write one report about all releases; if that fails, they are complete all the same."""
    from privior.errors import PriviorError
    from privior.report import write_report_of_all

    if page is None:
        return None
    say("writing the report")
    try:
        write_report_of_all(made, str(together.cost), page, say)
    except PriviorError as error:
        screen.complain(f"the report could not be written: {error.what}. The release files are complete.")
        return None
    return page


def _show(
    screen: Screen,
    together: Batch,
    places: list[Path],
    made: tuple[Release, ...],
    written: Path | None,
) -> None:
    """Say what was done; from the releases alone, since all else may have changed."""
    screen.document(
        {
            "releases": [
                {
                    "release": str(place),
                    "id": one.identifier,
                    "sha256": one.sha256,
                    "group": None if one.plan.group is None else one.plan.group.to_document(),
                }
                for place, one in zip(places, made, strict=True)
            ],
            "report": None if written is None else str(written),
            "cost": together.cost.to_document(),
            "ledger": made[0].receipt.to_document(),
        }
    )
    screen.answer_table(
        ["release", "group", "SHA-256"],
        [
            [str(place), str(one.plan.group or ""), one.sha256]
            for place, one in zip(places, made, strict=True)
        ],
    )
    if written is not None:
        screen.text(f"\nWrote {written}, the report about all of them.")
