"""How far replacing one record moves all moments of a regression in L1, all weights 1.

Of the features of a term at most one is not 0 (`Design`); it is in [-1, 1], like the target. Two records have
y_0 = 1 (the intercept, if there is one), y_1 .. y_T of the terms and y_(T+1) of the target: x_i and z_i. What
moves are the products of two of these n numbers and the squares of all but y_0. A term is split if the
records have different features of it, which then move by |x_i y| + |z_i y|, not by the difference.

**Theorem.** Let m be the number of terms with several features. The moments move by at most

    n(n-1)/2 + T + 1 + m(m+1)/2 + (1/2 with an intercept) + max G,
    G = m(P + Q) - (P - Q)^2 / 2 - (sum of s_i^2, without the intercept) / 2,

over the ways to put the other terms and the target into two groups, the intercept (s = 1) into the first, and
over s_i in [0, 1], P and Q being the sums of s_i of both. Those of one sign are in the first group, and
those that are always 1 or -1 have s = 1.

Proof. Put i into the first group if x_i z_i >= 0. Products of two numbers of one group move by ||x_i x_j| -
|z_i z_j||, of two groups by |x_i x_j| + |z_i z_j|, and so do those with a split term; that is never less, so
all terms that can be split are. Everything is convex in (x_i, z_i) along the rays from 0, so largest where
one of both has the size 1; let s_i be the size of the other. If the smaller ones of i and j are of one
record, the products move by 1 - s_i s_j or 1 + s_i s_j, otherwise by |s_i - s_j| or s_i + s_j, which is never
more: let all be of one record. Squares move by 1 - s_i^2, or 1 + s_i^2 of split terms, whose s_i may be 1
since all increases in it. The sum of all this is the expression above. []

G is concave in s, so that numbers of one group that may move have the same s, and largest at one of the nine
points where each of the two is 0, 1 or where G is level in it. The bound is attained where the numbers of
terms and target can have the values that it asks for. Grids, ranges that end between -1 and 1 and products
such as a:b may not: found is 0.89 of the bound or more in all codings that are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

_ENDS = (Fraction(0), Fraction(1))


@dataclass(frozen=True)
class RecordNumbers:
    """The numbers y of a record, counted by what they can be.

    Attributes:
        split: terms with several features
        free: other terms, and the target, that have any value in [-1, 1]
        one_sided: that have one sign, or are 0
        ends: that are 1 or -1, and nothing else
        intercept: whether there is one
    """

    split: int
    free: int
    one_sided: int
    ends: int
    intercept: bool

    def replaced(self) -> Fraction:
        """Return how far replacing a record moves all moments."""
        terms_and_target = self.split + self.free + self.one_sided + self.ends
        many = terms_and_target + int(self.intercept)
        always = Fraction(many * (many - 1), 2) + terms_and_target + Fraction(int(self.intercept), 2)
        return always + Fraction(self.split * (self.split + 1), 2) + max(self._gains())

    def _gains(self) -> Iterator[Fraction]:
        """G of every way to divide the numbers, at its highest point."""
        movable = self.free + self.one_sided
        for at_ends, first in product(range(self.ends + 1), range(self.one_sided, movable + 1)):
            here, there = at_ends + int(self.intercept), self.ends - at_ends
            second = movable - first
            for s, t in self._points(here - there, first, second):
                p, q = here + first * s, there + second * t
                squares = first * s**2 + second * t**2 + self.ends
                yield self.split * (p + q) - (p - q) ** 2 / 2 - squares / 2

    def _points(self, ahead: int, first: int, second: int) -> Iterator[tuple[Fraction, Fraction]]:
        """Points in the square, among them where G is largest: `first` numbers of s, `second` of t.

        Level in s: m - (ahead + first s - second t) - s = 0; in t: m + (ahead + first s - second t) - t = 0.
        """
        m = self.split
        found = list(product(_ENDS, _ENDS))
        found += [(Fraction(m - ahead + second * t, first + 1), t) for t in _ENDS]
        found += [(s, Fraction(m + ahead + first * s, second + 1)) for s in _ENDS]
        # both: s + t = 2m, so that with the first: (first + 1) s - second (2m - s) = m - ahead
        s = Fraction(m - ahead + 2 * m * second, first + second + 1)
        found.append((s, 2 * m - s))
        yield from ((s, t) for s, t in found if 0 <= s <= 1 and 0 <= t <= 1)
