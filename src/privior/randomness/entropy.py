"""Exact uniform bits and integers from the operating system: the source of all noise privior draws itself.

There is no seed, and no generator that could be given one. A buffer saves system calls but is a danger
when a process forks: parent and child would hold the same bytes and publish the same noise (T13). It
therefore belongs to one object, made afresh for each draw, and remembers the process it was read in.
"""

from __future__ import annotations

import os
from typing import NoReturn

_WORD = 64
_SPAN = 1 << _WORD
_WORDS_AT_ONCE = 256

#: where the noise comes from, in words, for those who sign
OPERATING_SYSTEM = "exact integers drawn from the operating system's random bits"


class Bits:
    """Independent fair bits, read from `os.urandom`; make one for each draw and let it go with the draw.

    >>> bits = Bits()
    >>> 0 <= bits.below(6) < 6, 0 <= bits.bits(3) < 8
    (True, True)
    """

    __slots__ = ("_process", "_words")

    def __init__(self) -> None:
        self._words: list[int] = []
        self._process = os.getpid()

    def below(self, upper: int) -> int:
        """Draw uniformly from 0, 1, ..., upper - 1, for an upper of any size.

        Cut 0..2^64-1 into blocks of `upper` numbers. A word in a whole block gives its place there, and
        all places are equally likely; a word in the rest at the end is thrown away (less than half of
        them). An `upper` above 2^64 takes as many bits as it has and throws away what is not below it.
        """
        if upper < 1:
            raise ValueError("no whole number lies below this bound")
        if upper > _SPAN:
            count = upper.bit_length()
            while (draw := self.bits(count)) >= upper:
                pass
            return draw
        last_start = _SPAN - upper
        while True:
            word = self._word()
            place = word % upper
            if word - place <= last_start:
                return place

    def bits(self, count: int) -> int:
        """Draw `count` fair bits as one whole number, uniform on 0, 1, ..., 2^count - 1."""
        if count < 0:
            raise ValueError("a number of bits is not negative")
        if count <= _WORD:
            return self._word() >> (_WORD - count)
        length = -(-count // 8)
        return int.from_bytes(os.urandom(length), "big") >> (8 * length - count)

    def __reduce__(self) -> NoReturn:
        # neither copied nor pickled: a copy would give the same bits again
        raise TypeError("random bits cannot be copied")

    def _word(self) -> int:
        if os.getpid() != self._process:
            self._process = os.getpid()
            self._words = []
        if not self._words:
            self._words = memoryview(os.urandom(8 * _WORDS_AT_ONCE)).cast("Q").tolist()
        return self._words.pop()
