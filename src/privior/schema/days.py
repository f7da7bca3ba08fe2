"""A column of days: between two days, a code for each of them."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar, Literal

from privior.checks import fill
from privior.errors import SchemaError, shown
from privior.schema.column import DROP, Column, Missing, check_bounds, check_size, text


@dataclass(frozen=True)
class Date(Column):
    """Days from `lower` to `upper`; others are clamped. A bad cell counts as `missing`: `lower`."""

    lower: date
    upper: date
    missing: date | Literal[Missing.DROP]
    kind: ClassVar[str] = "date"
    written_as: ClassVar[str] = "day"
    ordered: ClassVar[bool] = True

    def __init__(
        self, lower: date | str, upper: date | str, missing: date | str | Literal[Missing.DROP] | None = None
    ) -> None:
        low, high = self._day(lower), self._day(upper)
        check_bounds(self.kind, low, high)
        check_size(self.kind, (high - low).days + 1)
        bad = missing if missing is DROP else low if missing is None else self._day(missing)
        fill(self, lower=low, upper=high, missing=bad)
        if missing is None:
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if out of bounds

    @classmethod
    def _day(cls, value: object) -> date:
        if isinstance(value, date):
            return date(value.year, value.month, value.day)
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            raise SchemaError("not a day", where=cls.kind, asked=shown(value), allowed="YYYY-MM-DD") from None

    def own_code(self, cell: object) -> int:
        """Return the code of a day; days outside are moved to the bounds."""
        if isinstance(cell, date):
            day = date(cell.year, cell.month, cell.day)
        else:
            found = re.match(r" *(\d{4}-\d{2}-\d{2})", cell) if isinstance(cell, str) else None
            try:
                day = date.fromisoformat(found[1] if found else "")
            except ValueError:
                raise SchemaError(
                    "not a day", where=self.kind, asked=shown(cell), allowed="YYYY-MM-DD"
                ) from None
        return (min(max(day, self.lower), self.upper) - self.lower).days

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last day."""
        return self.lower.isoformat(), self.upper.isoformat()

    @property
    def size(self) -> int:
        """One code per day."""
        return (self.upper - self.lower).days + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The days as YYYY-MM-DD."""
        return tuple((self.lower + timedelta(days=code)).isoformat() for code in range(self.size))

    def code(self, value: object) -> int:
        """Return the code of a day, without listing all of them (T40)."""
        written = text(value)
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", written):
            with suppress(ValueError):
                place = (date.fromisoformat(written) - self.lower).days
                if 0 <= place < self.size:
                    return place
        return super().code(value)
