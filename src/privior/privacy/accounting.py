"""Accounting: how a ledger adds up what releases cost, and what its cap then promises.

The kind is chosen once, before the first release. `BASIC` sums (epsilon, delta). The others sum what their
filter of `privior.privacy.filters` sums: mu^2, rho, or Renyi divergences. What such a filter cannot take is
charged as (epsilon, delta) to a part of the cap that was put aside for it, or refused if there is none.

Both sums together keep the promise of the cap, whatever is chosen adaptively. A release of (e, d) is a
function of randomised response with loss at most e but for a chance d, so all that are charged aside have
loss at most their cap's epsilon but for a chance of its delta; the argument of the filter is not disturbed
by steps that belong to the other sum. docs/guarantees.md has the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from privior.errors import LedgerError, NumberError, PlanError, shown
from privior.exact import decimal, from_decimal, shortened_up
from privior.pictures import BudgetBar
from privior.privacy.budget import NOTHING, Budget, budget_bar

if TYPE_CHECKING:  # a ledger can be read without what computes curves, which takes long to load
    from privior.privacy.curve import Curve
    from privior.privacy.filters import RenyiFilter
    from privior.privacy.guarantee import Guarantee
    from privior.privacy.pairs import DominatingPair

#: what was charged or spent, in the units of an accounting; None is infinite
Amount = tuple[Fraction | None, ...]

#: the orders of Renyi divergences that a ledger sums
ORDERS = tuple(Fraction(order) for order in ("1.5", 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128))


class AccountingKind(Enum):
    """What a ledger sums: epsilons and deltas, or something that adds up better."""

    BASIC = "basic"
    GAUSSIAN = "gaussian"
    CONCENTRATED = "concentrated"
    RENYI = "renyi"

    @staticmethod
    def of(name: object) -> AccountingKind:
        """Read a kind by its name."""
        if isinstance(name, AccountingKind):
            return name
        for kind in AccountingKind:
            if kind.value == name:
                return kind
        raise LedgerError(
            "no such accounting", asked=shown(name), allowed=", ".join(kind.value for kind in AccountingKind)
        )


_ZERO = Fraction(0)
_UNITS = {
    AccountingKind.BASIC: ("epsilon", "delta"),
    AccountingKind.GAUSSIAN: ("mu^2", "epsilon", "delta"),
    AccountingKind.CONCENTRATED: ("rho", "epsilon", "delta"),
    AccountingKind.RENYI: (*(f"order {decimal(order)}" for order in ORDERS), "epsilon", "delta"),
}
_PROMISES = {
    AccountingKind.BASIC: "their epsilons and deltas add up to the cap at most (Rogers et al. 2016)",
    AccountingKind.GAUSSIAN: "their mu^2 add up to {limit} at most (Smith, Thakurta 2022)",
    AccountingKind.CONCENTRATED: "their rho add up to {limit} at most (Whitehouse et al. 2023)",
    AccountingKind.RENYI: "their Renyi divergences at {orders} public orders add up, at one of them, to what "
    "the cap allows (Feldman, Zrnic 2021)",
}


@dataclass(frozen=True)
class Accounting:
    """A kind of sum with its cap.

    Attributes:
        kind: what is summed
        cap: what all releases together promise
        aside: the part of the cap for what the kind cannot take; nothing for `BASIC`
        limit: the largest sum of mu^2 or rho; None for the other kinds
    """

    kind: AccountingKind
    cap: Budget
    aside: Budget = NOTHING
    limit: Fraction | None = None

    @staticmethod
    def of(kind: object, cap: Budget, aside: Budget = NOTHING) -> Accounting:
        """Choose a kind for a cap, with the largest sum that keeps the cap's promise."""
        chosen = AccountingKind.of(kind)
        if chosen is AccountingKind.BASIC:
            if aside != NOTHING:
                raise LedgerError("basic accounting takes every guarantee: nothing is put aside", asked=aside)
            return Accounting(chosen, cap)
        part = cap - aside
        if part.epsilon <= 0 or part.delta <= 0:
            raise LedgerError(
                f"{chosen.value} accounting needs an epsilon and a delta above 0 beside what is put aside",
                asked=f"{cap}; aside {aside}",
                advice="Give the cap a delta, such as 1e-6.",
            )
        if chosen is AccountingKind.RENYI:
            made = Accounting(chosen, cap, aside)
            if all(more >= part.epsilon for more in made._renyi.surcharges()):
                raise LedgerError("this cap allows nothing at any order", asked=part, advice="Raise epsilon.")
            return made
        from privior.privacy.calibration import largest

        limit = largest(lambda found: Accounting(chosen, cap, aside, found)._keeps, most=Fraction(10**6))
        if limit is None:
            raise LedgerError("this cap allows nothing", asked=part, advice="Raise epsilon or delta.")
        return Accounting(chosen, cap, aside, limit)

    @property
    def _keeps(self) -> bool:
        """Whether a sum at the limit keeps the promise of its part of the cap."""
        return self._curve(self.limit).delta(self.part.epsilon) <= self.part.delta

    def _curve(self, found: Fraction | None) -> Curve:
        """The curve of a sum of mu^2 or rho."""
        if found is None or found <= 0:
            raise NumberError("not a sum above 0", asked=shown(found))
        from privior.privacy.curve import Curve
        from privior.privacy.pairs import Concentrated, GaussianPair

        return Curve(GaussianPair(found) if self.kind is AccountingKind.GAUSSIAN else Concentrated(found))

    @property
    def part(self) -> Budget:
        """The part of the cap that the kind's own sum keeps."""
        return self.cap - self.aside

    @property
    def units(self) -> tuple[str, ...]:
        """What each number of an amount counts."""
        return _UNITS[self.kind]

    @property
    def nothing(self) -> Amount:
        """What an unused ledger has spent."""
        return (_ZERO,) * len(self.units)

    def price(self, guarantees: Sequence[Guarantee]) -> Amount:
        """Return what releases with these guarantees cost together, exact or rounded up."""
        total = self.nothing
        for guarantee in guarantees:
            total = self.add(total, self._price(guarantee))
        return total

    def _price(self, guarantee: Guarantee) -> Amount:
        budget = guarantee.cost
        if self.kind is AccountingKind.BASIC:
            return budget.epsilon, budget.delta
        try:
            own = self._own(guarantee.worst)
        except PlanError as error:
            if self.aside == NOTHING:
                raise LedgerError(
                    f"{error.what}, and nothing of the cap was put aside for such",
                    asked=f"{guarantee.reason}, {budget}",
                    allowed=error.allowed,
                    advice="Choose another mechanism, or a ledger whose accounting takes it (basic does).",
                ) from None
            return (*self.nothing[:-2], budget.epsilon, budget.delta)
        return (*own, Fraction(0), Fraction(0))

    def _own(self, pair: DominatingPair) -> Amount:
        """What the kind's own filter charges for a pair, or PlanError."""
        if self.kind is AccountingKind.RENYI:
            return tuple(
                None if found is None else shortened_up(found)
                for found in self._renyi.add(self._renyi.nothing, pair)
            )
        from privior.privacy.filters import ConcentratedFilter, GaussianFilter

        adds = GaussianFilter if self.kind is AccountingKind.GAUSSIAN else ConcentratedFilter
        found = adds(self.limit or Fraction(0), self.part.delta).add(Fraction(0), pair)
        return (shortened_up(found),)

    @cached_property
    def _renyi(self) -> RenyiFilter:
        from privior.privacy.filters import RenyiFilter

        return RenyiFilter(ORDERS, self.part.epsilon, self.part.delta)

    @staticmethod
    def add(one: Amount, other: Amount) -> Amount:
        """Return the sum of two amounts."""
        return tuple(None if a is None or b is None else a + b for a, b in zip(one, other, strict=True))

    def limits(self, share: Fraction = Fraction(1)) -> Amount:
        """Return the largest amount that a share of the cap allows; of Renyi sums one has to be within."""
        if self.kind is AccountingKind.BASIC:
            own: Amount = ()
        elif self.kind is AccountingKind.RENYI:
            own = tuple(
                share * max(Fraction(0), self.part.epsilon - more) for more in self._renyi.surcharges()
            )
        else:
            own = (self.limit * share,) if self.limit is not None else ()
        left = self.cap if self.kind is AccountingKind.BASIC else self.aside
        return (*own, left.epsilon * share, left.delta * share)

    def admits(self, total: Amount, share: Fraction = Fraction(1)) -> bool:
        """Say whether a sum is within the cap, or within a share of it, exactly."""
        limits = self.limits(share)
        within = [
            sum_ is not None and limit is not None and sum_ <= limit
            for sum_, limit in zip(total, limits, strict=True)
        ]
        *own, epsilon, delta = within
        unused = all(sum_ == 0 for sum_ in total[:-2])
        return epsilon and delta and (unused or any(own))

    def spent(self, total: Amount) -> Budget:
        """Return what a cap at this sum would promise, rounded up: to read, not itself a promise."""
        *own, epsilon, delta = total
        aside = Budget(epsilon or Fraction(0), delta or Fraction(0))
        if not any(sum_ != 0 for sum_ in own):
            return aside
        if self.kind is AccountingKind.RENYI:
            pairs = zip(own, self._renyi.surcharges(), strict=True)
            best = min(sum_ + more for sum_, more in pairs if sum_ is not None)
        else:
            best = Fraction(self._curve(own[0]).epsilon(self.part.delta))
        read = shortened_up(best, 6)
        if self.admits(total):  # what was reconciled may be beyond the cap, and is then read as it is
            read = min(read, self.part.epsilon)
        return Budget(read, self.part.delta) + aside

    def in_words(self, total: Amount, share: Fraction = Fraction(1)) -> str:
        """Say how much of the cap, or of a share of it, a sum is, in the accounting's own units."""
        rows = self._shown(total, share)
        return ", ".join(f"{unit} {_short(sum_)} of {_short(limit)}" for unit, sum_, limit in rows if limit)

    def left_in_words(self, total: Amount) -> str:
        """Say how much of the cap a sum leaves, in the accounting's own units."""
        if not self.admits(total):
            return "nothing: more was spent than the cap allows"
        rows = [
            f"{unit} {_short(max(limit - sum_, Fraction(0)))}"
            for unit, sum_, limit in self._shown(total)
            if limit
        ]
        own = len(rows) if self.kind is AccountingKind.BASIC else 1
        aside = f"; aside {', '.join(rows[own:])}" if rows[own:] else ""
        return ", ".join(rows[:own]) + aside

    def _shown(self, total: Amount, share: Fraction = Fraction(1)) -> list[tuple[str, Fraction, Fraction]]:
        """The sums that matter, with their limits: of Renyi's that with the most room."""
        rows = [
            (unit, sum_, limit)
            for unit, sum_, limit in zip(self.units, total, self.limits(share), strict=True)
            if sum_ is not None and limit is not None
        ]
        own, rest = rows[:-2], rows[-2:]
        if self.kind is AccountingKind.RENYI:
            own = [min((row for row in own if row[2]), key=lambda row: row[1] / row[2])]
        return own + rest

    def bar(self, before: Amount, price: Amount, population: str) -> BudgetBar:
        """Draw what was spent before, what this release costs and what is left."""
        if self.kind is AccountingKind.BASIC:
            return budget_bar(self.spent(before), self.spent(price), self.cap, population)
        unit, sum_, limit = self._shown(self.add(before, price))[0]
        place = self.units.index(unit)
        earlier = before[place] or Fraction(0)
        drawn = min(earlier, limit)
        beyond = "" if self.admits(self.add(before, price)) else "; more than the cap was spent"
        return BudgetBar(
            drawn,
            min(sum_, limit) - drawn,
            limit,
            title=f"Budget of {population}",
            note=f"{unit} is summed; the whole sum promises {self.part}{beyond}",
            what=unit,
            before_label=_short(earlier),
            this_label=_short(sum_ - earlier),
            left_label=_short(max(limit - sum_, Fraction(0))),
            cap_label=_short(limit),
        )

    def promise(self) -> str:
        """State exactly what the cap promises."""
        how = _PROMISES[self.kind].format(
            limit="" if self.limit is None else decimal(self.limit), orders=len(ORDERS)
        )
        beside = "" if self.aside == NOTHING else f"; others are charged to {self.aside}, kept aside"
        return f"all releases together, each chosen knowing the earlier ones, keep {self.cap}: {how}{beside}"

    def to_document(self) -> dict[str, object]:
        """Write the accounting as plain values."""
        return dict(self._document)

    @cached_property
    def _document(self) -> dict[str, object]:
        return {
            "kind": self.kind.value,
            "cap": self.cap.to_document(),
            "aside": self.aside.to_document(),
            "limit": None if self.limit is None else decimal(self.limit),
        }

    @staticmethod
    def from_document(document: object) -> Accounting:
        """Read what `to_document` wrote; a limit larger than the cap allows is refused."""
        if not isinstance(document, dict) or set(document) != {"kind", "cap", "aside", "limit"}:
            raise LedgerError("not an accounting", asked=shown(document))
        cap, aside = Budget.from_document(document["cap"]), Budget.from_document(document["aside"])
        if cap.delta > 1 or aside.delta > 1:
            raise LedgerError("a delta is a probability", asked=shown(document))
        kind = AccountingKind.of(document["kind"])
        limit = None if document["limit"] is None else from_decimal(document["limit"], "limit")
        found = Accounting(kind, cap, aside, limit)
        summed = kind in (AccountingKind.GAUSSIAN, AccountingKind.CONCENTRATED)
        if summed != (limit is not None) or (kind is AccountingKind.BASIC and aside != NOTHING):
            raise LedgerError("not an accounting", asked=shown(document))
        if kind is not AccountingKind.BASIC and not (found.part.epsilon > 0 and found.part.delta > 0):
            raise LedgerError("an accounting without a cap of its own", asked=shown(document))
        if summed and not found._keeps:
            raise NumberError("the limit is more than the cap allows", asked=shown(document["limit"]))
        return found


def amount_document(amount: Amount) -> list[str | None]:
    """Write an amount exactly, as text."""
    return [None if number is None else decimal(number) for number in amount]


def read_amount(document: object, accounting: Accounting) -> Amount:
    """Read what `amount_document` wrote."""
    if not isinstance(document, list) or len(document) != len(accounting.units):
        raise NumberError("not an amount", asked=shown(document))
    amount = tuple(None if text is None else from_decimal(text, "amount") for text in document)
    if any(number is not None and number.numerator < 0 for number in amount) or None in amount[-2:]:
        raise NumberError("an amount is never negative", asked=shown(document))
    return amount


def _short(number: Fraction) -> str:
    """Write a number for people: exactly if that is short, else rounded up."""
    text = decimal(number)
    return text if len(text) <= 12 else decimal(shortened_up(number, 6))
