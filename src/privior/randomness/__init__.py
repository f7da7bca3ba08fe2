"""Noise whose law is exact, from the operating system's randomness. Nothing here takes a seed.

- `entropy`: `Bits`, uniform bits and whole numbers
- `bernoulli`: coins with rational and exponential probabilities, the geometric law
- `inversion`: a random index with real weights
- `discrete`: discrete Laplace and Gaussian vectors, through OpenDP (whose bits are OpenSSL's)
- `knorm`: discrete K-norm vectors, for tables with a public total
"""

from __future__ import annotations

from privior.randomness.discrete import OPENDP, WIDEST, discrete_gaussian, discrete_laplace
from privior.randomness.entropy import OPERATING_SYSTEM, Bits
from privior.randomness.knorm import k_norm

__all__ = [
    "OPENDP",
    "OPERATING_SYSTEM",
    "WIDEST",
    "Bits",
    "discrete_gaussian",
    "discrete_laplace",
    "k_norm",
]
