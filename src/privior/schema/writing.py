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

    def with_point(self, cell: str) -> str | None:
        """Return a number of somebody's own row with a point and without groups; None if it is none.

        As `tables.writing` has it for tables.

        >>> NumberWriting(",", ".").with_point("1.234,5"), NumberWriting(",").with_point("1.5")
        ('1234.5', None)
        """
        sign, point = re.escape(self.thousands), re.escape(self.decimal)
        bare = cell.strip(" ")
        if self.thousands and self.thousands in bare:
            grouped = rf"[+-]?[0-9]{{1,3}}({sign}[0-9]{{3}})+([{point}eE][^{sign}]*)?"
            if not re.fullmatch(grouped, bare):
                return None
            bare = bare.replace(self.thousands, "")
        if self.decimal == ".":
            return bare
        return None if "." in bare else bare.replace(self.decimal, ".")


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


def usual_day(cell: str, dates: str) -> str:
    """Return a day that is written so as YYYY-MM-DD, any other text as it is; a time may follow.

    >>> usual_day("3.12.2026", "DD.MM.YYYY"), usual_day("2026-12-03", "DD.MM.YYYY")
    ('2026-12-03', '2026-12-03')
    """
    if not dates:
        return cell
    writing = day_writing(dates)
    short = "{1,2}" if writing.between else "{2}"
    digits = {"D": short, "M": short, "Y": "{4}"}
    parts = (f"(?P<{part}>[0-9]{digits[part]})" for part in writing.parts)
    found = re.fullmatch(" *" + re.escape(writing.between).join(parts) + "(?P<rest>[ T].*)?", cell)
    if found is None:
        return cell
    return f"{found['Y']}-{found['M']:0>2}-{found['D']:0>2}{found['rest'] or ''}"


def check_dates(dates: str) -> None:
    """Refuse an unknown way to write days; nothing is YYYY-MM-DD."""
    if not isinstance(dates, str):
        raise SchemaError("dates is not text", where="csv", asked=shown(dates))
    if dates:
        day_writing(dates)
