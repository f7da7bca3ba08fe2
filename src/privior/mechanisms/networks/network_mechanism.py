"""What mechanisms for networks have in common: whose tables they publish, whatever they add noise to."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, Self

from privior.checks import fill, known_as
from privior.mechanisms.contract import Asked, CellNoise, Mechanism
from privior.mechanisms.tables.table_mechanism import check_unit
from privior.models import Model, Network, Observed
from privior.privacy import Neighbours, Sensitivity
from privior.schema import Schema


class NetworkMechanism(Mechanism):
    """A release law for all tables of a network.

    Attributes:
        model: the network; its prior plays no part
        schema: the public facts of its columns
        neighbours: the neighbour relation
        max_rows: records that one unit contributes at most
    """

    model: Network
    schema: Schema
    neighbours: Neighbours
    max_rows: int

    def _set_tables(
        self, model: Network, schema: Schema, neighbours: Neighbours | str, max_rows: int
    ) -> None:
        fill(self, model=model, schema=schema, neighbours=Neighbours.of(neighbours), max_rows=max_rows)
        self.one_table  # noqa: B018 - refuses a number of rows that is none
        self.sizes  # noqa: B018 - refuses a schema that does not fit

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each table."""
        return self.model.sizes(self.schema)

    @property
    def one_table(self) -> Sensitivity:
        """How far one unit moves each table."""
        return Sensitivity.of_counts(self.neighbours, self.max_rows)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves all tables together."""
        one, tables = self.one_table, len(self.sizes)
        return Sensitivity(tables * one.l1, tables * one.l2_squared, one.total_fixed, one.neighbours)

    def check(self, asked: Asked) -> None:
        """Refuse other tables, or another unit of protection."""
        model = known_as(Network, asked.model)  # type: ignore[type-abstract]
        same = self.model.tables == model.tables and all(
            self.model.shape(node, self.schema) == model.shape(node, asked.schema) for node in model.columns
        )
        if not same:
            raise self.refusal("the mechanism is for another network or schema")
        check_unit(self, asked)

    def admits(self, observed: Observed, records: int) -> bool:
        """Noise has no ends, so that any integers may be released."""
        return True

    @property
    @abstractmethod
    def cell_noise(self) -> CellNoise:
        """The noise of every cell, table after table."""

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        return cls(model, schema, **entries)  # type: ignore[call-arg]
