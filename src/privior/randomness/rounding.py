"""Draws of real numbers, rounded exactly: the point of a public grid that is nearest to an ideal draw.

A draw in floating point leaks through its last bits, for which of them can occur depends on the parameters.
Here the ideal draw is X = F^-1(U), U uniform on (0, 1), F the distribution function of the law; what is
returned is the whole number j with j/2^places nearest to X. X is never computed: j is returned only if
F((j - 1/2)/2^places) <= U <= F((j + 1/2)/2^places) for every U with the bits drawn so far and for every
number in Arb's enclosures of F. So j is a function of the exact X, a post-processing whose law is exact for
every parameter, and cells at the ends of the support are cells like all others: nothing is drawn again.
If the bits do not decide, the SAME U gets more of them, with more precision; after h bits more than the grid
has, that happens with probability of about 2^-h. How long a draw takes depends on X.
"""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Protocol

from privior.randomness.entropy import Bits

if TYPE_CHECKING:
    from flint import arb

#: bits of U beyond those of the grid, at first
_SPARE = 32
#: after so many attempts to jump, the cells are halved
_JUMPS = 8
#: the finest grid
MOST_PLACES = 1024


class Law(Protocol):
    """The law of a real number, known by enclosures. What they cost and `guess` never decide anything."""

    @property
    def ends(self) -> tuple[int, int]:
        """Two whole numbers between which every draw lies."""

    @property
    def guard(self) -> int:
        """How many bits more than wanted its formulas need."""

    def guess(self, share: float) -> float:
        """Return about the point below which this share of the law lies."""

    def below(self, point: arb) -> arb:
        """Enclose the chance of a draw below the point, which lies between the ends."""

    def density(self, points: arb) -> arb:
        """Enclose the density at every one of the points; anything not finite where that cannot be done."""


def rounded(law: Law, places: int, bits: Bits) -> int:
    """Draw X from the law and return the whole number that is nearest to X * 2^places."""
    if not 1 <= places <= MOST_PLACES:
        raise ValueError("no grid has so many places")
    known = places + _SPARE
    uniform = bits.bits(known)
    search = _Cells(law, places)
    place = search.guessed(uniform / (1 << known))
    for turn in count():
        if search.low == search.high:
            return search.low
        found = search.look(place, uniform, known)
        if found is None:
            uniform = (uniform << known) | bits.bits(known)
            known *= 2
        else:
            place = found if turn < _JUMPS else (search.low + search.high) // 2
    raise AssertionError  # never reached: count() does not end


class _Cells:
    """The cells in which X may still lie, from `low` to `high`; cell j begins at (j - 1/2) / 2^places."""

    def __init__(self, law: Law, places: int) -> None:
        self.law = law
        self.places = places
        self.low, self.high = (end << places for end in law.ends)

    def guessed(self, share: float) -> int:
        """Return the cell in which X is expected."""
        guess = self.law.guess(share)
        if not math.isfinite(guess):
            return (self.low + self.high) // 2
        top, bottom = guess.as_integer_ratio()
        return (top << self.places) // bottom

    def look(self, place: int, uniform: int, known: int) -> int | None:
        """Compare U with F where cell `place` begins, and, by the density, where cells near X do.

        Returns where to look next, or None if U needs more bits. From a point t at which F is known to
        another one t', F(t') = F(t) + (t' - t) f(s) for some s between them: one F is enough for both ends of
        a cell if the guess was good, and the last word is with enclosures all the same.
        """
        import flint

        place = min(max(place, self.low + 1), self.high)
        with flint.ctx.workprec(known + self.law.guard + 16):
            scale = flint.arb(2) ** -known
            lowest, highest = uniform * scale, (uniform + 1) * scale
            start = self._start(place)
            below = self.law.below(start)
            if not self._learn(place, below, lowest, highest):
                return None
            ahead = (lowest - below) / self.law.density(start)
            if not ahead.is_finite():
                return (self.low + self.high) // 2
            cell = place + int((ahead.mid() * (1 << self.places)).floor().unique_fmpz())
            for other in (cell, cell + 1):
                if self.low < other <= self.high:
                    end = self._start(other)
                    there = below + (end - start) * self.law.density(start.union(end))
                    self._learn(other, there, lowest, highest)
        return cell if cell > self.low else cell + 1

    def _start(self, place: int) -> arb:
        import flint

        return flint.arb(2 * place - 1) * flint.arb(2) ** (-self.places - 1)

    def _learn(self, place: int, below: arb, lowest: arb, highest: arb) -> bool:
        """Keep the cells from `place` on, or those before it, if all numbers enclosed agree on which."""
        if below <= lowest:
            self.low = max(self.low, place)
            return True
        if highest <= below:
            self.high = min(self.high, place - 1)
            return True
        return False
