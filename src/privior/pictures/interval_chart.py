"""A chart of intervals, one row per label, with the inner part that has another cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING

from privior.arrays import Floats
from privior.pictures import legend, rows, svg
from privior.pictures.axis import Axis
from privior.pictures.label import clean, cut, for_matplotlib, wrapped
from privior.pictures.legend import Entry
from privior.pictures.markup import Markup
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import across, key, sheet
from privior.pictures.style import BLUE, INK, PAPER, VERMILLION
from privior.pictures.tracks import laid_out, track

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LEGEND = (
    Entry("posterior mean", "●", INK, shape="ring"),
    Entry("what the records alone leave open", "━", BLUE, thickness=7),
    Entry("with the privacy noise", "─", VERMILLION),
)
_TO = "\N{EN DASH}"
#: intervals that take up less than this share of the axis are drawn again, as distances from their centres
_SEEN = 0.06
#: intervals as wide as this are read without decimals
_WIDE = 100
_ZOOMED = "Dots hide intervals as narrow as these: on the right they are drawn as distances from the means."


@dataclass(frozen=True, repr=False)
class IntervalChart(Picture):
    """Centres with a thin whole interval and a thick inner one, one row per label.

    Attributes:
        labels: one per row
        centres: the dots
        whole: lower and upper ends as (rows, 2): all uncertainty
        inner: likewise: the uncertainty that would remain without privacy noise
        title: what the rows are
        note: the line under the chart
        most: of more rows than this only those with the largest centres are drawn, largest first
    """

    labels: Sequence[str]
    centres: Sequence[float] | Floats
    whole: Sequence[tuple[float, float]] | Floats
    inner: Sequence[tuple[float, float]] | Floats
    title: str
    note: str = ""
    most: int = 40

    def __post_init__(self) -> None:
        labels = tuple(map(str, self.labels))
        centres = tuple(map(float, self.centres))
        whole, inner = _pairs(self.whole), _pairs(self.inner)
        if not labels or not len(labels) == len(centres) == len(whole) == len(inner):
            raise ValueError("an interval chart needs one centre, whole and inner interval per label")
        if not all(math.isfinite(end) for end in chain(centres, *whole, *inner)):
            raise ValueError("an interval chart shows finite numbers")
        if any(low > high for low, high in (*whole, *inner)):
            raise ValueError("an interval ends before it begins")
        if self.most < 1:
            raise ValueError("an interval chart shows at least one row")
        vars(self).update(labels=labels, centres=centres, whole=whole, inner=inner)

    @cached_property
    def _rows(self) -> list[int]:
        every = range(len(self.labels))
        if len(every) <= self.most:
            return list(every)
        return sorted(every, key=lambda row: -self.centres[row])[: self.most]

    @cached_property
    def _axis(self) -> Axis:
        high = max(max(self.centres[i], self.whole[i][1], self.inner[i][1]) for i in self._rows)
        low = min(min(self.centres[i], self.whole[i][0], self.inner[i][0]) for i in self._rows)
        if low >= 0:
            return Axis.legible(lambda most: Axis.from_zero(high, most), rows.NARROWEST)
        return Axis.legible(lambda most: Axis.over_zero(low, high, most), rows.NARROWEST)

    @cached_property
    def _zoom(self) -> Axis | None:
        """The axis of distances from the centres, if intervals are too narrow to be seen beside the dots."""
        width = median(self.whole[row][1] - self.whole[row][0] for row in self._rows)
        ends = [
            end for row in self._rows for end in (*self._away(row, self.whole), *self._away(row, self.inner))
        ]
        if width >= _SEEN * (self._axis.high - self._axis.low) or not any(ends):
            return None
        return Axis.around_zero(max(map(abs, ends)))

    @cached_property
    def _axes(self) -> list[Axis]:
        if self._zoom is None:
            return [self._axis]
        low, high = self._axis.low, self._axis.high
        return [Axis.from_zero(high, most=3) if low == 0 else Axis.over_zero(low, high, most=3), self._zoom]

    def _away(self, row: int, ends: Sequence[tuple[float, float]] | Floats) -> tuple[float, float]:
        """Return the ends of an interval as distances from its centre."""
        low, high = ends[row]
        return low - self.centres[row], high - self.centres[row]

    @cached_property
    def _places(self) -> int:
        """How many decimals show the width of a typical interval with two digits."""
        width = median(self.whole[row][1] - self.whole[row][0] for row in self._rows)
        width = width or self._axis.high - self._axis.low
        least = 0 if width >= _WIDE else 2
        return min(max(1 - math.floor(math.log10(width)), least), 9) if width > 0 else 2

    @property
    def _notes(self) -> list[str]:
        left_out = len(self.labels) - len(self._rows)
        more = f"The {len(self._rows)} most probable are shown; {left_out} less probable are left out."
        zoomed = "" if self._zoom is None else _ZOOMED
        return [note for note in (self.note, zoomed, more if left_out else "") if note]

    def _range(self, ends: tuple[float, float]) -> str:
        return f"{ends[0]:.{self._places}f}{_TO}{ends[1]:.{self._places}f}"

    def __repr__(self) -> str:
        return f"<interval chart: {clean(self.title)}, {len(self.labels)} rows>"

    def figure(self) -> Figure:
        """Return the chart as a matplotlib figure."""
        y = range(len(self._rows))
        figure, axes = sheet(1.6 + 0.28 * len(y), self.title, self._notes)
        across(axes, self._axis)
        mean, records, noise = (entry.words for entry in LEGEND)
        for ends, colour, thick, words in (
            (self.whole, VERMILLION, 1.6, noise),
            (self.inner, BLUE, 5, records),
        ):
            low, high = ([ends[row][side] for row in self._rows] for side in (0, 1))
            axes.hlines(y, low, high, colour, linewidth=thick, label=words)
        dots = [self.centres[row] for row in self._rows]
        mark, size = (
            ("o", 4.5) if self._zoom is None else ("|", 9)
        )  # a narrow interval can be seen beside a line
        axes.plot(dots, y, mark, color=PAPER, mec=INK, mew=1.3, ms=size, label=mean, clip_on=False, ls="")
        axes.set_yticks(y, [for_matplotlib(self.labels[row], rows.LONGEST_LABEL) for row in self._rows])
        axes.set_ylim(len(y) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        key(figure, 3, reverse=True)
        return figure

    def html(self) -> Markup:
        """Return the chart as markup: label, track and numbers, stacked where there is little room."""
        drawn = [*map(self._row, self._rows), rows.scale(self._panels)]
        return rows.chart(self.title, drawn, legend.html(LEGEND), self._notes, "intervals")

    @cached_property
    def _panels(self) -> list[rows.Panel]:
        if self._zoom is None:
            return [rows.Panel(self._axis)]
        return [rows.Panel(axis, start, 0.44) for axis, start in zip(self._axes, (0.0, 0.55), strict=True)]

    def _row(self, row: int) -> Markup:
        centre, whole, inner = (f"{self.centres[row]:.{self._places}f}", self.whole[row], self.inner[row])
        marks = []
        shift = (0.0, self.centres[row])
        for panel, away in zip(self._panels, shift, strict=False):
            for kind, ends in (("whole", whole), ("inner", inner)):
                tip = f"{LEGEND[1 if kind == 'inner' else 2].words}: {self._range(ends)}"
                low, high = (panel.place(end - away) for end in ends)
                marks.append(svg.line((low, 0.5), (high, 0.5), tip, class_=kind))
        marks.append(svg.circle((self._panels[0].place(self.centres[row]), 0.5), 3.5, class_="centre"))
        numbers = rows.value(centre, self._range(whole))
        return rows.row(self.labels[row], self._panels, marks, f"{centre}, {self._range(whole)}", numbers)

    def text(self, width: int = 72) -> str:
        """Return the chart as lines of text."""
        width = max(width, LEAST_WIDTH)
        numbers = [
            f"{self.centres[row]:.{self._places}f} ({self._range(self.whole[row])})" for row in self._rows
        ]

        def drawn(place: int, length: int, axis: Axis) -> str:
            row = self._rows[place]
            if axis is self._zoom:
                return track(axis, length, 0.0, self._away(row, self.whole), self._away(row, self.inner))
            return track(axis, length, self.centres[row], self.whole[row], self.inner[row])

        labels = [self.labels[row] for row in self._rows]
        lines = [cut(self.title, width), "", *laid_out(self._axes, labels, numbers, width, drawn)]
        lines += ["", *legend.text(LEGEND, width)]
        return "\n".join([*lines, *(part for note in self._notes for part in wrapped([clean(note)], width))])


def _pairs(ends: Sequence[tuple[float, float]] | Floats) -> tuple[tuple[float, float], ...]:
    return tuple((float(low), float(high)) for low, high in ends)
