"""What may be looked at without a spend: the header of a file, whether the engine runs, and one's own cells.

Whoever looks at shapes of cells is the curator, who could open the file as well. Nothing of it is kept, and
what she changes because of it is no longer public knowledge (T15, T25).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from privior.curator.channel import Message
from privior.curator.incidents import Incident
from privior.curator.own_process import RowProcess
from privior.curator.progress import silent
from privior.schema import CsvDialect, Schema


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


@dataclass(frozen=True, repr=False)
class CellsLook:
    """What a column's cells look like, for the curator's own eyes: private.

    Attributes:
        column: its name
        rows: how many rows have a cell of each kind
        bad: the commonest shapes of unknown, unparseable and out-of-range cells, and how many rows have them
    """

    column: str
    rows: dict[str, int]
    bad: dict[str, list[tuple[str, int]]]


def look(schema: Schema, columns: Sequence[str], table: str | Path) -> list[CellsLook] | None:
    """Read a file in a process of its own, and return what its cells look like: not to be published.

    What cannot be read after the header was looked at gives None, whatever the cause.

    Args:
        schema: what the cells should be
        columns: which of them to look at
        table: a path, a glob or a URL
    """
    order: Message = {"look": schema.to_document(), "columns": list(columns), "table": str(table)}
    process = RowProcess(order, silent)
    incident = Incident("none", "looking")
    try:
        answer = process.answer(incident)["looked"]
        return [CellsLook(*one) for one in answer] if isinstance(answer, list) else None
    except KeyboardInterrupt:
        raise
    except BaseException:  # it may depend on the data; the process has recorded it
        return None
    finally:
        process.close()


def engine_version() -> str:
    """Start the engine, let it count, and say which one it is."""
    from privior.tables import engine_version

    return engine_version()
