"""The release: what may be published, with the receipt of its spend."""

from privior.release.receipt import LedgerReceipt
from privior.release.release import (
    FORMAT,
    Release,
    statistics_document,
    statistics_from_document,
)

__all__ = [
    "FORMAT",
    "LedgerReceipt",
    "Release",
    "statistics_document",
    "statistics_from_document",
]
