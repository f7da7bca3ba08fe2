"""Laws of the privacy loss on a grid that are never below a pair: its curve, with the dots connected.

A law gives a mass to each loss j * gap and to an infinite loss; its curve is h(x) = infinite + sum of
mass_j (1 - x e^(-j gap))_+, x = e^epsilon. If h is nowhere below the curve of a pair then, for any masses
that are not negative, of whatever sum, the convolution of such laws is nowhere below the composition of the
pairs: E over the losses of one pair of the curve of the other at x e^-loss is monotone in that curve, and
symmetric in the two pairs (Zhu, Dong, Wang 2022). So every rounding here that adds mass is safe.

Connecting the dots (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022): a curve is convex in x,
so the chords of any upper bounds of its values on the grid are above it; their kinks are the masses.
Negative epsilons are taken from the mirror, h(x) = 1 - x + x mirror(1/x), which keeps the small lower tail.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import numpy as np

from privior.exact import round_up
from privior.privacy.composition.smooth_losses import Reals, smooth_masses, smooth_reach
from privior.privacy.pairs import DominatingPair

#: the rounding of one operation; sums of a few roundings are covered by 16 of them
UNIT = 2.0**-53
_PAD = 16 * UNIT
#: losses beyond this count as infinite: e^loss must be a float
_FARTHEST = 600.0
#: a curve below this is not followed any farther, and so many dots are the most for it
_NOTHING, _MOST_FINE = 1e-30, 1 << 16


@dataclass(frozen=True, eq=False)
class LossLaw:
    """Masses of the losses (low + k) * gap, k = 0, 1, ..., and of an infinite loss."""

    gap: float
    low: int
    masses: Reals
    infinite: float

    @property
    def losses(self) -> Reals:
        """The losses of the grid, from the smallest on."""
        return np.asarray((self.low + np.arange(len(self.masses))) * self.gap, dtype=np.float64)

    @cached_property
    def logarithms(self) -> Reals:
        """The logarithms of the masses."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.masses))

    def variance(self) -> float:
        """The variance of the finite losses."""
        total = float(self.masses.sum())
        mean = float(self.losses @ self.masses) / total
        return float((self.losses - mean) ** 2 @ self.masses) / total


def reach(pair: DominatingPair, tail: float) -> float:
    """Return a loss beyond which the curve is at most `tail`, or hardly falls any more; only a choice."""
    found = smooth_reach(pair, tail)
    if found is not None:
        return min(found, _FARTHEST)
    most = math.inf if pair.pure is None else max(round_up(pair.pure), 1e-12)
    low, high = 0.0, min(most, max(1e-9, 2 * pair.delta(0.0)))
    while high < min(most, _FARTHEST) and pair.delta(high) > tail:
        if pair.delta(min(most, _FARTHEST)) >= pair.delta(high) * (1 - 1e-12):
            break
        low, high = high, min(2 * high, most)
    while high - low > high / 16 and high < most:
        middle = (low + high) / 2
        low, high = (middle, high) if pair.delta(middle) > tail else (low, middle)
    return min(high, _FARTHEST)


@lru_cache(maxsize=64)
def _curve(pair: Hashable, gap: float, count: int) -> Reals:
    """The curve at 0, gap, ..., count * gap, which are exact: a gap has few bits.

    The largest of several is that of their dots; a smooth pair has its dots from its masses.
    """
    members = cast(DominatingPair, pair).members
    if members != (pair,):
        curves = [_curve(cast(Hashable, one), gap, count) for one in members]
        return np.asarray(np.maximum.reduce(curves))
    smooth = _smooth_curve(pair, gap, count)
    if smooth is not None:
        return smooth
    curve = cast(DominatingPair, pair).delta
    values = np.array([curve(k * gap) for k in range(count + 1)])
    return np.asarray(np.minimum.accumulate(np.minimum(values, 1.0)))


def _smooth_curve(pair: Hashable, gap: float, count: int) -> Reals | None:
    """The curve from masses on the same or a finer grid, as far as it reaches; None if not smooth."""
    far = smooth_reach(cast(DominatingPair, pair), _NOTHING)
    if far is None:
        return None
    for finer in (1, 8, 64, 512):
        reached = min(count, max(2, math.ceil(far / gap)))
        dots, step = reached * finer, gap / finer
        smooth = smooth_masses(pair, step, -dots, dots) if dots <= _MOST_FINE else None
        if smooth is not None:
            values = _values(smooth[0][dots:], smooth[1], step)[::finer] * (1 + 4 * UNIT * (dots + 8))
            return np.asarray(np.minimum(np.pad(values, (0, count - reached), mode="edge"), 1.0))
    return None


def pessimistic(pair: DominatingPair, gap: float, up: float, down: float) -> LossLaw:
    """Return a law on multiples of the gap, from about -down to up, that is nowhere below the pair.

    What lies above `up` becomes infinite, what lies below `-down` is raised. The masses are differences of
    floats; 16 units of the last place of what is subtracted are added to each, more than their rounding.
    Smooth pairs have their masses from the density.
    """
    above, below = max(2, math.ceil(up / gap)), max(2, math.ceil(down / gap))
    smooth = smooth_masses(cast(Hashable, pair), gap, -below, above)
    if smooth is not None:
        masses, infinite = smooth
        return LossLaw(gap, -below, masses, infinite)
    mine = _curve(cast(Hashable, pair), gap, above).copy()
    other = _curve(cast(Hashable, pair.mirror), gap, below).copy()
    mine[0] = other[0] = max(mine[0], other[0])
    higher, lower = _dots(mine, gap), _dots(other, gap)
    lower = lower * np.exp(-gap * np.arange(1, below + 1)) * (1 + _PAD)
    left = 1 - other[1] - (other[0] - other[1]) / -math.expm1(-gap)
    centre = max(0.0, left - (mine[0] - mine[1]) / math.expm1(gap)) + 8 * _PAD
    return LossLaw(gap, -below, np.concatenate([lower[::-1], [centre], higher]), float(mine[-1]))


