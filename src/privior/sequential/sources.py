"""Sources of draws: the operating system's exact ones, for people's interactions, and seeded ones, for
trials.

A learner is the same with either: what it publishes is drawn by the source, and nothing else of it is
random that depends on what was counted. Seeded draws protect nobody; whatever was made with them says
`simulated`, and no release is made of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.exact import round_up
from privior.randomness import dirichlet_sticks, discrete_gaussian, discrete_laplace

#: binary places of exactly rounded sticks
PLACES = 53


#: rows as a source publishes them: sticks, or chances if they are simulated
DrawnNumbers = Integers | Floats
#: what was published at one time: numbers by name, copies first; whole ones if they are exact
PublishedArrays = dict[str, DrawnNumbers]


class Source(ABC):
    """Where noise and draws come from: exact ones, or seeded ones for simulations."""

    #: whether draws have a seed, and protect nobody
    simulated: ClassVar[bool]
    #: how many copies of an agent are drawn for at once
    copies: int

    @abstractmethod
    def rows(self, counts: Integers, prior: Fraction, rate: Fraction) -> DrawnNumbers:
        """Draw every row from Dirichlet(prior + rate * counts), as it is published: copies x rows x ..."""

    @abstractmethod
    def chances(self, rows: DrawnNumbers) -> Floats:
        """Return the chances that rows say as they are published: copies x rows x cells."""

    @abstractmethod
    def gaussian(self, shape: tuple[int, ...], stddev: Fraction) -> Integers:
        """Draw discrete Gaussian noise."""

    @abstractmethod
    def laplace(self, shape: tuple[int, ...], scale: Fraction) -> Integers:
        """Draw discrete Laplace noise."""


@final
class ExactSource(Source):
    """Exact draws from the operating system's randomness, for one agent; rows are sticks out of 2^53."""

    simulated: ClassVar[bool] = False
    copies = 1

    def rows(self, counts: Integers, prior: Fraction, rate: Fraction) -> Integers:
        """Draw sticks, exactly rounded."""
        table = counts[0].tolist()
        sticks = [dirichlet_sticks([prior + rate * count for count in row], PLACES) for row in table]
        return np.array([sticks], dtype=np.int64)

    def chances(self, rows: DrawnNumbers) -> Floats:
        """Break the sticks: each is a part of what the cells before it left."""
        return np.array([[broken(tuple(row)) for row in rows[0].tolist()]])

    def gaussian(self, shape: tuple[int, ...], stddev: Fraction) -> Integers:
        """By the exact sampler; the deviation is a float's value."""
        size = int(np.prod(shape))
        return np.array(discrete_gaussian(size, _float(stddev)), dtype=np.int64).reshape(shape)

    def laplace(self, shape: tuple[int, ...], scale: Fraction) -> Integers:
        """By the exact sampler; the scale is a float's value."""
        size = int(np.prod(shape))
        return np.array(discrete_laplace(size, _float(scale)), dtype=np.int64).reshape(shape)


@final
class SeededSource(Source):
    """Draws by a generator with a seed, for many copies at once: for trials and forecasts, never for
    people.
    """

    simulated: ClassVar[bool] = True

    def __init__(self, generator: np.random.Generator, copies: int = 1) -> None:
        self.generator = generator
        self.copies = copies

    def rows(self, counts: Integers, prior: Fraction, rate: Fraction) -> Floats:
        """Draw by floating point Gammas."""
        drawn = self.generator.standard_gamma(float(prior) + float(rate) * counts)
        drawn += 1e-300
        return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))

    def chances(self, rows: DrawnNumbers) -> Floats:
        """They are chances already."""
        return np.asarray(rows, dtype=np.float64)

    def gaussian(self, shape: tuple[int, ...], stddev: Fraction) -> Integers:
        """Invert the distribution function of the discrete law."""
        return self._inverted(shape, _gaussian_table(float(stddev)))

    def laplace(self, shape: tuple[int, ...], scale: Fraction) -> Integers:
        """The difference of two geometric draws."""
        chance = -np.expm1(-1 / float(scale))
        one, other = self.generator.geometric(chance, shape), self.generator.geometric(chance, shape)
        return np.asarray(one - other, dtype=np.int64)

    def _inverted(self, shape: tuple[int, ...], below: Floats) -> Integers:
        places = np.searchsorted(below, self.generator.random(shape))
        return np.asarray(places - (len(below) - 1) // 2, dtype=np.int64)


def broken(sticks: tuple[int, ...]) -> list[float]:
    """Return the chances of a row from its sticks.

    >>> broken((1 << 52, 1 << 52))
    [0.5, 0.25, 0.25]
    """
    found, left = [], 1.0
    for stick in sticks:
        share = stick / (1 << PLACES)
        found.append(left * share)
        left *= 1 - share
    return [*found, left]


@lru_cache(maxsize=8)
def _gaussian_table(stddev: float) -> Floats:
    reach = int(np.ceil(10 * stddev)) + 2
    places = np.arange(-reach, reach + 1)
    below = np.cumsum(np.exp(-(places**2) / (2 * stddev**2)))
    return np.asarray(below / below[-1])


def _float(number: Fraction) -> Fraction:
    return Fraction(round_up(number))
