"""The density of one number: where it may lie, with the privacy noise and without it, and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from privior.arrays import Floats
from privior.pictures import legend, svg
from privior.pictures.axis import Axis, number
from privior.pictures.label import clean, cut, wrapped
from privior.pictures.legend import Entry
from privior.pictures.line_plot import LinePlot
from privior.pictures.markup import Markup, element
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import across, key, sheet, upwards
from privior.pictures.style import BLUE, INK, VERMILLION

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LEGEND = (
    Entry("with the privacy noise", "●", VERMILLION, thickness=2.5),
    Entry("what the records alone leave open", "○", BLUE, thickness=1.5),
)
_HEIGHT = 200


@dataclass(frozen=True, repr=False)
class Density(Picture):
    """Two densities of one number over the same points, and the interval of the first.

    Attributes:
        points: values of the number, increasing
        whole: the density of each: all uncertainty
        inner: likewise: the uncertainty that would remain without privacy noise
        ends: of the interval that is marked
        title: what it is about
        label: what the number is
        note: the line under the picture
    """

    points: Sequence[float] | Floats
    whole: Sequence[float] | Floats
    inner: Sequence[float] | Floats
    ends: tuple[float, float]
    title: str
    label: str
    note: str = ""

    def __post_init__(self) -> None:
        points, whole, inner = (tuple(map(float, one)) for one in (self.points, self.whole, self.inner))
        if len(points) < 2 or not len(points) == len(whole) == len(inner):
            raise ValueError("a density needs one value of each kind per point, and two points")
        if not all(map(math.isfinite, (*points, *whole, *inner, *self.ends))):
            raise ValueError("a density shows finite numbers")
        if sorted(set(points)) != list(points) or min(*whole, *inner) < 0 or max(*whole, *inner) <= 0:
            raise ValueError("a density is positive, over increasing points")
        vars(self).update(points=points, whole=whole, inner=inner)

    @cached_property
    def _x(self) -> Axis:
        return Axis.between(self.points[0], self.points[-1])

    @cached_property
    def _y(self) -> Axis:
        return Axis.from_zero(max(*self.whole, *self.inner), most=4)

    @property
    def _marked(self) -> str:
        return f"marked: {number(self.ends[0], 6)} to {number(self.ends[1], 6)}"

    @property
    def _notes(self) -> list[str]:
        return [note for note in (self._marked, self.note) if note]

    def __repr__(self) -> str:
        return f"<density: {clean(self.title)}>"

    def figure(self) -> Figure:
        """Return the densities as a matplotlib figure."""
        figure, axes = sheet(3.6, self.title, [self.label, *self._notes])
        across(axes, self._x)
        upwards(axes, self._y)
        for entry, values in zip(LEGEND, (self.whole, self.inner), strict=True):
            axes.plot(self.points, values, color=entry.colour, linewidth=entry.thickness, label=entry.words)
        for end in self.ends:
            axes.axvline(end, color=INK, linewidth=0.8)
        key(figure, 2)
        return figure

    def html(self) -> Markup:
        """Return the densities as markup."""
        marks = [svg.line((0, 1), (1, 1), class_="base")]
        for tick, label in zip(self._x.ticks, self._x.labels, strict=True):
            place = self._x.place(tick)
            marks.append(svg.line((place, 0), (place, 1), class_="grid"))
            marks.append(svg.words(label, (place, 1), (0, 18), "middle"))
        for end in self.ends:
            place = self._x.place(end)
            marks.append(svg.line((place, 0), (place, 1), number(end, 6), stroke=INK))
        for entry, values in zip(LEGEND, (self.whole, self.inner), strict=True):
            points = [
                (self._x.place(x), 1 - self._y.place(y)) for x, y in zip(self.points, values, strict=True)
            ]
            marks.append(svg.polyline(points, **entry.stroke))
        about = f"{self.title}: density of {self.label}; {self._marked}"
        return element(
            "figure",
            element("figcaption", self.title),
            element(
                "div", svg.drawing(_HEIGHT, *marks, about=about), class_="plot", style="padding-left:10px"
            ),
            element("div", self.label, class_="axis across"),
            legend.html(LEGEND),
            *(element("p", note, class_="note") for note in self._notes),
            class_="curve keep",
        )

    def text(self, width: int = 72) -> str:
        """Return the densities as lines of text."""
        width = max(width, LEAST_WIDTH)
        plot = LinePlot(self._x, self._y, width, height=9)
        some = range(0, len(self.points), max(1, len(self.points) // 24))
        for entry, values in reversed(list(zip(LEGEND, (self.whole, self.inner), strict=True))):
            plot.curve([self.points[i] for i in some], [values[i] for i in some], entry.sign)
        lines = [cut(self.title, width), "", *plot.lines(self.label), "", *legend.text(LEGEND, width)]
        return "\n".join([*lines, *(part for note in self._notes for part in wrapped([clean(note)], width))])
