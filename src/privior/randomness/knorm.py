"""The discrete K-norm law: noise for all k counts of a table whose total n is public.

Replacing one record moves one unit from one cell to another, z -> z + e_i - e_j: exactly the steps in
which |z|_1 / 2 counts distance on the integer vectors with sum 0. Noise with p(z) ~ exp(-epsilon |z|_1/2)
on them is therefore epsilon-DP, tightly, keeps the total, and treats all cells alike; two cells give the
geometric mechanism (Hardt and Talwar 2010 and Awan and Slavkovic 2021 for K-norm mechanisms in general).
"""

from __future__ import annotations

from fractions import Fraction

from privior.randomness.bernoulli import geometric
from privior.randomness.compositions import composition
from privior.randomness.entropy import Bits
from privior.randomness.inversion import NextRatio, draw_index

_NO_DECAY = Fraction(0)


def k_norm(size: int, epsilon: Fraction) -> list[int]:
    """Draw z, `size` integers with sum 0, with probability proportional to exp(-epsilon |z|_1 / 2), exactly.

    Let k = size, x = exp(-epsilon), T = |z|_1 / 2: T is the sum of the positive entries, and minus the sum
    of the negative ones. First T, then how many entries are positive (p) and negative (q), then where they
    are, then their values; the last two are uniform, because p(z) is a function of T alone.

    How many z have a given T: the vectors of norm m have generating function
    sum over z in Z^k of s^|z|_1 y^(sum of z) = [(1-s^2) / ((1-sy)(1-s/y))]^k. The constant term in y, at
    s^2 = x, is (1-x)^k sum_m C(m+k-1,m)^2 x^m, which Euler's transformation of 2F1(k,k;1;x) turns into
    **sum_T N(T) x^T = (1-x)^(1-k) sum_j C(k-1,j)^2 x^j**: T = j + the sum of k-1 geometrics of ratio x.

    Given T > 0 there are C(k,p) C(k-p,q) places and C(T-1,p-1) C(T-1,q-1) values (compositions of T). The
    sum over q is C(k,p) C(T-1,p-1) C(k-p+T-1,T), by Vandermonde's identity: the weight of p.
    """
    if size < 2:
        raise ValueError("the noise has sum zero: it needs two cells or more")
    if epsilon <= 0:
        raise ValueError("epsilon is positive")
    bits = Bits()
    noise = [0] * size
    total = draw_index(size, _shift_ratio(size), epsilon, bits)
    for _ in range(size - 1):
        total += geometric(epsilon.numerator, epsilon.denominator, bits)
    if total == 0:
        return noise
    up = 1 + draw_index(min(size - 1, total), _up_ratio(size, total), _NO_DECAY, bits)
    down = 1 + draw_index(min(size - up, total), _down_ratio(size - up, total), _NO_DECAY, bits)
    cells = _arrangement(size, up + down, bits)
    for cell, part in zip(cells[:up], composition(total, up, bits), strict=True):
        noise[cell] = part
    for cell, part in zip(cells[up:], composition(total, down, bits), strict=True):
        noise[cell] = -part
    return noise


def _shift_ratio(size: int) -> NextRatio:
    """Step of C(k-1,j)^2 from j to j + 1; the factor x^j is the decay of `draw_index`."""
    return lambda j: ((size - 1 - j) ** 2, (j + 1) ** 2)


def _up_ratio(size: int, total: int) -> NextRatio:
    """Step of C(k,p) C(T-1,p-1) C(k-p+T-1,T) from p = i + 1 to p + 1."""

    def ratio(i: int) -> tuple[int, int]:
        p = i + 1
        return (size - p) * (total - p) * (size - p - 1), (p + 1) * p * (size - p + total - 1)

    return ratio


def _down_ratio(free: int, total: int) -> NextRatio:
    """Step of C(f,q) C(T-1,q-1) from q = i + 1 to q + 1, f = k - p the cells that are left."""

    def ratio(i: int) -> tuple[int, int]:
        q = i + 1
        return (free - q) * (total - q), (q + 1) * q

    return ratio


def _arrangement(size: int, length: int, bits: Bits) -> list[int]:
    """Draw `length` different cells of 0..size-1 in a uniformly random order (a shuffle, stopped early)."""
    cells = list(range(size))
    for place in range(length):
        other = place + bits.below(size - place)
        cells[place], cells[other] = cells[other], cells[place]
    return cells[:length]
