"""T41: one analyst, or one stolen token, uses up what was meant for everybody.

Others: first come, first served; a limit for one request; a small budget for every name, out of one purse;
refused requests that are charged.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Protocol

from orchard import planned
from till import RefusedError, Till, granted
from twins import against

import privior as pv

PRICE = Fraction(1, 10)


class System(Protocol):
    def allow(self, analyst: str, share: str) -> None:
        """Let an analyst spend a share of the budget of 1."""

    def spend(self, analyst: str, price: Fraction) -> None:
        """Spend as this analyst, or raise."""


def attack(system: System) -> None:
    """Mallory asks for all there is, too much, nonsense, under other names too: Ann gets all of her half."""
    system.allow("ann", "0.5")
    system.allow("mallory", "0.5")
    grants = 0
    for name in ("mallory", "Mallory", "mallory2", "mallory3", "mallory4", "guest"):
        for price in (Fraction(9, 10), Fraction(20), *[PRICE] * 12):
            grants += granted(lambda given=(name, price): system.spend(*given))  # type: ignore[misc]
    half = sum(granted(lambda: system.spend("ann", PRICE)) for _ in range(5))
    assert half == 5, f"Ann was granted {half} of the 5 releases that are hers"
    more = granted(lambda: system.spend("ann", PRICE))
    assert not more, "Ann has more than her share"
    assert grants == 5, "Mallory has not exactly her share"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.plan = cache(lambda price: planned(epsilon=price))
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=1)

    def allow(self, analyst: str, share: str) -> None:
        self.ledger.allow(analyst, share)

    def spend(self, analyst: str, price: Fraction) -> None:
        self.ledger.spend(self.plan(price), analyst=analyst)


class FirstCome:
    """Writes down who may spend, and lets them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.till = Till(folder / "till")
        self.shares: dict[str, Fraction] = {}

    def allow(self, analyst: str, share: str) -> None:
        self.shares[analyst] = Fraction(share)

    def spend(self, analyst: str, price: Fraction) -> None:
        if analyst not in self.shares:
            raise RefusedError("nobody knows you")
        self.till.spend(price)


class EachRequest(FirstCome):
    """Compares each request with the share, and not what was spent before."""

    def spend(self, analyst: str, price: Fraction) -> None:
        if price > self.shares.get(analyst, Fraction(0)):
            raise RefusedError("this is more than your share")
        super().spend(analyst, price)


class SharesKept(FirstCome):
    """Keeps what each has spent, and never more than the share of each."""

    def spend(self, analyst: str, price: Fraction) -> None:
        share = self.shares.get(analyst, Fraction(0))
        own = Till(self.folder / analyst, cap=share)
        own.spend(price)
        self.till.spend(price)


class GuestsWelcome(SharesKept):
    """Has a little for whoever has no share yet, from what belongs to all."""

    def spend(self, analyst: str, price: Fraction) -> None:
        self.shares.setdefault(analyst, Fraction(1, 10))
        super().spend(analyst, price)


class ChargesRefusals(SharesKept):
    """Charges a tenth for a request that it has to refuse, against those who try too much."""

    def spend(self, analyst: str, price: Fraction) -> None:
        try:
            super().spend(analyst, price)
        except RefusedError:
            self.till.spend(PRICE)
            raise


test_t41_griefing = against(attack)(
    privior={"quotas": Privior},
    twins={
        "first come": FirstCome,
        "each request": EachRequest,
        "guests welcome": GuestsWelcome,
        "charges refusals": ChargesRefusals,
    },
)
