"""What the best test can do that sees N independent draws of one of two laws: the likelihood ratio test.

With P and Q the laws of one draw, the loss log P/Q of N draws is a sum of N independent losses. By the lemma
of Neyman and Pearson nothing tells P from Q better than a threshold of that sum, so everything follows from
the law of the loss under P: delta(e) = E_P[(1 - e^(e - loss))_+] = sup_S P(S) - e^e Q(S), the total variation
delta(0), and the power at a chance a of a false alarm, the smallest of delta(e) + e^e a over all real e.

The loss of one draw is put on a grid. Rounded up, delta is at least the true one, rounded down at most: both
are kept through the sum of N, and every answer is an interval. What floating point adds is below 1e-12.

Where the law of the loss is itself known with an error only, which changes no delta(e) of one draw by more
than a number, delta of N draws is off by N times that: it is the mean, over the other draws, of that of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats

#: P[loss <= x] for many x
LossBelow = Callable[[Floats], Floats]

_MOST_POINTS = 1 << 22
#: losses beyond this are as good as infinite
_FARTHEST = 600.0
#: probability that may lie outside of the grid
_OUTSIDE = 1e-13


@dataclass(frozen=True)
class Bounds:
    """A number that lies between two others."""

    low: float
    high: float

    def __str__(self) -> str:
        narrow = self.high - self.low <= 2e-4 * self.high
        return f"{self.high:.4g}" if narrow else f"{self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True)
class RatioTest:
    """The best test between P and Q, given the law of the loss of one draw under P.

    Attributes:
        below: P[loss <= x]
        draws: N
        ends: what the loss of one draw lies between, if that is known
        points: of the grid; fewer make the intervals wider, never wrong
        certain: P[loss is infinite]: what P alone can give, which no threshold misses
        error: by how much `below` may put any delta of one draw off
    """

    below: LossBelow
    draws: int = 1
    ends: tuple[float, float] = (-_FARTHEST, _FARTHEST)
    points: int = 1 << 15
    certain: float = 0.0
    error: float = 0.0

    @cached_property
    def _law(self) -> tuple[Floats, Floats, float, float, float]:
        """Return chances of sums of rounded losses, the sums rounded down, how much they may be rounded,
        and the chance of a loss above the grid and below it."""
        from scipy import fft

        low, high = self._range()
        points = max(2, min(self.points, _MOST_POINTS // self.draws))
        edges = np.linspace(low, high, points + 1)
        cumulative = np.clip(self.below(edges), 0.0, 1.0)
        chances = np.maximum(np.diff(cumulative), 0.0)
        step = (high - low) / points
        above, beneath = 1 - float(cumulative[-1]), float(cumulative[0])
        chances[-1] += max(above - self.certain, 0.0)  # rounded down to the grid; rounded up they are beyond
        if self.draws > 1:
            size = fft.next_fast_len(points * self.draws, real=True)
            chances = np.maximum(fft.irfft(fft.rfft(chances, size) ** self.draws, size), 0.0)
            chances = chances[: points * self.draws - self.draws + 1]
        sums = np.asarray(self.draws * low + step * np.arange(chances.size), dtype=np.float64)
        return chances, sums, step * self.draws, 1 - (1 - above) ** self.draws, beneath

    def _range(self) -> tuple[float, float]:
        """Return a range that the loss hardly ever leaves."""
        low, high = max(self.ends[0], -_FARTHEST), min(self.ends[1], _FARTHEST)
        for _ in range(4):  # nearer each time: a loss may be small beside its largest possible value
            places = np.linspace(low, high, 2001)
            cumulative = self.below(places)
            first = int(np.searchsorted(cumulative, _OUTSIDE / self.draws, side="right"))
            last = int(np.searchsorted(cumulative, 1 - _OUTSIDE / self.draws, side="left"))
            low, high = float(places[max(first - 1, 0)]), float(places[min(last + 1, places.size - 1)])
        return low, high

    def _curves(self) -> tuple[Floats, Floats, Floats]:
        """Return epsilons at the sums rounded down, and delta there: at least and at most."""
        chances, sums, rounding, above, _ = self._law
        after = np.cumsum(chances[::-1])[::-1]
        tilted = np.cumsum((chances * np.exp(np.clip(-sums, -_FARTHEST, _FARTHEST)))[::-1])[::-1]
        scale = np.exp(np.clip(sums, -_FARTHEST, _FARTHEST))
        least = after - scale * tilted
        most = after - scale * tilted * np.exp(-rounding)
        # sums rounded down that are less than e by no more than the rounding may truly exceed e
        reach = np.searchsorted(sums, sums - rounding, side="right")
        reach = np.minimum(reach, np.arange(sums.size))  # a rounding may be too small to be seen
        early = after[reach] - after
        most = most + early * -np.expm1(-rounding)
        least = least + self._betrayed
        near = np.abs(sums) <= _FARTHEST / 2  # elsewhere e^e a is far above 1, or delta is 1
        least = np.clip(least - self._unsure, 0.0, 1.0)
        most = np.clip(most + above + self._unsure, 0.0, 1.0)
        return sums[near], least[near], most[near]

    @property
    def _unsure(self) -> float:
        """How far a chance may be off by rounding and by the error of `below`."""
        return 1e-12 + self.draws * self.error

    @property
    def _betrayed(self) -> float:
        """The chance that one draw or more is one that Q never gives."""
        return 1 - (1 - self.certain) ** self.draws

    def delta(self, epsilon: float) -> Bounds:
        """Bound sup over S of P(S) - e^epsilon Q(S)."""
        chances, sums, rounding, above, _ = self._law
        down = chances @ np.maximum(-np.expm1(np.minimum(epsilon - sums, 0.0)), 0.0)
        up = chances @ np.maximum(-np.expm1(np.minimum(epsilon - sums - rounding, 0.0)), 0.0)
        low = min(1.0, max(0.0, float(down) + self._betrayed - self._unsure))
        return Bounds(low, min(1.0, max(low, float(up) + above + self._unsure)))

    @property
    def total_variation(self) -> Bounds:
        """How far the laws of N draws are apart."""
        return self.delta(0.0)

    @property
    def accuracy(self) -> Bounds:
        """The chance that the best guess between P and Q is right, if both are as likely."""
        apart = self.total_variation
        return Bounds((1 + apart.low) / 2, (1 + apart.high) / 2)

    def power(self, false_alarm: float) -> Bounds:
        """The largest chance of finding P where it is, among tests that find it where Q is this often.

        P(S) <= e^e Q(S) + delta(e) for every e, and the best test attains the smallest right side. Both
        curves are convex and linear in e^e between the points of the grid, so the points are enough.
        """
        epsilons, least, most = self._curves()
        if not epsilons.size:  # every sum is far out: one point of the curve, below them all, is enough
            far = self.delta(-_FARTHEST / 2)
            epsilons, least, most = (np.array([one]) for one in (-_FARTHEST / 2, far.low, far.high))
        paid = np.exp(epsilons) * false_alarm
        low = min(1.0, float((least + paid).min()))
        return Bounds(max(low - 1e-12, false_alarm), min(1.0, max(low, float((most + paid).min()) + 1e-12)))
