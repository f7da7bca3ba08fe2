"""One row of a feature's table given its number of records: weights of its cells, and their convolution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.special import gammaln

LogNoise = Callable[[Integers], Floats]
#: numbers this small beside the largest may be rounded to zero
_ROUNDED = math.log(1e-300)


@dataclass(frozen=True, eq=False)
class Windowed:
    """The weights of a cell's counts, where they matter.

    Attributes:
        low: the least count
        mass: the weights from there on, the largest being 1
        log_scale: the log of that one
        log_tail: the log of what all other counts weigh, at most
        prior: the Dirichlet parameter
    """

    low: int
    mass: Floats
    log_scale: float
    log_tail: float
    prior: float

    @property
    def high(self) -> int:
        """The largest count that is looked at."""
        return self.low + self.mass.size - 1

    @property
    def log_whole(self) -> float:
        """The log of all weights, at most."""
        inside = self.log_scale + math.log(float(self.mass.sum()))
        return float(np.logaddexp(inside, self.log_tail))


def log_noise(evidence: JointEvidence, places: Integers) -> list[LogNoise]:
    """Return for some cells the log likelihood of counts, which is at most 0."""

    def of(place: int) -> LogNoise:
        columns = (evidence.observed, evidence.rates, evidence.curvatures)
        observed, rates, curvatures = (one[:, place, np.newaxis] for one in columns)

        def noise(numbers: Integers) -> Floats:
            away = observed - numbers
            return np.asarray(-(rates * np.abs(away) + curvatures * away**2 / 2).sum(axis=0))

        return noise

    return [of(int(place)) for place in places]


def window(noise: LogNoise, prior: float, most: int, fall: float) -> Windowed:
    """Return the weights of a cell's counts where the noise is not below e^-fall of its largest.

    The log likelihood is concave. Above the window weights fall at least by the ratio of the first two beyond
    it, if that is below 1; below it, Γ(m+α)/m! is largest at one of its ends.
    """
    peak = _first(lambda m: _at(noise, m) >= _at(noise, m + 1), 0, most)
    least = _at(noise, peak) - fall
    low = _first(lambda m: _at(noise, m) >= least, 0, peak)
    high = _first(lambda m: _at(noise, m + 1) < least, peak, most)
    counts = np.arange(low, high + 1)
    logs = noise(counts) + _log_shape(counts, prior)
    top, tail = float(logs.max()), -math.inf
    if low > 0:
        shape = _log_shape(np.array([0, low - 1]), prior)
        tail = math.log(low) + float(shape.max()) + _at(noise, low - 1)
    if high < most:
        beyond = np.array([high + 1, high + 2])
        first, second = noise(beyond).tolist()
        ratio = second - first + max(0.0, math.log((high + 1 + prior) / (high + 2)))
        weight = first + float(_log_shape(beyond[:1], prior)[0])
        terms = math.log(most - high) if ratio >= 0 else -math.log(-math.expm1(ratio))
        # Where weights do not fall from here on, they may grow by the shape alone
        more = max(0.0, prior - 1) * math.log((most + prior) / (high + 1)) if ratio >= 0 else 0.0
        tail = float(np.logaddexp(tail, weight + terms + more))
    return Windowed(low, np.exp(logs - top), top, tail, prior)


def _log_shape(counts: Integers, prior: float) -> Floats:
    return np.asarray(gammaln(counts + prior) - gammaln(counts + 1.0))


def _at(noise: LogNoise, count: int) -> float:
    return float(noise(np.array([count]))[0])


def _first(true: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first number for which something is true, once it is true for all after; else the last."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if true(middle) else (middle + 1, high)
    return low


def summed_row(cells: Sequence[Windowed], most: int) -> ClassRow:
    """Convolve the weights of the cells of a row."""
    before, lows, scale = [np.ones(1)], [0], 0.0
    for cell in cells:
        low = lows[-1] + cell.low
        both = np.convolve(before[-1], cell.mass)[: max(1, most - low + 1)]
        top = float(both.max())
        before.append(both / top)
        lows.append(low)
        scale += cell.log_scale + math.log(top)
    return ClassRow(tuple(cells), tuple(before), tuple(lows), scale)


@dataclass(frozen=True, eq=False)
class ClassRow:
    """A row of a feature's table.

    Attributes:
        cells: their weights
        before: the convolutions of the weights of the first cells: none, one, two and so on
        lows: their least sums
        log_scale: of the last one
    """

    cells: tuple[Windowed, ...]
    before: tuple[Floats, ...]
    lows: tuple[int, ...]
    log_scale: float

    @property
    def low(self) -> int:
        """The least number of records that a row may have."""
        return self.lows[-1]

    @property
    def high(self) -> int:
        """The largest number of records that a row may have."""
        return self.low + self.before[-1].size - 1

    @cached_property
    def kappa(self) -> float:
        """The sum of the Dirichlet parameters."""
        return sum(cell.prior for cell in self.cells)

    def log_weights(self, numbers: Integers, *, at_most: bool = False) -> Floats:
        """Return the log weights of consecutive numbers of records, but for N!/Γ(N+κ).

        Args:
            numbers: of records
            at_most: add what was left out, at most
        """
        with np.errstate(divide="ignore"):
            inside = np.log(between(self.before[-1], self.low, int(numbers[0]), int(numbers[-1])))
        inside += self.log_scale
        return np.asarray(np.logaddexp(inside, self.log_lost)) if at_most else inside

    @cached_property
    def log_lost(self) -> float:
        """The log of what rows with some cell outside its window weigh, whatever their number, at most."""
        wholes = [cell.log_whole for cell in self.cells]
        tails = [cell.log_tail - whole for cell, whole in zip(self.cells, wholes, strict=True)]
        rounded = math.log(sum(one.size for one in self.before)) + _ROUNDED
        return float(np.logaddexp.reduce([*tails, rounded])) + sum(wholes)

    def laws(self, low: int, chances: Floats) -> list[Floats]:
        """Return the chances of the counts of each cell.

        Args:
            low: the least number of records
            chances: of the numbers from there on; each cell's have the same sum
        """
        mine = between(self.before[-1], self.low, low, low + chances.size - 1)
        ahead = np.divide(chances, mine, out=np.zeros(chances.size), where=chances > 0)
        start, found = low, list[Floats]()
        for k in reversed(range(len(self.cells))):
            cell, first, before = self.cells[k], self.lows[k], self.before[k]
            last = first + before.size - 1
            seen = between(ahead, start, first + cell.low, last + cell.high)
            mass = cell.mass * np.correlate(seen, before, "valid")
            found.append(mass * (chances.sum() / mass.sum()))
            ahead, start = np.correlate(seen, cell.mass, "valid"), first
            ahead = ahead / ahead.max()
        return found[::-1]

    def draws(self, numbers: Integers, rng: np.random.Generator) -> Integers:
        """Draw the counts of the cells given numbers of records, a row for each."""
        found = np.empty((numbers.size, len(self.cells)), dtype=np.int64)
        left = numbers.copy()
        for k in reversed(range(len(self.cells))):
            cell, first, before = self.cells[k], self.lows[k], self.before[k]
            uniform = rng.random(numbers.size)
            order = np.argsort(left, kind="stable")
            edges = np.flatnonzero(np.append(True, np.diff(left[order]) > 0))
            for who in np.split(order, edges[1:]):
                whole = int(left[who[0]])
                low, high = max(cell.low, whole - first - before.size + 1), min(cell.high, whole - first)
                rest = before[whole - high - first : whole - low - first + 1][::-1]
                sums = np.cumsum(cell.mass[low - cell.low : high - cell.low + 1] * rest)
                place = np.searchsorted(sums, uniform[who] * sums[-1], side="right")
                found[who, k] = low + np.minimum(place, sums.size - 1)
            left = left - found[:, k]
        return found


def between(values: Floats, start: int, low: int, high: int) -> Floats:
    """Return the numbers at places low to high of an array that begins at a place; zero outside."""
    found = np.zeros(high - low + 1)
    first, last = max(start, low), min(start + values.size - 1, high)
    if first <= last:
        found[first - low : last - low + 1] = values[first - start : last - start + 1]
    return found
