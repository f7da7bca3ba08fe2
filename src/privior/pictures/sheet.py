"""Sheets of matplotlib: an empty figure with title, note and grid in the look of all pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from privior.pictures.axis import Axis
from privior.pictures.label import clean, for_matplotlib, wrapped
from privior.pictures.style import GRID, INK, MUTED, SPENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def sheet(height: float, title: str, notes: Sequence[str], room_above: float = 6) -> tuple[Figure, Axes]:
    """Return an empty figure of so many inches, which belongs to no window and no global state."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, height), layout="constrained")
    axes = figure.subplots()
    below = [for_matplotlib(line, 110) for note in notes for line in wrapped([clean(note)], 110)[:4]]
    axes.set_title(for_matplotlib(title, 60), loc="left", color=INK, fontweight="bold", pad=room_above)
    axes.set_xlabel("\n".join(filter(None, below)), fontsize=8, color=MUTED, loc="left")
    axes.grid(color=GRID)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(SPENT)
    axes.tick_params(color=SPENT)
    return figure, axes


def across(axes: Axes, axis: Axis) -> None:
    """Give a figure its horizontal scale."""
    if axis.ratios:
        axes.set_xscale("log")
    axes.set_xlim(axis.low, axis.high)
    axes.set_xticks(axis.ticks, axis.labels)
    axes.set_xticks([], minor=True)


def upwards(axes: Axes, axis: Axis) -> None:
    """Give a figure its vertical scale."""
    if axis.ratios:
        axes.set_yscale("log")
    axes.set_ylim(axis.low, axis.high)
    axes.set_yticks(axis.ticks, axis.labels)
    axes.set_yticks([], minor=True)


def key(figure: Figure, beside: int, reverse: bool = False) -> None:
    """Write under a figure what its marks mean, so many side by side."""
    figure.legend(loc="outside lower left", ncols=beside, reverse=reverse, frameon=False, fontsize=8)
