"""Bars split in two: how uncertain each row is, and which part of that has which cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from privior.arrays import Floats
from privior.pictures import legend, rows, svg
from privior.pictures.axis import Axis, number
from privior.pictures.label import clean, cut, for_matplotlib, wrapped
from privior.pictures.legend import Entry
from privior.pictures.markup import Markup
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import across, key, sheet
from privior.pictures.style import BLUE, VERMILLION
from privior.pictures.tracks import laid_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LEGEND = (
    Entry("from the finite number of records", "█", BLUE, shape="block"),
    Entry("from the privacy noise", "▒", VERMILLION, shape="block"),
)


@dataclass(frozen=True, repr=False)
class SplitBars(Picture):
    """Standard deviations as bars, each split in proportion to the two variances that it is made of.

    Attributes:
        labels: one per row
        records: the variance that the finite number of records leaves
        noise: the variance that the privacy noise adds
        title: what the rows are
        note: the line under the chart
        most: of more rows than this only the most uncertain are drawn, most uncertain first
    """

    labels: Sequence[str]
    records: Sequence[float] | Floats
    noise: Sequence[float] | Floats
    title: str
    note: str = ""
    most: int = 40

    def __post_init__(self) -> None:
        labels = tuple(map(str, self.labels))
        records, noise = tuple(map(float, self.records)), tuple(map(float, self.noise))
        if not labels or not len(labels) == len(records) == len(noise):
            raise ValueError("split bars need two variances per label")
        if not all(0 <= variance < math.inf for variance in (*records, *noise)):
            raise ValueError("a variance is a finite number that is not negative")
        if self.most < 1:
            raise ValueError("split bars show at least one row")
        vars(self).update(labels=labels, records=records, noise=noise)

    @cached_property
    def _lengths(self) -> list[tuple[float, float]]:
        """The standard deviation of each row, and the part of it that the records account for."""
        found = []
        for one, two in zip(self.records, self.noise, strict=True):
            whole = math.sqrt(one + two)
            found.append((whole, whole * (one / (one + two)) if whole else 0.0))
        return found

    @cached_property
    def _rows(self) -> list[int]:
        every = range(len(self.labels))
        if len(every) <= self.most:
            return list(every)
        return sorted(every, key=lambda row: -self._lengths[row][0])[: self.most]

    @cached_property
    def _axis(self) -> Axis:
        return Axis.from_zero(max(self._lengths[row][0] for row in self._rows))

    @property
    def _notes(self) -> list[str]:
        left_out = len(self.labels) - len(self._rows)
        more = f"The {len(self._rows)} most uncertain are shown; {left_out} less uncertain are left out."
        return [note for note in (self.note, more if left_out else "") if note]

    def _numbers(self, row: int) -> tuple[str, str]:
        whole, part = self._lengths[row]
        share = 1 - part / whole if whole else 0.0
        return number(whole, 2), f"{100 * share:.0f}% noise"

    def __repr__(self) -> str:
        return f"<split bars: {clean(self.title)}, {len(self.labels)} rows>"

    def figure(self) -> Figure:
        """Return the bars as a matplotlib figure."""
        y = range(len(self._rows))
        figure, axes = sheet(1.6 + 0.28 * len(self._rows), self.title, self._notes)
        across(axes, self._axis)
        parts = [self._lengths[row][1] for row in self._rows]
        rest = [self._lengths[row][0] - self._lengths[row][1] for row in self._rows]
        axes.barh(y, parts, height=0.6, color=BLUE, label=LEGEND[0].words)
        axes.barh(y, rest, height=0.6, left=parts, color=VERMILLION, label=LEGEND[1].words)
        axes.set_yticks(y, [for_matplotlib(self.labels[row], rows.LONGEST_LABEL) for row in self._rows])
        axes.set_ylim(len(self._rows) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        key(figure, 2)
        return figure

    def html(self) -> Markup:
        """Return the bars as markup: label, bar and numbers, stacked where there is little room."""
        drawn = [*map(self._row, self._rows), rows.scale([rows.Panel(self._axis)])]
        return rows.chart(self.title, drawn, legend.html(LEGEND), self._notes, "split")

    def _row(self, row: int) -> Markup:
        whole, part = map(self._axis.place, self._lengths[row])
        first, more = self._numbers(row)
        marks = [
            svg.line((0, 0.5), (part, 0.5), LEGEND[0].words, stroke=BLUE, stroke_width=13),
            svg.line((part, 0.5), (whole, 0.5), LEGEND[1].words, stroke=VERMILLION, stroke_width=13),
        ]
        numbers = rows.value(first, more)
        return rows.row(self.labels[row], [rows.Panel(self._axis)], marks, f"{first}, {more}", numbers)

    def text(self, width: int = 72) -> str:
        """Return the bars as lines of text."""
        width = max(width, LEAST_WIDTH)
        numbers = ["{} ({})".format(*self._numbers(row)) for row in self._rows]

        def drawn(place: int, length: int, axis: Axis) -> str:
            row = self._rows[place]
            end, part = (round(axis.place(value) * length) for value in self._lengths[row])
            return ("█" * part + "▒" * (end - part)).ljust(length)

        labels = [self.labels[row] for row in self._rows]
        lines = [cut(self.title, width), "", *laid_out([self._axis], labels, numbers, width, drawn)]
        lines += ["", *legend.text(LEGEND, width)]
        return "\n".join([*lines, *(part for note in self._notes for part in wrapped([clean(note)], width))])
