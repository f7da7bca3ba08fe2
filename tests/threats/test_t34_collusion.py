"""T34: analysts who each keep to a budget of their own put together more than anybody promised.

Others: budgets for each user and none for the people in the table; a new account is a new budget.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Protocol

from orchard import planned
from till import RefusedError, Till, granted
from twins import against

import privior as pv

CAP, PRICE = 1, Fraction(1, 10)
FRIENDS = ("ann", "ben", "cid")


class System(Protocol):
    def allow(self, analyst: str, share: str) -> None:
        """Let an analyst spend a share of the budget of 1, or raise."""

    def spend(self, analyst: str) -> None:
        """Spend a tenth as this analyst, or raise."""


def attack(system: System) -> None:
    """Ask for as much as anybody can get; then spend together, under further names as well."""
    total = Fraction(0)
    for friend in FRIENDS:
        for share in ("0.6", "0.3"):
            if granted(lambda given=(friend, share): system.allow(*given)):  # type: ignore[misc]
                break
    for analyst in (*FRIENDS, "Ann", "ann2", "guest"):
        total += PRICE * sum(granted(lambda name=analyst: system.spend(name)) for _ in range(15))  # type: ignore[misc]
    assert total > 0
    assert total <= CAP, f"together they were granted {total}"
    granted(lambda: system.allow("ann", "0"))
    granted(lambda: system.allow("dan", "0.6"))
    total += PRICE * sum(granted(lambda: system.spend("dan")) for _ in range(15))
    assert total <= CAP, f"with a share that was handed on they were granted {total}"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.plan = planned(epsilon=PRICE)
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=CAP)

    def allow(self, analyst: str, share: str) -> None:
        self.ledger.allow(analyst, share)

    def spend(self, analyst: str) -> None:
        self.ledger.spend(self.plan, analyst=analyst)


class PriviorWithoutQuotas(Privior):
    """Whoever spends says a name, and nobody was given a share."""

    def allow(self, analyst: str, share: str) -> None:
        raise RefusedError("no shares are given")


class EachUser:
    """A budget for each user who was entered, as large as the administrator likes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shares: dict[str, Fraction] = {}

    def allow(self, analyst: str, share: str) -> None:
        self.shares[analyst] = Fraction(share)

    def spend(self, analyst: str) -> None:
        if analyst not in self.shares:
            raise RefusedError("nobody knows you")
        Till(self.folder / analyst, cap=self.shares[analyst]).spend(PRICE)


class SharesOfToday(EachUser):
    """Shares are 1 together at any time, and can be handed on once they are spent."""

    def allow(self, analyst: str, share: str) -> None:
        others = sum(part for name, part in self.shares.items() if name != analyst)
        if others + Fraction(share) > 1:
            raise RefusedError("the shares would be more than the budget")
        super().allow(analyst, share)


class Welcoming(EachUser):
    """Has honest shares, and a small budget for everybody who comes along."""

    def allow(self, analyst: str, share: str) -> None:
        raise RefusedError("all shares are given")

    def spend(self, analyst: str) -> None:
        self.shares.setdefault(analyst, Fraction(1, 5))
        super().spend(analyst)


test_t34_collusion = against(attack)(
    privior={"quotas": Privior, "no quotas": PriviorWithoutQuotas},
    twins={"each user": EachUser, "shares of today": SharesOfToday, "welcoming": Welcoming},
)
