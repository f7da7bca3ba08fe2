"""Laws of noise that somebody else added, as values: declared, never drawn from.

Continuous noise has a density; discrete noise is on the whole numbers. What is published may tell of an
interval only, low <= count + noise <= high, as rounded, clipped and suppressed numbers do.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np

from privior.arrays import Floats
from privior.checks import fill, plain_fields
from privior.errors import PlanError, shown
from privior.exact import decimal, positive
from privior.mechanisms.laws import gaussian_log_pmf, gaussian_variance, laplace_log_pmf, laplace_variance
from privior.registry import Registry
from privior.special import log_ndtr

_NARROWEST, _WIDEST = Fraction(1, 10**6), Fraction(10**12)
#: longer intervals are not followed count by count
_LONGEST = 128.0
#: rounding is fine against Gaussian noise of so many times its step
_FINE = 4.0


@dataclass(frozen=True)
class Pieces:
    """A log likelihood of counts c, -sum of rates |points - c| - curvature (points[0] - c)^2 / 2."""

    points: Sequence[float]
    rates: Sequence[float]
    curvature: float = 0.0


class NoiseLaw(ABC):
    """The law of independent noise on each number.

    Attributes:
        discrete: whether noise is on the whole numbers
    """

    #: the name in files
    law: ClassVar[str]
    discrete: bool

    def _read(self, value: object, name: str, discrete: object) -> Fraction:
        if not isinstance(discrete, bool):
            raise PlanError(
                "whether the noise is discrete is not said", where=self.law, asked=shown(discrete)
            )
        fill(self, discrete=discrete)
        return positive(value, name, least=_NARROWEST, most=_WIDEST)

    @property
    @abstractmethod
    def size(self) -> Fraction:
        """The parameter that says how wide the noise is."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the noise on one sum."""

    @property
    def rate(self) -> float:
        """How fast the log probability falls with |z|."""
        return 0.0

    @property
    def curvature(self) -> float:
        """One over the variance of Gaussian noise."""
        return 0.0

    @abstractmethod
    def log_densities(self, noise: Floats) -> Floats:
        """Return the log probability, or the log density, of each noise."""

    @abstractmethod
    def pieces(self, low: float, high: float) -> Pieces | None:
        """Return log P(low <= c + z <= high) as a function of counts c; None if it has no such form."""

    @abstractmethod
    def log_tails(self, beyond: Floats) -> Floats:
        """Return log P(z >= t) for each t >= 0."""

    def log_within(self, low: Floats, high: Floats) -> Floats:
        """Return log P(low <= z <= high); whole ends of discrete noise count half: ties go either way.

        No difference of chances near one is taken: the interval is mirrored to where its tail is small.
        """
        if not self.discrete:
            return self._between(low, high)
        closed = self._between(np.ceil(low), np.floor(high) + 1)
        inner = self._between(np.floor(low) + 1, np.ceil(high))
        return np.asarray(np.logaddexp(closed, inner) - math.log(2))

    def _between(self, first: Floats, last: Floats) -> Floats:
        """Return log P(first <= z < last), which for whole ends of discrete noise leaves the last one out."""
        step = 1.0 if self.discrete else 0.0
        mirrored = last <= step
        start, end = np.where(mirrored, step - last, first), np.where(mirrored, step - first, last)
        with np.errstate(divide="ignore", invalid="ignore"):
            upper = self.log_tails(np.maximum(end, 0.0))
            above = self.log_tails(np.maximum(start, 0.0))
            tail = above + np.log1p(-np.exp(np.minimum(upper - above, 0.0)))
            lower = self.log_tails(np.maximum(step - start, 0.0))
            middle = np.log1p(-np.minimum(np.exp(upper) + np.exp(lower), 1.0))
            found = np.where(start >= 0, tail, middle)
        return np.asarray(np.where(end > start, found, -np.inf))

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""
        return {"law": self.law, **plain_fields(self)}

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote, without the name."""
        return cls(**entries)

    def __str__(self) -> str:
        kind = "discrete" if self.discrete else "continuous"
        return f"{kind} {self.law} noise, {self.word} {decimal(self.size)}"

    #: what its parameter is called
    word: ClassVar[str]


NOISE_LAWS: Registry[type[NoiseLaw]] = Registry("law of noise", "noise", "law", PlanError, ())


def to_noise_law(document: object) -> NoiseLaw:
    """Read what `to_document` wrote."""
    entries = {str(name): value for name, value in document.items()} if isinstance(document, dict) else {}
    kind = NOISE_LAWS.named(entries.pop("law", None))
    try:
        return kind.from_entries(entries)
    except TypeError:
        raise PlanError("missing or unknown entries", where="noise", asked=", ".join(entries)) from None


@final
@NOISE_LAWS.register
@dataclass(frozen=True)
class LaplaceNoise(NoiseLaw):
    """P(z) proportional to exp(-|z| / laplace_scale)."""

    laplace_scale: Fraction
    discrete: bool
    law: ClassVar[str] = "laplace"
    word: ClassVar[str] = "scale"

    def __init__(self, laplace_scale: object, *, discrete: bool) -> None:
        fill(self, laplace_scale=self._read(laplace_scale, "laplace_scale", discrete))

    @property
    def size(self) -> Fraction:
        """The scale of the noise, by which it grows and shrinks."""
        return self.laplace_scale

    @property
    def rate(self) -> float:
        """One over the scale."""
        return float(1 / self.laplace_scale)

    @property
    def variance(self) -> float:
        """Twice the square of the scale, or a little less on whole numbers."""
        return laplace_variance(self.rate) if self.discrete else 2 * float(self.laplace_scale) ** 2

    def log_densities(self, noise: Floats) -> Floats:
        """Return the log probability, or the log density, of each noise."""
        if self.discrete:
            return laplace_log_pmf(noise, self.rate)  # type: ignore[arg-type]  # whole, if as floats
        return np.asarray(math.log(self.rate / 2) - self.rate * np.abs(noise))

    def pieces(self, low: float, high: float) -> Pieces | None:
        """Write it as kinks, exactly.

        Outside of the interval the log falls by the rate at each step, inside it is concave (a convolution of
        log-concave sequences). A concave sequence with slopes r at one end and -r at the other is a sum of
        kinks: at each point half of what the slope falls there. Nothing is asked below zero, where the slope
        may be r as well.
        """
        if low == high:
            return Pieces([low], [self.rate])
        first = math.floor(max(low, 0.0))
        if high - first > _LONGEST:
            return None
        counts = np.arange(first, max(math.ceil(high), first) + 1, dtype=np.float64)
        slopes = np.diff(self.log_within(low - counts, high - counts))
        falls = -np.diff(np.concatenate([[self.rate], slopes, [-self.rate]]))
        return Pieces(list(counts), [max(float(one), 0.0) / 2 for one in falls])

    def log_tails(self, beyond: Floats) -> Floats:
        """q^t / (1 + q), or half of e^(-t / scale)."""
        below = math.log1p(math.exp(-self.rate)) if self.discrete else math.log(2)
        return np.asarray(-self.rate * beyond - below)


@final
@NOISE_LAWS.register
@dataclass(frozen=True)
class GaussianNoise(NoiseLaw):
    """P(z) proportional to exp(-z^2 / (2 stddev^2))."""

    stddev: Fraction
    discrete: bool
    law: ClassVar[str] = "gaussian"
    word: ClassVar[str] = "stddev"

    def __init__(self, stddev: object, *, discrete: bool) -> None:
        fill(self, stddev=self._read(stddev, "stddev", discrete))

    @property
    def size(self) -> Fraction:
        """The standard deviation, by which Gaussian noise is told."""
        return self.stddev

    @property
    def curvature(self) -> float:
        """One over the square of `stddev`, as inference of privior's own Gaussian noise takes it."""
        return 1 / float(self.stddev) ** 2

    @property
    def variance(self) -> float:
        """The square, or a little less on whole numbers."""
        return gaussian_variance(float(self.stddev) ** 2) if self.discrete else float(self.stddev) ** 2

    def log_densities(self, noise: Floats) -> Floats:
        """Return the log probability, or the log density, of each noise."""
        square = float(self.stddev) ** 2
        if self.discrete:
            return gaussian_log_pmf(noise, square)  # type: ignore[arg-type]  # whole, if as floats
        return np.asarray(-(noise**2) / (2 * square) - math.log(2 * math.pi * square) / 2)

    def pieces(self, low: float, high: float) -> Pieces | None:
        """A point as it is; of a short interval its middle, with the variance that rounding adds.

        The fourth cumulant of a uniform law of length m is -m^4 / 120: with m at most a quarter of the stddev
        the log likelihood is off by less than .0003 within four of these, and .002 within six.
        """
        square, length = float(self.stddev) ** 2, high - low
        if length > 0 and (self.discrete or length * _FINE > float(self.stddev)):
            return None
        return Pieces([low + length / 2], [0.0], 1 / (square + length**2 / 12))

    def log_tails(self, beyond: Floats) -> Floats:
        """The normal law's tail; that of discrete noise has no closed form."""
        if self.discrete:
            raise PlanError(
                "rounded, clipped or suppressed numbers with discrete Gaussian noise are not understood",
                where="treatment",
                asked=str(self),
                advice="Ask for the numbers as they were drawn.",
            )
        return np.asarray(log_ndtr(-beyond / float(self.stddev)))
