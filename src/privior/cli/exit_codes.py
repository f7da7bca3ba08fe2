"""Exit codes: what a script can tell from how a command ended. docs/command-line.md lists them."""

from __future__ import annotations

from enum import IntEnum

from privior.errors import (
    AuditError,
    BudgetExceededError,
    InferenceError,
    LedgerError,
    PriviorError,
    ReleaseError,
    ReleaseFailedError,
    TableError,
)


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    NO = 1  # a check failed, or the question whether to spend was not answered with yes
    USAGE = 2
    UNSOUND = 3  # a schema, model, number or plan that does not hold
    LEDGER = 4
    BUDGET = 5
    TABLE = 6
    FAILED_AFTER_SPEND = 7
    RELEASE = 8
    QUESTION = 9
    OPEN = 10  # nothing failed, but what only the ledger knows was not checked
    UNEXPECTED = 70
    INTERRUPTED = 130


_CODES: tuple[tuple[type[PriviorError], ExitCode], ...] = (
    (BudgetExceededError, ExitCode.BUDGET),
    (LedgerError, ExitCode.LEDGER),
    (TableError, ExitCode.TABLE),
    (ReleaseFailedError, ExitCode.FAILED_AFTER_SPEND),
    (ReleaseError, ExitCode.RELEASE),
    (InferenceError, ExitCode.QUESTION),
    (AuditError, ExitCode.QUESTION),
)


def exit_code(error: PriviorError) -> ExitCode:
    """Return the code of an error: that of its own class, before any class it inherits from."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return ExitCode.UNSOUND
