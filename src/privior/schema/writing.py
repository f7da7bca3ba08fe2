"""How numbers and days are written in text: public facts, so that no cell decides how another one is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from privior.errors import SchemaError, shown

#: what may stand between groups of three digits: apostrophes and spaces of several kinds too
THOUSANDS = ("", ".", ",", "'", "_", " ", "\u00a0", "\u2009", "\u202f", "\u2019")


@dataclass(frozen=True)
class NumberWriting:
    """The signs of a written number.

    Attributes:
        decimal: before the fraction, "." or ","
        thousands: between groups of three digits before it; a number may also be written without any
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise SchemaError(
                "unknown decimal sign", where="csv", asked=shown(self.decimal), allowed='decimal "." or ","'
            )
        if self.thousands not in THOUSANDS:
            raise SchemaError(
                "unknown sign between thousands",
                where="csv",
                asked=shown(self.thousands),
                allowed="thousands: a point, a comma, an apostrophe, an underscore, a space, or nothing",
            )
        if self.decimal == self.thousands:
            raise SchemaError("decimal and thousands are the same sign", where="csv", asked=self.decimal)

    @property
    def usual(self) -> bool:
        """Whether numbers are written as engines read them."""
        return self == NumberWriting()


@dataclass(frozen=True)
class DayWriting:
    """The order of day, month and year, and the sign between them.

    Attributes:
        parts: "D", "M" and "Y" in their order
        between: the sign, or nothing; then day and month have two digits
    """

    parts: tuple[str, ...]
    between: str


def day_writing(dates: str) -> DayWriting:
    """Read how days are written: DD, MM and YYYY in some order, one sign between them or none."""
    found = re.fullmatch(r"(DD|MM|YYYY)([-./ ]?)(DD|MM|YYYY)\2(DD|MM|YYYY)", dates)
    parts = tuple(part[0] for part in found.group(1, 3, 4)) if found else ()
    if found is None or parts not in (("D", "M", "Y"), ("M", "D", "Y"), ("Y", "M", "D")):
        raise SchemaError(
            "unknown way to write days",
            where="csv",
            asked=shown(dates),
            allowed='dates "DD.MM.YYYY", "MM/DD/YYYY", "YYYY/MM/DD", "YYYYMMDD" and the like',
        )
    return DayWriting(parts, found.group(2))


def check_dates(dates: str) -> None:
    """Refuse an unknown way to write days; nothing is YYYY-MM-DD."""
    if not isinstance(dates, str):
        raise SchemaError("dates is not text", where="csv", asked=shown(dates))
    if dates:
        day_writing(dates)
