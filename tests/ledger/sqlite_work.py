"""How much SQLite does during an act, counted in steps of its machine: the same on every computer."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest


def steps_of(act: Callable[[], object]) -> int:
    """Do something, and return how many steps all connections that it opens take."""
    steps, connect = 0, sqlite3.connect

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def watched(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.set_progress_handler(count, 1)  # called for every step
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", watched)
        act()
    return steps
