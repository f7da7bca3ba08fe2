"""The declared dialect of CSV files: nothing about a file's form is guessed from its rows."""

from __future__ import annotations

from dataclasses import dataclass

from privior.errors import SchemaError, shown
from privior.schema.column import Column
from privior.schema.writing import NumberWriting, check_dates, usual_day


@dataclass(frozen=True)
class CsvDialect:
    """How a CSV file is written. One physical line is one record, whatever its quotes say.

    Attributes:
        delimiter: the one character between two cells
        quote: the one character around a cell that contains the delimiter; doubled inside it
        header: whether the first line names the columns; if not, the file holds exactly the schema's
            columns in the schema's order
        trim: whether spaces around a cell are ignored
        encoding: "utf-8" or "latin-1"; a byte that is not valid makes its cell unknown
        decimal: the sign before the fraction of a number, "." or ","
        thousands: the sign between groups of three digits, if there is one
        dates: how days are written, such as "DD.MM.YYYY"; YYYY-MM-DD is read in any case

    The last three say how numbers and days are written in text, in a column of text of any other table too.
    """

    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    trim: bool = False
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    dates: str = ""

    def __post_init__(self) -> None:
        for name, sign in (("delimiter", self.delimiter), ("quote", self.quote)):
            if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign in "\r\n\0":
                raise SchemaError(
                    f"the {name} is not one ASCII character",
                    where="csv",
                    asked=shown(sign),
                    allowed="one character",
                )
        if self.delimiter == self.quote:
            raise SchemaError("delimiter and quote are the same character", where="csv", asked=self.quote)
        if self.encoding not in ("utf-8", "latin-1"):
            raise SchemaError("unknown encoding", where="csv", asked=self.encoding, allowed="utf-8, latin-1")
        for name, flag in (("header", self.header), ("trim", self.trim)):
            if not isinstance(flag, bool):
                raise SchemaError(f"{name} must be true or false", where="csv", asked=shown(flag))
        NumberWriting(self.decimal, self.thousands)
        check_dates(self.dates)

    @property
    def numbers(self) -> NumberWriting:
        """How numbers are written."""
        return NumberWriting(self.decimal, self.thousands)

    def usual(self, column: Column, cell: str) -> str | None:
        """Return a cell of a column with a point in numbers and days as YYYY-MM-DD; None if it is none."""
        if column.written_as == "day":
            return usual_day(cell, self.dates)
        if column.written_as == "number" and not self.numbers.usual:
            return self.numbers.with_point(cell)
        return cell
