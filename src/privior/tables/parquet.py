"""Parquet files: read by the engine itself where it reads every cell of a type as Arrow does, else by Arrow.

Which of the two reads a file follows from the types of the needed columns alone, and it reads all rows (T45).
The engine is told that floats may be NaN, which the statistics of a column do not say, and to repair text
that is not UTF-8 instead of stopping at it. It leaves out no rows by statistics, and where text is read it
reckons without them: they are about the bytes, not about what these are repaired to.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import Schema
from privior.tables.arrays import is_text, plain, plain_type
from privior.tables.files import Files
from privior.tables.headers import check_names, check_types, needed
from privior.tables.relations import ROWS, Relation, engine, in_duckdb, names
from privior.tables.streams import Stream
from privior.tables.writing import decimal_sign

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Parquet:
    """Parquet files with the same columns, read by the engine.

    Attributes:
        files: the files
        places: where the needed columns are in a file
        fields: the needed columns with plain types, as the engine sees them
    """

    files: Files
    places: tuple[int, ...]
    fields: pa.Schema

    def rows(self) -> int:
        """Add up what the footers say."""
        return _rows(self.files)

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Let the engine read the files."""
        with self.files.unchanged(), engine() as connection:
            paths = ", ".join(_quoted(glob.escape(str(path))) for path in self.files.paths)
            source = f"read_parquet([{paths}], {_OPTIONS})"
            # by place: the engine ignores case, so it may have renamed a column
            places = ", ".join(f"n{place}" for place in range(max(self.places) + 1))
            chosen = ", ".join(
                f"CAST(n{place} AS {_engine_type(field.type)}) AS {field.name}"
                for place, field in zip(self.places, self.fields, strict=True)
            )
            ways = _OF_TEXT if _NAMES["large_string"] in map(_engine_type, self.fields.types) else _OF_ANY
            connection.execute(f"SET disabled_optimizers = '{ways}'")
            connection.execute(f"CREATE TEMP VIEW {ROWS} AS FROM {source} AS t({places}) SELECT {chosen}")
            yield in_duckdb(connection, self.fields)


@dataclass(frozen=True)
class ConvertedParquet:
    """Parquet files with the same columns, read by Arrow and converted cell by cell.

    Attributes:
        files: the files
        given: the names of the needed columns
        fields: the needed columns with plain types, as the engine sees them
        decimals: the decimal sign of numbers in each that become text
    """

    files: Files
    given: tuple[str, ...]
    fields: pa.Schema
    decimals: tuple[str | None, ...]

    def rows(self) -> int:
        """Add up what the footers say."""
        return _rows(self.files)

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Stream the rows into an engine, in plain types."""
        with self.files.unchanged(), Stream(self.fields, self._batches).relation() as relation:
            yield relation

    def _batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self.files.paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(columns=sorted(set(self.given))):
                    cells = [
                        plain(pa.chunked_array([batch.column(name)]), decimal).combine_chunks()
                        for name, decimal in zip(self.given, self.decimals, strict=True)
                    ]
                    yield pa.RecordBatch.from_arrays(cells, schema=self.fields)


def open_parquet(
    paths: tuple[Path, ...], schema: Schema, columns: tuple[str, ...]
) -> Parquet | ConvertedParquet:
    """Check the footers of Parquet files and find the needed columns in them."""
    import pyarrow as pa

    files = Files.of(paths)
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
    fields = pa.schema(zip(names(schema, columns), plain_types, strict=True))
    if all(_engine_reads(kind) for kind in given.types):
        return Parquet(files, places, fields)
    decimals = tuple(decimal_sign(name, schema) for name in given.names)
    return ConvertedParquet(files, tuple(given.names), fields, decimals)


def read_footer(path: Path) -> pa.Schema:
    """Return the names and types of a file's columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException):
        raise TableError("this is not a readable Parquet file", where=str(path)) from None


def _rows(files: Files) -> int:
    import pyarrow.parquet as pq

    with files.unchanged():
        return sum(pq.read_metadata(path).num_rows for path in files.paths)


def _engine_reads(given: pa.DataType) -> bool:
    """Say whether the engine reads any cell of this type, and as Arrow does: truth values, numbers, text.

    Moments and days it may refuse to read or to write, long decimals it makes floats of in its own way.
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(given, pa.BaseExtensionType):
        return False
    if kinds.is_dictionary(given):
        return _engine_reads(given.value_type)
    if kinds.is_decimal(given):
        return bool(kinds.is_decimal128(plain_type(given)))
    return bool(is_text(given) or str(given) in _NAMES)


def _engine_type(kind: pa.DataType) -> str:
    import pyarrow.types as kinds

    return f"DECIMAL({kind.precision}, {kind.scale})" if kinds.is_decimal(kind) else _NAMES[str(kind)]


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"


#: what is said to the engine about any file
_OPTIONS = "hive_partitioning = false, can_have_nan = true, utf8_validation = 'replace'"

#: what the engine would do by the statistics of a column, and may not: of any type, and where text is read
_OF_ANY = "filter_pushdown,join_filter_pushdown"
_OF_TEXT = f"{_OF_ANY},statistics_propagation"

#: the engine's names of the plain types that it reads itself
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
}
