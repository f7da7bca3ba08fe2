"""Distribution functions of conjugate laws, cut to intervals and glued to each other.

A prior that is re-weighted is one conjugate law below its pivot and another one above; so is its posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.models import Family
from privior.models.laws import Conjugate, Law, Piece, Reweighted
from privior.models.laws.masses import log_normaliser
from privior.special import betainc, betaincc, gammainc, gammaincc, ndtr

#: a truncated law with a smaller share of the whole is integrated instead of taken from two tails
_SMALL = 1e-7


@dataclass(frozen=True)
class CutLaw:
    """The distribution function of a conjugate law cut to an interval, both tails with all their digits."""

    kind: type[Conjugate]
    first: float
    second: float
    low: float
    high: float

    @cached_property
    def _share(self) -> float:
        return float(self._between(np.array([self.low]), np.array([self.high]))[0])

    @property
    def _bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def vanishes(self) -> bool:
        """Whether the law has no share of the interval that a float can hold, and no table of it."""
        return self._share <= 0 and not self._bounded

    def many_above(self, points: Floats) -> Floats:
        """Return the chance of more than each point."""
        inside = np.clip(points, self.low, self.high)
        if self._share < _SMALL and self._bounded:
            return 1 - self._integrated(inside)
        return np.asarray(self._between(inside, np.array(self.high)) / self._share)

    def many_below(self, points: Floats) -> Floats:
        """Return the chance of less than each point."""
        inside = np.clip(points, self.low, self.high)
        if self._share < _SMALL and self._bounded:
            return self._integrated(inside)
        return np.asarray(self._between(np.array(self.low), inside) / self._share)

    def _between(self, low: Floats, high: Floats) -> Floats:
        """Return the uncut law's chance of an interval, from the tail in which it lies."""
        start = self._tail(low, True)
        left = start < 0.5
        if left.all():
            return np.asarray(self._tail(high, True) - start)
        upper = self._tail(low, False) - self._tail(high, False)
        if not left.any():
            return np.asarray(upper)
        return np.asarray(np.where(left, self._tail(high, True) - start, upper))

    def _tail(self, points: Floats, left: bool) -> Floats:
        match self.kind.name:
            case "beta":
                inside = np.clip(points, 0.0, 1.0)
                return np.asarray((betainc if left else betaincc)(self.first, self.second, inside))
            case "gamma":
                inside = np.maximum(points, 0.0) * self.second
                return np.asarray((gammainc if left else gammaincc)(self.first, inside))
            case _:
                away = (points - self.first) / math.sqrt(self.second)
                return np.asarray(ndtr(away if left else -away))

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        """Distribution function on a grid that is finer at both ends, where almost all of it lies."""
        u = np.linspace(-18.0, 18.0, 40_001)
        inner = 1 / (1 + np.exp(-u))
        points = self.low + (self.high - self.low) * inner
        match self.kind.name:
            case "beta":
                logs = (self.first - 1) * np.log(points) + (self.second - 1) * np.log1p(-points)
            case "gamma":
                logs = (self.first - 1) * np.log(points) - self.second * points
            case _:
                logs = -((points - self.first) ** 2) / (2 * self.second)
        logs = logs + np.log(inner) + np.log1p(-inner)
        masses = np.exp(logs - logs.max())
        summed = np.concatenate([[0.0], np.cumsum((masses[1:] + masses[:-1]) / 2)])
        return points, summed / summed[-1]

    def _integrated(self, points: Floats) -> Floats:
        return np.asarray(np.interp(points, *self._table))


@dataclass(frozen=True)
class GluedLaw:
    """Cut laws side by side, each with its share of the whole.

    Attributes:
        pieces: from the lowest to the highest
        shares: they add up to 1
    """

    pieces: tuple[CutLaw, ...]
    shares: tuple[float, ...]

    def below(self, point: float) -> float:
        """Return the chance of less than a point."""
        return float(self.many_below(np.array([point]))[0])

    def above(self, point: float) -> float:
        """Return the chance of more than a point."""
        return float(self.many_above(np.array([point]))[0])

    def many_below(self, points: Floats) -> Floats:
        """Return the chance of less than each point."""
        each = zip(self.shares, self.pieces, strict=True)
        return np.asarray(np.sum([share * piece.many_below(points) for share, piece in each], axis=0))

    def many_above(self, points: Floats) -> Floats:
        """Return the chance of more than each point."""
        each = zip(self.shares, self.pieces, strict=True)
        return np.asarray(np.sum([share * piece.many_above(points) for share, piece in each], axis=0))


def pieces_of(prior: Law) -> tuple[Piece, ...]:
    """Return the conjugate laws that a prior is glued of: one, unless it is re-weighted."""
    if isinstance(prior, Reweighted):
        return prior.pieces
    law = prior if isinstance(prior, Conjugate) else prior.law
    return (Piece(law, *prior.support, Fraction(0)),)


def glued(model: Family, records: float, total: float) -> GluedLaw:
    """Return the law of the parameter after n records of sum T; of the prior, after none."""
    pieces, logs = [], []
    for piece in pieces_of(model.prior):
        first, second, extra = model.with_prior(piece.law).updated(records, np.array([total]))
        ends = (piece.lower, piece.upper)
        mass = log_normaliser(model.conjugate, first, second, ends) + extra
        low = -math.inf if piece.lower is None else float(piece.lower)
        high = math.inf if piece.upper is None else float(piece.upper)
        law = CutLaw(model.conjugate, float(first[0]), float(second[0]), low, high)
        constant = model.prior.log_constant(piece) if isinstance(model.prior, Reweighted) else 0.0
        pieces.append(law)
        logs.append(-math.inf if law.vanishes else float(mass[0]) + constant)
    shares = [math.exp(log - max(logs)) for log in logs]
    kept = [(law, share / sum(shares)) for law, share in zip(pieces, shares, strict=True) if share > 0]
    return GluedLaw(tuple(law for law, _ in kept), tuple(share for _, share in kept))
