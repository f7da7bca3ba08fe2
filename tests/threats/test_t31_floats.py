"""T31: a budget in floats, or one that is compared carelessly, has room where there is none.

Others: 0.1 + 0.9 above 1; a tolerance "for rounding"; NaN, which is never above anything; negative amounts.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from orchard import planned
from till import RefusedError, granted
from twins import against, seen

import privior as pv

#: no amounts: none may be granted, or change the sum
ODD = ("nan", "inf", "-inf", "-0.1", "0", "-0", "", "5e-324", "1e-400", "1e400", "0,1", "0.1.1")


class System(Protocol):
    def spend(self, amount: str) -> None:
        """Spend from a budget of 1, or raise."""

    def spent(self) -> object:
        """Return the sum."""


def attack(system: System) -> None:
    """Ten tenths are one; nothing more fits, however small, and nothing that is no amount counts."""
    for amount in ODD:
        refused = not granted(lambda amount=amount: system.spend(amount))  # type: ignore[misc]
        assert refused, f"{amount!r} is taken for an amount"
    assert system.spent() == 0, "what was refused has changed the sum"
    for _ in range(9):
        system.spend("0.1")
    refused = not granted(lambda: system.spend("0.10000000000000000000000000000000001"))
    assert refused, "more than is left is granted"
    tenth = granted(lambda: system.spend("0.1"))
    assert tenth, "ten tenths are more than one"
    assert system.spent() == 1, "ten tenths are not one"
    for amount in ("1e-9", "0.000000001000000001", "1/999999999", "0.1", "-1", "nan"):
        refused = not granted(lambda amount=amount: system.spend(amount))  # type: ignore[misc]
        assert refused, f"{amount} fits into nothing"
    said = seen(lambda: system.spend("0.1")).text
    assert "0.1" in said, "the refusal does not say what was asked"
    assert "spent so far: epsilon 1" in said, "the refusal does not say what is spent"
    assert "allowed: epsilon 0" in said, "the refusal does not say what is left"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=1)

    def spend(self, amount: str) -> None:
        self.ledger.spend(planned(epsilon=amount))

    def spent(self) -> object:
        return self.ledger.verify().spent.epsilon


class Floats:
    """Checks its amounts with care, and adds them up as floats."""

    def __init__(self, folder: Path) -> None:
        self.total: float | Decimal | Fraction = self.read("0")

    def read(self, amount: str) -> float | Decimal | Fraction:
        return float(Fraction(amount)) if "/" in amount else float(amount)

    def is_amount(self, price: float | Decimal | Fraction) -> bool:
        return 1e-12 < price < 1e6

    def fits(self, price: float | Decimal | Fraction) -> bool:
        return self.total + price <= 1  # type: ignore[operator]

    def spend(self, amount: str) -> None:
        try:
            price = self.read(amount)
            fine = self.is_amount(price) and self.fits(price)
        except (ValueError, ArithmeticError):
            raise RefusedError("not an amount") from None
        if not fine:
            raise RefusedError(f"asked: {amount}; allowed: epsilon 0; spent so far: epsilon 1")
        self.total += price  # type: ignore[operator]

    def spent(self) -> object:
        return self.total


class Tolerant(Floats):
    """Adds exactly, and lets a little more pass, since sums of floats used to be refused."""

    def read(self, amount: str) -> Fraction:
        return Fraction(amount)

    def fits(self, price: float | Decimal | Fraction) -> bool:
        return super().fits(price - Fraction(1, 10**9))  # type: ignore[operator]


class Decimals(Floats):
    """Decimals, which are exact for tenths and rounded to 28 digits."""

    def read(self, amount: str) -> Decimal:
        return Decimal(amount)


class NeverAbove(Floats):
    """Refuses what is too small or would be above the cap: NaN never is."""

    def is_amount(self, price: float | Decimal | Fraction) -> bool:
        return not price < 1e-12

    def fits(self, price: float | Decimal | Fraction) -> bool:
        return not self.total + price > 1  # type: ignore[operator]


class GivesBack(Tolerant):
    """Takes negative amounts, as a correction."""

    def is_amount(self, price: float | Decimal | Fraction) -> bool:
        return price != 0


test_t31_floats = against(attack)(
    privior={"ledger": Privior},
    twins={
        "floats": Floats,
        "tolerant": Tolerant,
        "decimals": Decimals,
        "never above": NeverAbove,
        "gives back": GivesBack,
    },
)
