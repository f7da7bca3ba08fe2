"""An honest ledger of a few lines, for twins whose fault lies elsewhere; and whether a spend was granted."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import privior as pv


class RefusedError(Exception):
    """A twin does not do what was asked."""


class Till:
    """A file with one exact amount a line, locked while it is read and written."""

    def __init__(self, path: Path, cap: object = 1) -> None:
        self.path, self.cap = path, Fraction(str(cap))
        self.path.touch()

    @property
    def spent(self) -> Fraction:
        return sum(map(Fraction, self.path.read_text().split()), Fraction(0))

    def spend(self, amount: object) -> None:
        price = Fraction(str(amount))
        with self.path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if price <= 0 or self.spent + price > self.cap:
                raise RefusedError("the budget does not allow this")
            file.write(f"{price}\n")


def granted(act: Callable[[], object]) -> bool:
    """Say whether something was done, and not refused."""
    try:
        act()
    except (RefusedError, pv.PriviorError):
        return False
    return True
