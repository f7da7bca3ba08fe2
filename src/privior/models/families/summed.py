"""What plans and mechanisms need to know of any family, of one parameter or of several.

Each record adds whole numbers with public bounds to some sums, which are all that is learned from the table.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, Protocol

from privior.checks import plain_fields
from privior.models.families.drawing import Drawing
from privior.models.model import PRIOR_SHARE, Model
from privior.privacy import REPLACE_ONE, Neighbours, Sensitivity
from privior.privacy.pairs import DominatingPair
from privior.schema import Schema


class Prior(Protocol):
    """A law that can be written down."""

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""


class SummedModel(Model):
    """A family whose statistics are sums over the records."""

    #: what the parameters are called in answers
    parameter: ClassVar[str]
    prior: Prior
    #: one record moves a sum by the range of its column
    remedy: ClassVar[str] = "narrower bounds of the column, a wider prior or more epsilon"

    @abstractmethod
    def statistic_in_words(self, schema: Schema) -> str:
        """Say what each record adds."""

    def values_of_a_unit(self, schema: Schema, neighbours: Neighbours) -> tuple[int, int]:
        """Return how many values a unit has at least and at most, as far as that decides how it moves sums.

        One for each row that is counted: a row whose columns all have a code. None where rows with bad cells
        are dropped and the unit has no other.
        """
        least = 0 if neighbours is REPLACE_ONE and schema.drops(self.columns) else 1
        return least, schema.unit.max_rows

    def counts_values(self, schema: Schema, neighbours: Neighbours) -> bool:
        """Whether the number of values is private, and therefore summed too.

        It is public if each of a public number of units has exactly one. Elsewhere units are replaced by
        others with more values or fewer, and a number that nobody released would tell of them (T14, T21).
        """
        return neighbours is not REPLACE_ONE or self.values_of_a_unit(schema, neighbours) != (1, 1)

    def check_unit(self, schema: Schema) -> None:
        """Refuse units that may have several values or none: draws are proved for exactly one of each."""
        if schema.unit.max_rows != 1:
            raise self.refusal(
                "draws from the posterior take one row of each unit",
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="max_rows 1",
            )
        self._check_drops(schema, REPLACE_ONE)

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one unit moves the sums, all of them together (`Sensitivity.ways`).

        Every sum is bounded by its own range. That is attained where one record reaches the ends of all
        ranges at once, and otherwise a bound: a deviation and its square do not both go from end to end.
        """
        relation = Neighbours.of(neighbours)
        values = self.values_of_a_unit(schema, relation)
        ranges = [one.bounds(schema) for one in self.summands(schema, relation)]
        return Sensitivity.of_sums(ranges, relation, values)

    @abstractmethod
    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Return the pair of draws from the posterior, one record replaced, each weighing so much.

        Raises ModelError where no pair is proved.
        """

    @abstractmethod
    def drawing(self, schema: Schema, records: int, weight: Fraction) -> Drawing:
        """Return the posterior given so many weighted records, as it is drawn from."""

    @abstractmethod
    def finest(self, schema: Schema) -> float:
        """Return the smallest scale of what is drawn, from public facts: draws are rounded far below it."""

    def check_draws(self, schema: Schema, records: Fraction) -> None:
        """Refuse draws that might take long, whatever the data: `records` are n times their weight."""

    def facts(self) -> dict[str, object]:
        """Return what the family knows beside columns and prior, as plain values."""
        return plain_fields(self, "column", "vector", "prior")

    def in_words(self, schema: Schema) -> str:
        """Name the parameter, and what is known of the law of records beside it."""
        known = ", ".join(f"{name} {value}".replace("'", "") for name, value in self.facts().items())
        return f"{self}: its {self.parameter}" + (f"; known: {known}" if known else "")

    def width_in_words(self, schema: Schema) -> str:
        """Intervals are of the parameter."""
        return f"90% intervals of the {self.parameter}"

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare what the records know with what the prior knows."""
        if left_open() <= PRIOR_SHARE:
            return ""
        return (
            f"The prior knows more than {records} records can tell, with or without noise: answers will "
            "mostly repeat it. Take a wider prior, if that is what you believe."
        )
