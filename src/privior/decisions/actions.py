"""Utilities of named actions: a threshold with costs, a matrix of costs, payoffs by the quantity."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from privior.checks import fill
from privior.decisions.reach import Reach
from privior.decisions.utility import Floats, Response, Utility, listed
from privior.errors import DecisionError, shown

_LONGEST = 80


class ActionUtility(Utility):
    """One whose responses are a few named actions."""

    names: tuple[str, ...]

    def _set_names(self, given: object) -> None:
        names = listed(given, "names", self.name, 2)
        for name in names:
            if not isinstance(name, str) or not 0 < len(name.strip()) <= _LONGEST or not name.isprintable():
                raise self._refusal("the name of an action is a short text", name)
        cleaned = tuple(str(name).strip() for name in names)
        if len(set(cleaned)) < len(cleaned):
            raise self._refusal("two actions have the same name", given)
        fill(self, names=cleaned)

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions."""
        return self.names

    def response(self, given: object, reach: Reach) -> str:
        """Read the name of an action."""
        if not isinstance(given, str) or given not in self.names:
            raise DecisionError(
                "there is no such action", where=self.name, asked=shown(given), allowed=", ".join(self.names)
            )
        return given

    def scores(self, values: Floats, response: Response, reach: Reach) -> Floats:
        """Score an action at each value."""
        return self.scores_of(values, self.names.index(self.response(response, reach)), reach)

    @abstractmethod
    def scores_of(self, values: Floats, action: int, reach: Reach) -> Floats:
        """Return the utility of an action at each value within the reach."""

    def best(self, values: Floats, among: Reach, reach: Reach) -> str:
        """Return the action of the largest average score, the first of equal ones."""
        averages = [self.scores_of(values, action, reach).mean() for action in range(len(self.names))]
        return self.names[int(np.argmax(averages))]


@dataclass(frozen=True, init=False)
class Threshold(ActionUtility):
    """Act if the quantity is at least `at`: a false alarm and a miss have costs; being right costs nothing.

    The best response is to act if the quantity reaches the threshold with a probability of at least
    false_alarm / (false_alarm + miss).
    """

    at: Fraction
    false_alarm: Fraction
    miss: Fraction
    names: tuple[str, ...]
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "threshold"
    about: ClassVar[str] = "act or wait: a false alarm and a miss cost"

    def __init__(
        self,
        at: object,
        *,
        false_alarm: object = 1,
        miss: object = 1,
        names: object = ("act", "wait"),
        lower: object = None,
        upper: object = None,
    ) -> None:
        fill(self, at=self._number(at, "at"))
        for name, cost in (("false_alarm", false_alarm), ("miss", miss)):
            fill(self, **{name: self._number(cost, name, Fraction(0))})
        if self.false_alarm == self.miss == 0:
            raise self._refusal(
                "nothing costs anything", (false_alarm, miss), "a false alarm or a miss above 0"
            )
        self._set_names(names)
        if len(self.names) != 2:
            raise self._refusal("a threshold has two actions", names)
        self._set_ends(lower, upper)

    @property
    def _largest(self) -> float:
        return float(max(self.false_alarm, self.miss))

    def scores_of(self, values: Floats, action: int, reach: Reach) -> Floats:
        """Return 1 less the cost over the larger one."""
        wrong = values < float(self.at) if action == 0 else values >= float(self.at)
        cost = float(self.false_alarm if action == 0 else self.miss)
        return np.asarray(1 - wrong * (cost / self._largest))

    def variation(self, reach: Reach) -> float:
        """How much a response's score varies over the reach: by 1, in one step."""
        return 1.0

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the cost that it stands for."""
        return f"expected cost {self._largest * (1 - expected):.4g}"


@dataclass(frozen=True, init=False)
class CostMatrix(ActionUtility):
    """The cost of each action in each state; states are what `cuts` divide the quantity into.

    Attributes:
        cuts: rising; a value at a cut belongs to the state above it
        names: of the actions
        costs: one row per state, lowest first: one more than cuts; one cost per action
    """

    cuts: tuple[Fraction, ...]
    names: tuple[str, ...]
    costs: tuple[tuple[Fraction, ...], ...]
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "cost-matrix"
    about: ClassVar[str] = "costs of each action in each range of the quantity"

    def __init__(
        self, cuts: object, names: object, costs: object, *, lower: object = None, upper: object = None
    ) -> None:
        fill(self, cuts=tuple(self._number(cut, "cuts") for cut in listed(cuts, "cuts", self.name)))
        if any(low >= high for low, high in pairwise(self.cuts)):
            raise self._refusal("the cuts do not rise", cuts)
        self._set_names(names)
        rows = [listed(row, "costs", self.name) for row in listed(costs, "costs", self.name)]
        if len(rows) != len(self.cuts) + 1 or any(len(row) != len(self.names) for row in rows):
            allowed = f"{len(self.cuts) + 1} rows of {len(self.names)} costs"
            raise self._refusal("not one row per state with one cost per action", costs, allowed)
        fill(self, costs=tuple(tuple(self._number(cost, "costs") for cost in row) for row in rows))
        if self._least == self._most:
            raise self._refusal("all costs are the same, so nothing is to be decided", costs)
        self._set_ends(lower, upper)

    @property
    def _least(self) -> float:
        return float(min(min(row) for row in self.costs))

    @property
    def _most(self) -> float:
        return float(max(max(row) for row in self.costs))

    def _by_state(self, action: int) -> Floats:
        costs = np.array([float(row[action]) for row in self.costs])
        return np.asarray(1 - (costs - self._least) / (self._most - self._least))

    def scores_of(self, values: Floats, action: int, reach: Reach) -> Floats:
        """Return 1 less how far the cost is on the way from the least to the largest."""
        states = np.searchsorted([float(cut) for cut in self.cuts], values, side="right")
        return np.asarray(self._by_state(action)[states])

    def variation(self, reach: Reach) -> float:
        """Return the steps from state to state together, of the action that has most of them."""
        return max(float(abs(np.diff(self._by_state(action))).sum()) for action in range(len(self.names)))

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the cost that it stands for."""
        return f"expected cost {self._most - (self._most - self._least) * expected:.4g}"


