"""How a ledger stands, in words and as a picture."""

from __future__ import annotations

from privior.exact import decimal
from privior.ledger.correcting import corrections, uncharged_in_words
from privior.ledger.entry import LedgerEntry
from privior.ledger.pages import Page
from privior.ledger.quotas import quotas
from privior.pictures import BudgetBar
from privior.privacy import AccountingKind

_OVER = "more was spent than the cap allows: nothing is granted any more"


def facts(page: Page) -> list[tuple[str, str]]:
    """Say how the budget stands, as named facts."""
    last, due = page.last(), corrections(page)
    basic = last.accounting.kind is AccountingKind.BASIC
    left = str(last.left) if basic else last.accounting.left_in_words(last.total)
    spent = f"{last.spent} by {last.spends} release{'' if last.spends == 1 else 's'}"
    return [
        ("ledger", page.where),
        ("population", last.population),
        ("cap", str(last.cap)),
        ("promise", last.accounting.promise() + declared_in_words(last.declared_spends)),
        ("spent", spent + declared_in_words(last.declared_spends)),
        ("left", left),
        *([("declared", _declared(last))] if last.accepts_declared else []),
        *([("not charged yet", f"{uncharged_in_words(due)} (privior ledger correct)")] if due else []),
        *([] if last.accounting.admits(last.total) else [("over the cap", _OVER)]),
        ("protects", f"one {last.unit}" if last.unit else "fixed by the first release"),
        ("neighbours", str(last.neighbours or "fixed by the first release")),
        *(
            (f"quota of {name}", f"{decimal(share)} of the cap; spent {last.accounting.spent(own)}")
            for name, share, own in quotas(page)
        ),
        ("head", last.hash),
    ]


def picture(last: LedgerEntry) -> BudgetBar:
    """Draw what is spent and what is left."""
    return last.accounting.bar(
        last.total, last.accounting.nothing, last.population or "the first plan's population"
    )


def declared_in_words(spends: int) -> str:
    """Say on what a total rests beside privior, to be put behind it; nothing if on nothing else."""
    if not spends:
        return ""
    many = "1 spend" if spends == 1 else f"{spends} spends"
    return f"; if what others declare of {many} is true"


def _declared(last: LedgerEntry) -> str:
    """Say what a ledger holds that takes declared guarantees."""
    if not last.declared_spends:
        return "takes guarantees that others declare, of code or of their numbers; holds none so far"
    many = f"{last.declared_spends} of {last.spends} releases"
    return f"{many} have a guarantee that others declare"
