"""What does not depend on the numbers of a release: made once where many releases are inferred together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Shared = TypeVar("Shared")

_SHARED: ContextVar[dict[Hashable, Any] | None] = ContextVar("shared", default=None)


@contextmanager
def sharing(made: dict[Hashable, Any]) -> Iterator[None]:
    """Let inferences within use what others have made, and leave theirs."""
    before = _SHARED.set(made)
    try:
        yield
    finally:
        _SHARED.reset(before)


def once(key: Hashable, make: Callable[[], Shared]) -> Shared:
    """Return what was made under this key; make it, if it was not or nothing is shared.

    Args:
        key: all that it depends on, and whose it is
        make: makes it; nobody changes it afterwards
    """
    made = _SHARED.get()
    if made is None:
        return make()
    if key not in made:
        made[key] = make()
    found: Shared = made[key]
    return found
