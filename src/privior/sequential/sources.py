"""Sources of draws: seeded ones, for trials, and the operating system's exact ones, which they are held to.

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


#: what was published at one time: whole numbers by name, copies first
Published = dict[str, Integers]


class Source(ABC):
    """Where draws come from."""

    #: whether draws have a seed, and protect nobody
    simulated: ClassVar[bool]
    #: how many copies of an agent are drawn for at once
    copies: int

    @property
    def published(self) -> Published:
        """The rows drawn last, as the whole numbers that are published; nothing if they are simulated."""
        return {}

    @abstractmethod
    def rows(self, counts: Integers, prior: Fraction, rate: Fraction) -> Floats:
        """Draw every row from Dirichlet(prior + rate * counts): copies x rows x cells."""

    @abstractmethod
    def gaussian(self, shape: tuple[int, ...], stddev: Fraction) -> Integers:
        """Draw discrete Gaussian noise."""

    @abstractmethod
    def laplace(self, shape: tuple[int, ...], scale: Fraction) -> Integers:
        """Draw discrete Laplace noise."""


@final
class ExactSource(Source):
    """Exact draws from the operating system's randomness, for one agent; the sticks of rows are kept.

    Attributes:
        sticks: of the rows drawn last, as whole numbers out of 2^53
    """

    simulated: ClassVar[bool] = False
    copies = 1

    def __init__(self) -> None:
        self.sticks: tuple[tuple[int, ...], ...] = ()

    def rows(self, counts: Integers, prior: Fraction, rate: Fraction) -> Floats:
        """Draw sticks, exactly rounded; chances are computed from those."""
        table = counts[0].tolist()
        self.sticks = tuple(
            dirichlet_sticks([prior + rate * count for count in row], PLACES) for row in table
        )
        return np.array([[broken(row) for row in self.sticks]])

    @property
    def published(self) -> Published:
        """The sticks."""
        return {"sticks": np.array([self.sticks], dtype=np.int64)}

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