@dataclass(frozen=True, init=False)
class ChoiceOfActions(ActionUtility):
    """Actions whose payoff is a fixed part and a part per unit of the quantity: fixed + per_unit * value.

    Scaled so that the smallest payoff of any action anywhere in the reach is 0, and the largest 1.

    Attributes:
        names: of the actions
        fixed: the payoff of each at a quantity of 0
        per_unit: how much each pays for a unit of the quantity
    """

    names: tuple[str, ...]
    fixed: tuple[Fraction, ...]
    per_unit: tuple[Fraction, ...]
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "actions"
    about: ClassVar[str] = "actions that pay a fixed part and a part per unit of the quantity"

    def __init__(
        self, names: object, fixed: object, per_unit: object, *, lower: object = None, upper: object = None
    ) -> None:
        self._set_names(names)
        for name, given in (("fixed", fixed), ("per_unit", per_unit)):
            numbers = tuple(self._number(each, name) for each in listed(given, name, self.name))
            if len(numbers) != len(self.names):
                raise self._refusal(f"not one number of {name} per action", given, len(self.names))
            fill(self, **{name: numbers})
        if len(set(self.fixed)) == 1 and not any(self.per_unit):
            raise self._refusal("all payoffs are the same, so nothing is to be decided", fixed)
        self._set_ends(lower, upper)

    def _payoff(self, values: Floats, action: int) -> Floats:
        return np.asarray(float(self.fixed[action]) + float(self.per_unit[action]) * values)

    def _ends(self, reach: Reach) -> tuple[float, float]:
        corners = np.array([reach.lower, reach.upper])
        every = [self._payoff(corners, action) for action in range(len(self.names))]
        return float(np.min(every)), float(np.max(every))

    def scores_of(self, values: Floats, action: int, reach: Reach) -> Floats:
        """Return how far the payoff is on the way from the smallest to the largest."""
        least, most = self._ends(reach)
        return np.clip((self._payoff(values, action) - least) / (most - least), 0, 1)

    def variation(self, reach: Reach) -> float:
        """Return how much the steepest payoff changes over the reach."""
        least, most = self._ends(reach)
        return max(abs(float(slope)) for slope in self.per_unit) * reach.width / (most - least)

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the payoff that it stands for."""
        least, most = self._ends(reach)
        return f"expected payoff {least + (most - least) * expected:.4g}"
