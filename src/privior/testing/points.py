"""The points of a contract: each is kept, or a `ContractError` names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from privior.errors import PriviorError

T = TypeVar("T")


class ContractError(AssertionError):
    """A point of a contract is not kept."""


def hold(kept: bool, point: str, what: str) -> None:
    """Name a point that is not kept."""
    if not kept:
        fail(point, what)


def fail(point: str, what: str) -> NoReturn:
    """Say what is wrong with a point."""
    raise ContractError(f"{point}: {what}")


def refused(attempt: Callable[[], object], point: str, what: str) -> None:
    """Name a point if something is accepted that must be refused."""
    try:
        attempt()
    except PriviorError:
        return
    fail(point, what)


def answered(question: Callable[[], T], point: str, name: str) -> T:
    """Return what somebody else's code answers, or name the point at which it fails."""
    try:
        return question()
    except Exception as error:  # whatever it is: it would be told to a user, as a fault of nobody
        fail(point, f"{name} raises {type(error).__name__}: {error}")
