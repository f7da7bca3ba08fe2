"""What plans and mechanisms need to know of any family, of one parameter or of several.

Each record adds whole numbers with public bounds to some sums, which are all that is learned from the table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar, Protocol

from privior.errors import ModelError
from privior.models.summands import Summand
from privior.privacy import REPLACE_ONE, Neighbours, Sensitivity
from privior.privacy.pairs import DominatingPair
from privior.schema import Schema


class Prior(Protocol):
    """A law that can be written down."""

    def to_document(self) -> dict[str, object]:
        """Write the law as plain values."""


class SummedModel(ABC):
    """A family whose statistics are sums over the records."""

    family: ClassVar[str]
    #: what the parameters are called in answers
    parameter: ClassVar[str]
    prior: Prior

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""

    @abstractmethod
    def summands(self, schema: Schema, neighbours: Neighbours) -> tuple[Summand, ...]:
        """Return what is summed: where the number of records is private, they are counted too."""

    @property
    def least_records(self) -> int:
        """With fewer records nothing can be inferred."""
        return 1

    @property
    @abstractmethod
    def first_question(self) -> str:
        """What somebody will ask a release first."""

    @abstractmethod
    def statistic_in_words(self, schema: Schema) -> str:
        """Say what each record adds."""

    def check_unit(self, schema: Schema) -> None:
        """Refuse units of several rows."""
        if schema.unit.max_rows != 1:
            raise ModelError(
                "this family takes one row of each unit",
                where=self.family,
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="max_rows 1",
            )

    def sensitivity(self, schema: Schema, neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one record moves the sums, each as far as it can."""
        relation = Neighbours.of(neighbours)
        if relation is REPLACE_ONE and schema.drops(self.columns):
            raise ModelError(
                "records with bad cells cannot be dropped under replace-one: their number would be public",
                where=", ".join(self.columns),
                asked="missing = DROP",
                advice="Count them as a value (missing=...), or plan with neighbours=pv.ADD_OR_REMOVE_ONE.",
            )
        ranges = [one.bounds(schema) for one in self.summands(schema, relation)]
        return Sensitivity.of_sums(ranges, relation)

    @abstractmethod
    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Return the pair of draws from the posterior, one record replaced, each weighing so much.

        Raises ModelError where no pair is proved.
        """

    @abstractmethod
    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
