"""How many records each class has, and all of them: weights, chances and draws of these numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class OneClass:
    """The number of records of one class.

    Attributes:
        low: the least number that matters
        mass: the weights from there on, the largest being 1
        top: the log of that one
        more: by which part weights that matter are larger, at most
        others: the log of the weights of all other numbers, at most
    """

    low: int
    mass: Floats
    top: float
    more: float
    others: float

    @staticmethod
    def of(logs: Floats, bounds: Floats, fall: float) -> OneClass:
        """Take the numbers whose weights have not fallen too far."""
        top = float(logs.max())
        if not math.isfinite(top):
            return OneClass(0, np.ones(1), top, math.inf, math.inf)
        seen = np.flatnonzero(logs > top - fall)
        inside = slice(int(seen[0]), int(seen[-1]) + 1)
        others = np.delete(bounds, np.arange(inside.start, inside.stop))
        more = float(np.expm1(np.minimum(bounds[seen] - logs[seen], 700.0)).max())
        # What lies between numbers that matter, and does not, is an "other" one too
        gaps = logs[inside] <= top - fall
        others = np.append(others, bounds[inside][gaps])
        mass = np.where(gaps, 0.0, np.exp(logs[inside] - top))
        return OneClass(inside.start, mass, top, more, float(np.logaddexp.reduce(others, initial=-math.inf)))


@dataclass(frozen=True, eq=False)
class AllClasses:
    """The numbers of records of all classes together.

    Attributes:
        lows: the least number of each class
        masses: the weights from there on, the largest being 1
        before: the convolutions of the weights of the first classes: none, one, two and so on
        whole: the chance of each number of records in all
        first: the least such
        error: which share of all weights was left out, at most
    """

    lows: tuple[int, ...]
    masses: tuple[Floats, ...]
    before: tuple[Floats, ...]
    whole: Floats
    first: int
    error: float

    @staticmethod
    def of(classes: Sequence[OneClass], weights: Floats, *, known: bool) -> AllClasses | None:
        """Convolve what is known of each class, and weigh the sums; None if nothing is left.

        Args:
            classes: what is known of each
            weights: log n!/Γ(n+A) for all numbers of records
            known: whether there are as many records as there may be
        """
        before, scale, most = [np.ones(1)], 0.0, weights.size - 1
        for one in classes:
            both = np.convolve(before[-1], one.mass)
            scale += one.top + math.log(float(both.max()))
            before.append(both / both.max())
        first = sum(one.low for one in classes)
        numbers = first + np.arange(before[-1].size)
        allowed = (numbers == most) if known else (numbers <= most)
        with np.errstate(divide="ignore"):
            whole = np.log(before[-1]) + weights[np.minimum(numbers, most)]
        whole = np.where(allowed, whole, -np.inf)
        top = float(whole.max(initial=-np.inf))
        if not math.isfinite(top):
            return None
        chances = np.exp(whole - top)
        log_weight = top + math.log(float(chances.sum())) + scale
        error = math.expm1(min(sum(math.log1p(one.more) for one in classes), 700.0))
        every = [
            float(np.logaddexp(one.top + math.log((1 + one.more) * one.mass.sum()), one.others))
            for one in classes
        ]
        for one, mine in zip(classes, every, strict=True):
            error += math.exp(min(one.others + sum(every) - mine + float(weights.max()) - log_weight, 700.0))
        masses, lows = tuple(one.mass for one in classes), tuple(one.low for one in classes)
        return AllClasses(lows, masses, tuple(before), chances / chances.sum(), first, error)

    @cached_property
    def chances(self) -> tuple[Floats, ...]:
        """The chance of each number of each class, from its least on."""
        return self.of_classes(self.whole)

    def of_classes(self, whole: Floats) -> tuple[Floats, ...]:
        """Return the weight of each number of each class, where those of numbers of all records are given."""
        ahead = np.divide(whole, self.before[-1], out=np.zeros(whole.size), where=whole > 0)
        found: list[Floats] = []
        for c in reversed(range(len(self.masses))):
            mass, start = self.masses[c], self.before[c]
            mine = mass * np.correlate(ahead, start, "valid")
            found.append(mine * (whole.sum() / mine.sum()))
            ahead = np.correlate(ahead, mass, "valid")
            ahead = ahead / ahead.max()
        return tuple(reversed(found))

    def draws(self, number: int, rng: np.random.Generator) -> Integers:
        """Draw the numbers of all classes, a data set a row."""
        found = np.empty((number, len(self.masses)), dtype=np.int64)
        left = rng.choice(self.whole.size, size=number, p=self.whole)
        for c in reversed(range(len(self.masses))):
            mass, start = self.masses[c], self.before[c]
            for value in np.unique(left):
                who = np.flatnonzero(left == value)
                low, high = max(0, value - start.size + 1), min(mass.size - 1, value)
                weights = mass[low : high + 1] * start[value - high : value - low + 1][::-1]
                found[who, c] = low + rng.choice(weights.size, size=who.size, p=weights / weights.sum())
            left = left - found[:, c]
        return np.asarray(found + np.array(self.lows))
