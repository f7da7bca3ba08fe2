"""A random index whose weights are real numbers, by inversion in interval arithmetic: never a rounded one.

The weights involve exp(-epsilon), or whole numbers far too long to write down, so the cumulative sums are
known only as Arb balls that contain them (python-flint). The uniform number is known only by its first
bits. An answer is given when every number in the balls agrees on it; until then both get longer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privior.interval_arithmetic import flint
from privior.randomness.entropy import Bits

#: the step from weight i to weight i + 1, as a numerator and a denominator, both positive
NextRatio = Callable[[int], tuple[int, int]]
#: enclosures of cumulative sums, computed anew at each working precision
EnclosedSums = Callable[[], list[Any]]

_FIRST_BITS = 64


def draw_index(count: int, ratio: NextRatio, epsilon: Fraction, bits: Bits) -> int:
    """Draw i in 0..count-1 with P(i) = w_i / W, w_0 = 1, w_(i+1) = w_i ratio(i) exp(-epsilon), W = sum w.

    Let C_i = w_0 + ... + w_i. The answer is the i with C_(i-1) <= U W < C_i, U uniform on [0, 1). Its
    first `known` bits put U in [u, u + 1] / 2^known. i is returned only if C_(i-1) <= u W / 2^known and
    (u + 1) W / 2^known <= C_i for every value in the balls, so it is the exact inverse of this very U,
    whose law is exactly P(i). Otherwise U keeps its bits and gets as many more, the balls shrink with it,
    and the weights are summed again. After h bits this happens with probability of about count / 2^h:
    it ends almost surely, and nothing is cut off.
    """
    return draw_cumulative(count, lambda: _cumulative(count, ratio, epsilon), bits)


def draw_cumulative(count: int, sums: EnclosedSums, bits: Bits) -> int:
    """Draw i in 0..count-1 with P(i) = (C_i - C_(i-1)) / C_(count-1), as `draw_index` does.

    `sums` encloses C_0 <= C_1 <= ... at the working precision of the moment, the narrower the higher that is.
    """
    if count < 1:
        raise ValueError("there is no index to draw")
    if count == 1:
        return 0
    known = _FIRST_BITS
    uniform = bits.bits(known)
    while (index := _invert(count, sums, uniform, known)) is None:
        uniform = (uniform << known) | bits.bits(known)
        known *= 2
    return index


def _invert(count: int, cumulative: EnclosedSums, uniform: int, known: int) -> int | None:
    """Return the index on which all values in the balls agree, or None.

    Arb compares balls as sets: `a <= b` holds only if it does for every pair of their points. How the
    candidate is found is therefore of no importance; the two comparisons at the end decide. The working
    precision is a setting of the whole process: another thread that changes it makes the balls wider or
    narrower, never wrong.
    """
    # count steps, each with a relative error of 2^-precision, lose about log2(count) bits
    with flint.ctx.workprec(known + 2 * count.bit_length() + 32):
        sums = cumulative()
        unit = sums[-1] / (1 << known)
        lowest, highest = unit * uniform, unit * (uniform + 1)
        index = bisect_left(range(count - 1), True, key=lambda i: bool(highest <= sums[i]))
        above = index == 0 or bool(sums[index - 1] <= lowest)
        below = index == count - 1 or bool(highest <= sums[index])
    return index if above and below else None


def _cumulative(count: int, ratio: NextRatio, epsilon: Fraction) -> list[Any]:
    decay = flint.arb(flint.fmpq(-epsilon.numerator, epsilon.denominator)).exp()
    weight = total = flint.arb(1)
    sums = [total]
    for index in range(count - 1):
        numerator, denominator = ratio(index)
        weight = weight * numerator / denominator * decay
        total = total + weight
        sums.append(total)
    return sums
