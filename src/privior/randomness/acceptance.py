"""A coin with probability exp(-x), where x is a real number known only by enclosures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from privior.interval_arithmetic import flint
from privior.randomness.entropy import Bits

#: a real number as an Arb ball at the working precision of the moment, the narrower the higher that is
Real = Callable[[], Any]

_FIRST_BITS = 64


def accepted(exponent: Real, margin: int, bits: Bits, below: Sequence[Real] = ()) -> bool:
    """Return True with probability exp(-x), x = exponent() >= 0.

    U is uniform on [0, 1) and known by its first bits only, U in [u, u + 1] / 2^known; x is known by a
    ball. The answer to U < exp(-x) is given when all points of both agree on it. Until then U keeps its
    bits and gets as many more, and x is enclosed anew with more precision: it ends almost surely, and
    nothing is cut off.

    Args:
        exponent: encloses x
        margin: bits of precision beyond those of U, for what cancels in x
        bits: the source of U
        below: numbers that are cheaper to enclose and not above x: where U >= exp(-one of them), U >= exp(-x)
    """
    known = _FIRST_BITS
    uniform = bits.bits(known)
    while True:
        with flint.ctx.workprec(known + margin):
            if any((-less()).exp() * (1 << known) <= uniform for less in below):
                return False
            chance = (-exponent()).exp() * (1 << known)
            if chance >= uniform + 1:
                return True
            if chance <= uniform:
                return False
        uniform = (uniform << known) | bits.bits(known)
        known *= 2
