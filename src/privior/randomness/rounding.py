"""Draws of real numbers, rounded exactly: the point of a public grid that is nearest to an ideal draw.

A draw in floating point leaks through its last bits, for which of them can occur depends on the parameters.
Here the ideal draw is X = F^-1(U), U uniform on (0, 1), F the distribution function of the law; what is
returned is the whole number j with j/2^places nearest to X. X is never computed: j is returned only if
F((j - 1/2)/2^places) <= U <= F((j + 1/2)/2^places) for every U with the bits drawn so far and for every
number in Arb's enclosures of F. So j is a function of the exact X, a post-processing whose law is exact for
every parameter. Cells at the ends of the support are cells like all others, nothing is drawn again, and a
support without an end is not cut off: j may be any whole number, found by steps that double outwards.
If the bits do not decide, the SAME U gets more of them, with more precision; after h bits more than the grid
has, that happens with probability of about 2^-h. How long a draw takes depends on X.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count
from typing import Protocol

from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ball
from privior.randomness.entropy import Bits

#: bits of U beyond those of the grid, at first
_SPARE = 32
#: after so many attempts to jump, every other step halves the cells
_JUMPS = 8
#: the finest grid; that of the widest, 2^1024, has as many places below 0
MOST_PLACES = 1024


class EnclosedLaw(Protocol):
    """The law of a real number, known by enclosures. Their cost, `size` and `guess` never decide anything."""

    @property
    def ends(self) -> tuple[Fraction | int | None, Fraction | int | None]:
        """Two numbers between which every draw lies; None is infinity."""

    @property
    def guard(self) -> int:
        """How many bits more than wanted its formulas need."""

    @property
    def size(self) -> int:
        """About log2 of how far draws lie apart."""

    def guess(self, share: float) -> Fraction | None:
        """Return about the point below which this share of the law lies, if there is a guess."""

    def below(self, point: Fraction) -> arb:
        """Enclose the chance of a draw below a point strictly between the ends."""

    def density(self, points: arb) -> arb:
        """Enclose the density at those of the points that lie between the ends; not finite if that fails."""


def rounded(law: EnclosedLaw, places: int, bits: Bits) -> int:
    """Draw X from the law and return the whole number that is nearest to X * 2^places.

    `places` is from -1024 to 1024: the unit of the grid is 2^-places, also one above 1.
    """
    if not -MOST_PLACES <= places <= MOST_PLACES:
        raise ValueError("no grid has so many places")
    return IdealDraw(law, bits).cell(places)


class IdealDraw:
    """One ideal draw X, of which only as much is looked at as is asked for: on every grid the same X."""

    def __init__(self, law: EnclosedLaw, bits: Bits) -> None:
        self.law = law
        self._bits = bits
        self._uniform = self._known = 0

    def cell(self, places: int) -> int:
        """Return the whole number that is nearest to X * 2^places."""
        self._more(max(0, places + self.law.size) + _SPARE - self._known)
        search = _Cells(self.law, places)
        place = search.guessed(self._uniform / (1 << self._known))
        for turn in count():
            if search.low is not None and search.low == search.high:
                return search.low
            found = search.look(place, self._uniform, self._known)
            if found is None:
                self._more(self._known)
            else:
                place = found if turn < _JUMPS or turn % 2 else search.middle()
        raise AssertionError  # never reached: count() does not end

    def enclosed(self, places: int) -> arb:
        """Enclose X by its cell of a grid, at the working precision."""
        cell, unit = self.cell(places), Fraction(2) ** -places
        (first, last), half = self.law.ends, Fraction(1, 2)
        low, high = (cell - half) * unit, (cell + half) * unit
        low = low if first is None else max(low, Fraction(first))
        high = high if last is None else min(high, Fraction(last))
        return ball(low).union(ball(high))

    def _more(self, count: int) -> None:
        """Draw so many more bits of the same U."""
        if count > 0:
            self._uniform = (self._uniform << count) | self._bits.bits(count)
            self._known += count


class _Cells:
    """The cells in which X may still lie, from `low` to `high`; cell j begins at (j - 1/2) / 2^places.

    None as `low` or `high` says that there is no first or last cell as yet.
    """

    def __init__(self, law: EnclosedLaw, places: int) -> None:
        self.law = law
        self.places = places
        self.unit = Fraction(2) ** -places
        first, last = law.ends
        half = Fraction(1, 2)
        self.low = None if first is None else math.floor(first / self.unit + half)
        self.high = None if last is None else math.ceil(last / self.unit - half)

    def guessed(self, share: float) -> int:
        """Return the cell in which X is expected."""
        guess = self.law.guess(share)
        return self.middle() if guess is None else round(guess / self.unit)

    def middle(self) -> int:
        """Return the cell that halves those left, or one twice as far out as the last one known."""
        if self.low is not None and self.high is not None:
            return (self.low + self.high) // 2
        if self.low is not None:
            return self.low + max(1, abs(self.low))
        return 0 if self.high is None else self.high - max(1, abs(self.high))

    def look(self, place: int, uniform: int, known: int) -> int | None:
        """Compare U with F where cell `place` begins, and, by the density, where cells near X do.

        Returns where to look next, or None if U needs more bits. From a point t at which F is known to
        another one t', F(t') = F(t) + (t' - t) f(s) for some s between them: one F is enough for both ends of
        a cell if the guess was good, and the last word is with enclosures all the same.
        """
        place = self._among(place)
        with flint.ctx.workprec(known + self.law.guard + 16):
            scale = flint.arb(2) ** -known
            lowest, highest = uniform * scale, (uniform + 1) * scale
            start = self._start(place)
            below = self.law.below(start)
            if not self._learn(place, below, lowest, highest):
                return None
            here = ball(start)
            ahead = (lowest - below) / self.law.density(here) / ball(self.unit)
            if not abs(ahead) < flint.arb(2) ** known:  # not finite, or farther than any good guess
                return self.middle()
            cell = place + int(ahead.mid().floor().unique_fmpz())
            for other in (cell, cell + 1):
                if other == self._among(other):
                    end = ball(self._start(other))
                    there = below + (end - here) * self.law.density(here.union(end))
                    self._learn(other, there, lowest, highest)
        return cell if cell == self._among(cell) else cell + 1

    def _among(self, place: int) -> int:
        """Return the place, or the nearest one at which a cell begins that parts those left."""
        if self.low is not None:
            place = max(place, self.low + 1)
        return place if self.high is None else min(place, self.high)

    def _start(self, place: int) -> Fraction:
        return (2 * place - 1) * self.unit / 2

    def _learn(self, place: int, below: arb, lowest: arb, highest: arb) -> bool:
        """Keep the cells from `place` on, or those before it, if all numbers enclosed agree on which."""
        if below <= lowest:
            self.low = place if self.low is None else max(self.low, place)
            return True
        if highest <= below:
            self.high = place - 1 if self.high is None else min(self.high, place - 1)
            return True
        return False
