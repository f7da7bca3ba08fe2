"""The conjugate laws of one parameter: Beta, Gamma and Normal, with exact parameters.

Densities are written without their constants, for these differ between laws and never matter: whatever is
computed from a prior and a release is divided by its own sum.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

import numpy as np

from privior.arrays import Floats
from privior.checks import fill, plain_fields, told_by
from privior.errors import ModelError, shown
from privior.exact import decimal, positive, rational
from privior.randomness import BetaLaw, GammaLaw, NormalLaw
from privior.special import betaincinv, gammaincinv, ndtri

#: the ends of an interval; None where there is no end
Ends = tuple[Fraction | None, Fraction | None]

#: parameters outside this range are a mistake, and lose all digits in the update
_LEAST, _MOST = Fraction(1, 10**9), Fraction(10**18)


L = TypeVar("L", bound="WrittenLaw")


class NamedLaw(ABC):
    """A law with a name in files, which says what is wrong with one of its kind."""

    name: ClassVar[str]

    @classmethod
    def refusal(
        cls, what: str, *, asked: object = None, allowed: object = None, advice: str | None = None
    ) -> ModelError:
        """Return the error that says what is wrong with a law of this kind."""
        return ModelError(what, where=cls.name, asked=asked, allowed=allowed, advice=advice)

    @abstractmethod
    def to_document(self) -> dict[str, object]:
        """Write the law as plain values, from which it can be read again."""

    @abstractmethod
    def __str__(self) -> str:
        """Name the law with its parameters, as a person would."""


class WrittenLaw(NamedLaw):
    """A law whose fields are what a file has of it."""

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""
        return {"law": self.name, **plain_fields(self)}


def named_law(laws: Mapping[str, type[L]], document: object, where: str) -> tuple[type[L], dict[str, Any]]:
    """Return the law that a file names, and the other entries."""
    if not isinstance(document, dict):
        raise ModelError("not a law", where=where, asked=shown(document))
    entries = {str(name): value for name, value in document.items()}
    kind = laws.get(str(entries.pop("law", None)))
    if kind is None:
        asked = shown(document.get("law"))
        raise ModelError("unknown law", where=where, asked=asked, allowed=", ".join(laws))
    return kind, entries


def law_of(kind: type[L], entries: dict[str, Any], where: str) -> L:
    """Build a law from the entries of a file, refusing whatever is unknown."""
    try:
        return kind(**entries)
    except TypeError:
        from inspect import signature

        raise ModelError(
            "unknown or missing entries",
            where=f"{where}, {kind.name}",
            asked=", ".join(entries),
            allowed=", ".join(signature(kind).parameters),
        ) from None


@dataclass(frozen=True)
class Beta(WrittenLaw):
    """Density x^(first-1) (1-x)^(second-1) on (0, 1)."""

    first: Fraction
    second: Fraction
    name: ClassVar[str] = "beta"
    support: ClassVar[Ends] = (Fraction(0), Fraction(1))
    #: how large the parameter typically is: draws are rounded far below it
    scale: ClassVar[float] = 1.0

    def __init__(self, first: object = 1, second: object = 1) -> None:
        fill(
            self, first=read_scale(first, self.name, "first"), second=read_scale(second, self.name, "second")
        )

    def log_density(self, points: Floats) -> Floats:
        """Return the log density at points inside the support, up to a constant."""
        return np.asarray(
            (float(self.first) - 1) * np.log(points) + (float(self.second) - 1) * np.log1p(-points)
        )

    def quantile(self, share: float) -> float:
        """Return the point below which this share of the law lies."""
        return float(betaincinv(float(self.first), float(self.second), share))

    @property
    def exact(self) -> BetaLaw:
        """The law as exact draws are made of it."""
        return BetaLaw(self.first, self.second)

    @property
    def information(self) -> float:
        """One over the variance."""
        both = self.first + self.second
        return float(both**2 * (both + 1) / (self.first * self.second))

    def knowing(self, times: Fraction) -> Beta:
        """Return the law that knows so many times as much."""
        return Beta(self.first * times, self.second * times)

    def __str__(self) -> str:
        return f"Beta({decimal(self.first)}, {decimal(self.second)})"


@dataclass(frozen=True)
class Gamma(WrittenLaw):
    """Density x^(shape-1) e^(-rate x) on (0, infinity), of mean shape / rate."""

    shape: Fraction
    rate: Fraction
    name: ClassVar[str] = "gamma"
    support: ClassVar[Ends] = (Fraction(0), None)

    def __init__(self, shape: object = 1, rate: object = 1) -> None:
        fill(self, shape=read_scale(shape, self.name, "shape"), rate=read_scale(rate, self.name, "rate"))

    def log_density(self, points: Floats) -> Floats:
        """Return the log density at points inside the support, up to a constant."""
        return np.asarray((float(self.shape) - 1) * np.log(points) - float(self.rate) * points)

    def quantile(self, share: float) -> float:
        """Return the point below which this share of the law lies."""
        return float(gammaincinv(float(self.shape), share)) / float(self.rate)

    @property
    def exact(self) -> GammaLaw:
        """The law as exact draws are made of it."""
        return GammaLaw(self.shape, self.rate)

    @property
    def scale(self) -> float:
        """How large the parameter typically is: draws are rounded far below it."""
        return self.quantile(0.5)

    @property
    def information(self) -> float:
        """One over the variance."""
        return float(self.rate**2 / self.shape)

    def knowing(self, times: Fraction) -> Gamma:
        """Return the law that knows so many times as much."""
        return Gamma(self.shape * times, self.rate * times)

    def __str__(self) -> str:
        return f"Gamma({decimal(self.shape)}, {decimal(self.rate)})"


@dataclass(frozen=True)
class Normal(WrittenLaw):
    """Density e^(-(x-mean)^2 / (2 variance)) on the line."""

    mean: Fraction
    variance: Fraction
    name: ClassVar[str] = "normal"
    support: ClassVar[Ends] = (None, None)

    def __init__(self, mean: object = 0, *, stddev: object = None, variance: object = None) -> None:
        if (stddev is None) == (variance is None):
            raise self.refusal("a Normal law has a stddev or a variance")
        fill(self, mean=read_number(mean, self.name, "mean"))
        spread = read_scale(stddev, self.name, "stddev") ** 2 if stddev is not None else None
        fill(self, variance=read_scale(variance, self.name, "variance") if spread is None else spread)

    def log_density(self, points: Floats) -> Floats:
        """Return the log density at each point, up to a constant."""
        return np.asarray(-((points - float(self.mean)) ** 2) / (2 * float(self.variance)))

    def quantile(self, share: float) -> float:
        """Return the point below which this share of the law lies."""
        return float(self.mean) + float(ndtri(share)) * math.sqrt(self.variance)

    @property
    def exact(self) -> NormalLaw:
        """The law as exact draws are made of it."""
        return NormalLaw(self.mean, self.variance)

    @property
    def scale(self) -> float:
        """How far the parameter typically varies: draws are rounded far below it."""
        return math.sqrt(self.variance)

    @property
    def information(self) -> float:
        """One over the variance."""
        return float(1 / self.variance)

    def knowing(self, times: Fraction) -> Normal:
        """Return the law that knows so many times as much."""
        return Normal(self.mean, variance=self.variance / times)

    def __str__(self) -> str:
        return f"Normal({decimal(self.mean)}, variance {decimal(self.variance)})"


Conjugate = Beta | Gamma | Normal


def read_scale(value: object, where: str, name: str) -> Fraction:
    """Read a parameter of a law that is above 0."""
    with told_by(ModelError, where):
        return positive(value, name, least=_LEAST, most=_MOST)


def read_number(value: object, where: str, name: str) -> Fraction:
    """Read any number that a law or a family has."""
    with told_by(ModelError, where):
        return rational(value, name)
