"""Curves drawn with characters: lines of box drawing, marks on top, two scales."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from privior.pictures.axis import Axis
from privior.pictures.label import columns, cut
from privior.pictures.tracks import scale


class LinePlot:
    """A sheet of characters that is drawn on; what is drawn later covers what was there."""

    def __init__(self, x: Axis, y: Axis, width: int, height: int = 13) -> None:
        self._x, self._y = x, y
        self._margin = max(map(len, y.labels))
        self._sheet = [[" "] * (width - self._margin - 2) for _ in range(height)]

    def _column(self, x: float) -> int:
        return round(self._x.place(x) * (len(self._sheet[0]) - 1))

    def _row(self, place: float) -> int:
        return round((1 - place) * (len(self._sheet) - 1))

    def rule(self, y: float, sign: str) -> None:
        """Draw a horizontal line."""
        row = self._row(self._y.place(y))
        self._sheet[row] = [sign] * len(self._sheet[row])

    def mark(self, x: float, y: float, sign: str) -> None:
        """Put a character at a point."""
        self._sheet[self._row(self._y.place(y))][self._column(x)] = sign

    def curve(self, xs: Sequence[float], ys: Sequence[float], sign: str) -> None:
        """Join points by lines and mark each of them."""
        points = [(self._column(x), self._y.place(y)) for x, y in zip(xs, ys, strict=True)]
        for (left, start), (right, end) in pairwise(points):
            before = self._row(start)
            for column in range(left + 1, right + 1):
                after = self._row(start + (end - start) * (column - left) / (right - left))
                self._step(column, before, after)
                before = after
        for x, y in zip(xs, ys, strict=True):
            self.mark(x, y, sign)

    def _step(self, column: int, before: int, after: int) -> None:
        """Lead a line through a column, from the row where it comes in to the row where it goes out."""
        if before == after:
            self._sheet[before][column] = "─"
            return
        for row in range(min(before, after) + 1, max(before, after)):
            self._sheet[row][column] = "│"
        down = after > before
        self._sheet[before][column] = "╮" if down else "╯"
        self._sheet[after][column] = "╰" if down else "╭"

    def lines(self, below: str) -> list[str]:
        """Return the sheet with its scales, and a name under the lower one."""
        labels = {
            self._row(self._y.place(tick)): label
            for tick, label in zip(self._y.ticks, self._y.labels, strict=True)
        }
        drawn = [
            f"{labels.get(row, ''):>{self._margin}} {'┤' if row in labels else '│'}{''.join(signs)}".rstrip()
            for row, signs in enumerate(self._sheet)
        ]
        width = len(self._sheet[0])
        drawn += [" " * (self._margin + 1) + line for line in scale(self._x, width, corner="└")]
        below = cut(below, width)
        return [*drawn, " " * (self._margin + 2 + (width - columns(below)) // 2) + below]
