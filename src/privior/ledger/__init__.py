"""The ledger: durable, append-only, exact spending per population."""

from privior.ledger.entry import LedgerEntry
from privior.ledger.ledger import Ledger

__all__ = ["Ledger", "LedgerEntry"]
