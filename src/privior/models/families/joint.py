"""The contract of conjugate families of several parameters: records that are Normal vectors.

    theta ~ prior                              a conjugate law, perhaps cut
    x ~ Normal(m(theta), C(theta))             one record, a vector of one number or more
    T_s = sum over records of a product        of deviations of x from a public centre, one or two factors

On the public grids of the columns a deviation is unit * j, j a whole number with public bounds. What is
summed in an engine are the j and their products; cells outside the bounds count as the nearest ones inside.

A family knows its likelihood twice: exactly, where posteriors are drawn from it; and in floating point, as a
`JointLikelihood`, for inference. The latter describes T given theta by innovations w, whose law does not
depend on theta: T = T(theta, w). Where the noise is much wider than what chance does to T, a sampler moves
theta and keeps w; where it is narrower, theta is drawn given T.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from privior.arrays import Floats
from privior.checks import fill
from privior.errors import ModelError, shown
from privior.models.families.drawing import JointDrawing
from privior.models.families.family import numeric
from privior.models.families.summed import SummedModel
from privior.models.laws.joint import JointLaw, to_joint_law
from privior.models.laws.matrices import Vector
from privior.models.summands import ONE, Factor, Summand
from privior.privacy import Neighbours
from privior.randomness import Bits
from privior.schema import Schema

#: more columns than this are a mistake: the noise of so many sums drowns them
MOST_COLUMNS = 8


class Random(Protocol):
    """A generator for post-processing."""

    def standard_normal(self, size: tuple[int, ...]) -> Floats:
        """Draw from Normal(0, 1)."""

    def standard_gamma(self, shape: Floats) -> Floats:
        """Draw from Gamma(shape, 1), one for each shape."""


class JointLikelihood(ABC):
    """What inference needs of a family, in floating point; many cases at once, one a row.

    Attributes:
        centre: what deviations are measured from, one number for each column
        units: what one whole number of each sum is worth
    """

    centre: Floats
    units: Floats

    @abstractmethod
    def normal(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return the means and the covariances of a record."""

    @abstractmethod
    def quantities(self, theta: Floats) -> list[Floats]:
        """Return the numbers that the family has names for: the parameters first."""

    # The prior

    @abstractmethod
    def log_prior(self, theta: Floats) -> Floats:
        """Return the log density of the prior up to a constant, -inf outside of where it is cut."""

    @abstractmethod
    def typical(self) -> tuple[Floats, Floats]:
        """Return some parameters typical of the prior, and the prior's variance of each."""

    @abstractmethod
    def free(self, theta: Floats) -> Floats:
        """Return coordinates of the parameters that may be any numbers."""

    @abstractmethod
    def bound(self, free: Floats) -> Floats:
        """Return the parameters at these coordinates."""

    @abstractmethod
    def log_slope(self, free: Floats) -> Floats:
        """Return the log determinant of the derivative of `bound`."""

    # The sums

    @abstractmethod
    def log_density(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Return the log density of T given the parameters; -inf where T cannot be."""

    @abstractmethod
    def whiten(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Return the innovations w."""

    @abstractmethod
    def coloured(self, records: Floats, theta: Floats, white: Floats) -> Floats:
        """Return T(theta, w)."""

    @abstractmethod
    def log_white(self, records: Floats, white: Floats) -> Floats:
        """Return the log density of w."""

    @abstractmethod
    def white(self, records: Floats, rng: Random) -> Floats:
        """Draw innovations."""

    @abstractmethod
    def conjugate(self, records: Floats, totals: Floats, rng: Random) -> Floats:
        """Draw the parameters given T from the posterior before it is cut; without records, the prior."""

    @abstractmethod
    def possible(self, records: Floats, totals: Floats) -> Floats:
        """Return sums near these that records can have."""

    @abstractmethod
    def clipped(self, theta: Floats) -> Floats:
        """Return parameters near these that the cut prior allows."""

    def log_posterior(self, theta: Floats, records: int, totals: Floats, weight: float) -> Floats:
        """Return the log density of draws from the posterior given n weighted records, one for each T.

        It is of all draws together, the rows of theta, up to a constant.
        """
        raise NotImplementedError("no draws are released of this family")


class JointFamily(SummedModel):
    """Several parameters of the Normal law of one column or more.

    Attributes:
        vector: the columns whose values make up a record
        prior: of all parameters together
    """

    vector: tuple[str, ...]
    prior: JointLaw
    error_heading = "error / prior"

    def _set(self, columns: object, prior: object, kind: type[JointLaw]) -> None:
        listed = [columns] if isinstance(columns, str) else columns
        names = tuple(listed) if isinstance(listed, (list, tuple)) else ()
        named = all(isinstance(one, str) and one for one in names)
        if not named or not 1 <= len(names) <= MOST_COLUMNS or len(set(names)) < len(names):
            allowed = f"1 to {MOST_COLUMNS} different names"
            raise self.refusal("not the names of columns", asked=shown(columns), allowed=allowed)
        law = to_joint_law(prior) if isinstance(prior, dict) else prior
        if not isinstance(law, kind):
            raise self.refusal(
                "this prior is not conjugate here", asked=shown(prior), allowed=f"pv.{kind.__name__}(...)"
            )
        fill(self, vector=names, prior=law)

    def _check_size(self, size: int, name: str) -> None:
        if size != len(self.vector):
            raise self.refusal(
                f"{name} is not of the size of the columns", asked=size, allowed=len(self.vector)
            )

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns that are read."""
        return self.vector

    def width_in_words(self, schema: Schema) -> str:
        """Intervals are of the parameters, each by its own measure."""
        return f"90% intervals of the {self.parameter}, in standard deviations of the prior"

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What the numbers of `JointLikelihood.quantities` are called, the parameters first."""

    def named(self, word: str) -> int | None:
        """Return the place of a quantity: by its name, or by what stands before "of" if that is enough."""
        if word in self.names:
            return self.names.index(word)
        near = [place for place, name in enumerate(self.names) if name.startswith(f"{word} of ")]
        return near[0] if len(near) == 1 else None

    @property
    def assumption(self) -> str:
        """That the columns are Normal."""
        several = len(self.columns) > 1
        return f"{' and '.join(self.columns)} {'are jointly' if several else 'is'} Normal"

    @property
    def first_question(self) -> str:
        """What a user asks first of a family of several parameters: the first of them."""
        return f"parameter('{self.names[0]}')"

    # What is summed

    @property
    @abstractmethod
    def products(self) -> tuple[tuple[int, ...], ...]:
        """The columns, by their places, whose deviations are multiplied for each sum."""

    def centre(self, schema: Schema) -> Vector:
        """Return what deviations are measured from: the middle of each range, unless it is known."""
        return self.middle(schema)

    @abstractmethod
    def at(self, schema: Schema) -> JointLikelihood:
        """Return the likelihood in floating point."""

    def middle(self, schema: Schema) -> Vector:
        """Return the middle of each column's range, which no record is far from."""
        grids = [numeric(schema, name, self.family) for name in self.vector]
        return tuple(lower + step * (size - 1) / 2 for lower, step, size in grids)

    def _deviations(self, schema: Schema) -> list[tuple[Factor, Fraction]]:
        """Return each column's deviation as a whole number, and what that is worth."""
        found = []
        for name, centre in zip(self.vector, self.centre(schema), strict=True):
            lower, step, _ = numeric(schema, name, self.family)
            offset = (lower - centre) / step
            found.append((Factor(name, offset.denominator, offset.numerator), step / offset.denominator))
        return found

    def sums(self, schema: Schema) -> tuple[Summand, ...]:
        """Return the products of deviations that are summed."""
        factors = [factor for factor, _ in self._deviations(schema)]
        return tuple(Summand(tuple(factors[place] for place in places)) for places in self.products)

    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return what is summed: where the number of values is private, they are counted too."""
        own = self.sums(schema)
        return (ONE, *own) if self.counts_values(schema, neighbours) else own

    def units(self, schema: Schema) -> Vector:
        """Return what one whole number of each sum is worth."""
        each = [unit for _, unit in self._deviations(schema)]
        return tuple(
            each[places[0]] * (each[places[1]] if len(places) > 1 else 1) for places in self.products
        )

    def totals(self, schema: Schema, sums: Sequence[int]) -> Vector:
        """Return T, exactly."""
        return tuple(unit * one for unit, one in zip(self.units(schema), sums, strict=True))

    def statistic_in_words(self, schema: Schema) -> str:
        """Say how many sums there are, and of what."""
        count = len(self.products)
        squares = any(len(places) > 1 for places in self.products)
        what = "deviations from the centre" + (" and their products" if squares else "")
        return f"{count} sum{'s' if count > 1 else ''} of {what}"

    # Draws

    def drawing(self, schema: Schema, records: int, weight: Fraction) -> JointDrawing:
        """Return the posterior of all parameters together."""
        return JointDrawing(self, schema, records, weight)

    def finest(self, schema: Schema) -> float:
        """Return the smallest scale of what is drawn, from public facts: draws are rounded far below it."""
        raise self.no_draws()

    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """Say whether draws can lie at these points of the grid."""
        return True

    def drawn(
        self, schema: Schema, records: int, weight: Fraction, sums: Sequence[int], places: int, bits: Bits
    ) -> tuple[int, ...]:
        """Draw from the posterior, exactly rounded: whole numbers in units of 2^-places."""
        raise self.no_draws()

    def from_points(self, schema: Schema, records: int, weight: Fraction, points: Floats) -> Floats:
        """Return the parameters of released draws, one a row: public arithmetic."""
        return points

    def no_draws(self) -> ModelError:
        """Say why no draws are released."""
        return self.refusal("no draws are released of this family")

    # Files

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        return {
            "family": self.family,
            "columns": list(self.vector),
            **self.facts(),
            "prior": self.prior.to_document(),
        }

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.vector)}, prior {self.prior})"
