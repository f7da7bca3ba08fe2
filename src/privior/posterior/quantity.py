"""Quantities: the posterior of one number, such as a probability, with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import NoReturn

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError, shown

#: no more numbers than this are drawn at once (2 GB)
MOST_NUMBERS = 250_000_000
#: draws behind numbers that have no closed form, fewer for large tables; their seed is that of the inference,
#: so that asking twice gives one answer
DRAWS = 4000


def check_level(level: object) -> float:
    """Return the level of an interval, which lies between 0 and 1."""
    return _part(level, "not the level of an interval")


def check_share(share: object) -> float:
    """Return the share of a quantile, which lies between 0 and 1."""
    return _part(share, "not the share of a quantile")


def _part(value: object, refusal: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InferenceError(refusal, asked=shown(value), allowed="a number between 0 and 1")
    return float(value)


def _whole(value: object, least: int, refusal: str) -> int:
    """Read a whole number, numpy's too."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InferenceError(refusal, asked=shown(value))
    return int(value)


def check_number(number: object, name: str, cells: int = 1) -> int:
    """Return how many draws or records are wanted: a positive whole number, not too many to hold."""
    found = _whole(number, 1, f"{name} is not a positive whole number")
    if found * cells > MOST_NUMBERS:
        raise InferenceError(f"{name} is too large", asked=shown(number), allowed=MOST_NUMBERS // cells)
    return found


def generator(seed: object) -> np.random.Generator:
    """Return a generator for post-processing; without a seed a new one each time."""
    return np.random.default_rng(None if seed is None else check_seed(seed))


def check_seed(seed: object) -> int:
    """Return a seed: a whole number, not negative."""
    return _whole(seed, 0, "a seed is a whole number, not negative")


def no_intervals() -> NoReturn:
    """Refuse to say how uncertain a number is of which an estimate alone was released."""
    raise InferenceError(
        "this release has estimates and no intervals: nothing in it tells how uncertain they are",
        advice="Ask for the estimates: parameters(), P(target=level | column=value), predict_proba(frame). A "
        "release that is planned with intervals=True has intervals.",
    )


def quantiles(draws: Floats, level: float) -> Floats:
    """Return the equal-tailed interval of draws along the first axis, as (..., 2)."""
    tail = (1 - level) / 2
    return np.stack([_quantile(draws, share) for share in (tail, 1 - tail)], axis=-1)


def _quantile(draws: Floats, share: float) -> Floats:
    """Return a quantile along the first axis, to the last digit numpy's own, which loads masked arrays."""
    place = (len(draws) - 1) * share
    below = min(max(math.floor(place), 0), len(draws) - 1)
    above, part = min(below + 1, len(draws) - 1), place - below
    ordered = np.partition(draws, sorted({below, above, len(draws) - 1}), axis=0)
    one, other = ordered[below], ordered[above]
    between = other - (other - one) * (1 - part) if part >= 0.5 else one + (other - one) * part
    return np.where(np.isnan(ordered[-1]), np.nan, between)


def occurring(draws: Floats, share: float) -> float:
    """Return the least of some draws that at least this share of them does not exceed."""
    place = min(max(math.ceil(draws.size * share - 1e-9) - 1, 0), draws.size - 1)
    return float(np.partition(draws, place)[place])


@dataclass(frozen=True, repr=False)
class Quantity:
    """What a posterior says about one number.

    Attributes:
        name: the question
        mean: the posterior mean, such as the probability of the event for the next record
        drawn: draws from the posterior, or how they are made, where a closed form may make them needless
        exact_interval: the interval in closed form where there is one, else it is read off the draws
        exact_stddev: likewise the standard deviation
        undefined: how probable it is that there is no such number: nobody is as the condition says
        provided: what it rests on that nothing released can tell, such as "x is Poisson"
        alone: whether it is an estimate of which nobody knows how uncertain it is: there is no interval
        occurring: whether it is one of the values of a column: estimate and interval are such values
    """

    name: str
    mean: float
    drawn: Floats | Callable[[], Floats]
    exact_interval: Callable[[float], tuple[float, float]] | None = None
    exact_stddev: float | None = None
    undefined: float = 0.0
    provided: str = ""
    alone: bool = False
    occurring: bool = False

    @staticmethod
    def of(name: str, values: Floats) -> Quantity:
        """Read everything off draws; those without such a number are left out."""
        there = np.isfinite(values)
        if there.all():
            return Quantity(name, float(values.mean()), values)
        known = values[there]
        if not known.size:
            raise InferenceError("there is no such number: nobody is as the condition says", asked=name)
        return Quantity(name, float(known.mean()), known, undefined=1 - known.size / values.size)

    @cached_property
    def values(self) -> Floats:
        """Draws from the posterior."""
        return self.drawn() if callable(self.drawn) else self.drawn

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """Return the equal-tailed interval that holds the number with this probability."""
        check_level(level)
        if self.occurring:
            low, high = (occurring(self.values, share) for share in ((1 - level) / 2, (1 + level) / 2))
            return low, high
        if self.exact_interval is not None:
            return self.exact_interval(level)
        low, high = quantiles(self.values, level)
        return float(low), float(high)

    @property
    def estimate(self) -> float:
        """The number that is given as the answer: the mean; of what is a value, the middle one."""
        return occurring(self.values, 0.5) if self.occurring and not self.alone else self.mean

    @property
    def stddev(self) -> float:
        """The standard deviation of the number."""
        return float(self.values.std()) if self.exact_stddev is None else self.exact_stddev

    @property
    def simulation_error(self) -> float:
        """The standard error of a mean over the draws, where anything is read off them; 0 otherwise."""
        if self.exact_interval is not None:
            return 0.0
        return float(self.values.std() / math.sqrt(self.values.size))

    def __repr__(self) -> str:
        return f"<{self}>"

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        if self.alone:
            return f"{self.name} = {self.mean:.4f}, an estimate without an interval"
        low, high = self.interval(0.9)
        if self.occurring:
            said = f"{self.name} = {self.estimate:.10g}, between {low:.10g} and {high:.10g}"
            return f"{said} with probability 90%"
        return f"{self.name} = {self.mean:.4f}, between {low:.4f} and {high:.4f} with probability 90%"
