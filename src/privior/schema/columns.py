"""What is publicly known about each column: its levels or bounds, and where a bad cell goes.

Every column maps any cell whatever to one of `size` codes, row by row, so that no cell can raise an
error or change how another row is read. `tables` carries the mapping out in the engine.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Final, Literal

from privior.checks import fill, is_whole
from privior.errors import NumberError, SchemaError, shown
from privior.exact import decimal, rational
from privior.schema.names import check_distinct, check_name

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

    @property
    def ends(self) -> tuple[str, str] | None:
        """The bounds to which numbers and days outside are moved; None of named levels."""
        return None

    def _leave_open(self) -> None:
        """Note that nobody said where a bad cell goes: no part of the column's identity."""
        object.__setattr__(self, "missing_said", False)

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


@dataclass(frozen=True)
class Categorical(Column):
    """Named levels. A cell that is none of them counts as `missing`, by default the last level."""

    levels: tuple[Level, ...]
    missing: Level | Literal[Missing.DROP] = DROP
    kind: ClassVar[str] = "categorical"

    def __init__(self, levels: Sequence[Level], missing: Level | Literal[Missing.DROP] | None = None) -> None:
        if isinstance(levels, str) or not isinstance(levels, Sequence):
            raise SchemaError("levels are not a list", where=self.kind, asked=shown(levels))
        chosen = tuple(levels)
        if len(chosen) < 2:
            raise SchemaError("too few levels", where=self.kind, asked=len(chosen), allowed="2 or more")
        if len(chosen) > MOST_LEVELS:
            raise SchemaError("too many levels", where=self.kind, asked=len(chosen), allowed=MOST_LEVELS)
        for level in chosen:
            known = isinstance(level, str) or (isinstance(level, int) and abs(level) < 2**63)
            if not known or level == "":
                raise SchemaError(
                    "a level is neither text nor a whole number", where=self.kind, asked=shown(level)
                )
        labels = [text(level) for level in chosen]
        if len(set(labels)) < len(labels):
            twice = next(label for label, times in Counter(labels).items() if times > 1)
            raise SchemaError("a level is listed twice", where=self.kind, asked=twice)
        for label in labels:
            check_name(label, self.kind)
        check_distinct(labels, self.kind)
        if missing is DROP and DROP.value in labels:
            raise SchemaError(
                "DROP cannot be told from a level of that name", where=self.kind, asked=DROP.value
            )
        fill(self, levels=chosen, missing=chosen[-1] if missing is None else missing)
        self.missing_code  # noqa: B018 - an unknown level is refused now, not at the first bad cell

    @property
    def size(self) -> int:
        """One code per level."""
        return len(self.levels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as text."""
        return tuple(text(level) for level in self.levels)

    @property
    def values(self) -> tuple[object, ...]:
        """The levels as they were given."""
        return self.levels


@dataclass(frozen=True)
class Boolean(Column):
    """True or false, also written yes/no, t/f, y/n or 1/0. A bad cell counts as `missing`: False."""

    missing: bool | Literal[Missing.DROP] = False
    kind: ClassVar[str] = "boolean"

    #: the accepted spellings, in lower case, of code 0 and code 1
    SPELLINGS: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = (
        ("false", "f", "no", "n", "0"),
        ("true", "t", "yes", "y", "1"),
    )

    def __post_init__(self) -> None:
        if self.missing is not DROP and not isinstance(self.missing, bool):
            raise SchemaError(
                "missing must be True, False or DROP", where=self.kind, asked=shown(self.missing)
            )

    @property
    def size(self) -> int:
        """Two codes: false and true."""
        return 2

    @property
    def labels(self) -> tuple[str, ...]:
        """In the order false, true."""
        return ("false", "true")

    @property
    def values(self) -> tuple[object, ...]:
        """The truth values."""
        return (False, True)

    def code(self, value: object) -> int:
        """Return the code of a truth value in any spelling that cells may have."""
        word = text(value).lower()
        spelled = [code for code in (0, 1) if word in self.SPELLINGS[code]]
        return spelled[0] if spelled else super().code(value)


@dataclass(frozen=True)
class Integer(Column):
    """Whole numbers from `lower` to `upper`; others are rounded and clamped. A bad cell counts as `lower`."""

    lower: int
    upper: int
    missing: int | Literal[Missing.DROP] | None = None
    kind: ClassVar[str] = "integer"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if not is_whole(bound, -(2**53), 2**53):
                raise SchemaError(f"{name} is not a whole number", where=self.kind, asked=shown(bound))
        _check_bounds(self.kind, self.lower, self.upper)
        _check_size(self.kind, self.upper - self.lower + 1)
        if self.missing is None:
            fill(self, missing=self.lower)
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if out of bounds

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds."""
        return str(self.lower), str(self.upper)

    @property
    def size(self) -> int:
        """One code per whole number in the bounds."""
        return self.upper - self.lower + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The numbers as text."""
        return tuple(str(number) for number in range(self.lower, self.upper + 1))

    @property
    def values(self) -> tuple[object, ...]:
        """The numbers."""
        return tuple(range(self.lower, self.upper + 1))

    def code(self, value: object) -> int:
        """Return the code of a whole number, without listing all of them (T40)."""
        number = text(value)
        if re.fullmatch(r"0|-?[1-9][0-9]{0,15}", number) and self.lower <= int(number) <= self.upper:
            return int(number) - self.lower
        return super().code(value)


@dataclass(frozen=True)
class Bounded(Column):
    """Numbers from `lower` to `upper` on a public grid; others are clamped and rounded to the grid.

    A bad cell counts as `missing`, by default `lower`.
    """

    lower: Fraction
    upper: Fraction
    grid: Fraction
    missing: Fraction | Literal[Missing.DROP]
    kind: ClassVar[str] = "bounded"
    ordered: ClassVar[bool] = True

    def __init__(self, lower: object, upper: object, *, grid: object, missing: object = None) -> None:
        try:
            low, high, step = (
                rational(value, name) for value, name in ((lower, "lower"), (upper, "upper"), (grid, "grid"))
            )
            bad = missing if missing is DROP else low if missing is None else rational(missing, "missing")
        except Exception as error:
            raise SchemaError(
                "a bound is not a number", where=self.kind, asked=str(error).split("\n")[0]
            ) from None
        _check_bounds(self.kind, low, high)
        if step <= 0 or (high - low) % step:
            raise SchemaError(
                "the grid does not divide the range",
                where=self.kind,
                asked=f"grid {decimal(step)} on [{decimal(low)}, {decimal(high)}]",
                allowed="(upper - lower) / grid a whole number",
            )
        _check_size(self.kind, int((high - low) / step) + 1, _coarser(high - low, step))
        fill(self, lower=low, upper=high, grid=step, missing=bad)
        if missing is None:
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if off the grid

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds."""
        return decimal(self.lower), decimal(self.upper)

    @property
    def size(self) -> int:
        """One code per point of the grid."""
        return int((self.upper - self.lower) / self.grid) + 1

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The points of the grid, which may be a million: written once."""
        below = math.lcm(self.lower.denominator, self.grid.denominator)
        first, step = int(self.lower * below), int(self.grid * below)
        return tuple(decimal(Fraction(first + code * step, below)) for code in range(self.size))

    def code(self, value: object) -> int:
        """Return the code of a point of the grid."""
        steps = (rational(value, "value") - self.lower) / self.grid
        if steps.denominator != 1 or not 0 <= steps < self.size:
            raise SchemaError("not a point of the grid", where=self.kind, asked=shown(value))
        return int(steps)


@dataclass(frozen=True)
class Binned(Column):
    """Numbers sorted into public bins [edge, next edge), the last one closed; outside: the nearest bin.

    A bad cell counts as `missing`, the label or number of a bin, by default the first.
    """

    edges: tuple[Fraction, ...]
    missing: str | Literal[Missing.DROP]
    kind: ClassVar[str] = "binned"
    ordered: ClassVar[bool] = True

    def __init__(
        self, edges: Sequence[object], missing: str | int | Literal[Missing.DROP] | None = None
    ) -> None:
        if isinstance(edges, str) or not isinstance(edges, Sequence):
            raise SchemaError("edges are not a list", where=self.kind, asked=shown(edges))
        if len(edges) < 3:
            raise SchemaError(
                "too few edges", where=self.kind, asked=shown(edges), allowed="3 or more: 2 bins"
            )
        try:
            cuts = tuple(rational(edge, "edge") for edge in edges)
        except Exception:
            raise SchemaError("an edge is not a number", where=self.kind, asked=shown(list(edges))) from None
        if any(low >= high for low, high in pairwise(cuts)):
            raise SchemaError("the edges do not increase", where=self.kind, asked=shown(list(edges)))
        _check_size(self.kind, len(cuts) - 1)
        fill(self, edges=cuts)
        if is_whole(missing, 0, self.size - 1):
            missing = self.labels[missing]
        fill(self, missing=self.labels[0] if missing is None else missing)
        if missing is None:
            self._leave_open()
        self.missing_code  # noqa: B018 - refused now if not a bin

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds."""
        return decimal(self.edges[0]), decimal(self.edges[-1])

    @property
    def size(self) -> int:
        """One code per bin."""
        return len(self.edges) - 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The bins as half-open intervals; the last one is closed."""
        ends = [decimal(edge) for edge in self.edges]
        last = len(ends) - 2
        return tuple(f"[{ends[i]}, {ends[i + 1]}{']' if i == last else ')'}" for i in range(last + 1))

    def code(self, value: object) -> int:
        """Return the code of a bin's label, or of the bin in which a number falls."""
        if text(value) in self.labels:
            return self.labels.index(text(value))
        try:
            number = rational(value, "value")
        except NumberError:
            return super().code(value)
        return sum(number >= edge for edge in self.edges[1:-1])


@dataclass(frozen=True)
class Date(Column):
    """Days from `lower` to `upper`; others are clamped. A bad cell counts as `missing`: `lower`."""

    lower: date
    upper: date
    missing: date | Literal[Missing.DROP]
    kind: ClassVar[str] = "date"
    ordered: ClassVar[bool] = True

    def __init__(
        self, lower: date | str, upper: date | str, missing: date | str | Literal[Missing.DROP] | None = None
    ) -> None:
        low, high = self._day(lower), self._day(upper)
        _check_bounds(self.kind, low, high)
        _check_size(self.kind, (high - low).days + 1)
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

    @property
    def ends(self) -> tuple[str, str]:
        """The bounds."""
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


#: every kind of column by the name it has in files
KINDS: dict[str, type[Column]] = {
    kind.kind: kind for kind in (Categorical, Boolean, Integer, Bounded, Binned, Date)
}


def _check_bounds(kind: str, lower: object, upper: object) -> None:
    if not lower < upper:  # type: ignore[operator]
        raise SchemaError("lower is not below upper", where=kind, asked=f"lower {lower}, upper {upper}")


def _coarser(length: Fraction, step: Fraction) -> str:
    """Name the finest grid that has few enough points: round numbers of steps that divide the range."""
    rounds = (step * times * 10**zeros for zeros in range(18) for times in (2, 5, 10))
    fits = (one for one in rounds if length % one == 0 and length / one < MOST_LEVELS)
    found = next(fits, None)
    return "" if found is None else f", such as {decimal(found)},"


def _check_size(kind: str, size: int, coarser: str = "") -> None:
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
