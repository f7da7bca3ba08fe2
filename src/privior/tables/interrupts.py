"""Interruptions (Ctrl-C) while an engine works: whatever it makes of them, they stay interruptions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def kept_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if one arrived, even if the engine turned it into another error.

    Only the main thread is interrupted; in others, and where Ctrl-C is ignored, nothing changes.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    arrived = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if not arrived:
            raise
    finally:
        signal.signal(signal.SIGINT, handler)
    if arrived:
        raise KeyboardInterrupt
