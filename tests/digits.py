"""Bits that are known beforehand: those of a given number."""

from __future__ import annotations

import math
from fractions import Fraction

from privior.randomness.entropy import Bits


class Digits(Bits):
    """The binary digits of a given number in [0, 1], one after the other; 1 is 0.111..."""

    def __init__(self, number: Fraction) -> None:
        self._left = number
        self.taken = 0

    def bits(self, count: int) -> int:
        """Return the next digits."""
        self.taken += count
        shifted = self._left * (1 << count)
        whole = min(math.floor(shifted), (1 << count) - 1)
        self._left = shifted - whole
        return whole
