"""Groups: one of the disjoint parts into which a column divides a table."""

from __future__ import annotations

from dataclasses import dataclass

from privior.arrays import Integers
from privior.errors import PlanError, shown
from privior.models import Model
from privior.privacy import REPLACE_ONE, Neighbours
from privior.schema import Schema


@dataclass(frozen=True)
class Group:
    """The records whose `column` says `level`."""

    column: str
    level: str

    @staticmethod
    def all_by(column: str, schema: Schema) -> tuple[Group, ...]:
        """Return the groups of a column, one for each level, in the schema's order."""
        return tuple(Group(column, label) for label in schema.column(column).labels)

    def place(self, schema: Schema) -> int:
        """Return the level's place among the column's levels."""
        labels = schema.column(self.column).labels
        if self.level not in labels:
            raise PlanError(
                "no such group", where=self.column, asked=shown(self.level), allowed=", ".join(labels[:20])
            )
        return labels.index(self.level)

    def check(self, schema: Schema, model: Model, neighbours: Neighbours) -> None:
        """Refuse groups that overlap for one unit, or whose sizes would have to be public."""
        self.place(schema)
        if self.column in model.columns:
            raise PlanError("the model counts the column that divides the groups", where=self.column)
        if schema.unit.max_rows != 1:
            raise PlanError(
                f"the rows of one {schema.unit.noun} may lie in several groups",
                where=self.column,
                asked=f"max_rows {schema.unit.max_rows}",
                allowed="one row each",
                advice="Release the joint table of both columns instead.",
            )
        if neighbours is REPLACE_ONE:
            raise PlanError(
                "the sizes of groups are private, and replace-one needs a public number of records",
                where=self.column,
                asked=neighbours,
                allowed="add-or-remove-one",
                advice="Plan under add-or-remove-one: --neighbours add-or-remove-one. Where the ledger "
                "counts under replace-one, the batch can be charged so: --charge-as replace-one.",
            )

    def part(self, sums: Integers, schema: Schema) -> Integers:
        """Return the group's part of the sums of cells, whose first column is the group's."""
        part: Integers = sums.reshape(schema.column(self.column).size, -1)[self.place(schema)]
        return part

    def to_document(self) -> dict[str, object]:
        """Write the group as plain values."""
        return {"column": self.column, "level": self.level}

    @staticmethod
    def from_document(document: object) -> Group:
        """Read the group of a plan from a file, as `to_document` wrote it."""
        if not isinstance(document, dict) or set(document) != {"column", "level"}:
            raise PlanError("not a group", where="group", asked=shown(document))
        column, level = document["column"], document["level"]
        if not isinstance(column, str) or not isinstance(level, str):
            raise PlanError("not a group", where="group", asked=shown(document))
        return Group(column, level)

    def __str__(self) -> str:
        return f"{self.column} = {self.level}"
