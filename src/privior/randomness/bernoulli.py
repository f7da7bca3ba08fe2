"""Coins with probability exp(-gamma), and the geometric law, in whole numbers only.

The coins are Algorithm 1 of Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
Privacy" (NeurIPS 2020, arXiv:2004.00010); the geometric law is the inner part of their Algorithm 2. No
number here is rounded, so each law is exact for every rational parameter. The expected number of draws
is bounded by a constant, whatever the parameters.
"""

from __future__ import annotations

from privior.randomness.entropy import Bits


def bernoulli_exp(numerator: int, denominator: int, bits: Bits) -> bool:
    """Return True with probability exp(-gamma), gamma = numerator / denominator >= 0.

    exp(-gamma) is exp(-1) to the power of the whole part, a product of independent coins, times
    exp(-fraction): stop at the first coin that fails.
    """
    if numerator < 0 or denominator < 1:
        raise ValueError("gamma is a ratio that is not negative")
    whole, fraction = divmod(numerator, denominator)
    for _ in range(whole):
        if not _exp_of_minus_one(bits):
            return False
    return fraction == 0 or _exp_of_part(fraction, denominator, bits)


def geometric(numerator: int, denominator: int, bits: Bits) -> int:
    """Draw G >= 0 with P(G = g) = (1 - x) x^g, x = exp(-s/t), s = numerator, t = denominator.

    U uniform on 0..t-1, kept with probability exp(-U/t), and V with P(V = v) ~ exp(-v) make
    U + t V geometric with ratio exp(-1/t): every whole number is U + t V in one way, and its weight is
    exp(-U/t) exp(-V). Of a geometric with ratio y, the quotient by s is geometric with ratio y^s.
    """
    if numerator < 1 or denominator < 1:
        raise ValueError("the exponent of a geometric law is positive")
    rest = bits.below(denominator) if denominator > 1 else 0
    while rest and not _exp_of_part(rest, denominator, bits):
        rest = bits.below(denominator)
    whole = 0
    while _exp_of_minus_one(bits):
        whole += 1
    return (rest + denominator * whole) // numerator


def _exp_of_part(numerator: int, denominator: int, bits: Bits) -> bool:
    """Return True with probability exp(-gamma), gamma = numerator / denominator in [0, 1].

    With coins of probability gamma/1, gamma/2, gamma/3, ... the first to fail is number K > k with
    probability gamma^k/k!, so K is odd with probability 1 - gamma + gamma^2/2! - ... = exp(-gamma).
    """
    below = bits.below
    step = 1
    while below(denominator * step) < numerator:
        step += 1
    return step % 2 == 1


def _exp_of_minus_one(bits: Bits) -> bool:
    """Return True with probability exp(-1): as `_exp_of_part` at gamma = 1, whose first coin is certain."""
    below = bits.below
    step = 2
    while below(step) == 0:
        step += 1
    return step % 2 == 1
