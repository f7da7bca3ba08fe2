"""Parquet files, counted by the engine itself; read through Arrow only if a cell stops the engine."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import Schema
from privior.tables.arrays import is_binary, plain, plain_type
from privior.tables.headers import check_names, check_types, needed
from privior.tables.relations import ROWS, Relation, engine, in_duckdb, names
from privior.tables.streams import Stream

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Parquet:
    """Parquet files with the same columns.

    Attributes:
        paths: the files
        places: where the needed columns are in a file
        given: the needed columns with the types of the files
        fields: the needed columns with plain types, as the engine sees them
    """

    paths: tuple[Path, ...]
    places: tuple[int, ...]
    given: pa.Schema
    fields: pa.Schema

    def rows(self) -> int:
        """Add up what the footers say."""
        import pyarrow.parquet as pq

        return sum(pq.read_metadata(path).num_rows for path in self.paths)

    def listed(self) -> frozenset[str]:
        """Return the columns of numbers of which the first file stores places in a list of few values.

        A list is given up when it grows too long, and then the column is as large as without one.
        """
        import pyarrow.parquet as pq

        footer = pq.read_metadata(self.paths[0])
        if not footer.num_row_groups:
            return frozenset()
        first = footer.row_group(0)
        chunks = {
            first.column(place).path_in_schema: first.column(place) for place in range(first.num_columns)
        }
        return frozenset(
            field.name
            for given, field in zip(self.given, self.fields, strict=True)
            if (chunk := chunks.get(given.name))
            and not _LISTS.isdisjoint(chunk.encodings)
            and chunk.total_uncompressed_size < 4 * chunk.num_values
        )

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Let the engine read the files."""
        with engine() as connection:
            files = ", ".join(_quoted(glob.escape(str(path)), "'") for path in self.paths)
            source = f"read_parquet([{files}], hive_partitioning = false)"
            # the engine ignores case, so it may have renamed a column: take it by its place
            found = [row[0] for row in connection.execute(f"DESCRIBE FROM {source}").fetchall()]
            chosen = (
                f"{_cast(_quoted(found[place], chr(34)), given.type, field.type)} AS {field.name}"
                for place, given, field in zip(self.places, self.given, self.fields, strict=True)
            )
            connection.execute(f"CREATE VIEW {ROWS} AS FROM {source} SELECT {', '.join(chosen)}")
            yield in_duckdb(connection, self.fields, self.listed())

    def careful(self) -> CarefulParquet:
        """Return the same rows read through Arrow, which lets any cell be repaired."""
        return CarefulParquet(self)


@dataclass(frozen=True)
class CarefulParquet:
    """Parquet files read through Arrow: slower, but no text or timestamp can stop it."""

    files: Parquet

    def rows(self) -> int:
        """Add up what the footers say."""
        return self.files.rows()

    def relation(self) -> AbstractContextManager[Relation]:
        """Stream the rows into an engine, in plain types."""
        return Stream(self.files.fields, self._batches).relation()

    def careful(self) -> None:
        """Say that there is no more careful way."""

    def _batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = self.files.given.names
        for path in self.files.paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(columns=sorted(set(wanted))):
                    cells = [
                        plain(pa.chunked_array([batch.column(name)])).combine_chunks() for name in wanted
                    ]
                    yield pa.RecordBatch.from_arrays(cells, schema=self.files.fields)


def open_parquet(
    paths: tuple[Path, ...], schema: Schema, columns: tuple[str, ...]
) -> Parquet | CarefulParquet:
    """Check the footers of Parquet files and find the needed columns in them."""
    import pyarrow as pa

    footers = [read_footer(path) for path in paths]
    check_names(footers[0].names, schema, columns, str(paths[0]))
    places = tuple(footers[0].names.index(name) for name in needed(schema, columns))
    given = pa.schema([footers[0].field(place) for place in places])
    check_types(given, schema, str(paths[0]))
    for path, footer in zip(paths, footers, strict=True):
        types = [footer.field(place).type for place in places] if footer.names == footers[0].names else None
        if types != given.types:
            raise TableError(
                "the files of the glob have different columns",
                where=str(path),
                allowed=f"those of {paths[0]}",
            )
    plain_types = [plain_type(kind) for kind in given.types]
    files = Parquet(paths, places, given, pa.schema(zip(names(schema, columns), plain_types, strict=True)))
    # the engine rounds nanoseconds before 1970 up and Arrow down; one reader for all rows, by their type
    nanoseconds = any(pa.types.is_timestamp(kind) and kind.unit == "ns" for kind in given.types)
    return files.careful() if nanoseconds else files


def read_footer(path: Path) -> pa.Schema:
    """Return the names and types of a file's columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException):
        raise TableError("this is not a readable Parquet file", where=str(path)) from None


def _cast(cell: str, given: pa.DataType, wanted: pa.DataType) -> str:
    import pyarrow.types as kinds

    if is_binary(given.value_type if kinds.is_dictionary(given) else given):
        return f"try(decode({cell}))"
    if kinds.is_decimal(wanted):
        return f"CAST({cell} AS DECIMAL({wanted.precision}, {wanted.scale}))"
    return f"CAST({cell} AS {_NAMES[str(wanted)]})"


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, quote + quote) + quote


#: how a Parquet file names the ways of storing places in a list of values
_LISTS = frozenset({"PLAIN_DICTIONARY", "RLE_DICTIONARY"})

#: the engine's names of plain types
_NAMES = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "large_string": "VARCHAR",
    "date32[day]": "DATE",
    "timestamp[us]": "TIMESTAMP",
}
