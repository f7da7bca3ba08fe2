"""Tilted cells: the same posterior, with every cell's law centred where the total wants it.

Multiplying every weight wᵢ(c) by e^(λc) multiplies each table of total N by e^(λN): nothing changes once
the total is given. So λ is free, and is chosen such that the means of the tilted laws add up to the total
that matters. Then that total has probability about 1/sd under the product of the tilted laws, and what
is cut off the tails of a cell is negligible also given the total:

    P(cᵢ outside its window | Σc = n)  <=  P(cᵢ outside) / P(Σc = n).

Windows are cut by the tilted weight alone, never by the noise law, since a strong prior may outweigh it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.cell_weights import CellWeights, Hull
from privior.posterior.counts.law import IntegerLaw

#: the laws of all cells may hold this many values together (1 GB)
MOST_WEIGHTS = 125_000_000

#: cells with wider hulls are integrated roughly while the tilt is sought: any tilt is exact in the end
_WIDE = 1 << 16
#: how much is computed at once: values of a matrix, and steps that are added up in one go
_AT_ONCE = 1 << 20
_RUN = 1 << 14
_MOST_STEPS = 100
#: totals up to this are summed without cutting any cell
_FEW = 64


@dataclass(frozen=True, eq=False)
class TiltedCells:
    """The tilted law of each cell on its window.

    Attributes:
        laws: of mass 1 each
        log_mass: log Σ w(c) e^(λc) over all windows, the product of the cells'
        log_loss: the log of what all cut tails hold at most, as a share of that mass; it allows for as
            much again, lost when sums of cells are trimmed like cells
    """

    laws: tuple[IntegerLaw, ...]
    log_mass: float
    log_loss: float


def tilted_cells(weights: CellWeights, tilt: float, cut: float, least: int, most: int) -> TiltedCells | None:
    """Return the laws of the cells of tables with a total in least..most; None if they are too wide.

    Each law loses at most e^-cut at each end and as much beyond its hull. Where most counts of a cell would
    leave no possible total, given the hulls of the other cells, those are dropped without any loss. Tables
    of few records lose nothing.
    """
    hull = weights.hull(tilt, cut + math.log(weights.most + 1))
    low, high = hull.low, hull.high
    for _ in range(2):
        low, high = (np.maximum(low, least - (high.sum() - high)), np.minimum(high, most - (low.sum() - low)))
    whole = (2 * (high - low) > hull.high - hull.low) | (high < low).any()
    low, high = np.where(whole, hull.low, low), np.where(whole, hull.high, high)
    if most <= _FEW:  # every count that a table of so few records can have
        low, high, whole = np.zeros_like(low), np.full_like(high, most), np.ones_like(whole)
    if (high - low + 1).sum() > MOST_WEIGHTS:
        return None
    laws: list[IntegerLaw | None] = [None] * low.size
    best, log_sums = np.empty(low.size, dtype=np.int64), np.empty(low.size)
    for cells, rows, counts, logs in _rows(weights, Hull(low, high, hull.peak), tilt):
        best[cells], log_sums[cells] = counts, logs
        for cell, row in zip(cells, rows, strict=True):
            laws[cell] = IntegerLaw(int(low[cell]), row[: high[cell] - low[cell] + 1]).trimmed(math.exp(-cut))
    heights = weights.log_weights(np.stack([best, hull.peak], axis=1), tilt)
    log_mass = heights[:, 0] + log_sums
    ceilings = np.where(whole, log_mass, heights[:, 1] + np.log(hull.width))
    log_loss = math.log(5 * low.size) - cut + float(np.sum(np.maximum(ceilings - log_mass, 0)))
    return TiltedCells(tuple(law for law in laws if law is not None), float(log_mass.sum()), log_loss)


def tilted_moments(weights: CellWeights, tilt: float, cut: float) -> tuple[float, float]:
    """Return mean and variance of the total under the tilted laws, cut more boldly than for the sums."""
    listed = weights.listed(tilt)
    if listed is not None:
        rows = np.exp(listed - listed.max(axis=1, keepdims=True))
        return _row_moments(rows / rows.sum(axis=1, keepdims=True))
    hull = weights.hull(tilt, cut)
    wide = hull.width > _WIDE
    moments = [_rough_law(weights, hull, int(cell), tilt)[:2] for cell in np.flatnonzero(wide)]
    for cells, rows, _, _ in _rows(weights, hull, tilt, ~wide):
        mean, variance = _row_moments(rows)
        moments.append((float(hull.low[cells].sum()) + mean, variance))
    mean_, variance_ = np.sum(moments, axis=0)
    return float(mean_), float(variance_)


def tilted_log_mass(weights: CellWeights, tilt: float, cut: float) -> float:
    """Return the log of the product of the masses Σ w(c) e^(λc) of all cells."""
    hull = weights.hull(tilt, cut)
    wide = hull.width > _WIDE
    masses = [_rough_law(weights, hull, int(cell), tilt)[2] for cell in np.flatnonzero(wide)]
    for cells, _, best, logs in _rows(weights, hull, tilt, ~wide):
        masses.append(float(np.sum(logs + _at(weights, cells, best, tilt))))
    return math.fsum(masses)


def tilt_for(weights: CellWeights, target: int, start: float, cut: float) -> tuple[float, float]:
    """Return a tilt at which the mean total is within a quarter of its deviation of the target, and that.

    The mean rises with the tilt, from 0 to k times the largest count: Newton, kept in a bracket.
    """
    tilt, variance, low, high, reach = start, 0.0, -math.inf, math.inf, 1.0
    for _ in range(_MOST_STEPS):
        mean, variance = tilted_moments(weights, tilt, cut)
        gap = target - mean
        if abs(gap) <= max(0.25 * math.sqrt(variance), 1e-3):
            break
        low, high = (tilt, high) if gap > 0 else (low, tilt)
        step = gap / variance if variance > abs(gap) / reach else math.copysign(reach, gap)
        tilt += step
        if not low < tilt < high:
            tilt = (low + high) / 2
        if math.isinf(low) or math.isinf(high):
            reach *= 2
        elif high - low <= 1e-14 * max(abs(low), abs(high)):
            break
    return tilt, math.sqrt(variance)


def _row_moments(rows: Floats) -> tuple[float, float]:
    """Return mean and variance of the sum of laws on 0, 1, ..., one in each row."""
    offsets = np.arange(rows.shape[1])
    means = rows @ offsets
    variances = np.maximum(rows @ (offsets * offsets) - means * means, 0)
    return float(means.sum()), float(variances.sum())


def _rows(
    weights: CellWeights, hull: Hull, tilt: float, wanted: NDArray[np.bool_] | None = None
) -> Iterator[tuple[NDArray[np.intp], Floats, Integers, Floats]]:
    """Yield cells, their laws as padded rows of mass 1, their modes, and −log of the mass there."""
    cells = np.arange(hull.low.size) if wanted is None else np.flatnonzero(wanted)
    width = hull.width
    cells = cells[np.argsort(width[cells], kind="stable")]
    start = 0
    while start < cells.size:
        # Rows of similar width share a matrix: the widest is at most twice the narrowest, or all is small.
        few = max(1, _AT_ONCE // int(width[cells[start]]))
        part = cells[start : start + few]
        if part.size * width[part[-1]] > _AT_ONCE // 8:
            part = part[width[part] <= 2 * width[part[0]]]
        start += part.size
        rows = _log_rows(weights, part, hull.low[part], int(width[part[-1]]), tilt)
        rows[np.arange(rows.shape[1]) >= width[part][:, None]] = -np.inf
        best = rows.argmax(axis=1)
        rows -= np.take_along_axis(rows, best[:, None], axis=1)
        np.exp(rows, out=rows)
        sums = rows.sum(axis=1)
        rows /= sums[:, None]
        yield part, rows, hull.low[part] + best, np.log(sums)


def _log_rows(
    weights: CellWeights, cells: NDArray[np.intp], low: Integers, columns: int, tilt: float
) -> Floats:
    """Add up steps, in runs: the rounding error grows with the number and the length of the runs only."""
    rows = np.zeros((cells.size, columns))
    for start in range(0, columns - 1, _RUN):
        stop = min(start + _RUN, columns - 1)
        steps = weights.steps(cells, low[:, None] + np.arange(start, stop), tilt)
        np.cumsum(steps, axis=1, out=steps)
        np.add(steps, rows[:, start : start + 1], out=rows[:, start + 1 : stop + 1])
    return rows


def _at(weights: CellWeights, cells: NDArray[np.intp], counts: Integers, tilt: float) -> Floats:
    every = np.zeros(weights.prior.size, dtype=np.int64)
    every[cells] = counts
    heights: Floats = weights.log_weights(every[:, None], tilt)[cells, 0]
    return heights


def _rough_law(weights: CellWeights, hull: Hull, cell: int, tilt: float) -> tuple[float, float, float]:
    """Return mean, variance and log mass of a wide law as if its log were straight between some points.

    The points crowd, geometrically, at both ends of the hull and around the peak.
    """
    one = weights.cell(cell)
    low, high, peak = int(hull.low[cell]), int(hull.high[cell]), int(hull.peak[cell])
    away = np.unique(np.geomspace(1, high - low, 400).astype(np.int64))
    points = np.unique(np.concatenate([[peak], low + away, high - away, peak + away, peak - away, [low]]))
    points = points[(points >= low) & (points <= high)]
    heights = one.log_weights(points[None], tilt)[0]
    best = heights.max()
    drop = np.abs(np.diff(heights))
    tops = np.maximum(heights[1:], heights[:-1]) - best
    shares = np.where(drop > 1e-8, -np.expm1(-drop) / np.maximum(drop, 1e-8), 1.0)
    mass = np.diff(points) * np.exp(tops) * shares
    middle = (points[1:] + points[:-1]) / 2
    total = mass.sum()
    mean = float(mass @ middle / total)
    variance = float(mass @ ((middle - mean) ** 2 + np.diff(points) ** 2 / 12) / total)
    return mean, variance, float(best + math.log(total))
