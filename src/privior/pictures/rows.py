"""Rows of a chart: a label, a track along one common axis, and numbers; as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privior.pictures import svg
from privior.pictures.axis import Axis
from privior.pictures.label import cut
from privior.pictures.markup import Markup, element

LONGEST_LABEL = 40


def row(label: str, axis: Axis, marks: Iterable[Markup], about: str, value: Markup) -> Markup:
    """Build one row, whose marks lie on the lines of the axis's ticks."""
    short = cut(label, LONGEST_LABEL)
    grid = [svg.line((axis.place(tick), 0), (axis.place(tick), 1), class_="grid") for tick in axis.ticks]
    return element(
        "div",
        element("span", short, class_="name", title=None if short == label else label),
        svg.drawing(26, *grid, *marks, about=f"{short}: {about}"),
        value,
        class_="cell",
    )


def value(first: str, more: str) -> Markup:
    """Build the numbers of a row: one to read, and what stands behind it in brackets."""
    return element("span", first, element("span", f" ({more})"), class_="value")


def scale(axis: Axis) -> Markup:
    """Build the last row: the axis with its labels."""
    marks = [svg.line((0, 0), (1, 0), class_="base")]
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        place = axis.place(tick)
        marks.append(svg.words(label, (place, 0), (0, 16), "end" if place > 0.98 else "middle"))
    return element("div", svg.drawing(22, *marks, about=None), class_="cell")


def chart(title: str, rows: Sequence[Markup], legend: Markup, notes: Sequence[str], class_: str) -> Markup:
    """Build the whole chart; a short one is not broken between two printed pages."""
    return element(
        "figure",
        element("figcaption", title),
        element("div", *rows, class_="cells"),
        legend,
        *(element("p", note, class_="note") for note in notes),
        class_=f"{class_} keep" if len(rows) <= 21 else class_,
    )
