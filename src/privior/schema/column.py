"""What is publicly known about a column: its levels or bounds, and where a bad cell goes.

Every column maps any cell whatever to one of `size` codes, row by row, so that no cell can raise an
error or change how another row is read. `tables` carries the mapping out in the engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from typing import ClassVar, Final

from privior.errors import SchemaError, shown

#: more levels than this in one column are a mistake in the schema
MOST_LEVELS = 1_000_000


class Missing(Enum):
    """What else may happen to a bad cell but counting as a declared value."""

    DROP = "drop"


#: `missing=pv.DROP` leaves a record with a bad cell out; only where the number of records is private
DROP: Final = Missing.DROP

Level = str | int | bool


def text(level: object) -> str:
    """Write a level as it is matched and stored: `True` as "true", everything else as `str`."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def written(cell: object) -> str:
    """Write a cell as the text that levels are matched with: whole floats as whole numbers."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return str(int(cell))
    return text(cell)


class Column(ABC):
    """A column as public knowledge: `size` codes, a label each, and the code of a bad cell."""

    kind: ClassVar[str]
    #: whether neighbouring levels may resemble each other
    ordered: ClassVar[bool] = False
    missing: object
    #: whether somebody said where a bad cell goes; numbers and days of old files may leave it open
    missing_said = True

    @property
    @abstractmethod
    def size(self) -> int:
        """How many different values a record can have in this column."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """One label per code, in the order of the codes."""

    @property
    def values(self) -> tuple[object, ...]:
        """One value per code, as it would stand in a table."""
        return self.labels

    #: what its cells are read as: "level", "number" or "day"
    written_as: ClassVar[str] = "level"

    @property
    def ends(self) -> tuple[str, str] | None:
        """The bounds to which numbers and days outside are moved; None of named levels."""
        return None

    def _leave_open(self) -> None:
        """Note that nobody said where a bad cell goes: no part of the column's identity."""
        vars(self)["missing_said"] = False

    @property
    def missing_code(self) -> int | None:
        """The code of a missing, unknown or unparseable cell; None if its record is dropped."""
        return None if self.missing is DROP else self.code(self.missing)

    def code(self, value: object) -> int:
        """Return the code of a value that the schema names."""
        try:
            return self.labels.index(text(value))
        except ValueError:
            raise SchemaError(
                "not a level of the column", asked=shown(value), allowed=_some(self.labels), where=self.kind
            ) from None

    def own_code(self, cell: object) -> int:
        """Return the code of a cell of somebody's own row, as the engine reads it, or refuse the cell.

        A truth value also stands for a level that is written otherwise.
        """
        word = written(cell)
        if word in ("true", "false") and word not in self.labels:
            lowered = [label.lower() for label in self.labels]
            if word in lowered:
                return lowered.index(word)
        return self.code(word)


def check_bounds(kind: str, lower: object, upper: object) -> None:
    """Refuse bounds between which nothing lies."""
    if not lower < upper:  # type: ignore[operator]
        raise SchemaError("lower is not below upper", where=kind, asked=f"lower {lower}, upper {upper}")


def check_size(kind: str, size: int, coarser: str = "") -> None:
    """Refuse more levels than a column can have; `coarser` names a grid that has fewer."""
    if size > MOST_LEVELS:
        raise SchemaError(
            "too many levels",
            where=kind,
            asked=size,
            allowed=MOST_LEVELS,
            advice=f"Take a coarser grid{coarser} or bins.",
        )


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
