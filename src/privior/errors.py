"""Every error that privior raises, as one family whose fields other parts can read.

Command lines, JSON answers and pages are derived from the fields, never from the text, so that the
same mistake reads the same everywhere. No field may hold a private value: a row, a cell, a true count.
"""

from __future__ import annotations

import unicodedata
from typing import Any


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
        self.what, self.where, self.advice = what, where, advice
        self.asked, self.allowed, self.spent = asked, allowed, spent
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

    def to_document(self) -> dict[str, str | int]:
        """Write the fields as plain values, for JSON."""
        names = ("what", "where", "asked", "allowed", "spent", "advice", "cost")
        fields = {name: getattr(self, name) for name in names}
        said = {name: str(value) for name, value in fields.items() if value is not None and value != ""}
        return {"kind": type(self).__name__, **said}

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


class KeyConflictError(LedgerError):
    """A key was used before, for another request or for a spend that released nothing."""


class UnknownSpendError(LedgerError):
    """A ledger's server fell silent while it was asked to keep what was written: it may have kept it."""

    cost = "Whether it was spent is not known."


class TableError(PriviorError):
    """A table cannot be opened, or its public facts contradict the plan."""


class ReleaseError(PriviorError):
    """A release file is malformed, incomplete, too large or of a newer format."""

    cost = ""


class InferenceError(PriviorError):
    """The posterior or the question asked for is not defined for these releases."""

    cost = ""


class QuestionError(InferenceError):
    """A question cannot be read, or does not fit the posterior; the message points at the place.

    Attributes:
        question: the question as it was asked
        place: the offset of what is wrong; the question's length if something is missing at its end
    """

    #: a longer question is shown in part
    _WIDTH = 100

    def __init__(self, what: str, *, question: str, place: int, **facts: Any) -> None:
        self.question = question
        self.place = place
        super().__init__(what, **facts)

    def to_document(self) -> dict[str, str | int]:
        """Write the fields as plain values, for JSON."""
        return {**super().to_document(), "question": self.question, "place": self.place}

    @staticmethod
    def visible(text: str) -> str:
        """Return a text with everything escaped that has no shape, breaks the line or turns the writing."""
        if text.isprintable():
            return text
        return "".join(
            sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
        )

    def _message(self) -> str:
        first, *rest = super()._message().split("\n")
        before, after = self._shown_part()
        under = sum(_columns(sign) for sign in before)
        return "\n".join([first, f"  {before}{after}", f"  {' ' * under}^", *rest])

    def _shown_part(self) -> tuple[str, str]:
        """Return what stands before the place and after it, cut where the question is long."""
        parts = self.question[: self.place], self.question[self.place :]
        before, after = (self.visible(part) for part in parts)
        most = self._WIDTH
        if len(before) + len(after) <= most:
            return before, after
        kept = max(most * 3 // 5, most - len(after))
        if len(before) > kept:
            before = "..." + before[len(before) - kept + 3 :]
        left = most - len(before)
        return before, after if len(after) <= left else after[: left - 3] + "..."


def _columns(sign: str) -> int:
    """Return how many columns of a terminal a printable sign takes."""
    if unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


class DecisionError(InferenceError):
    """A utility, its responses, or what they are about do not fit together."""


class AuditError(PriviorError):
    """The audit asked for cannot be carried out."""

    cost = ""


class ReleaseFailedError(PriviorError):
    """The one answer to every failure after the spend; its text never depends on the data.

    Attributes:
        incident: under which number the curator's log has the cause; it follows from the ledger entry alone
    """

    cost = "The budget of this release stays spent: a refund would depend on the data."

    def __init__(self, what: str, *, incident: str | None = None, **facts: Any) -> None:
        self.incident = incident
        super().__init__(what, **facts)

    def to_document(self) -> dict[str, str | int]:
        """Write the fields as plain values, for JSON."""
        fields = super().to_document()
        return fields if self.incident is None else {**fields, "incident": self.incident}

    def _message(self) -> str:
        message = super()._message()
        return message if self.incident is None else f"{message}\n  incident: {self.incident}"


class ReleaseInterruptedError(KeyboardInterrupt):
    """An interruption after the spend, which stands. Not an `Exception`, as no interruption is one.

    Attributes:
        entry: the number of the ledger entry
        written: whether all release files had been written, whole, by then
        stored: whether the ledger has what was drawn
    """

    def __init__(self, entry: int, *, written: bool, stored: bool) -> None:
        self.entry = entry
        self.written = written
        self.stored = stored
        file = "Nothing was released."
        if written:
            file = "The release file is complete."
        elif stored:
            file = f"The ledger has what was drawn: privior ledger release LEDGER {entry} writes it, free."
        super().__init__(
            f"interrupted after the budget was spent (ledger entry {entry}). {file} The spend stands."
        )
