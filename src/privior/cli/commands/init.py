"""privior init: draft an analysis file from the header of a table."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from privior.cli.options import Json, Quiet, screen_of


def init(
    context: typer.Context,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="A CSV or Parquet file. Only its header is read.", show_default=False
        ),
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
    encoding: Annotated[str, typer.Option(help="Of a CSV file: utf-8 or latin-1.")] = "utf-8",
    trust_header: Annotated[
        bool, typer.Option("--trust-header", help="The first line is a header, whatever it looks like.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draft an analysis file from the header of a table.

    It begins with one table of levels; below [model] stand the other families, Bayesian networks among them.
    """
    from privior.analyses import draft
    from privior.curator import header
    from privior.errors import SchemaError, TableError
    from privior.schema import CsvDialect
    from privior.whole_files import write_whole

    screen = screen_of(context)
    name = Path(table).name
    stem = re.sub(r"[*?\[\]]", "", name.removesuffix(".gz").rsplit(".", 1)[0]) or "analysis"
    dialect = CsvDialect(delimiter=delimiter or ("\t" if ".tsv" in name else ","), encoding=encoding)
    columns = header(table, csv=dialect, trusted=trust_header)
    place = output or Path(f"{stem}.toml")
    if place.exists():
        raise TableError("the file exists already", where=str(place), advice="Choose another with -o.")
    is_text = ".parquet" not in name and not name.endswith(".pq")
    try:
        write_whole(place, draft(columns, name, dialect if is_text else None))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not valid text"
        raise SchemaError(f"cannot write the file: {reason}", where=str(place)) from None
    screen.document({"analysis": str(place), "columns": [column for column, _ in columns]})
    screen.text(
        f"Wrote {place}: {len(columns)} column{'s' * (len(columns) > 1)}, from the header of {name}.\n"
        'Now replace every "FILL IN" (levels and ranges from the protocol, not from the file), then:\n'
        f"  privior plan {quote(str(place))} --epsilon 1"
    )
    if screen.quiet:
        screen.answer(str(place))
