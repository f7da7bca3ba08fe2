"""The largest value of a function of one number on an interval, and how near it is known to be."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

#: points of the first grid; of what is refined around its highest points, how often
_GRID, _PEAKS, _REFINED = 200, 3, 60
#: a proof stops at this gap, or after so many evaluations
_CLOSE, _MOST = 1e-6, 3000
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Optimum:
    """The best point that was found.

    Attributes:
        at: where it is
        value: the function there
        gap: no value anywhere is larger by more than this; None if nothing is known
        evaluations: how often the function was computed
    """

    at: float
    value: float
    gap: float | None
    evaluations: int


def highest(
    function: Callable[[float], float], low: float, high: float, steepness: float | None = None
) -> Optimum:
    """Return the best point of [low, high].

    With a steepness (the function changes by at most so much per unit) intervals are halved, the one that may
    hold the largest value first, until the best value found is proved best up to the gap. Without one the
    function is computed on a grid and refined by golden sections around the highest points: for a function
    that is not smooth at the scale of the grid this may miss the largest value, and no gap is stated.
    """
    return _searched(function, low, high) if steepness is None else _proved(function, low, high, steepness)


def _proved(function: Callable[[float], float], low: float, high: float, steepness: float) -> Optimum:
    """Halve the interval with the largest upper bound: the value at its middle, and steepness to its ends."""
    middle, half = (low + high) / 2, (high - low) / 2
    value = function(middle)
    at, best, evaluations = middle, value, 1
    open_ones = [(-(value + steepness * half), middle, half)]
    while -open_ones[0][0] - best > _CLOSE and evaluations < _MOST:
        _, middle, half = heapq.heappop(open_ones)
        half /= 2
        for centre in (middle - half, middle + half):
            value = function(centre)
            evaluations += 1
            if value > best:
                at, best = centre, value
            heapq.heappush(open_ones, (-(value + steepness * half), centre, half))
    return Optimum(at, best, max(0.0, -open_ones[0][0] - best), evaluations)


def _searched(function: Callable[[float], float], low: float, high: float) -> Optimum:
    step = (high - low) / _GRID
    points = [low + step * place for place in range(_GRID)] + [high]
    found = [(function(point), -place) for place, point in enumerate(points)]
    evaluations = len(points)
    best, place = max(found)
    at = points[-place]
    peaks = [
        -found[i][1]
        for i in range(len(found))
        if found[i][0] >= max(found[max(i - 1, 0)][0], found[min(i + 1, _GRID)][0])
    ]
    for peak in sorted(peaks, key=lambda i: -found[i][0])[:_PEAKS]:
        left, right = points[max(peak - 1, 0)], points[min(peak + 1, _GRID)]
        first, second = right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)
        values = function(first), function(second)
        for _ in range(_REFINED):
            for point, value in ((first, values[0]), (second, values[1])):
                if value > best:
                    at, best = point, value
            if values[0] >= values[1]:
                right, second = second, first
                first = right - _GOLDEN * (right - left)
                values = function(first), values[0]
            else:
                left, first = first, second
                second = left + _GOLDEN * (right - left)
                values = values[1], function(second)
        evaluations += _REFINED + 2
    return Optimum(at, best, None, evaluations)
