"""The reach of a quantity: between which numbers it lies, as a public fact. Utilities are scaled by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from privior.arrays import Floats
from privior.errors import DecisionError


@dataclass(frozen=True)
class Reach:
    """From `lower` to `upper`, which differ."""

    lower: float
    upper: float

    @staticmethod
    def of(ends: tuple[float, float], lower: Fraction | None, upper: Fraction | None) -> Reach:
        """Take what is known of a quantity, and declared ends instead where there are some."""
        low = ends[0] if lower is None else float(lower)
        high = ends[1] if upper is None else float(upper)
        if not (math.isfinite(low) and math.isfinite(high)):
            raise DecisionError(
                "the quantity has no public bounds, by which a utility could be scaled",
                asked=f"from {low:g} to {high:g}",
                advice="Declare lower and upper of the utility, or cut the prior to an interval.",
            )
        if not low < high:
            raise DecisionError(
                "the quantity has no room between its ends",
                asked=f"from {low:g} to {high:g}",
                advice="Declare lower and upper of the utility.",
            )
        return Reach(low, high)

    @property
    def width(self) -> float:
        """How far the ends are apart."""
        return self.upper - self.lower

    def clamped(self, values: Floats) -> Floats:
        """Return the values, those outside moved to the nearest end."""
        return np.clip(values, self.lower, self.upper)

    def outside(self, values: Floats) -> float:
        """Return the share of the values that lie outside."""
        return float(((values < self.lower) | (values > self.upper)).mean())

    def __str__(self) -> str:
        return f"{self.lower:g} to {self.upper:g}"
