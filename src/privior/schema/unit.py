"""The unit of protection: whose whole contribution a guarantee hides."""

from __future__ import annotations

from dataclasses import dataclass

from privior.checks import whole_number
from privior.errors import SchemaError, shown
from privior.schema.names import check_name


@dataclass(frozen=True)
class Unit:
    """One person (or household, device, visit ...) and how her rows are recognised.

    `Unit("patient")` states that every row is a different patient. `Unit("patient", column="id",
    max_rows=5)` says that rows with the same `id` belong to one patient; the curator then counts at most
    five rows of each, chosen without looking at anyone else's.

    Attributes:
        noun: what is protected, in the singular; it appears in every guarantee
        column: the column that names the person, or None if each row is a person of its own
        max_rows: how many rows of one person are counted at most
    """

    noun: str
    column: str | None = None
    max_rows: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.noun, str) or not self.noun.strip():
            raise SchemaError("the unit of protection has no name", where="unit", advice='Say unit="person".')
        check_name(self.noun, "unit")
        whole_number(self.max_rows, "max_rows", 1, 10**6, where="unit", error=SchemaError)
        if self.column is not None and (not isinstance(self.column, str) or not self.column):
            raise SchemaError("the person column has no name", where="unit", asked=shown(self.column))
        if self.column is not None:
            check_name(self.column, "unit")
        if self.column is None and self.max_rows != 1:
            raise SchemaError(
                "several rows per person need the column that names the person",
                where="unit",
                asked=f"max_rows={self.max_rows}, no column",
                advice=f'Say pv.Unit("{self.noun}", column="...", max_rows={self.max_rows}).',
            )

    def __str__(self) -> str:
        if self.column is None:
            return f"one {self.noun} (one row each)"
        rows = "one row" if self.max_rows == 1 else f"up to {self.max_rows} rows"
        return f"one {self.noun} ({rows} with the same {self.column})"
