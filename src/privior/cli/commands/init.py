"""privior init: draft an analysis file from the header of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, screen_of


def init(
    context: typer.Context,
    table: Annotated[
        str, typer.Argument(help="A CSV or Parquet file. Only its header is read.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file to write; else the table's name, .toml.", show_default=False
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(help="Between two cells of a CSV file; comma, or tab for .tsv.", show_default=False),
    ] = None,
    trust_header: Annotated[
        bool, typer.Option("--trust-header", help="The first line is a header, whatever it looks like.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draft an analysis file: the names of the columns, and gaps for the public facts that you must state."""
    from privior.analyses import draft
    from privior.curator import header
    from privior.errors import SchemaError
    from privior.schema import CsvDialect
    from privior.whole_files import write_whole

    screen = screen_of(context)
    name = Path(table).name
    stem = name.removesuffix(".gz").rsplit(".", 1)[0]
    tabs = ".tsv" in name
    dialect = CsvDialect(delimiter=delimiter or ("\t" if tabs else ","))
    place = output or Path(f"{stem}.toml")
    if place.exists():
        raise SchemaError("the file exists already", where=str(place), advice="Choose another with -o.")
    columns = header(table, csv=dialect, trusted=trust_header)
    is_text = ".parquet" not in name and not name.endswith(".pq")
    try:
        write_whole(place, draft(columns, name, dialect if is_text else None))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not valid text"
        raise SchemaError(f"cannot write the file: {reason}", where=str(place)) from None
    screen.document({"analysis": str(place), "columns": [column for column, _ in columns]})
    screen.text(
        f"Wrote {place}: {len(columns)} columns, from the header of {name} alone.\n"
        'Now replace every "FILL IN" (levels and ranges from the protocol, not from the file), then:\n'
        f"  privior plan {place} --epsilon 1"
    )
    if screen.quiet:
        screen.answer(str(place))
