"""A network: its nodes, arcs from parents to children, and how much is known of each node's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from privior.pictures import legend, svg
from privior.pictures.axis import number
from privior.pictures.label import clean, columns, cut, for_matplotlib, pad, wrapped
from privior.pictures.legend import Entry
from privior.pictures.markup import Markup, element
from privior.pictures.picture import LEAST_WIDTH, Picture
from privior.pictures.sheet import sheet
from privior.pictures.style import BLUE, INK, MUTED, PAPER, VERMILLION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEGEND = (
    Entry("mostly from the finite number of records", "●", BLUE, shape="block"),
    Entry("mostly from the privacy noise", "◐", VERMILLION, shape="block"),
    Entry("drowned: the noise is larger than the average count", "○", VERMILLION, shape="ring"),
)
_MEANING = (
    "Nodes below their parents, arcs downwards. Under each: average width of the intervals of its table's "
    "entries; colours: where that is from."
)
#: nodes side by side, pixels of a row, signs of a name under its node
_BESIDE, _HIGH, _LONGEST = 6, 76, 14
#: ways to move rows aside that are tried
_STEPS = 40


@dataclass(frozen=True, repr=False)
class NetworkChart(Picture):
    """Nodes below their parents, each with the average width of the intervals of its table's entries.

    Attributes:
        nodes: the names
        parents: of each node, as places among the nodes
        widths: the average width of each node's intervals
        noise: the part of the variance of each node's entries that the privacy noise accounts for
        drowned: whether the noise is larger than the counts of each node's table
        title: what the network is of
        note: the line under the chart
    """

    nodes: Sequence[str]
    parents: Sequence[Sequence[int]]
    widths: Sequence[float]
    noise: Sequence[float]
    drowned: Sequence[bool]
    title: str
    note: str = ""

    def __post_init__(self) -> None:
        many = {len(one) for one in (self.nodes, self.parents, self.widths, self.noise, self.drowned)}
        if many != {len(self.nodes)} or not self.nodes:
            raise ValueError("a network needs parents, a width and two facts for each node")

    @cached_property
    def _rows(self) -> list[list[int]]:
        """The nodes row by row: parents above their children, about under the middle of them."""
        depth: dict[int, int] = {}
        while len(depth) < len(self.nodes):
            ready = [
                one
                for one in range(len(self.nodes))
                if one not in depth and all(parent in depth for parent in self.parents[one])
            ]
            if not ready:
                raise ValueError("the network has a cycle")
            for one in ready:
                depth[one] = 1 + max((depth[parent] for parent in self.parents[one]), default=-1)
        rows: list[list[int]] = []
        middle: dict[int, float] = {}
        for level in range(max(depth.values()) + 1):
            here = [one for one in range(len(self.nodes)) if depth[one] == level]
            here.sort(
                key=lambda one: sum(middle[p] for p in self.parents[one]) / max(1, len(self.parents[one]))
            )
            for start in range(0, len(here), _BESIDE):
                row = here[start : start + _BESIDE]
                rows.append(row)
                middle.update({one: (place + 0.5) / len(row) for place, one in enumerate(row)})
        return rows

    @cached_property
    def _places(self) -> dict[int, tuple[float, float]]:
        """Where each node stands, from the left and from the top.

        Rows are moved aside by uneven steps, those of a few at which arcs over several rows pass farthest
        from the nodes between.
        """
        tried = [self._moved(step / _STEPS) for step in range(_STEPS)]
        return max(tried, key=self._clearance)

    def _moved(self, step: float) -> dict[int, tuple[float, float]]:
        """Return the places if row r is moved by the fraction of r² steps, from 3/10 to the left on."""
        return {
            one: (
                (place + 0.5 + 0.6 * (down * down * step % 1 - 0.5)) / len(row),
                (down + 0.35) / len(self._rows),
            )
            for down, row in enumerate(self._rows)
            for place, one in enumerate(row)
        }

    def _clearance(self, places: dict[int, tuple[float, float]]) -> float:
        """Return how far the nearest arc passes beside a node that it does not belong to."""
        least = 1.0
        for child, above in enumerate(self.parents):
            for parent in above:
                (x, y), (u, v) = places[parent], places[child]
                between = [at for at in places.values() if y < at[1] < v]
                least = min([least, *(abs(x + (u - x) * (b - y) / (v - y) - a) for a, b in between)])
        return least

    def _kind(self, node: int) -> Entry:
        return LEGEND[2 if self.drowned[node] else 1 if self.noise[node] > 0.5 else 0]

    def _said(self, node: int) -> str:
        return f"{number(self.widths[node], 2)} wide, {100 * self.noise[node]:.0f}% noise"

    @property
    def _notes(self) -> list[str]:
        return [_MEANING, *([self.note] if self.note else [])]

    def __repr__(self) -> str:
        return f"<network: {clean(self.title)}, {len(self.nodes)} nodes>"

    def figure(self) -> Figure:
        """Return the network as a matplotlib figure."""
        figure, axes = sheet(1.2 + 0.95 * len(self._rows), self.title, self._notes)
        for child, above in enumerate(self.parents):
            for parent in above:
                (x, y), (u, v) = self._places[parent], self._places[child]
                axes.annotate(
                    "", (u, -v), (x, -y), arrowprops={"arrowstyle": "->", "color": MUTED, "shrinkB": 7}
                )
        for node, (x, y) in self._places.items():
            kind = self._kind(node)
            inside = PAPER if kind.shape == "ring" else kind.colour
            axes.plot(
                [x], [-y], "o", markersize=10, color=kind.colour, markerfacecolor=inside, markeredgewidth=2
            )
            words = f"{for_matplotlib(self.nodes[node], _LONGEST)}\n{number(self.widths[node], 2)}"
            axes.annotate(
                words,
                (x, -y),
                (0, -9),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=8,
                color=INK,
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(-1.02, 0)
        axes.grid(visible=False)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
        return figure

    def html(self) -> Markup:
        """Return the network as markup."""
        marks = []
        for child, above in enumerate(self.parents):
            for parent in above:
                tip = f"{clean(self.nodes[parent])} to {clean(self.nodes[child])}"
                marks.append(
                    svg.line(self._places[parent], self._places[child], tip, stroke=MUTED, stroke_width=1)
                )
        for node, at in self._places.items():
            kind, tip = self._kind(node), f"{clean(self.nodes[node])}: {self._said(node)}"
            inside = PAPER if kind.shape == "ring" else kind.colour
            marks.append(svg.circle(at, 7, tip, fill=inside, stroke=kind.colour, stroke_width="2"))
            marks.append(svg.words(cut(self.nodes[node], _LONGEST), at, (0, 21), "middle", "chosen"))
            marks.append(svg.words(number(self.widths[node], 2), at, (0, 35), "middle"))
        about = f"{cut(self.title, 80)}: {len(self.nodes)} nodes"
        return element(
            "figure",
            element("figcaption", clean(self.title)),
            svg.drawing(_HIGH * len(self._rows), *marks, about=about),
            legend.html(LEGEND),
            *(element("p", clean(note), class_="note") for note in self._notes),
            class_="network keep" if len(self._rows) < 10 else "network",
        )

    def text(self, width: int = 72) -> str:
        """Return the nodes in lines, parents first, each with its parents."""
        width = max(width, LEAST_WIDTH)
        order = [one for row in self._rows for one in row]
        names = {one: cut(self.nodes[one], max(8, width // 4)) for one in order}
        longest = max(columns(name) for name in names.values())
        lines = [cut(self.title, width), ""]
        for one in order:
            start = f"{self._kind(one).sign} {pad(names[one], longest)}  {self._said(one)}"
            above = ", ".join(names[parent] for parent in self.parents[one])
            lines.append(cut(f"{start}  ← {above}" if above else start, width))
        lines += ["", *legend.text(LEGEND, width)]
        return "\n".join([*lines, *(part for note in self._notes for part in wrapped([clean(note)], width))])
