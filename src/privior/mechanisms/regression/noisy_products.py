"""Noise on the sums of products of all rows' entries, A'A: what intervals of a regression need to know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import Layout, RowDesign
from privior.models.row_design import summed_products
from privior.privacy import REPLACE_ONE, Neighbours
from privior.privacy.pairs import GaussianPair
from privior.randomness import Bits, NormalLaw, rounded
from privior.special import log_ndtr

#: what is published is at most this: so large a sum, of more records than were declared, is cut to it
_LARGEST = 2**62 - 1


@dataclass(frozen=True)
class NoisyProducts:
    """Each sum of products of two entries gets a Normal number, rounded to a whole one.

    A record adds a a', whose entries on the diagonal and root 2 times those above it are a vector of length
    |a|^2 <= R^2: adding or removing one moves that vector by R^2, replacing one by at most sqrt2 R^2, since
    |a a' - z z'|^2 = |a|^4 + |z|^4 - 2 (a.z)^2. Every number of that vector gets noise of one `variance`: a
    Gaussian mechanism, rounded afterwards, for the sums of whole numbers are whole (Dong, Roth, Su 2022,
    Theorem 1).

    Attributes:
        design: what becomes of records
        neighbours: the neighbour relation
        variance: of the noise, in units in which features lie in [-1, 1]
    """

    design: RowDesign
    neighbours: Neighbours
    variance: Fraction

    @staticmethod
    def moved(design: RowDesign, neighbours: Neighbours) -> Fraction:
        """The square of how far one record moves all sums."""
        return Fraction((2 if neighbours is REPLACE_ONE else 1) * design.squared_norm**2)

    @property
    def pair(self) -> GaussianPair:
        """The pair of the Gaussian mechanism."""
        return GaussianPair(self.moved(self.design, self.neighbours) / self.variance)

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The entries on and above the diagonal, row by row."""
        rows, columns = np.triu_indices(self.design.size)
        return tuple(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def layout(self) -> Layout:
        """All noisy sums of products in one array."""
        return Layout("products", (len(self.places),))

    @cached_property
    def exact_variances(self) -> tuple[Fraction, ...]:
        """The variance of the noise of each sum of whole numbers."""
        reach = self.design.reach
        return tuple(
            self.variance * (reach[i] * reach[j]) ** 2 / (1 if i == j else 2) for i, j in self.places
        )

    def sums(self, codes: Integers) -> list[int]:
        """Return the sums of products of the records, exactly, before any noise."""
        total = summed_products(codes, self.design.whole)
        return [int(total[place]) for place in self.places]

    def noisy(self, codes: Integers) -> tuple[int, ...]:
        """Add exact draws, one to each sum; cut what is too large to be written, which is post-processing."""
        bits = Bits()
        noise = (rounded(NormalLaw(Fraction(0), one), 0, bits) for one in self.exact_variances)
        each = (one + z for one, z in zip(self.sums(codes), noise, strict=True))
        return tuple(max(-_LARGEST, min(one, _LARGEST)) for one in each)

    def log_likelihood(self, numbers: tuple[int, ...], codes: Integers) -> float:
        """Sum the log probabilities of all noises."""
        scale = np.sqrt([float(one) for one in self.exact_variances])
        away = np.abs(np.array(numbers, np.float64) - np.array(self.sums(codes), np.float64))
        near, far = (log_ndtr(-(away + side) / scale) for side in (-0.5, 0.5))
        return math.fsum((near + np.log(-np.expm1(far - near))).tolist())

    def matrix(self, numbers: tuple[int, ...]) -> Floats:
        """Return the noisy sums as a matrix, of features in [-1, 1]."""
        reach, found = self.design.reach, np.zeros((self.design.size, self.design.size))
        for (i, j), number in zip(self.places, numbers, strict=True):
            found[i, j] = found[j, i] = number / (reach[i] * reach[j])
        return found
