"""The 0-1 utility: a number is right if it is near enough, and worth nothing otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import fill
from privior.decisions.point_losses import PointUtility
from privior.decisions.reach import Reach
from privior.decisions.utility import Floats


@dataclass(frozen=True, init=False)
class ZeroOne(PointUtility):
    """1 if the value is within `tolerance` of the response, else 0: where most of the posterior is."""

    tolerance: Fraction
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "zero-one"
    about: ClassVar[str] = "right if within the tolerance: where most of the posterior is"

    def __init__(self, tolerance: object, *, lower: object = None, upper: object = None) -> None:
        number = self._number(tolerance, "tolerance")
        if number <= 0:
            raise self._refusal("tolerance is out of range", tolerance, "above 0")
        fill(self, tolerance=number)
        self._set_ends(lower, upper)

    def scores_at(self, values: Floats, at: float, reach: Reach) -> Floats:
        """Return 1 for each value that is near enough."""
        return np.asarray(abs(values - at) <= float(self.tolerance), dtype=np.float64)

    def best(self, values: Floats, among: Reach, reach: Reach) -> float:
        """Return the number that is right most often.

        A window can be moved up until its lower end meets a value, or its centre the end of the interval,
        and holds no fewer values: only these windows are tried. Of the best, the middle of what it holds.
        """
        known, tolerance = np.sort(values), float(self.tolerance)
        starts = known[(known + tolerance >= among.lower) & (known + tolerance <= among.upper)]
        starts = np.append(starts, among.upper - tolerance)
        first, last = np.searchsorted(known, starts), np.searchsorted(known, starts + 2 * tolerance, "right")
        most = int((last - first).argmax())
        if last[most] == first[most]:
            return among.upper
        middle = (known[first[most]] + known[last[most] - 1]) / 2
        return float(np.clip(middle, among.lower, among.upper))

    def variation(self, reach: Reach) -> float:
        """2: up from 0 to 1, and down again."""
        return 2.0

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the chance of being right, up to the tolerance."""
        return f"right within {float(self.tolerance):g} with probability {expected:.4g}"
