"""The laws of the noises, in floating point: for likelihoods, forecasts and audits, never for draws.

Discrete Laplace of rate r:   P(z) = (1-q)/(1+q) q^|z|,  q = e^-r, on the integers
discrete Gaussian:            P(z) = exp(-z^2 / (2 variance)) / normaliser, on the integers
K-norm:                       P(z) = exp(-epsilon |z|_1 / 2) / normaliser, on integer vectors of sum 0
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from privior.arrays import Floats, Integers
from privior.special import gammaln


def laplace_log_pmf(noise: Integers, rate: float) -> Floats:
    """Return log P(z) of discrete Laplace noise."""
    return np.asarray(math.log(math.tanh(rate / 2)) - rate * np.abs(noise))


def laplace_log_tail(beyond: Integers, rate: float) -> Floats:
    """Return log P(z >= t) of discrete Laplace noise, for t >= 0: q^t / (1 + q)."""
    return np.asarray(-rate * beyond - math.log1p(math.exp(-rate)))


def laplace_variance(rate: float) -> float:
    """Return 2 q / (1-q)^2."""
    return 2 * math.exp(-rate) / math.expm1(-rate) ** 2


def gaussian_log_pmf(noise: Integers, variance: float) -> Floats:
    """Return log P(z) of discrete Gaussian noise."""
    return np.asarray(
        -(noise.astype(np.float64) ** 2) / (2 * variance) - math.log(_gaussian_sums(variance)[0])
    )


def gaussian_variance(variance: float) -> float:
    """Return the variance of discrete Gaussian noise, a little below its parameter."""
    mass, second = _gaussian_sums(variance)
    return second / mass


@lru_cache(maxsize=64)
def k_norm_log_normaliser(cells: int, epsilon: float) -> float:
    """Return the log of the sum of exp(-epsilon |z|_1 / 2) over integer vectors of sum 0.

    The vectors with |z|_1 = 2T have generating function sum_j C(k-1, j)^2 x^j / (1-x)^(k-1).
    """
    j = np.arange(cells)
    log_choose = gammaln(cells) - gammaln(j + 1) - gammaln(cells - j)
    return float(np.logaddexp.reduce(2 * log_choose - epsilon * j)) - (cells - 1) * math.log(
        -math.expm1(-epsilon)
    )


def k_norm_expected_squared_error(cells: int, epsilon: float) -> float:
    """Return E|z|^2 of K-norm noise.

    K-norm noise is k independent discrete Laplace variables given that they sum to zero, so with
    f(t) = sum_z q^|z| cos(tz) = (1-q^2) / ((1-q)^2 + 4 q sin^2(t/2)), q = e^(-epsilon/2),
    E|z|^2 = k * integral of -f'' f^(k-1) / integral of f^k over [0, pi]. With t = w sinh(u) both
    integrands are smooth on the scale of u, and Gauss-Legendre quadrature gives all digits. Where
    almost all noise is zero the integral cancels, and the first terms by T = |z|_1 / 2 are summed instead.
    """
    if cells**2 * math.exp(-epsilon) < 1e-3:
        return _k_norm_by_length(cells, math.exp(-epsilon))
    q = math.exp(-epsilon / 2)
    gap = -math.expm1(-epsilon / 2)
    width = min(1.0, epsilon / 2) / math.sqrt(cells)
    top = math.asinh(math.pi / width)
    nodes, weights = _legendre()
    u = (nodes + 1) * top / 2
    t = width * np.sinh(u)
    denominator = gap**2 + 4 * q * np.sin(t / 2) ** 2
    log_f = np.log(gap**2 / denominator)  # scaled so that f(0) = 1
    # -f''/f = (D'' D - 2 D'^2) / D^2 with D the denominator
    curve = (2 * q * np.cos(t) * denominator - 2 * (2 * q * np.sin(t)) ** 2) / denominator**2
    mass = weights * np.cosh(u) * np.exp(cells * log_f)
    return float(cells * np.sum(mass * curve) / np.sum(mass))


def _k_norm_by_length(cells: int, x: float) -> float:
    """Sum |z|^2 x^T over vectors with p positive and q negative cells, T = 1..8, over the normaliser.

    A uniform composition of T into p positive parts has expected sum of squares T (2T - p + 1) / (p + 1).
    """
    mass, second = 1.0, 0.0
    for length in range(1, 9):
        for p in range(1, min(length, cells - 1) + 1):
            for q in range(1, min(length, cells - p) + 1):
                ways = math.comb(cells, p) * math.comb(cells - p, q)
                ways *= math.comb(length - 1, p - 1) * math.comb(length - 1, q - 1)
                squares = sum(length * (2 * length - parts + 1) / (parts + 1) for parts in (p, q))
                mass += ways * x**length
                second += ways * squares * x**length
    return second / mass


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    """Return 800 nodes and weights on [-1, 1]: 32 on each of 25 equal parts, since 800 at once take long."""
    nodes, weights = np.polynomial.legendre.leggauss(32)
    middles = np.arange(-24, 25, 2) / 25
    return (middles[:, np.newaxis] + nodes / 25).ravel(), np.tile(weights / 25, 25)


@lru_cache(maxsize=64)
def _gaussian_sums(variance: float) -> tuple[float, float]:
    """Return the sums of exp(-z^2/(2 variance)) and of z^2 times it over the integers."""
    if variance > 25:  # Poisson's formula: the corrections are below e^-490
        mass = math.sqrt(2 * math.pi * variance)
        return mass, variance * mass
    z = np.arange(1, 1 + math.ceil(40 * math.sqrt(variance) + 2), dtype=np.float64)
    weight = np.exp(-(z**2) / (2 * variance))
    return 1 + 2 * float(weight.sum()), 2 * float((z**2 * weight).sum())
