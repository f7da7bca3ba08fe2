"""One DuckDB for all tests of a process: to start one takes longer than to read a small table.

Each reading has a connection of its own to it, with views, temporary tables and settings that no other sees.
The processes that read files start their own as always, and so do tests that ask for `own_engine`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from privior.tables import light_duckdb

Connect = Callable[[light_duckdb.Settings], Any]

#: what starts an engine for everybody else
own: Connect = light_duckdb.connection


@contextmanager
def shared() -> Iterator[None]:
    """Let whatever this process reads be read by one engine."""
    started: list[Any] = []
    owner = os.getpid()
    with (
        tempfile.TemporaryDirectory(prefix="privior-tests-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):

        def connection(settings: light_duckdb.Settings) -> Any:
            if os.getpid() != owner:  # a fork has none of its threads
                return own(settings)
            if not started:
                started.append(own({**settings, "temp_directory": folder}))
            return started[0].cursor()

        patch.setattr(light_duckdb, "connection", connection)
        yield
        for one in started:
            one.close()
