"""Silence: what the process that reads rows must not do: print, log, dump its memory, listen to Ctrl-C."""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import resource
import signal
import sys
import threading
import warnings
from typing import BinaryIO

_PR_SET_DUMPABLE = 4


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take the pipes away from the standard streams, which lead nowhere from then on.

    No library, also none that is not written in Python, can print into the answer or read an order.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")


def be_silent() -> None:
    """Leave no traces: no core dump, no debugger, no log, no warning, no trace of an error, private files."""
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # a core that is piped to a program has no limit; this forbids it, and ptrace
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    faulthandler.disable()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    logging.lastResort = None
    sys.excepthook = lambda *_: None
    sys.unraisablehook = lambda *_: None
    threading.excepthook = lambda *_: None
