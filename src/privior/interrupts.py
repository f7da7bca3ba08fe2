"""Interruptions (Ctrl-C): none is lost in an engine, and a second one does not disturb the first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object]


@contextmanager
def kept_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if one arrived, even if an engine turned it into another error."""
    arrived = False

    def note(handler: Handler, number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        handler(number, frame)

    try:
        with _handled(note):
            yield
    except Exception:
        if not arrived:
            raise
    if arrived:
        raise KeyboardInterrupt


@contextmanager
def single_interrupt() -> Iterator[None]:
    """Let the first interruption through and ignore all later ones, so that its consequences can be told."""
    arrived = False

    def once(handler: Handler, number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        if not arrived:
            arrived = True
            handler(number, frame)

    with _handled(once):
        yield


@contextmanager
def _handled(treat: Callable[[Handler, int, FrameType | None], None]) -> Iterator[None]:
    """Put a treatment before the handler of Ctrl-C; nothing changes in other threads, or if it is ignored."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: treat(handler, number, frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
