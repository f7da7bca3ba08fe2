"""DuckDB's engine without what its package has around it, for the process that reads rows.

`import duckdb` takes longer than reading a small table: most of it is relations and expressions in Python,
which privior hardly asks for. The engine is one compiled module; of the package it needs what reads Arrow
tables. Only the curator's own process loads it so: how a library loads is for the program to say in which it
is used.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from privior.stand_in import standing_in

if TYPE_CHECKING:
    import duckdb

Settings = dict[str, str | bool | int | float | list[str]]

#: what starts an engine that was loaded alone, if one was
_alone: list[Callable[..., duckdb.DuckDBPyConnection]] = []


def load_lightly() -> None:
    """Load the engine alone, unless the package is loaded; a DuckDB that is made otherwise stays as it is."""
    with suppress(ImportError, AttributeError), standing_in("duckdb") as alone:
        if alone:
            import _duckdb
            from duckdb import _sources

            _duckdb._set_arrow_sources(_sources)
            _alone.append(_duckdb.connect)


def connection(settings: Settings) -> duckdb.DuckDBPyConnection:
    """Start a DuckDB in memory."""
    if _alone:
        return _alone[0](":memory:", config=settings)
    import duckdb

    atexit.register(gc.unfreeze)  # at the end it tells, on the error stream, of whatever is left in cycles
    return duckdb.connect(":memory:", config=settings)
