"""Draws from the posterior of a family, exactly rounded: what a mechanism that releases them asks of it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.models.families.reweighting import reweighted_draw
from privior.models.laws import Conjugate, Reweighted, Truncated
from privior.randomness import Bits, TruncatedLaw, WeightedLaw, draw_mixture
from privior.schema import Schema

if TYPE_CHECKING:
    from privior.models.families.family import Family
    from privior.models.families.joint import JointFamily, JointLikelihood


@dataclass(frozen=True)
class Drawing(ABC):
    """The posterior given n weighted records, as it is drawn from.

    Attributes:
        model: the family
        schema: the public facts of its columns
        records: n
        weight: of each record
    """

    model: Any
    schema: Schema
    records: int
    weight: Fraction

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many numbers one draw has."""

    @abstractmethod
    def drawn(self, sums: Sequence[int], places: int, bits: Bits, draws: int) -> list[int]:
        """Draw, exactly rounded: whole numbers in units of 2^-places, one draw after the other."""

    @abstractmethod
    def values(self, points: Floats) -> Floats:
        """Return the parameters of released points, (draws, numbers): public arithmetic."""

    @abstractmethod
    def log_densities(self, points: Floats, places: int, sums: Integers) -> Floats:
        """Return the log density of all draws for each column of possible sums, up to the same constant."""

    @abstractmethod
    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """Say whether draws can lie at these points of the grid, but for rounding."""


@final
@dataclass(frozen=True)
class FamilyDrawing(Drawing):
    """Draws of one parameter."""

    model: Family
    #: one number is drawn: the parameter
    numbers: ClassVar[int] = 1

    def drawn(self, sums: Sequence[int], places: int, bits: Bits, draws: int) -> list[int]:
        """Update the prior exactly and draw."""
        pieces = self._pieces(self.model.total(self.schema, self.records, sums[0]))
        return [draw_mixture(pieces, places, bits) for _ in range(draws)]

    def _pieces(self, total: Fraction) -> list[WeightedLaw]:
        """Return the posterior as a mixture: of one law, or of those on both sides of a pivot."""

        def updated(law: Conjugate) -> Any:
            return self.model.update(law, self.weight * self.records, self.weight * total).exact

        prior, law = self.model.prior, updated(self.model.law)
        if not isinstance(prior, Reweighted):
            return [
                WeightedLaw(
                    _certain, TruncatedLaw(law, *prior.support) if isinstance(prior, Truncated) else law
                )
            ]
        glued = reweighted_draw(self.model, self.schema, self.records, self.weight)
        return [
            WeightedLaw(
                partial(side.log_mass, total), TruncatedLaw(updated(piece.law), piece.lower, piece.upper)
            )
            for piece, side in zip(prior.pieces, glued.sides, strict=True)
        ]

    def values(self, points: Floats) -> Floats:
        """Return the points: they are the parameter itself."""
        return points[:, 0]

    def log_densities(self, points: Floats, places: int, sums: Integers) -> Floats:
        """Add up those of all draws; one rounded to an end of the support is half a unit inside it."""
        base, unit = self.model.grid(self.schema)
        totals = float(base) * self.records + float(unit) * sums[0].astype(np.float64)
        found = np.zeros(totals.shape)
        for theta in self._inside(points[:, 0], math.ldexp(0.5, -places)):
            found += self.model.log_posterior(theta, self.records, totals, float(self.weight))
        return found

    def _inside(self, values: Floats, half: float) -> Floats:
        low, high = self.model.prior.support
        if low is not None:
            values = np.maximum(values, float(low) + half)
        return values if high is None else np.minimum(values, float(high) - half)

    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """Draws lie in the support."""
        low, high = self.model.prior.support
        return all(
            (low is None or low <= (point + 1) * unit) and (high is None or (point - 1) * unit <= high)
            for point in points
        )


@final
@dataclass(frozen=True)
class JointDrawing(Drawing):
    """Draws of several parameters."""

    model: JointFamily

    @property
    def numbers(self) -> int:
        """As many as there are sums."""
        return len(self.model.products)

    def drawn(self, sums: Sequence[int], places: int, bits: Bits, draws: int) -> list[int]:
        """Let the family draw all parameters together, by exact bits."""
        every = [
            self.model.drawn(self.schema, self.records, self.weight, sums, places, bits) for _ in range(draws)
        ]
        return [one for draw in every for one in draw]

    def values(self, points: Floats) -> Floats:
        """Return what was published as parameters, one draw a row."""
        return self.model.from_points(self.schema, self.records, self.weight, points)

    @cached_property
    def _likelihood(self) -> JointLikelihood:
        return self.model.at(self.schema)

    def log_densities(self, points: Floats, places: int, sums: Integers) -> Floats:
        """Take draws that were rounded to outside the support as inside."""
        theta = self._likelihood.clipped(self.values(points))
        totals = sums.T * self._likelihood.units
        return self._likelihood.log_posterior(theta, self.records, totals, float(self.weight))

    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """Ask the family whether draws can lie there."""
        return self.model.admits(points, unit)


def _certain() -> Any:
    """The weight of a law that has no other beside it: it is never looked at."""
    raise AssertionError