def _dots(values: Reals, gap: float) -> Reals:
    """Connect the dots at 0, gap, ...; return the masses above 0, rounded up, none of them negative."""
    falls = -np.diff(values)
    subtracted = (falls * math.exp(gap) + np.append(falls[1:], 0.0)) / math.expm1(gap)
    return np.asarray(np.maximum(_kinks(values, gap), 0.0) * (1 + _PAD) + _PAD * subtracted)


def optimistic(law: LossLaw, certain: tuple[float, float] = (0.0, 0.0)) -> LossLaw:
    """Return a law on the same grid that is nowhere above any pair with this one's values on the grid.

    Between two dots a convex curve is above the lines through the two dots before and the two after. So
    the chord, lowered at both ends by the largest height of that triangle, is below the curve. Negative
    masses, where the lowered dots are not convex, are removed with their dots: the lower convex hull.

    Args:
        law: with connected dots
        certain: what P gives and Q never does, and the reverse
    """
    zero = -law.low
    decay = np.exp(-law.losses)
    mine = _values(law.masses[zero:], law.infinite, law.gap)
    images = (law.masses * decay)[: zero + 1][::-1]
    lost = max(0.0, 1.0 - float(law.masses @ decay))
    other = _values(images, lost, law.gap)
    step = math.exp(-law.gap)
    mine_only, other_only = certain
    before_one, before_two = 1 - step + step * other[1], 1 - step + step * mine[1]
    ones = mine_only + _lowered(mine - mine_only, before_one - mine_only, law.gap)
    twos = other_only + _lowered(other - other_only, before_two - other_only, law.gap)
    ones[0] = twos[0] = min(ones[0], twos[0])
    higher = _kinks(ones, law.gap)
    lower = _kinks(twos, law.gap) / decay[:zero][::-1]
    left = 1 - twos[1] - (twos[0] - twos[1]) / (1 - step)
    centre = left - (ones[0] - ones[1]) / math.expm1(law.gap)
    masses = _hull(np.concatenate([lower[::-1], [centre], higher]), law.gap)
    excess = float(law.masses.sum()) + law.infinite - 1  # what rounding up has added
    total = max(1.0, float(masses.sum()) + mine_only)
    return LossLaw(law.gap, law.low, masses * (1 - min(1.0, 4 * abs(excess))) / total, mine_only / total)


def _values(masses: Reals, infinite: float, gap: float) -> Reals:
    """The curve at 0, gap, ... of masses there, by sums of positive terms."""
    grid = np.arange(len(masses)) * gap
    tails = np.cumsum((masses * np.exp(-grid))[::-1])[::-1]  # under Q, at or above each dot
    falls = np.append(np.exp(grid[:-1]) * math.expm1(gap) * tails[1:], 0.0)
    return np.asarray(infinite + np.cumsum(falls[::-1])[::-1])


def _lowered(values: Reals, before: float, gap: float) -> Reals:
    """Lower the dots so that chords become bounds from below; the last dot goes to 0."""
    width, back = math.expm1(gap), -math.expm1(-gap)
    previous = np.concatenate([[before], values[:-2]])
    here, there = values[:-1], values[1:]
    after = np.append(values[2:], values[-1])
    first = (there - here) / width + (previous - here) / back
    second = (here - there) / width - (there - after) / (math.exp(gap) * width)
    rise, fall = np.maximum(first, 0.0), np.maximum(second, 0.0)
    heights = np.divide(rise * fall * width, rise + fall, out=np.zeros_like(rise), where=rise + fall > 0)
    low = values - np.maximum(np.append(heights, 0.0), np.concatenate([[0.0], heights]))
    low[-1] = 0.0
    first_empty = int(np.argmax(low <= 0))
    low[first_empty:] = 0.0
    if first_empty > 0:
        low[first_empty - 1] = min(low[first_empty - 1], values[first_empty])
    return np.asarray(low)


def _kinks(values: Reals, gap: float) -> Reals:
    """Return the masses above 0 of the chords, with their signs."""
    falls = -np.diff(values)
    return np.asarray((falls * math.exp(gap) - np.append(falls[1:], 0.0)) / math.expm1(gap))


def _hull(masses: Reals, gap: float) -> Reals:
    """Give the mass of each dot that is not convex to its neighbours, keeping both laws' sums."""
    places: list[int] = []
    kept: list[float] = []
    for place, mass in enumerate(masses):
        places.append(place)
        kept.append(float(mass))
        while len(kept) > 2 and kept[-2] < 0:
            before, after = (places[-2] - places[-3]) * gap, (places[-1] - places[-2]) * gap
            share = -math.expm1(-after) / (math.exp(before) - math.exp(-after))
            kept[-3] += kept[-2] * share
            kept[-1] += kept[-2] * (1 - share)
            del kept[-2], places[-2]
    found = np.zeros_like(masses)
    for place, mass in zip(places, kept, strict=True):
        found[place] = max(0.0, mass)
    return found
