"""Judges: what a response is worth on each draw, by a named utility of a quantity or by any callable."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.decisions.optimising import Optimum, highest
from privior.decisions.reach import Reach
from privior.decisions.responses import ResponseInterval
from privior.decisions.utility import Response, Utility
from privior.errors import DecisionError, shown

#: u(theta, query, response): theta are draws as (draws, parameters), the answer is one number per draw
Callback = Callable[[Floats, object, object], object]

#: how far a utility may leave [0, 1] by rounding
_ROUNDING = 1e-9


class Judge(ABC):
    """The utility of any response on each of the same draws."""

    #: the share of draws whose quantity was outside of its declared reach
    clamped: float = 0.0

    @property
    @abstractmethod
    def size(self) -> int:
        """How many draws there are."""

    @property
    def variation(self) -> float | None:
        """How much a score varies with the quantity; None if nothing is known."""
        return None

    @property
    def actions(self) -> tuple[str, ...] | None:
        """The responses, if they are a few named ones."""
        return None

    @abstractmethod
    def ends(self, among: ResponseInterval | None) -> tuple[float, float]:
        """Return the ends of an interval of responses, or of all that there are."""

    def near(self, among: ResponseInterval | None) -> tuple[float, float]:
        """Return between what the numbers lie that are worth to be shown beside the best one."""
        return self.ends(among)

    def travel(self, among: ResponseInterval | None) -> float | None:
        """Return how much the utility changes at most as the response goes through the interval, if known."""
        return None

    def read(self, given: object) -> object:
        """Read a response, or refuse what is none."""
        return given

    @abstractmethod
    def scores(self, response: object) -> Floats:
        """Return the utility of a response on each draw, from 0 to 1."""

    @abstractmethod
    def optimum(self, among: ResponseInterval | None) -> tuple[object, float | None, str]:
        """Return the best response of an interval, how far from the best it may be, how it was found."""

    def plain(self, expected: float) -> str:
        """Say what an expected utility means in the quantity's own units; empty if that is unknown."""
        return ""


@dataclass(frozen=True, eq=False)
class NamedJudge(Judge):
    """A named utility, on draws of its quantity; values outside of the reach count as its nearest end."""

    utility: Utility
    values: Floats
    reach: Reach
    clamped: float = 0.0

    @staticmethod
    def of(utility: Utility, values: Floats, reach: Reach) -> NamedJudge:
        """Clamp the values, and keep how many had to be."""
        return NamedJudge(utility, reach.clamped(values), reach, reach.outside(values))

    @property
    def size(self) -> int:
        """How many draws there are."""
        return int(self.values.size)

    @property
    def variation(self) -> float | None:
        """How much a score varies with the quantity."""
        return self.utility.variation(self.reach)

    @property
    def actions(self) -> tuple[str, ...] | None:
        """The responses, if they are a few named ones."""
        return self.utility.actions

    def ends(self, among: ResponseInterval | None) -> tuple[float, float]:
        """Return the ends of an interval within the reach, or of the reach."""
        if among is None:
            return self.reach.lower, self.reach.upper
        low, high = float(among.lower), float(among.upper)
        if low < self.reach.lower or high > self.reach.upper:
            raise DecisionError(
                "responses are out of range", where="responses", asked=among, allowed=self.reach
            )
        return low, high

    def near(self, among: ResponseInterval | None) -> tuple[float, float]:
        """Return what holds 99.8% of the draws, within what may be answered; all of it if that is a point."""
        whole = self.ends(among)
        low, high = np.clip(np.quantile(self.values, [0.001, 0.999]), *whole)
        return (float(low), float(high)) if low < high else whole

    def read(self, given: object) -> Response:
        """Read a response, or refuse what is none."""
        return self.utility.response(given, self.reach)

    def scores(self, response: object) -> Floats:
        """Return the utility of a response on each draw."""
        return self.utility.scores(self.values, self.read(response), self.reach)

    def optimum(self, among: ResponseInterval | None) -> tuple[object, float | None, str]:
        """Return the best response in closed form."""
        if self.utility.actions is not None:
            raise DecisionError(
                "actions are no interval of numbers",
                where="responses",
                asked=among,
                allowed=", ".join(self.utility.actions),
            )
        return self.utility.best(self.values, Reach(*self.ends(among)), self.reach), 0.0, "in closed form"

    def plain(self, expected: float) -> str:
        """Say what an expected utility means in the quantity's own units."""
        return self.utility.plain(expected, self.reach)


@dataclass(frozen=True, eq=False)
class CallableJudge(Judge):
    """Any callable, on draws of the parameters; what it returns is checked, never clamped."""

    utility: Callback
    query: object
    theta: Floats

    @property
    def size(self) -> int:
        """How many draws there are."""
        return len(self.theta)

    def ends(self, among: ResponseInterval | None) -> tuple[float, float]:
        """Return the ends of the interval, which must be given."""
        if among is None:
            raise DecisionError(
                "a callable needs candidate responses",
                where="responses",
                allowed="a list, a ResponseGrid, a ResponseInterval",
            )
        return float(among.lower), float(among.upper)

    def travel(self, among: ResponseInterval | None) -> float | None:
        """Return how much the utility changes at most as the response goes through the interval, if known."""
        if among is None or among.steepness is None:
            return None
        return float(among.steepness * (among.upper - among.lower))

    def scores(self, response: object) -> Floats:
        """Return the utility of a response on each draw, or say what is wrong with it."""
        returned = self.utility(self.theta, self.query, response)
        try:
            found = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (self.size,):
            raise DecisionError(
                "the utility does not return one number per draw",
                where=f"response {shown(response)}",
                asked=shown(returned) if found.size <= 1 else f"numbers of shape {found.shape}",
                allowed=f"numbers of shape ({self.size},)",
                advice="It is called with all draws at once, one per row: write theta[:, 0], not theta[0].",
            )
        wrong = found[~((found >= -_ROUNDING) & (found <= 1 + _ROUNDING))]  # also what is no number
        if wrong.size:
            raise DecisionError(
                "the utility is not between 0 and 1",
                where=f"response {shown(response)}",
                asked=float(wrong[0]),
                allowed="0 to 1",
                advice="Scale it by public facts: (utility - smallest) / (largest - smallest).",
            )
        return np.clip(found, 0, 1)

    def optimum(self, among: ResponseInterval | None) -> tuple[object, float | None, str]:
        """Search an interval; with a known steepness the result is proved best up to a gap."""
        low, high = self.ends(among)
        steepness = None if among is None else among.steepness
        slope = None if steepness is None else float(steepness)
        found: Optimum = highest(lambda at: float(self.scores(at).mean()), low, high, slope)
        how = "by halving intervals" if slope is not None else "on a grid, refined around its highest points"
        return found.at, found.gap, f"{how} ({found.evaluations} evaluations)"
