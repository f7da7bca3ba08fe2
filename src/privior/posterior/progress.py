"""Progress: who listens is told which part of a long inference is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

#: hears which part of the work is done, from 0 to 1
Progress = Callable[[float], None]

_LISTENER: ContextVar[Progress | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Progress | None) -> Iterator[None]:
    """Let somebody hear of what is inferred within; nobody, if there is none."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def told(part: float) -> None:
    """Tell which part of the work is done; nobody who listens can make an inference fail."""
    listener = _LISTENER.get()
    if listener is not None:
        with suppress(Exception):
            listener(part)
