"""Every error that privior raises, as one family whose fields other parts can read.

Command lines, JSON answers and pages are derived from the fields, never from the text, so that the
same mistake reads the same everywhere. No field may hold a private value: a row, a cell, a true count.
"""

from __future__ import annotations


def shown(value: object) -> str:
    """Return a value that somebody typed, short enough for a message, whatever it is."""
    try:
        return repr(value)[:80]
    except Exception:  # a number of 5,000 digits, a list nested too deep, an object that cannot be printed
        return f"a {type(value).__name__} that cannot be printed"


class PriviorError(Exception):
    """What went wrong, where, what was asked, what is allowed, what it cost and what to do now."""

    #: what the failure cost; every error but `ReleaseFailedError` comes before the spend, and what is free
    #: anyway says nothing about it
    cost = "Nothing was spent."

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        asked: object = None,
        allowed: object = None,
        spent: object = None,
        advice: str | None = None,
    ) -> None:
        self.what = what
        self.where = where
        self.asked = asked
        self.allowed = allowed
        self.spent = spent
        self.advice = advice
        super().__init__(self._message())

    def _message(self) -> str:
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        facts = [("asked", self.asked), ("allowed", self.allowed), ("spent so far", self.spent)]
        lines += [f"  {name}: {value}" for name, value in facts if value is not None]
        if self.advice:
            lines.append(f"  {self.advice}")
        if self.cost:
            lines.append(f"  {self.cost}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__.copy()))


def _rebuild(kind: type[PriviorError], fields: dict[str, object]) -> PriviorError:
    error = kind.__new__(kind)
    error.__dict__.update(fields)
    error.args = (error._message(),)
    return error


class SchemaError(PriviorError):
    """A schema, or the file that holds it, does not state valid public facts."""


class ModelError(PriviorError):
    """A model or its prior does not fit the schema."""


class NumberError(PriviorError):
    """A budget or another exact number cannot be read as a rational in its allowed range."""


class PlanError(PriviorError):
    """No mechanism fits what was asked, or the one that was asked for does not."""


class LedgerError(PriviorError):
    """A ledger is missing, unreadable, of another population, or of a newer format."""


class BudgetExceededError(LedgerError):
    """The ledger's cap does not allow this spend."""


class TableError(PriviorError):
    """A table cannot be opened, or its public facts contradict the plan."""


class ReleaseError(PriviorError):
    """A release file is malformed, incomplete, too large or of a newer format."""

    cost = ""


class InferenceError(PriviorError):
    """The posterior or the question asked for is not defined for these releases."""

    cost = ""


class AuditError(PriviorError):
    """The audit asked for cannot be carried out."""

    cost = ""


class ReleaseFailedError(PriviorError):
    """The one answer to every failure after the spend; its text never depends on the data."""

    cost = "The budget of this release stays spent: a refund would depend on the data."
