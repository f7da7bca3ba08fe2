"""privior check: what kinds of cells a table has, before anything else is spent on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from privior.cli.looking import PRIVATE, refuse_other_eyes
from privior.cli.options import (
    AnalysisFile,
    Analyst,
    BuyAgain,
    Epsilon,
    Json,
    LedgerAddress,
    NeighboursName,
    Quiet,
    RecordsNumber,
    SpendKey,
    TableVersion,
    screen_of,
)
from privior.cli.screen import Screen
from privior.cli.spending import Terms, named, spend

if TYPE_CHECKING:
    from privior.curator import CellsLook
    from privior.release import Release

_LEVEL = 0.9


def check(
    context: typer.Context,
    analysis: AnalysisFile,
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="The table, as for release.", show_default=False)
    ],
    look: Annotated[
        bool, typer.Option("--look", help="Look yourself, on this terminal; shapes instead of cells.")
    ] = False,
    epsilon: Epsilon = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Look at this column; those of the model unless told.", show_default=False),
    ] = None,
    ledger: LedgerAddress = None,
    folder: Annotated[
        Path, typer.Option("--folder", "-f", help="Where to write one release file for each column.")
    ] = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Spend without asking.")] = False,
    records: RecordsNumber = None,
    neighbours: NeighboursName = None,
    again: BuyAgain = False,
    key: SpendKey = None,
    analyst: Analyst = None,
    table_version: TableVersion = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count missing, unknown, unparseable and out-of-range cells: paid, or by a look."""
    from privior.errors import PlanError

    screen = screen_of(context)
    if look == (epsilon is not None):
        raise PlanError(
            "say how to check the cells",
            where="check",
            asked="both --look and --epsilon" if look else "neither --look nor --epsilon",
            advice="With --epsilon E it is a release that may be published and acted on; with --look it is "
            "for your own eyes.",
        )
    if look:
        _look(screen, analysis, column or [], table)
        return
    from privior.analyses import Analysis

    asked = Analysis.read(analysis, records=records, epsilon=epsilon, neighbours=neighbours)
    together = asked.check(column or [])
    terms = Terms(named(ledger, "check"), key, analyst, table_version, yes, again)
    called = _called([member.model.columns[0] for member in together.members])
    places = [folder / f"{analysis.stem}.check.{name}.release.json" for name in called]
    spend(
        screen,
        together,
        table,
        places,
        terms,
        complete="The release files are complete.",
        tell=lambda _: screen.facts(together.facts()),
        write=lambda made, say: None,
        show=lambda made, *_: _show(screen, places, made),
    )


def _called(columns: Sequence[str]) -> list[str]:
    """Return what to call the files of columns: their names with hyphens for blanks if all are plain, else
    numbers.
    """
    columns = [name.replace(" ", "-") for name in columns]
    plain = all(re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) for name in columns)
    if plain and len({name.lower() for name in columns}) == len(columns):
        return list(columns)
    return [str(number) for number in range(1, len(columns) + 1)]


def _show(screen: Screen, places: Sequence[Path], made: Sequence[Release]) -> None:
    """Say what was released; the noise is in the intervals."""
    from privior.posterior import infer

    rows, documents = [], []
    with screen.waiting("inferring"):
        for place, release in zip(places, made, strict=True):
            (name,) = release.plan.model.columns
            table, shares = infer(release).counts(), {}
            for label in release.plan.schema.column(name).labels:
                share = table.probability({name: label})
                shares[label] = (share.mean, *share.interval(_LEVEL))
            told = {"mean": 0, "low": 1, "high": 2}
            documents.append(
                {
                    "release": str(place),
                    "id": release.identifier,
                    "sha256": release.sha256,
                    "column": name,
                    "shares": {
                        label: {word: ends[at] for word, at in told.items()} for label, ends in shares.items()
                    },
                }
            )
            rows.append([name, *(_percents(shares.get(label)) for label in _KINDS)])
    screen.document({"releases": documents, "level": _LEVEL, "ledger": made[0].receipt.to_document()})
    screen.answer_table(["column", *_KINDS], rows)
    screen.text(
        f"Shares of this table's cells, with {100 * _LEVEL:g}% intervals for the noise. This may be "
        "published and acted on. If nearly all cells of a column are unparseable, see whether [csv] says the "
        "signs of decimals and thousands and how dates are written: they hold for the whole file."
    )
    screen.text(f"Wrote {', '.join(map(str, places))}. Page:\n  privior report {quote(str(places[0]))}")


#: the kinds of cells, as columns of what is shown
_KINDS = ("valid", "missing", "unknown", "unparseable", "out of range")
#: a share below this is shown as nothing
_TINY = 5e-6


def _percents(share: tuple[float, float, float] | None) -> str:
    if share is None:
        return ""
    mean, low, high = (f"{100 * one:.3g}" if one >= _TINY else "0" for one in share)
    return f"{mean}% ({low} to {high})"


def _look(screen: Screen, analysis: Path, columns: Sequence[str], table: str) -> None:
    """Show shapes of cells on a terminal; what goes wrong with rows changes neither exit code nor stream."""
    from privior.analyses import Analysis
    from privior.curator import look

    advice = "Run it on a terminal; to use or publish what is found, pay for it: --epsilon E."
    refuse_other_eyes(screen, "check --look", advice)
    asked = Analysis.read(analysis, records=1, epsilon="1")  # neither is used
    names = list(dict.fromkeys(columns or asked.model.columns))
    for name in names:
        asked.schema.column(name)
    found = look(asked.schema, names, table)
    screen.text(PRIVATE)
    if found is None:
        screen.text("The rows could not be read; the curator's log says where, not why.")
        return
    for one in found:
        _shapes(screen, one)


def _shapes(screen: Screen, found: CellsLook) -> None:
    rows = max(1, sum(found.rows.values()))
    screen.heading(found.column)
    screen.table(
        ["cells", "rows", "share", "shapes"],
        [
            [kind, str(many), f"{100 * many / rows:.3g}%", _written(found.bad.get(kind, []))]
            for kind, many in found.rows.items()
        ],
    )


def _written(shapes: Sequence[Sequence[object]]) -> str:
    return ", ".join(f"`{shape}` {many}" for shape, many in shapes)
