"""Ctrl-C stays an interruption, whatever an engine makes of it; a second one does not disturb the first."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from privior.interrupts import kept_interrupts, single_interrupt


def _swallowed(then: Exception | None = None) -> None:
    """Interrupt this process as an engine sees it: the signal arrives, its exception is lost."""
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
    except KeyboardInterrupt:
        pass
    if then is not None:
        raise then


def test_an_error_made_of_an_interruption_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), kept_interrupts():
        _swallowed(then=RuntimeError("Query interrupted"))


def test_a_swallowed_interruption_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt), kept_interrupts():
        _swallowed()


def test_other_errors_stay_what_they_are() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError, match="cell"), kept_interrupts():
        raise RuntimeError("cell")
    with kept_interrupts():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_may_use_engines() -> None:
    done = []

    def work() -> None:
        with kept_interrupts():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def _interrupted() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass


def test_a_second_interruption_is_ignored_while_the_first_is_told() -> None:
    told = []
    with single_interrupt():
        with pytest.raises(KeyboardInterrupt):
            _interrupted()
        _interrupted()
        told.append(True)
    assert told == [True]
    with pytest.raises(KeyboardInterrupt):
        _interrupted()
