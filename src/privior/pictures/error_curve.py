"""A curve of an error, or of the width of an interval, against epsilon, with the point that was chosen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from privior.pictures import legend, svg
from privior.pictures.axis import Axis, number
from privior.pictures.label import clean, cut, for_matplotlib, wrapped
from privior.pictures.legend import Entry
from privior.pictures.line_plot import LinePlot
from privior.pictures.markup import Markup, element
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import across, key, sheet, upwards
from privior.pictures.style import INK, LINES, MUTED, PAPER, SERIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS, _CHOSEN = "●■▲▼★", "◆"
_RULES, _DASHES = "╌┈┄┉", ("7 4", "2 4", "10 3 2 3", "4 8")
_HEIGHT = 220


@dataclass(frozen=True, repr=False)
class ErrorCurve(Picture):
    """Named series over epsilon, with horizontal lines to compare them with.

    Attributes:
        epsilons: where the series were computed, increasing
        series: one or more rows of values, by name, such as {"90% interval width": [...]}
        title: what it is about
        y_label: what the values are
        chosen: the epsilon to mark on the first series; one of `epsilons`
        lines: horizontal lines by name, such as {"the records alone": 0.01, "prior alone": 0.3}
        note: the line under the chart
        x_label: what the values depend on
        chosen_label: the chosen epsilon as written; left empty, a rounded number
    """

    epsilons: Sequence[float]
    series: Mapping[str, Sequence[float]]
    title: str
    y_label: str
    chosen: float | None = None
    lines: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    x_label: str = "epsilon"
    chosen_label: str = ""

    def __post_init__(self) -> None:
        epsilons = tuple(map(float, self.epsilons))
        series = {str(name): tuple(map(float, values)) for name, values in self.series.items()}
        lines = {str(name): float(value) for name, value in self.lines.items()}
        if not all(0 < x < math.inf for x in epsilons) or sorted(set(epsilons)) != list(epsilons):
            raise ValueError("an error curve needs positive, increasing epsilons")
        if not epsilons or not series or any(len(values) != len(epsilons) for values in series.values()):
            raise ValueError("an error curve needs one value for each epsilon")
        if not all(0 <= value < math.inf for value in chain(lines.values(), *series.values())):
            raise ValueError("an error curve shows finite numbers that are not negative")
        if len(series) > len(SERIES) or len(lines) > len(LINES):
            raise ValueError(f"at most {len(SERIES)} series and {len(LINES)} lines can be told apart")
        if self.chosen is not None and float(self.chosen) not in epsilons:
            raise ValueError("the chosen epsilon is none of those on the curve")
        vars(self).update(epsilons=epsilons, series=MappingProxyType(series), lines=MappingProxyType(lines))

    @cached_property
    def _x(self) -> Axis:
        return Axis.by_ratio(self.epsilons)

    @cached_property
    def _y(self) -> Axis:
        return Axis.fitting([*chain(self.lines.values(), *self.series.values())])

    @cached_property
    def _point(self) -> tuple[float, float, str] | None:
        """The chosen epsilon, the first series there, and both in words."""
        if self.chosen is None:
            return None
        value = next(iter(self.series.values()))[self.epsilons.index(float(self.chosen))]
        written = self.chosen_label or number(self.chosen, 6)
        return float(self.chosen), value, f"{self.x_label} {written}: {number(value)}"

    @cached_property
    def _series_entries(self) -> list[Entry]:
        return [
            Entry(name, _POINTS[i], SERIES[i], shape="line", thickness=2.5)
            for i, name in enumerate(self.series)
        ]

    @cached_property
    def _line_entries(self) -> list[Entry]:
        return [
            Entry(f"{name}: {number(value)}", _RULES[i], LINES[i], thickness=1.5, dashes=_DASHES[i])
            for i, (name, value) in enumerate(self.lines.items())
        ]

    def __repr__(self) -> str:
        return f"<error curve: {clean(self.title)}, {len(self.epsilons)} epsilons>"

    def figure(self) -> Figure:
        """Return the curve as a matplotlib figure."""
        notes = [self.x_label, self.note]
        figure, axes = sheet(4, self.title, notes, room_above=24 if self._point else 6)
        across(axes, self._x)
        upwards(axes, self._y)
        axes.set_ylabel(for_matplotlib(self.y_label, 50), fontsize=9, color=MUTED)
        for entry, values in zip(self._series_entries, self.series.values(), strict=True):
            name = for_matplotlib(entry.words, 60)
            seen = [max(value, self._y.low) for value in values]
            axes.plot(self.epsilons, seen, "o-", color=entry.colour, ms=3.5, label=name, clip_on=False)
        for entry, value in zip(self._line_entries, self.lines.values(), strict=True):
            dashes = (0, tuple(map(float, (entry.dashes or "").split())))
            name = for_matplotlib(entry.words, 60)
            axes.axhline(value, color=entry.colour, linewidth=1.2, linestyle=dashes, label=name)
        if self._point is not None:
            x, y, words = self._point
            axes.axvline(x, color=INK, linewidth=0.8)
            axes.plot([x], [max(y, self._y.low)], "o", color=PAPER, mec=INK, mew=2, ms=9, clip_on=False)
            side = ("left", "center", "right")[round(2 * self._x.place(x))]
            above = axes.get_xaxis_transform()
            axes.text(x, 1.02, for_matplotlib(words, 60), transform=above, ha=side, color=INK)
        key(figure, 2)
        return figure

    def html(self) -> Markup:
        """Return the curve as markup."""
        margin = 10 + 7 * max(map(len, self._y.labels))
        about = f"{self.title}: {self.y_label} by {self.x_label}"
        if self._point is not None:
            about += f"; chosen: {self._point[2]}"
        drawn = svg.drawing(
            _HEIGHT, *self._grid(), *self._lines(), *self._curves(), *self._mark(), about=about
        )
        return element(
            "figure",
            element("figcaption", self.title),
            element("div", self.y_label, class_="axis"),
            element("div", drawn, class_="plot", style=f"padding-left:{margin}px"),
            element("div", self.x_label, class_="axis across"),
            legend.html([*self._series_entries, *self._line_entries]),
            *([element("p", self.note, class_="note")] if self.note else []),
            class_="curve keep",
        )

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self._x.place(x), 1 - self._y.place(y)

    def _grid(self) -> list[Markup]:
        marks = []
        for tick, label in zip(self._y.ticks, self._y.labels, strict=True):
            y = 1 - self._y.place(tick)
            marks += [svg.line((0, y), (1, y), class_="grid"), svg.words(label, (0, y), (-8, 4), "end")]
        for tick, label in zip(self._x.ticks, self._x.labels, strict=True):
            marks.append(svg.words(label, (self._x.place(tick), 1), (0, 18), "middle"))
        return [*marks, svg.line((0, 1), (1, 1), class_="base")]

    def _lines(self) -> list[Markup]:
        marks = []
        for entry, value in zip(self._line_entries, self.lines.values(), strict=True):
            y = 1 - self._y.place(value)
            marks.append(svg.line((0, y), (1, y), entry.words, **entry.stroke))
        return marks

    def _curves(self) -> list[Markup]:
        marks = []
        for entry, values in zip(self._series_entries, self.series.values(), strict=True):
            points = [self._at(x, y) for x, y in zip(self.epsilons, values, strict=True)]
            marks.append(svg.polyline(points, stroke=entry.colour, stroke_width=entry.thickness))
            for x, y, point in zip(self.epsilons, values, points, strict=True):
                tip = f"{self.x_label} {number(x)}: {number(y)}"
                marks.append(svg.circle(point, 3, tip, fill=entry.colour))
        return marks

    def _mark(self) -> list[Markup]:
        if self._point is None:
            return []
        x, y, words = self._point
        across, down = self._at(x, y)
        side = ("start", "middle", "end")[round(2 * across)]
        return [
            svg.line((across, 0), (across, 1), stroke=INK),
            svg.circle((across, down), 6, words, class_="centre"),
            svg.words(words, (across, 0), (0, -8), side, class_="chosen"),
        ]

    def text(self, width: int = 72) -> str:
        """Return the curve as lines of text."""
        width = max(width, LEAST_WIDTH)
        plot = LinePlot(self._x, self._y, width)
        for entry, value in zip(self._line_entries, self.lines.values(), strict=True):
            plot.rule(value, entry.sign)
        for entry, values in reversed(list(zip(self._series_entries, self.series.values(), strict=True))):
            plot.curve(self.epsilons, values, entry.sign)
        entries = [*self._series_entries, *self._line_entries]
        if self._point is not None:
            plot.mark(*self._point[:2], _CHOSEN)
            entries.insert(0, Entry(f"chosen, {self._point[2]}", _CHOSEN, INK))
        lines = [cut(self.title, width), "", cut(self.y_label, width), *plot.lines(self.x_label)]
        lines += ["", *legend.text(entries, width)]
        return "\n".join([*lines, *(wrapped([clean(self.note)], width) if self.note else [])])
