"""Closings: how a spend ended. An entry without one was never finished, and stays spent all the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum

from privior.errors import LedgerError
from privior.ledger.entry import LedgerEntry


class State(Enum):
    """How far a spend has come. Whatever the state, it is spent."""

    RESERVED = "reserved"
    RELEASED = "released"
    FAILED = "failed"


@dataclass(frozen=True)
class Closing:
    """The end of one spend, tied to its entry by a hash.

    Attributes:
        entry: the number of the entry
        state: released or failed
        release: what was released, as it is published, one text a release; empty if it failed
        seal: covers the entry's hash, the state and what was released
    """

    entry: int
    state: State
    release: tuple[str, ...]
    seal: str

    @staticmethod
    def of(entry: LedgerEntry, release: tuple[str, ...]) -> Closing:
        """Close a spend with what it released, or as failed if that is nothing."""
        state = State.RELEASED if release else State.FAILED
        return Closing(entry.number, state, release, _seal(entry, state, release))

    def checked(self, entry: LedgerEntry, where: str) -> Closing:
        """Return it if it belongs to this entry as it stands."""
        if self.seal != _seal(entry, self.state, self.release) or (self.state is State.RELEASED) != bool(
            self.release
        ):
            raise LedgerError(
                "the end of a spend does not match its hash: the ledger is corrupt",
                where=where,
                asked=f"entry {entry.number}",
            )
        return self

    def contains(self, sha256: str) -> bool:
        """Say whether a release with this hash is what was released."""
        return sha256 in {hashlib.sha256(text.encode()).hexdigest() for text in self.release}


def _seal(entry: LedgerEntry, state: State, release: tuple[str, ...]) -> str:
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in release]
    return hashlib.sha256("\n".join([entry.hash, state.value, *digests]).encode()).hexdigest()
