"""The points of a contract: each is kept, or a `ContractError` names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from privior.errors import PriviorError


class ContractError(AssertionError):
    """A point of a contract is not kept."""


def hold(kept: bool, point: str, what: str) -> None:
    """Name a point that is not kept."""
    if not kept:
        fail(point, what)


def fail(point: str, what: str) -> NoReturn:
    """Say what is wrong with a point."""
    raise ContractError(f"{point}: {what}")


def refused(attempt: Callable[[], Any], point: str, what: str) -> None:
    """Name a point if something is accepted that must be refused."""
    try:
        attempt()
    except PriviorError:
        return
    fail(point, what)
