"""Discrete Laplace and Gaussian noise vectors, drawn by OpenDP, with the last gap in their law closed.

What OpenDP 0.16 does for a vector of 64-bit integers (read in its source, and measured):

- The scale is a float and is read as its exact binary value, a rational. The granularity k = 0 is the only
  one that integers allow: nothing is rounded, no scale is adjusted. Sampling is Canonne-Kamath-Steinke
  2020 in whole numbers of any length. (OpenDP before the fix of its issue 2638 was biased by a wrong
  division in a library; the tests here would see that.)
- The sum of input and noise is then clamped to 64 bits (for `T=int` even to 32). A clamped noise is not
  discrete Laplace: added to a count, its ends would publish that count. Here a clamped value is drawn
  on beyond the clamp by its exact conditional law, so the noise can be any whole number.
- The bits are OpenSSL's, a cryptographic generator inside the process that is seeded by the operating
  system and reseeds itself when it notices a fork. They are not read from the system one by one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from privior.randomness.bernoulli import bernoulli_exp, geometric
from privior.randomness.entropy import Bits

#: where the noise comes from, in words, for those who sign
OPENDP = "exact integers drawn by OpenDP, from OpenSSL's cryptographic generator"

#: the widest scale: wider noise would mostly be drawn on beyond 64 bits
WIDEST = Fraction(2**60)

_LOWEST = -(2**63)
_HIGHEST = 2**63 - 1


def discrete_laplace(size: int, scale: Fraction) -> list[int]:
    """Draw `size` independent Z with P(Z = z) = (1-q)/(1+q) q^|z|, q = exp(-1/scale), on all integers.

    The scale must be a float's exact value, in (0, 2^60]: round it up first with `privior.exact.round_up`.
    """
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    draws = _draws(make_laplace(_whole_numbers(), l1_distance(T="i64"), _float(scale)), size)
    bits = Bits()
    for place, draw in enumerate(draws):
        if draw in (_LOWEST, _HIGHEST):
            excess = laplace_excess(scale, bits)
            draws[place] += excess if draw > 0 else -excess
    return draws


def discrete_gaussian(size: int, stddev: Fraction) -> list[int]:
    """Draw `size` independent Z with P(Z = z) proportional to exp(-z^2 / (2 stddev^2)), on all integers.

    `stddev` is the parameter, not quite the standard deviation of Z. It must be a float's exact value, in
    (0, 2^60]: round it up first with `privior.exact.round_up`.
    """
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    draws = _draws(make_gaussian(_whole_numbers(), l2_distance(T="f64"), _float(stddev)), size)
    bits = Bits()
    for place, draw in enumerate(draws):
        if draw in (_LOWEST, _HIGHEST):
            excess = gaussian_excess(abs(draw), stddev, bits)
            draws[place] += excess if draw > 0 else -excess
    return draws


def laplace_excess(scale: Fraction, bits: Bits) -> int:
    """Draw Z - m given Z >= m, for any m >= 0: the law has no memory, so it is geometric."""
    return geometric(scale.denominator, scale.numerator, bits)


def gaussian_excess(edge: int, stddev: Fraction, bits: Bits) -> int:
    """Draw G = Z - m given Z >= m, m = edge > 0.

    P(G = g) ~ exp(-((m+g)^2 - m^2) / (2 s^2)) = exp(-g m/s^2) exp(-g^2/(2 s^2)), s = stddev: a geometric
    draw, accepted with the second factor. Beyond the clamp m >= 8 s, and nearly all are accepted.
    """
    variance = stddev * stddev
    rate = edge / variance
    while True:
        excess = geometric(rate.numerator, rate.denominator, bits)
        loss = excess * excess / (2 * variance)
        if bernoulli_exp(loss.numerator, loss.denominator, bits):
            return excess


@cache
def _whole_numbers() -> Any:
    """Return the space of vectors of 64-bit integers. OpenDP's prelude would load Polars beside it."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T="i64"))


def _float(scale: Fraction) -> float:
    if not 0 < scale <= WIDEST:
        raise ValueError("a noise scale is positive and at most 2^60")
    exact = float(scale)
    if Fraction(exact) != scale:
        raise ValueError("a noise scale must be a float's exact value: round it up first")
    return exact


def _draws(measurement: Any, size: int) -> list[int]:
    if size < 0:
        raise ValueError("a number of draws is not negative")
    return [int(draw) for draw in measurement([0] * size)]
