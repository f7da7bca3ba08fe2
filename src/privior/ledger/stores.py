"""Stores: the one that a place names, a file of this machine or a server."""

from __future__ import annotations

from privior.ledger.addresses import ServerAddress, is_address
from privior.ledger.postgres import PostgresStore
from privior.ledger.sqlite import SqliteStore


def store_at(place: object) -> SqliteStore | PostgresStore:
    """Return the store of a path, or of an address such as postgresql://user@host/database#name."""
    return PostgresStore(ServerAddress.of(place)) if is_address(place) else SqliteStore.at(place)
