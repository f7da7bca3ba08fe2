"""A law re-weighted so that sensitive parameters are less likely: what makes a draw from it cost less.

The density is multiplied by exp(-strength |phi(theta) - phi(pivot)|). A record's log likelihood changes with
the natural parameter, so parameters far out in that coordinate are those that betray a record most: the more
weight the prior takes from them, the more of its mass is on parameters with a small Lipschitz constant. phi
is one of three coordinates in which each side of the pivot stays a law of the same kind:

    logit  Beta    on each side Beta(first -+ strength, second +- strength)
    log    Gamma   on each side Gamma(shape -+ strength, rate)
    value  Gamma   on each side Gamma(shape, rate +- strength)
    value  Normal  on each side Normal(mean -+ strength * variance, variance)

So everything that is exact for those laws is exact here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from privior.checks import fill, told_by
from privior.errors import ModelError, shown
from privior.exact import decimal, positive, rational
from privior.models.laws.conjugate import Beta, Conjugate, Ends, Floats, Gamma, NamedLaw, Normal
from privior.models.laws.truncated import Truncated

_LEAST, _MOST = Fraction(1, 10**9), Fraction(10**9)
#: the coordinates of each law; the first one unless told otherwise
_COORDINATES = {"beta": ("logit",), "gamma": ("value", "log"), "normal": ("value",)}


@dataclass(frozen=True)
class Piece:
    """A side of the pivot: a conjugate law cut to an interval, times e^(slope phi(pivot)).

    Attributes:
        law: without the interval
        lower: its least parameter; None for no end
        upper: its largest
        slope: the strength above the pivot, minus it below
    """

    law: Conjugate
    lower: Fraction | None
    upper: Fraction | None
    slope: Fraction


@dataclass(frozen=True)
class Reweighted(NamedLaw):
    """A conjugate law, or one cut to an interval, times exp(-strength |phi(theta) - phi(pivot)|).

    Attributes:
        law: what is re-weighted
        strength: how much; it has to be smaller than the law's own parameters on the side that loses by it
        of: the coordinate phi: "logit", "log" or "value"
        pivot: the parameter that loses nothing; unless told otherwise 1/2 for logits, 1 for logarithms, 0 for
            values of a Gamma law, and the mean of a Normal law
    """

    law: Conjugate | Truncated
    strength: Fraction
    of: str
    pivot: Fraction
    name: ClassVar[str] = "reweighted"

    def __init__(
        self, law: Conjugate | Truncated, strength: object, *, of: str | None = None, pivot: object = None
    ) -> None:
        if not isinstance(law, Beta | Gamma | Normal | Truncated):
            raise self.refusal(
                "not a law that can be re-weighted",
                asked=shown(law),
                allowed="pv.Beta(...), pv.Gamma(...), pv.Normal(...), or one of them in pv.Truncated(...)",
            )
        base = law.law if isinstance(law, Truncated) else law
        known = _COORDINATES[base.name]
        coordinate = known[0] if of is None else of
        if coordinate not in known:
            raise self.refusal("not a coordinate of this law", asked=shown(of), allowed=", ".join(known))
        with told_by(ModelError, self.name):
            own = positive(strength, "strength", least=_LEAST, most=_MOST)
            at = _pivot(base, coordinate) if pivot is None else rational(pivot, "pivot")
        if (coordinate == "logit" and not 0 < at < 1) or (coordinate == "log" and at <= 0):
            raise self.refusal("the pivot has no such coordinate", asked=decimal(at))
        fill(self, law=law, strength=own, of=coordinate, pivot=at)
        if not self.pieces:
            raise self.refusal("nothing is left of the law", asked=str(law))

    @property
    def base(self) -> Conjugate:
        """The conjugate law, without interval and weights."""
        return self.law.law if isinstance(self.law, Truncated) else self.law

    @property
    def support(self) -> Ends:
        """Where the parameter can lie."""
        return self.law.support

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The sides of the pivot, the lower one first; one if the pivot is not inside the support."""
        low, high = self.support
        inner = [at for at in (self.pivot,) if (low is None or low < at) and (high is None or at < high)]
        edges = [low, *inner, high]
        found = []
        for first, last in pairwise(edges):
            above = first is not None and first >= self.pivot
            slope = self.strength if above else -self.strength
            found.append(Piece(self._shifted(slope), first, last, slope))
        return tuple(found)

    def _shifted(self, slope: Fraction) -> Conjugate:
        """Return the law times exp(-slope phi), up to a constant."""
        base = self.base
        try:
            match base:
                case Beta():
                    return Beta(base.first - slope, base.second + slope)
                case Gamma():
                    shape, rate = (slope, 0) if self.of == "log" else (0, -slope)
                    return Gamma(base.shape - shape, base.rate - rate)
                case _:
                    return Normal(base.mean - slope * base.variance, variance=base.variance)
        except ModelError:
            raise self.refusal(
                "the strength is not smaller than the law's own parameters",
                asked=decimal(self.strength),
                allowed=str(base),
                advice="Take a smaller strength, or a law with larger parameters.",
            ) from None

    def log_constant(self, piece: Piece) -> float:
        """Return the log of the factor of a piece, densities being written without constants."""
        found = float(piece.slope) * float(self.coordinate(np.array([float(self.pivot)]))[0])
        base, law = self.base, piece.law
        if isinstance(base, Normal) and isinstance(law, Normal):
            found += float((law.mean**2 - base.mean**2) / (2 * base.variance))
        return found

    def coordinate(self, points: Floats) -> Floats:
        """Return phi, the number that the weight is an exponential of."""
        if self.of == "logit":
            return np.asarray(np.log(points) - np.log1p(-points))
        return np.log(points) if self.of == "log" else points

    def log_density(self, points: Floats) -> Floats:
        """Return the log density at points inside the support, up to a constant."""
        centre = float(self.coordinate(np.array([float(self.pivot)]))[0])
        away = np.abs(self.coordinate(points) - centre)
        return np.asarray(self.law.log_density(points) - float(self.strength) * away)

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""
        return {
            **self.law.to_document(),
            "strength": decimal(self.strength),
            "of": self.of,
            "pivot": decimal(self.pivot),
        }

    def __str__(self) -> str:
        at = decimal(self.pivot)
        away = f"theta - {at}" if self.of == "value" else f"{self.of} theta - {self.of} {at}"
        return f"{self.law} times exp(-{decimal(self.strength)} |{away}|)"


def _pivot(law: Conjugate, coordinate: str) -> Fraction:
    if isinstance(law, Normal):
        return law.mean
    return {"logit": Fraction(1, 2), "log": Fraction(1), "value": Fraction(0)}[coordinate]
