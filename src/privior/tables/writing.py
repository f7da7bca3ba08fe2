"""Text cells as the schema says that numbers and days are written, turned into what engines read.

Each cell by itself, and only where the schema says something: 1.234,5 becomes 1234.5 and 31.12.2026 becomes
2026-12-31. A text that is not so written becomes one that is no number, or stays as it is in a column of
days, where YYYY-MM-DD is read in any case. Which columns this is done to follows from schema and types.
"""

from __future__ import annotations

from dataclasses import replace

from privior.schema import Binned, Bounded, Column, Date, Integer, Schema
from privior.schema.cell_kinds import read_as
from privior.schema.writing import DayWriting, NumberWriting, day_writing
from privior.tables import sql
from privior.tables.relations import Expression, Relation, column, language

#: a text that is no number to any engine
_UNREADABLE = "?"


def is_number(kind: Column) -> bool:
    """Say whether cells of a column are numbers."""
    return isinstance(read_as(kind), (Integer, Bounded, Binned))


def decimal_sign(name: str, schema: Schema) -> str | None:
    """Return the decimal sign with which numbers are written in a column of text; None if none is read there.

    Levels are compared with numbers as engines write them; a number is never a day.
    """
    kind = schema.columns.get(name)
    if kind is None or not (is_number(kind) or isinstance(read_as(kind), Date)):
        return "."
    return schema.csv.decimal if is_number(kind) else None


def as_declared(relation: Relation, schema: Schema, columns: tuple[str, ...]) -> Relation:
    """Return the relation of these columns with numbers and days as engines read them."""
    made = {}
    for place, name in enumerate(columns):
        cell, kind = relation.rows[column(place)], schema.column(name)
        if not cell.type().is_string():
            continue
        if is_number(kind) and not schema.csv.numbers.usual:
            made[column(place)] = _kept(number(cell, schema.csv.numbers), cell)
        elif isinstance(read_as(kind), Date) and schema.csv.dates:
            made[column(place)] = _kept(day(cell, day_writing(schema.csv.dates)), cell)
    if not made:
        return relation
    return replace(
        relation,
        rows=relation.rows.mutate(**made),
        kept=lambda: as_declared(relation.kept(), schema, columns),
    )


def number(cell: Expression, writing: NumberWriting) -> Expression:
    """Return a number as text with a point and without groups; what is written otherwise is no number."""
    made, point, sign = language(cell), writing.decimal, writing.thousands
    text = cell
    if sign:
        bare = cell.re_replace("^ +| +$", "")
        grouped = f"^[+-]?[0-9]{{1,3}}([{sign}][0-9]{{3}})+([{point}eE][^{sign}]*)?$"
        text = made.cases(
            (bare.re_search(grouped), bare.re_replace(f"[{sign}]", "")),
            (bare.re_search(f"[{sign}]"), _UNREADABLE),
            else_=bare,
        )
    if point == ".":
        return text
    return made.ifelse(text.re_search("[.]"), _UNREADABLE, text.re_replace(f"[{point}]", "."))


def day(cell: Expression, writing: DayWriting) -> Expression:
    """Return a day that is written so as YYYY-MM-DD, any other text as it is; a time may follow."""
    short = "{1,2}" if writing.between else "{2}"
    digits = {"D": short, "M": short, "Y": "{4}"}
    between = f"[{writing.between}]" if writing.between else ""
    pattern = "^ *" + between.join(f"([0-9]{digits[part]})" for part in writing.parts) + "([ T].*)?$"
    places = [writing.parts.index(part) + 1 for part in "YMD"]
    turned = cell.re_replace(pattern, "-".join(rf"\{place}" for place in places) + r"\4")
    padded = turned.re_replace(r"^([0-9]{4})-([0-9])-", r"\1-0\2-")
    padded = padded.re_replace(r"^([0-9]{4}-[0-9]{2})-([0-9])([ T].*)?$", r"\1-0\2\3")
    return language(cell).ifelse(cell.re_search(pattern), padded, cell)


def _kept(made: Expression, cell: Expression) -> Expression:
    """Say that what was made of text is text."""
    return replace(made, kind=cell.type()) if isinstance(made, sql.Value) else made
