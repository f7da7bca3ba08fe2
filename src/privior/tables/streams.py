"""Batches of rows that are made while an engine reads them, as often as it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privior.tables.relations import ROWS, Relation, engine, in_duckdb

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Stream:
    """Batches with these fields, from the beginning each time `batches` is called."""

    fields: pa.Schema
    batches: Callable[[], Iterable[pa.RecordBatch]]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Offer the batches by the protocol of Arrow streams."""
        import pyarrow as pa

        reader = pa.RecordBatchReader.from_batches(self.fields, iter(self.batches()))
        return reader.__arrow_c_stream__(requested_schema)

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """Let an engine read the stream."""
        with engine() as connection:
            connection.register(ROWS, self)
            yield in_duckdb(connection, self.fields)
