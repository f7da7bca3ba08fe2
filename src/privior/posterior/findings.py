"""Findings: what a posterior has to say, as values. Print, notebooks and pages show the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privior.pictures import Markup, Picture, listing, markup

#: rows that a table shows, so that print and pages stay readable
MOST_ROWS = 40


@dataclass(frozen=True)
class Table:
    """A table of texts; the first column has names, the others numbers.

    Attributes:
        header: one text for each column
        rows: the cells
        note: what is left out, if anything
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing that follows. What takes time to compute is computed when it is shown.

    Attributes:
        title: what it is about
        table: numbers as `print` shows them
        at_length: the same for pages, which have room for more; None: no more than `table`
        picture: a picture of it, if there is anything to draw
        words: what pages say beside it
        folded: whether pages show the table only when it is asked for
    """

    title: str
    table: Table | None = None
    at_length: Callable[[], Table] | None = None
    picture: Callable[[], Picture | None] | None = None
    words: Callable[[], str] | None = None
    folded: bool = False


def text_of(findings: Sequence[Finding], width: int | None = None) -> list[str]:
    """Return the tables, line by line and fitted into a width, each followed by an empty line."""
    lines: list[str] = []
    for table in (one.table for one in findings if one.table is not None):
        lines += [*listing.table(table.header, table.rows, width), *([table.note] if table.note else []), ""]
    return lines


def markup_of(findings: Sequence[Finding]) -> list[Markup]:
    """Return everything as markup: pictures, words, and tables that can be folded."""
    parts = []
    for one in findings:
        table = one.table if one.at_length is None else one.at_length()
        drawn = None if one.picture is None else one.picture()
        if drawn is not None:
            parts.append(drawn.html())
        if one.words is not None:
            parts.append(markup.element("p", one.words()))
        if table is not None:
            summary = markup.element("summary", one.title)
            body = [markup.table(table.header, table.rows, numeric=range(1, len(table.header)))]
            body += [markup.element("p", table.note)] if table.note else []
            shown = None if one.folded else "open"
            parts.append(markup.element("details", summary, *body, open=shown))
    return parts
