"""Groups: one of the disjoint parts into which a column divides a table."""

from __future__ import annotations

from dataclasses import dataclass

from privior.errors import PlanError, shown
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

    def to_document(self) -> dict[str, object]:
        """Write the group as plain values."""
        return {"column": self.column, "level": self.level}

    @staticmethod
    def from_document(document: object) -> Group:
        """Read what `to_document` wrote."""
        if not isinstance(document, dict) or set(document) != {"column", "level"}:
            raise PlanError("not a group", where="group", asked=shown(document))
        column, level = document["column"], document["level"]
        if not isinstance(column, str) or not isinstance(level, str):
            raise PlanError("not a group", where="group", asked=shown(document))
        return Group(column, level)

    def __str__(self) -> str:
        return f"{self.column} = {self.level}"
