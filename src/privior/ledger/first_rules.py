"""The first rules by which prices were computed, those of privior 0.2, and what they may have forgotten.

Their rho of Gaussian noise on one sum was that of a sum which one record moves by 1, however far it moves it.
Only ledgers that add up rho are concerned (`accounting="concentrated"`), and in them only spends for
`noisy-statistics` with a delta. `correcting` charges the rest.
"""

from __future__ import annotations

from privior.ledger.entry import RULES, EntryKind, LedgerEntry
from privior.privacy import Accounting, AccountingKind, Amount

#: releases of this version were priced by the first rules
FIRST_LIBRARY = "0.2.0"
#: how entries name the mechanism in question
_MECHANISM = "noisy-statistics"


def rules_of(library: str) -> int:
    """Return the rules by which this version of privior computed prices."""
    return 1 if library == FIRST_LIBRARY else RULES


def concerns(accounting: Accounting, rules: int) -> bool:
    """Say whether sums by these rules may be too small."""
    return rules < RULES and accounting.kind is AccountingKind.CONCENTRATED


def forgotten_at_most(entry: LedgerEntry) -> Amount:
    """Return what to charge an entry whose plans are not all known: the (epsilon, delta) that they stated.

    Nothing if the first rules were right about it: they named another mechanism, or a pure guarantee. An
    entry that charged again what an old copy forgot may stand for any number of spends: it takes the cap.
    """
    nothing = entry.accounting.nothing
    if not (concerns(entry.accounting, entry.rules) and entry.price[0]):
        return nothing
    if entry.kind is EntryKind.RECONCILED:
        return entry.accounting.limits()
    if not (_MECHANISM in entry.about and entry.cost.delta):
        return nothing
    return (*nothing[:-2], entry.cost.epsilon, entry.cost.delta)
