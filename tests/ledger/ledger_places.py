"""Places for ledgers under test: a file or a server, and what somebody with full access can do there."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from postgres_server import PostgresServer

import privior as pv

TABLES = ("entries", "closings", "releases")


class LedgerPlace(Protocol):
    """A free name where a ledger can be made."""

    @property
    def address(self) -> str: ...
    def run(self, *statements: str) -> None:
        """Run SQL on the ledger's tables, past the library."""

    def unguard(self) -> None:
        """Take away what keeps rows as they are."""


@dataclass(frozen=True)
class FilePlace:
    path: Path

    @property
    def address(self) -> str:
        return str(self.path)

    def run(self, *statements: str) -> None:
        connection = sqlite3.connect(self.path)
        try:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        finally:
            connection.close()

    def unguard(self) -> None:
        self.run(*(f"DROP TRIGGER {table}_{guard}" for table in TABLES for guard in ("final", "kept")))


@dataclass(frozen=True)
class ServerPlace:
    server: PostgresServer
    name: str

    @property
    def address(self) -> str:
        return self.server.address(self.name)

    def run(self, *statements: str) -> None:
        self.server.run(f'SET search_path TO "privior_{self.name}"', *statements)

    def unguard(self) -> None:
        self.run(*(f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in TABLES))


def forget_after(place: LedgerPlace, number: int) -> None:
    """Leave the ledger as a copy from the time of this entry would be."""
    place.unguard()
    place.run(f"DELETE FROM entries WHERE number > {number}")
    for table in ("closings", "releases"):
        place.run(f"DELETE FROM {table} WHERE entry > {number}")


def fruit_plan(schema: pv.Schema, epsilon: object, **facts: object) -> pv.Plan:
    """Return a plan that costs this epsilon."""
    return pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=epsilon, **facts)  # type: ignore[arg-type]
