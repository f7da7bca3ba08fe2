"""Requests: a spend as it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from privior.errors import LedgerError, shown
from privior.ledger.entry import OWN_MARKS, LedgerEntry
from privior.privacy import Budget, Neighbours

if TYPE_CHECKING:  # whoever asks for a spend has loaded them
    from privior.privacy import Guarantee

_LONGEST_NAME = 200


class ProtectedUnit(Protocol):
    """What neighbouring data differ by, as a ledger names it."""

    @property
    def noun(self) -> str: ...  # noqa: D102 - in the singular


class Whose(Protocol):
    """Whose budget it is; a schema says it."""

    @property
    def population(self) -> str: ...  # noqa: D102
    @property
    def unit(self) -> ProtectedUnit: ...  # noqa: D102


class Spendable(Protocol):
    """What can be charged: a plan, or several together."""

    @property
    def schema(self) -> Whose: ...  # noqa: D102 - as in a plan
    @property
    def neighbours(self) -> Neighbours: ...  # noqa: D102
    @property
    def guarantees(self) -> tuple[Guarantee, ...]: ...  # noqa: D102
    @property
    def cost(self) -> Budget: ...  # noqa: D102
    @property
    def declared(self) -> bool: ...  # noqa: D102
    @property
    def digests(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def about(self) -> str: ...  # noqa: D102


@dataclass(frozen=True)
class Request:
    """A spend as it is asked for.

    Attributes:
        plan: what to charge
        key: the caller's own name for this spend: asked again with the same plan it is not charged again
        analyst: who spends; needed once the ledger has quotas
        version: which version of the table, as its keeper calls it
    """

    plan: Spendable
    key: str | None = None
    analyst: str | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        for name in ("key", "analyst", "version"):
            check_name(getattr(self, name), name, optional=True)
        if self.key is not None and self.key.startswith(OWN_MARKS):
            raise LedgerError(
                f"keys that begin with {' or '.join(map(repr, OWN_MARKS))} are the ledger's own",
                asked=shown(self.key),
                advice="Choose another key.",
            )

    def made(self, entry: LedgerEntry) -> bool:
        """Say whether an entry was made by this request."""
        return (entry.plans, entry.analyst, entry.version) == (
            self.plan.digests,
            self.analyst,
            self.version,
        )


def check_name(name: object, what: str, *, optional: bool = False) -> None:
    """Refuse what is no name of one line."""
    if name is None and optional:
        return
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise LedgerError(f"the {what} has no name of one line", asked=shown(name))
