"""Rows of a chart: a label, a track along one common axis, and numbers; as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from privior.pictures import svg
from privior.pictures.axis import Axis
from privior.pictures.label import cut
from privior.pictures.markup import Markup, element

LONGEST_LABEL = 40
#: how long a track is on a phone, in letters of ticks
NARROWEST = 48.0
#: labels longer than this stand inside at the left end: half of a longer one would be cut there
_OUTSIDE = 3


@dataclass(frozen=True)
class Panel:
    """A part of a track, from left to right, and the axis of its values."""

    axis: Axis
    start: float = 0.0
    width: float = 1.0

    def place(self, value: float) -> float:
        """Return where in the whole track a value lies."""
        return self.start + self.width * self.axis.place(value)


def row(label: str, panels: Sequence[Panel], marks: Iterable[Markup], about: str, value: Markup) -> Markup:
    """Build one row, whose marks lie on the lines of the ticks of each panel."""
    short = cut(label, LONGEST_LABEL)
    lines = [panel.place(tick) for panel in panels for tick in panel.axis.ticks]
    grid = [svg.line((place, 0), (place, 1), class_="grid") for place in lines]
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


def scale(panels: Sequence[Panel]) -> Markup:
    """Build the last row: the axis of each panel with its labels."""
    marks = []
    for panel in panels:
        axis = panel.axis
        marks.append(svg.line((panel.start, 0), (panel.start + panel.width, 0), class_="base"))
        for tick, label in zip(axis.ticks, axis.labels, strict=True):
            place, within = panel.place(tick), axis.place(tick)
            inside = panel.start > 0 or len(label) > _OUTSIDE
            side = "end" if within > 0.98 else "start" if within < 0.02 and inside else "middle"
            marks.append(svg.words(label, (place, 0), (0, 16), side))
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
