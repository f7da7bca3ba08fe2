"""The ledger: what has been spent on a population, durable, append-only and exact.

Every entry carries the running totals and the hash of the entry before it, so that one spend is one short
transaction (O(1)), and a changed or missing entry breaks the chain. Entry 0 holds the cap and how costs add
up to it. Amounts are exact rationals written as text.
Nothing is ever refunded: a refund would tell that a release failed. A spend is reserved before the data are
opened; how it ended is written beside it, with what was released, before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from privior.errors import LedgerError, PriviorError
from privior.ledger.anchors import anchor_of, drop_anchor
from privior.ledger.closing import Closing, State
from privior.ledger.correcting import corrections
from privior.ledger.entry import CORRECTS, RULES, EntryKind, LedgerEntry, fresh_nonce, today
from privior.ledger.history import History
from privior.ledger.pages import Page, Store
from privior.ledger.parts import SpendPart, next_part, part_of
from privior.ledger.quotas import quota_entry, quotas
from privior.ledger.reconciling import KnownSpend, charges, lost
from privior.ledger.request import Request, Spendable, check_name
from privior.ledger.rules import check_same, identity_of, next_entry, refuse_rollback, unfinished
from privior.ledger.sqlite import MemoryStore
from privior.ledger.standing import facts, picture
from privior.ledger.stores import store_at
from privior.ledger.verifying import chained, verified, verified_page
from privior.pictures import BudgetBar, listing, markup
from privior.privacy import NOTHING, Accounting, AccountingKind, Amount, Budget

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: of ledgers with at most so many entries all are checked before a spend
_SHORT = 1000
_DAMAGED = (
    "What is spent is not to be trusted: release nothing from this ledger. Put the newest copy that holds in "
    "its place, and charge what that forgot: privior ledger reconcile LEDGER RELEASE..."
)


class Ledger:
    """A handle on one population's ledger. Copies of the handle spend from the same budget."""

    def __init__(self, store: Store) -> None:
        if isinstance(store, (str, Path)):
            raise LedgerError("not opened yet", advice="Say pv.Ledger.open(path).")
        self._store = store
        self._looked = False

    # ---- making and opening ---------------------------------------------------------------------

    @staticmethod
    def create(
        path: str | Path,
        *,
        population: str,
        epsilon: object,
        delta: object = 0,
        accounting: AccountingKind | str = AccountingKind.BASIC,
        aside: Budget = NOTHING,
        accept_declared: bool = False,
    ) -> Ledger:
        """Open a new ledger with this cap; an existing one is never touched.

        Args:
            path: the file, or the address on a server: postgresql://user@host/database#name
            population: whose budget it is, as schemas say
            epsilon: what all releases together may promise
            delta: likewise
            accounting: how costs add up; fixed for ever
            aside: the part of the cap for releases that this accounting cannot take
            accept_declared: take guarantees too that code outside privior declares; fixed for ever, and said
                with every total from the first one on
        """
        check_name(population, "population")
        store = store_at(path)
        chosen = Accounting.of(accounting, Budget.of(epsilon, delta), aside)
        identity = fresh_nonce()
        opening = _opening(population, chosen, identity, accept_declared=accept_declared)
        store.create(opening)
        drop_anchor(identity, opening)
        return Ledger.open(path)

    @staticmethod
    def open(path: str | Path) -> Ledger:
        """Open an existing ledger after checking its format and its last entry."""
        store = store_at(path)
        store.check_there()
        ledger = Ledger(store)
        ledger.last()
        return ledger

    @staticmethod
    def in_memory(
        *,
        population: str = "",
        epsilon: object = 1000,
        delta: object = "0.5",
        accounting: AccountingKind | str = AccountingKind.BASIC,
        aside: Budget = NOTHING,
        accept_declared: bool = False,
    ) -> Ledger:
        """Return a ledger that is forgotten with the process: for trials and tests, never for people's data.

        Without a population it takes that of the first plan.
        """
        chosen = Accounting.of(accounting, Budget.of(epsilon, delta), aside)
        return Ledger(MemoryStore(_opening(population, chosen, accept_declared=accept_declared)))

    # ---- how it stands --------------------------------------------------------------------------

    @property
    def where(self) -> str:
        """The ledger's place, or "memory"."""
        return self._store.where

    @property
    def durable(self) -> bool:
        """Whether spending outlives the process."""
        return self._store.address is not None

    def last(self) -> LedgerEntry:
        """Return the newest entry, checked against its hash."""
        with self._store.reading() as page:
            return page.last()

    @property
    def population(self) -> str:
        """The people whose budget this is."""
        return self.last().population

    @property
    def cap(self) -> Budget:
        """What all releases together may promise."""
        return self.last().cap

    @property
    def spent(self) -> Budget:
        """What has been spent, as an (epsilon, delta)."""
        return self.last().spent

    @property
    def left(self) -> Budget:
        """The cap without what was spent."""
        return self.last().left

    @property
    def accepts_declared(self) -> bool:
        """Whether it was created to take guarantees that code outside privior declares."""
        return self.last().accepts_declared

    @property
    def declared_spends(self) -> int:
        """How many spends were for such guarantees; if any, the totals are as true as that code."""
        return self.last().declared_spends

    # ---- spending -------------------------------------------------------------------------------

    def check(self, plan: Spendable, **facts: str | None) -> None:
        """Raise what `spend` would raise, spending nothing; of a short ledger every entry is checked."""
        self._look(Request(plan, **facts))
        self._check_short()
        self._store.check_writable()

    def _check_short(self) -> None:
        """Check all entries where that is quick: an old one that was altered stops whatever spends next."""
        if self.last().number > _SHORT:
            return
        try:
            with self._store.reading() as page:  # the file was looked at when it was opened
                verified(page.entries(), self.where)
        except LedgerError as error:
            said = {name: getattr(error, name) for name in ("where", "asked", "allowed", "spent")}
            raise LedgerError(error.what, advice=error.advice or _DAMAGED, **said) from None

    def _look(self, request: Request) -> None:
        with self._store.reading() as page:
            next_entry(page, request, corrections(page))
        self._looked = True

    def spend(self, plan: Spendable, **facts: str | None) -> LedgerEntry:
        """Charge the plan's cost, durably, or raise and leave everything as it is.

        The entry is then reserved, until `finish` or `fail` says how it ended; spent it is in any case.
        What the first rules forgot to charge for earlier spends is charged before, whether or not this one is
        granted.

        Args:
            plan: a plan, or several together
            facts: the other fields of `Request`: key, analyst, version
        """
        request = Request(plan, **facts)
        if not self._looked:  # loads what a spend takes before a lock is held: a fork meanwhile might hang
            with suppress(PriviorError):
                self._look(request)
        while True:
            with self._store.writing() as page:
                if not corrections(page):
                    entry = next_entry(page, request)
                    page.append(entry)
                    identity = identity_of(page)
                    break
            self.correct()
        drop_anchor(identity, entry)
        return entry

    def correct(self) -> list[LedgerEntry]:
        """Charge what the first rules forgot, if that was not done, and return the entries that do."""
        if not self.uncharged():
            return []
        with self._store.writing() as page:
            refuse_rollback(page, ())
            made = _append(page, corrections(page))
            identity = identity_of(page)
        if made:
            drop_anchor(identity, made[-1])
        return made

    def uncharged(self) -> list[LedgerEntry]:
        """Return the entries that the next spend appends, since the first rules charged too little."""
        with self._store.reading() as page:
            return corrections(page)

    def correction(self, entry: LedgerEntry) -> LedgerEntry | None:
        """Return the entry that charges what this one forgot, if there is one."""
        with self._store.reading() as page:
            return page.keyed(f"{CORRECTS}{entry.hash}")

    def finish(self, entry: LedgerEntry, *release: str) -> None:
        """Write what a spend released, once; nobody may have seen it before."""
        self._close(entry, release)

    def fail(self, entry: LedgerEntry) -> None:
        """Write that a spend released nothing. It stays spent."""
        self._close(entry, ())

    def keyed(self, key: str) -> LedgerEntry | None:
        """Return the entry with this key, checked against its hash; None if there is none."""
        with self._store.reading() as page:
            return page.keyed(key)

    def part(self, spend: LedgerEntry, number: int) -> SpendPart | None:
        """Return a part of a spend; None if nobody took it yet."""
        with self._store.reading() as page:
            return part_of(page, spend, number)

    def take_part(self, spend: LedgerEntry, number: int, *, state: str) -> LedgerEntry:
        """Take the right to draw part `number` of a spend, durably, or raise: it is given once.

        `finish` or `fail` say how it ended; if neither does, it was cut off and is never drawn again.

        Args:
            spend: an open spend
            number: from 1, each after the one before
            state: the name of the state that will be drawn from
        """
        with self._store.writing() as page:
            entry = next_part(page, spend, number, state)
            page.append(entry)
            identity = identity_of(page)
        drop_anchor(identity, entry)
        return entry

    def entry(self, number: int) -> LedgerEntry | None:
        """Return the entry of this number, checked against its hash; None if there is none."""
        with self._store.reading() as page:
            return page.entry(number)

    def closing(self, number: int) -> Closing | None:
        """Return how the spend of this entry ended; None if it never did."""
        with self._store.reading() as page:
            entry = page.entry(number)
            return None if entry is None else page.closing(entry)

    def replay(self, plan: Spendable, **facts: str | None) -> tuple[str, ...] | None:
        """Return what was released for this key and plan, free; None if the key is new.

        Raises KeyConflictError if the key belongs to another request, or its spend released nothing.
        """
        request = Request(plan, **facts)
        if request.key is None:
            return None
        with self._store.reading() as page:
            entry = page.keyed(request.key)
            if entry is None:
                return None
            check_same(request, entry, self.where)
            closing = page.closing(entry)
        if closing is None or closing.state is not State.RELEASED:
            raise unfinished(self.where, entry, closing)
        return closing.release

    def bought(self, plan: Spendable) -> LedgerEntry | None:
        """Return the newest spend for the same plan that released something: using that again is free."""
        with self._store.reading() as page:
            entry = page.bought(plan.digests[0])
            return None if entry is None or entry.plans != plan.digests else entry

    # ---- quotas ---------------------------------------------------------------------------------

    def allow(self, analyst: str, share: object) -> LedgerEntry:
        """Let an analyst spend up to a share of the cap; from then on every spend names an analyst.

        Args:
            analyst: her name
            share: of each of the cap's limits, such as "1/4"; all shares together are 1 at most
        """
        with self._store.writing() as page:
            entry = quota_entry(page, analyst, share)
            page.append(entry)
        return entry

    def quotas(self) -> list[tuple[str, Fraction, Amount]]:
        """Return each analyst with her share and what she has spent."""
        with self._store.reading() as page:
            return quotas(page)

    # ---- checking -------------------------------------------------------------------------------

    def entries(self) -> Iterator[LedgerEntry]:
        """Yield all entries in order, each checked against its hash and the one before it."""
        with self._store.reading() as page:
            yield from chained(page.entries(), self.where)

    def history(self) -> History:
        """Return all entries with how their spends ended, each checked against the chain."""
        with self._store.reading() as page:
            return History(self.where, tuple(chained(page.entries(), self.where)), page.states())

    def verify(self, known: Iterable[KnownSpend] = ()) -> LedgerEntry:
        """Check the whole chain, its totals, keys and the ends of its spends, and return the last entry.

        Of a ledger in a file, every page of that file is checked too.

        Args:
            known: spends that releases prove; one that the chain has not is a rollback
        """
        with self._store.reading() as page:
            last = verified_page(page)
            refuse_rollback(page, known)
        return last

    def reconcile(self, known: Iterable[KnownSpend] = ()) -> list[LedgerEntry]:
        """Charge again what this ledger forgot, and return the entries that do.

        Args:
            known: spends that releases prove; the anchor of this user is added
        """
        with self._store.writing() as page:
            verified_page(page)
            identity = identity_of(page)
            anchor = anchor_of(identity) if identity else None
            proved = [*known, *([] if anchor is None else [KnownSpend.of(anchor)])]
            missing = lost(page, proved)
            corrected = _append(page, corrections(page)) if missing else []
            made = [*corrected, *_append(page, charges(page, missing))]
            last = page.last()
        drop_anchor(identity, last, anew=True)
        return made

    def _close(self, entry: LedgerEntry, release: tuple[str, ...]) -> None:
        with self._store.writing() as page:
            there = page.entry(entry.number)
            if there is None or there.hash != entry.hash:
                raise LedgerError(
                    "not a spend of this ledger", where=self.where, asked=f"entry {entry.number}"
                )
            if page.closing(there) is not None:
                raise LedgerError(
                    "this spend has ended already", where=self.where, asked=f"entry {entry.number}"
                )
            page.close(Closing.of(there, release))

    # ---- showing --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<ledger {self.where}>"

    def facts(self) -> list[tuple[str, str]]:
        """Say how the budget stands, as named facts."""
        with self._store.reading() as page:
            return facts(page)

    def picture(self) -> BudgetBar:
        """Draw what is spent and what is left."""
        return picture(self.last())

    def plot(self) -> Figure:
        """Return the budget bar as a figure."""
        return self.picture().figure()

    def _repr_html_(self) -> str:
        return markup.fragment(self.picture().html(), markup.facts(self.facts()))

    def __str__(self) -> str:
        return "\n".join(listing.facts(self.facts()))

    def __reduce__(self) -> tuple[Callable[[str], Ledger], tuple[str]]:
        if self._store.address is None:
            raise TypeError("a ledger in memory belongs to its process")
        return Ledger.open, (self._store.address,)

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: object) -> Ledger:
        return self


def _append(page: Page, entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    made = list(entries)
    for entry in made:
        page.append(entry)
    return made


def _opening(
    population: str, accounting: Accounting, identity: str | None = None, *, accept_declared: bool
) -> LedgerEntry:
    """Return entry 0; its key is the ledger's random name, by which anchors know it."""
    nothing = accounting.nothing
    return LedgerEntry(
        0,
        EntryKind.OPENED,
        population,
        accounting,
        nothing,
        nothing,
        accepts_declared=bool(accept_declared),
        key=identity,
        day=today(),
        rules=RULES,
    ).sealed()
