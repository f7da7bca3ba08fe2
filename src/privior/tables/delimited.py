"""Delimited text files (CSV), read row-locally: every physical line is one record, whatever it contains."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import CsvDialect, Schema
from privior.tables import blocks
from privior.tables.files import Files
from privior.tables.headers import check_names, needed
from privior.tables.relations import Relation, names
from privior.tables.splitting import cells, split
from privior.tables.streams import Stream

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Delimited:
    """Text files with one header, or with the schema's columns in its order.

    Attributes:
        files: the files, one after the other
        dialect: how they are written
        width: how many cells a well-formed line has
        places: where the needed columns are in a line
        fields: the needed columns as the engine sees them
    """

    files: Files
    dialect: CsvDialect
    width: int
    places: tuple[int, ...]
    fields: tuple[str, ...]

    def rows(self) -> int:
        """Count the lines, without splitting them."""
        with self.files.unchanged():
            return sum(blocks.count(path, self.dialect) for path in self.files.paths)

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Stream the cells into an engine, as text."""
        import pyarrow as pa

        fields = pa.schema([(name, pa.string()) for name in self.fields])
        with self.files.unchanged(), Stream(fields, self._batches).relation() as relation:
            yield relation

    def _batches(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for path in self.files.paths:
            for block in blocks.blocks(path, self.dialect):
                columns = split(block, self.dialect, self.width, self.places)
                yield pa.RecordBatch.from_arrays(columns, names=list(self.fields))


def open_delimited(paths: tuple[Path, ...], schema: Schema, columns: tuple[str, ...]) -> Delimited:
    """Check the headers of text files and find the needed columns in them."""
    dialect, files = schema.csv, Files.of(paths)
    headers = [_first_line(path, dialect) for path in paths]
    if not dialect.header:
        if schema.unit.column is not None:
            raise TableError(
                "the column that names the person cannot be found without a header",
                where=str(paths[0]),
                asked=schema.unit.column,
                advice="Add a header line to the file and say header=True.",
            )
        found = list(schema.columns)
    else:
        found = _names(headers[0], paths[0], dialect)
        check_names(found, schema, columns, str(paths[0]), declared=False)
        for path, header in zip(paths, headers, strict=True):
            if cells(header, dialect) != found:
                raise TableError(
                    "the files of the glob have different headers",
                    where=str(path),
                    allowed=f"that of {paths[0]}",
                )
    places = tuple(found.index(name) for name in needed(schema, columns))
    return Delimited(files, dialect, len(found), places, names(schema, columns))


def _first_line(path: Path, dialect: CsvDialect) -> bytes:
    try:
        line = blocks.first_line(path, dialect)
    except (OSError, EOFError, zlib.error):  # a broken gzip file is also an OSError
        raise TableError("the file cannot be read", where=str(path)) from None
    if not line:
        raise TableError("the file is empty", where=str(path))
    return line


def read_header(path: Path, dialect: CsvDialect) -> list[str]:
    """Return the cells of a file's first line."""
    return _names(_first_line(path, dialect), path, dialect)


def _names(line: bytes, path: Path, dialect: CsvDialect) -> list[str]:
    found = cells(line, dialect)
    if found is None:
        raise TableError("the quotes of the header do not match", where=str(path))
    return found
