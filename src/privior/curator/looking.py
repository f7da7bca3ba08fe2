"""What may be looked at without a spend: the header of a file, and whether the engine runs."""

from __future__ import annotations

from pathlib import Path

from privior.schema import CsvDialect


def header(
    table: str | Path, *, csv: CsvDialect | None = None, trusted: bool = False
) -> list[tuple[str, str | None]]:
    """Read only the header of a file: the names of its columns, and the kinds that its types tell.

    Args:
        table: the path of a CSV or Parquet file, or a glob
        csv: how a CSV file is written
        trusted: whether the first line surely is a header, although it looks like a record
    """
    from privior.tables import named_columns

    return named_columns(str(table), CsvDialect() if csv is None else csv, trusted=trusted)


def engine_version() -> str:
    """Start the engine, let it count, and say which one it is."""
    from privior.tables import engine_version

    return engine_version()
