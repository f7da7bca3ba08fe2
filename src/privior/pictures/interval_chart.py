"""A chart of intervals, one row per label, with the inner part that has another cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_INK, _WHOLE, _INNER = "#1b2a41", "#9db4d0", "#3a6ea5"
_MOST_ROWS = 60


def intervals(
    labels: Sequence[str], centres: Floats, whole: Floats, inner: Floats, *, title: str, note: str
) -> Figure:
    """Draw centres with whole and inner intervals; of many labels those with the largest centres.

    Args:
        labels: one per row
        centres: the dots
        whole: lower and upper ends as (rows, 2): all uncertainty
        inner: likewise: the uncertainty that would remain without privacy noise
        title: what the rows are
        note: the line under the chart
    """
    from matplotlib.figure import Figure

    rows = list(range(len(labels)))
    if len(labels) > _MOST_ROWS:
        rows = sorted(np.argsort(-centres, kind="stable")[:_MOST_ROWS].tolist())
        note += f"; the {_MOST_ROWS} largest of {len(labels)}"
    figure = Figure(figsize=(7.5, 1.5 + 0.28 * len(rows)), layout="constrained")
    axes = figure.subplots()
    y = np.arange(len(rows))
    axes.hlines(y, whole[rows, 0], whole[rows, 1], color=_WHOLE, linewidth=7, label="with privacy noise")
    axes.hlines(y, inner[rows, 0], inner[rows, 1], color=_INNER, linewidth=3, label="the records alone")
    axes.plot(centres[rows], y, "o", color=_INK, markersize=4, label="posterior mean")
    axes.set_yticks(y, [_short(labels[row]) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.set_xlabel(note, fontsize=8)
    axes.set_title(title, loc="left", color=_INK)
    axes.grid(axis="x", color="#e4e8ee")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _short(label: str) -> str:
    """Cut a long label, and keep matplotlib from reading dollar signs as mathematics."""
    return (label if len(label) <= 40 else label[:39] + "…").replace("$", r"\$")
