"""The kinds of cells of a column: what it knows, what is missing, and what it cannot read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privior.checks import fill
from privior.errors import SchemaError, shown
from privior.schema.column import Column
from privior.schema.columns import KINDS
from privior.schema.named_levels import Boolean, Categorical

VALID, MISSING, UNKNOWN, UNPARSEABLE, OUT_OF_RANGE = (
    *("valid", "missing", "unknown"),
    *("unparseable", "out of range"),
)


@dataclass(frozen=True)
class CellKinds(Column):
    """What kind of cell a record has in another column: a column of its own, of the same cells.

    Valid, missing (nothing, an empty text, NaN), and of levels unknown, of numbers and days unparseable or
    out of range. Every cell is of exactly one kind, whatever the other column's rule for bad cells says.

    Attributes:
        of: the other column
        missing: the kind of what has no other
    """

    of: Column
    missing: str = ""
    kind: ClassVar[str] = "cell-kinds"

    def __post_init__(self) -> None:
        if not isinstance(self.of, Column) or isinstance(self.of, CellKinds):
            raise SchemaError("not a column whose cells have kinds", where=self.kind, asked=shown(self.of))
        rest = UNKNOWN if self.of_levels else UNPARSEABLE
        if self.missing not in ("", rest):
            raise SchemaError("no cell is without a kind", where=self.kind, asked=shown(self.missing))
        fill(self, missing=rest)

    @property
    def of_levels(self) -> bool:
        """Whether cells are looked up among levels; else they are numbers or days in a range."""
        return isinstance(self.of, (Categorical, Boolean))

    @property
    def size(self) -> int:
        """Three kinds of levels, four of numbers."""
        return len(self.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The kinds, valid cells first."""
        own = (UNKNOWN,) if self.of_levels else (UNPARSEABLE, OUT_OF_RANGE)
        return (VALID, MISSING, *own)


KINDS[CellKinds.kind] = CellKinds


def read_as(column: Column) -> Column:
    """Return the column by which cells are read, for one that says of what kind they are."""
    return column.of if isinstance(column, CellKinds) else column
