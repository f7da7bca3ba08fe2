"""The harness of this folder: an attack that privior withstands and that its broken twins do not.

A file holds one threat: an attack on a small interface, privior behind that interface, and twins: small
systems that are broken in the way in which others were. The attack must end in an AssertionError on every
twin, so that an attack which could never fail is noticed.
"""

from __future__ import annotations

import io
import logging
import os
import random
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from child_program import EVERYWHERE, PROGRAM, planted
from privior.randomness import discrete_laplace

System = TypeVar("System")
Attacked = TypeVar("Attacked", contravariant=True)
Makers = Mapping[str, Callable[[Path], System]]
Test = Callable[[Any, Path], None]


class Trial(Protocol[Attacked]):
    """Makes the test of an attack from the two sides."""

    def __call__(self, *, privior: Makers[Attacked], twins: Makers[Attacked]) -> Test: ...


def against(attack: Callable[[System], None]) -> Trial[System]:
    """Return what makes the test of an attack, which raises AssertionError if the system is broken."""

    def trial(*, privior: Makers[System], twins: Makers[System]) -> Test:
        """Return a test of both sides: privior withstands the attack, each twin falls to it.

        Args:
            privior: makes privior behind the interface, in an empty folder; one maker for each way in
            twins: makes the broken systems, by what is broken
        """
        sound = [pytest.param((make, False), id=f"privior-{name}") for name, make in privior.items()]
        broken = [pytest.param((make, True), id=f"twin-{name}") for name, make in twins.items()]

        @pytest.mark.parametrize("side", sound + broken)
        @pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
        def test(side: tuple[Callable[[Path], System], bool], tmp_path: Path) -> None:
            make, falls = side
            system = make(tmp_path)
            if not falls:
                attack(system)
                return
            with pytest.raises(AssertionError) as fall:
                attack(system)
            assert fall.traceback[-1].name == attack.__name__, "the twin failed by itself"

        test.counted = (len(sound), len(broken))  # type: ignore[attr-defined]
        return test

    return trial


@dataclass(frozen=True)
class Seen:
    """What somebody outside sees of an act.

    Attributes:
        value: what it returned
        failure: the exception with all causes and contexts, hidden ones too; None if there was none
        said: what was printed, logged and warned
    """

    value: Any
    failure: str | None
    said: str

    @property
    def text(self) -> str:
        """All of it as one text."""
        return f"{self.value}\n{self.failure}\n{self.said}"


def seen(act: Callable[[], object]) -> Seen:
    """Do something and return what shows of it."""
    out, log = io.StringIO(), logging.StreamHandler(io.StringIO())
    root, value, failure = logging.getLogger(), None, None
    before = root.level
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                value = act()
            except Exception as error:
                failure = "\n".join(_chain(error))
    finally:
        root.removeHandler(log)
        root.setLevel(before)
    said = [out.getvalue(), log.stream.getvalue(), *(str(warning.message) for warning in warned)]
    return Seen(value, failure, "\n".join(filter(None, said)))


def _chain(error: BaseException) -> Iterator[str]:
    yield "".join(traceback.format_exception_only(error))
    for other in (error.__cause__, error.__context__):
        if other is not None:
            yield from _chain(other)


def noise(size: int, scale: int = 2) -> list[int]:
    """Draw honest noise for a twin, whose fault lies elsewhere."""
    return discrete_laplace(size, Fraction(scale))


@contextmanager
def noise_tape(tape: str = "tape") -> Iterator[None]:
    """Let every draw come from one tape: what happens twice with the same tape has the same noise.

    All bits of privior are `os.urandom`'s but those of OpenDP's draws, which are replaced whole; in the
    process that reads files as well.
    """
    with pytest.MonkeyPatch.context() as patch:
        play(tape, patch.setattr)
        patch.setattr(PROGRAM, lambda: planted(f"{EVERYWHERE}import twins; twins.play({tape!r}, setattr)"))
        yield


def play(tape: str, put: Callable[[object, str, object], None]) -> None:
    """Replace all sources of noise by a tape."""
    from privior.randomness import discrete

    stream = random.Random(tape)

    def draws(_: object, size: int) -> list[int]:
        return [stream.randint(-9, 9) for _ in range(size)]

    put(os, "urandom", stream.randbytes)
    put(random, "_urandom", stream.randbytes)
    put(discrete, "_draws", draws)
