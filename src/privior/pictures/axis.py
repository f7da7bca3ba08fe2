"""Axes: where a value lies between two ends, and which round numbers to write beside it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: a smaller number is drawn as if it were this; keeps steps from vanishing
_LEAST = 1e-300
#: powers of ten between which axes by ratio lie: a float can hold both ends
_EXPONENTS = (-301.0, 308.25)


@dataclass(frozen=True)
class Axis:
    """A scale from `low` to `high` with round `ticks`, in equal steps or in equal ratios."""

    low: float
    high: float
    ticks: tuple[float, ...]
    ratios: bool = False

    @staticmethod
    def from_zero(high: float, most: int = 6) -> Axis:
        """Return an axis from 0 to a round number that is not below `high`, with at most so many ticks."""
        high = high if high > _LEAST else 1.0
        step = _round_up(high / (most - 1))
        steps = math.ceil(high / step * (1 - 1e-12))
        ticks = tuple(number * step for number in range(steps + 1) if math.isfinite(number * step))
        return Axis(0.0, min(steps * step, sys.float_info.max), ticks)

    @staticmethod
    def over_zero(low: float, high: float, most: int = 6) -> Axis:
        """Return an axis between round numbers that holds 0, a negative number and whatever lies between."""
        high = max(high, 0.0)
        step = _round_up(max(high - low, _LEAST) / (most - 1))
        first, last = math.floor(low / step + 1e-12), math.ceil(high / step - 1e-12)
        return Axis(first * step, last * step, tuple(number * step for number in range(first, last + 1)))

    @staticmethod
    def around_zero(reach: float) -> Axis:
        """Return an axis around 0, as far as a round number that is not below `reach` on both sides."""
        end = _round_up(max(reach, _LEAST))
        return Axis(-end, end, (-end, 0.0, end))

    @staticmethod
    def between(low: float, high: float, most: int = 6) -> Axis:
        """Return an axis from one number to another, with round ticks between them."""
        step = _round_up(max(high - low, _LEAST) / most)
        first, last = math.ceil(low / step - 1e-12), math.floor(high / step + 1e-12)
        return Axis(low, high, tuple(number * step for number in range(first, last + 1)))

    @staticmethod
    def by_ratio(values: Sequence[float], most: int = 8) -> Axis:
        """Return a logarithmic axis with a little room on both sides of positive values."""
        least, largest = (math.log10(max(end, _LEAST)) for end in (min(values), max(values)))
        room = 0.04 * (largest - least) if largest - least > 1e-6 else 0.35
        least, largest = max(least - room, _EXPONENTS[0]), min(largest + room, _EXPONENTS[1])
        low, high = 10**least, 10**largest
        ticks = [tick for tick in _powers(least, largest, most) if low <= tick <= high]
        if len(ticks) < 2:
            step = _round_up((high - low) / 3)
            ticks = [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return Axis(low, high, tuple(ticks), ratios=True)

    @staticmethod
    def fitting(values: Sequence[float], ratio: float = 5) -> Axis:
        """Return an axis from zero, or a logarithmic one if positive values differ by such a ratio."""
        if min(values) > 0 and math.log10(max(values)) - math.log10(min(values)) >= math.log10(ratio):
            return Axis.by_ratio(values)
        return Axis.from_zero(max(values))

    @staticmethod
    def legible(make: Callable[[int], Axis], room: float, most: int = 6) -> Axis:
        """Return the axis with as many ticks as can be told apart.

        Args:
            make: an axis with at most about so many ticks
            room: how long it is drawn where there is little room, in letters
            most: ticks
        """
        made = (make(number) for number in range(most, 2, -1))
        return next((axis for axis in made if axis.needs <= room), make(2))

    @property
    def needs(self) -> float:
        """How long it must be drawn, in letters: labels in the middle of ticks, those at the ends inside."""
        return (len(self.ticks) - 1) * (1.5 * max(map(len, self.labels), default=0) + 1.5)

    def place(self, value: float) -> float:
        """Return where a value lies: 0 at the low end, 1 at the high end."""
        if not self.ratios:
            return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        low, high = math.log10(self.low), math.log10(self.high)
        return min(max((math.log10(value) - low) / (high - low), 0.0), 1.0) if value > 0 else 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """The ticks as written."""
        return tuple(number(tick, 6) for tick in self.ticks)


def number(value: float, digits: int = 3) -> str:
    """Write a number with so many digits that count, without needless zeros.

    >>> number(0.034215), number(1000), number(1.5e-7), number(0.30000000000000004)
    ('0.0342', '1000', '1.5e-7', '0.3')
    """
    rounded = float(f"{value:.{digits}g}")
    if rounded == 0 or 1e-4 <= abs(rounded) < 1e6:
        return f"{rounded:.10g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(exponent)}"


def _round_up(step: float) -> float:
    """Return the least of 1, 2, 5 times a power of ten that is not below a step."""
    power = math.floor(math.log10(step))
    fits = (float(f"{factor}e{power}") for factor in (1, 2, 5, 10))
    return next(round_step for round_step in fits if round_step >= step * (1 - 1e-12))


def _powers(least: float, largest: float, most: int) -> list[float]:
    """Return 1, 2, 5 or 1, 3 times powers of ten, or every so many powers: at most so many inside."""
    powers = range(math.floor(least), min(math.ceil(largest), 308) + 1)
    for factors in ((1, 2, 5), (1, 3)):
        dense = [float(f"{factor}e{power}") for power in powers for factor in factors]
        if sum(10**least <= tick <= 10**largest for tick in dense) <= most:
            return dense
    every = max(1, math.ceil((largest - least) / (most - 1)))
    return [float(f"1e{power}") for power in powers if power % every == 0]
