"""A law given that the draw lies in an interval, for exactly rounded draws.

F(x) is the chance of what lies between the lower end and x, divided by that of the whole interval. Both are
enclosed with small relative errors (`concave`), so the interval may lie where the law hardly ever is, as it
does when the data contradict the bounds: nothing is drawn again until it fits, and nothing underflows.

The ideal draw lies in the interval. Its rounding is the nearest point of the grid, which may lie outside, by
half a unit at most: that is a function of the draw like any other, and known to everybody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from privior.interval_arithmetic import arb, flint
from privior.randomness.beta import BetaLaw
from privior.randomness.concave import ConcaveLaw, magnitude
from privior.randomness.entropy import Bits
from privior.randomness.rounding import rounded

#: guesses are made with so many bits
_ROUGH = 64
#: the law bends by less than this on the whole interval: all but straight
_STRAIGHT = Fraction(1, 4)
#: the largest share below 1
_MOST = math.nextafter(1, 0)
#: beyond so many standard deviations a law is all tail
_FAR = 2


@dataclass(frozen=True)
class TruncatedLaw:
    """The law given that the draw lies in [lower, upper]; None is no bound."""

    law: ConcaveLaw
    lower: Fraction | None
    upper: Fraction | None

    def __post_init__(self) -> None:
        low, high = self.ends
        if low is not None and high is not None and low >= high:
            raise ValueError("the law has no draws between these bounds")

    @property
    def ends(self) -> tuple[Fraction | int | None, Fraction | int | None]:
        """Those of the interval within those of the law."""
        first, last = self.law.ends
        lows = [low for low in (first, self.lower) if low is not None]
        highs = [high for high in (last, self.upper) if high is not None]
        return max(lows, default=None), min(highs, default=None)

    @cached_property
    def guard(self) -> int:
        """Far out the logarithm of the density is a large number."""
        with flint.ctx.workprec(_ROUGH + self.law.guard):
            log = self.law.curve().at(self.law.coordinate(self._nearest)).abs_upper()
            return self.law.guard + max(0, int(log.floor().unique_fmpz()).bit_length())

    @property
    def size(self) -> int:
        """That of the law, or the width of the interval."""
        low, high = self.ends
        if low is None or high is None:
            return self.law.size
        return min(self.law.size, magnitude(Fraction(high - low)))

    def below(self, point: Fraction) -> arb:
        """By the part of the interval that holds no centre of the law, or little more."""
        whole = _whole(self)
        if point <= self.law.centre:
            return self.law.mass(self.lower, point) / whole
        return 1 - self.law.mass(point, self.upper) / whole

    def density(self, points: arb) -> arb:
        """That of the law, divided by the chance of the interval."""
        return self.law.density(points) / _whole(self)

    def guess(self, share: float) -> Fraction | None:
        """The quantile of the law; or, in a tail or a short interval, that of a parabola for phi."""
        fall, bend, width, start, mass = self._rough
        if bend * width * width > _STRAIGHT and fall * fall < _FAR**2 * bend:
            return self.law.guess(start + share * mass)
        low, high = self.ends
        side = -1 if self._nearest == high else 1
        begin = high if side < 0 else low
        part = min(share if side > 0 else 1 - share, _MOST)
        depth = -math.log1p(part * math.expm1(-fall * width - bend * width * width / 2))
        step = 2 * depth / (fall + math.sqrt(fall * fall + 2 * bend * depth)) if depth else 0
        if begin is None or not math.isfinite(step):
            return None
        return self.law.moved(Fraction(begin), side * step)

    @property
    def _nearest(self) -> Fraction:
        """The point of the interval at which the density is largest."""
        low, high = self.ends
        near = self.law.centre
        near = near if low is None else max(near, Fraction(low))
        return near if high is None else min(near, Fraction(high))

    @cached_property
    def _rough(self) -> tuple[float, float, float, float, float]:
        """|phi'| and |phi''| where the density is largest, the width of the interval, and two chances."""
        law, near = self.law, self._nearest
        with flint.ctx.workprec(_ROUGH + self.guard):
            t, curve = law.coordinate(near), law.curve()
            fall, bend = (float(abs(x).mid()) for x in (curve.slope(t), curve.bend(t, flint.arb(0))))
            low, high = (None if x == end else x for x, end in zip(self.ends, law.ends, strict=True))
            width = math.inf
            if low is not None and high is not None:
                width = float(law.gap(Fraction(low), Fraction(high)).mid())
            start = float(law.mass(None, self.lower).mid()) if self.lower is not None else 0
            return fall, bend, width, start, float(_whole(self).mid())


def truncated_beta(
    first: Fraction, second: Fraction, box: tuple[Fraction, Fraction], places: int, bits: Bits
) -> int:
    """Draw from Beta(first, second) given that the draw lies in a box: times 2^places, rounded exactly.

    The law is conditioned, nothing is moved to the ends of the box.
    """
    return rounded(TruncatedLaw(BetaLaw(first, second), *box), places, bits)


def _whole(law: TruncatedLaw) -> arb:
    return _whole_at(law, flint.ctx.prec)


@lru_cache(maxsize=16)
def _whole_at(law: TruncatedLaw, precision: int) -> arb:
    return law.law.mass(law.lower, law.upper)
