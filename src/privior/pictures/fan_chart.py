"""A fan: a curve with intervals around it, nested, against a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from privior.arrays import Floats
from privior.pictures import legend, svg
from privior.pictures.axis import Axis, number
from privior.pictures.label import clean, cut, for_matplotlib, wrapped
from privior.pictures.legend import Entry
from privior.pictures.line_plot import LinePlot
from privior.pictures.markup import Markup, element
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import across, key, sheet, upwards
from privior.pictures.style import INK, MUTED, SERIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIGNS, _DASHES = "·+", ("5 4", None)
_HEIGHT = 240


@dataclass(frozen=True, repr=False)
class FanChart(Picture):
    """A curve and one or two intervals around it, the wider one first.

    Attributes:
        points: where it was computed, increasing
        middle: the curve
        bands: lower and upper ends at each point, by name
        title: what it is about
        x_label: what it is drawn against
        y_label: what is drawn
        note: the line under the chart
    """

    points: Sequence[float]
    middle: Sequence[float]
    bands: Mapping[str, Sequence[tuple[float, float]] | Floats]
    title: str
    x_label: str
    y_label: str
    note: str = ""

    def __post_init__(self) -> None:
        points, middle = tuple(map(float, self.points)), tuple(map(float, self.middle))
        bands = {
            str(name): tuple((float(low), float(high)) for low, high in np.asarray(ends).tolist())
            for name, ends in self.bands.items()
        }
        if len(points) < 2 or sorted(set(points)) != list(points) or len(middle) != len(points):
            raise ValueError("a fan needs two or more increasing points, and a value at each")
        if not 1 <= len(bands) <= len(_SIGNS) or any(len(ends) != len(points) for ends in bands.values()):
            raise ValueError("a fan needs one or two bands, with two ends at each point")
        if not all(math.isfinite(one) for one in chain(points, middle, *chain(*bands.values()))):
            raise ValueError("a fan shows finite numbers")
        vars(self).update(points=points, middle=middle, bands=MappingProxyType(bands))

    @cached_property
    def _x(self) -> Axis:
        return Axis.between(self.points[0], self.points[-1])

    @cached_property
    def _y(self) -> Axis:
        every = [*self.middle, *chain(*chain(*self.bands.values()))]
        low, high = min(every), max(every)
        room = 0.03 * (high - low) or 1.0
        return Axis.between(low - room, high + room)

    @cached_property
    def _entries(self) -> list[Entry]:
        found = [Entry("expected", "●", INK, shape="line", thickness=2.5)]
        for place, name in enumerate(self.bands):
            found.append(Entry(name, _SIGNS[place], SERIES[place], thickness=2, dashes=_DASHES[place]))
        return found

    def _edges(self) -> list[tuple[Entry, list[float]]]:
        """Both edges of each band."""
        return [
            (entry, [ends[side] for ends in band])
            for entry, band in zip(self._entries[1:], self.bands.values(), strict=True)
            for side in (0, 1)
        ]

    def __repr__(self) -> str:
        return f"<fan: {clean(self.title)}, {len(self.points)} points>"

    def figure(self) -> Figure:
        """Return the fan as a matplotlib figure."""
        figure, axes = sheet(4, self.title, [self.x_label, self.note])
        across(axes, self._x)
        upwards(axes, self._y)
        axes.set_ylabel(for_matplotlib(self.y_label, 50), fontsize=9, color=MUTED)
        for entry, ends in zip(self._entries[1:], self.bands.values(), strict=True):
            lows, highs = zip(*ends, strict=True)
            name = for_matplotlib(entry.words, 60)
            axes.fill_between(self.points, lows, highs, color=entry.colour, alpha=0.25, label=name)
        axes.plot(self.points, self.middle, "-", color=INK, label="expected")
        key(figure, 3)
        return figure

    def html(self) -> Markup:
        """Return the fan as markup."""
        margin = 10 + 7 * max(map(len, self._y.labels))
        marks = []
        for tick, label in zip(self._y.ticks, self._y.labels, strict=True):
            y = 1 - self._y.place(tick)
            marks += [svg.line((0, y), (1, y), class_="grid"), svg.words(label, (0, y), (-8, 4), "end")]
        for tick, label in zip(self._x.ticks, self._x.labels, strict=True):
            marks.append(svg.words(label, (self._x.place(tick), 1), (0, 18), "middle"))
        marks.append(svg.line((0, 1), (1, 1), class_="base"))
        for entry, values in [*self._edges(), (self._entries[0], list(self.middle))]:
            points = [self._at(x, y) for x, y in zip(self.points, values, strict=True)]
            marks.append(svg.polyline(points, **entry.stroke))
        for x, y in list(zip(self.points, self.middle, strict=True))[:: max(1, len(self.points) // 10)]:
            tip = f"{self.x_label} {number(x)}: {number(y)}"
            marks.append(svg.circle(self._at(x, y), 3, tip, fill=INK))
        drawn = svg.drawing(_HEIGHT, *marks, about=f"{self.title}: {self.y_label} by {self.x_label}")
        return element(
            "figure",
            element("figcaption", self.title),
            element("div", self.y_label, class_="axis"),
            element("div", drawn, class_="plot", style=f"padding-left:{margin}px"),
            element("div", self.x_label, class_="axis across"),
            legend.html(self._entries),
            *([element("p", self.note, class_="note")] if self.note else []),
            class_="curve keep",
        )

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._x.place(x), 1 - self._y.place(y)

    def text(self, width: int = 72) -> str:
        """Return the fan as lines of text."""
        width = max(width, LEAST_WIDTH)
        plot = LinePlot(self._x, self._y, width)
        for entry, values in [*self._edges(), (self._entries[0], list(self.middle))]:
            plot.curve(self.points, values, entry.sign)
        lines = [cut(self.title, width), "", cut(self.y_label, width), *plot.lines(self.x_label)]
        lines += ["", *legend.text(self._entries, width)]
        return "\n".join([*lines, *(wrapped([clean(self.note)], width) if self.note else [])])
