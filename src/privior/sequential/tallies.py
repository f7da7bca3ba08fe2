"""Tallies: what is counted of an episode, and no more than was paid for.

An episode has places, one for each step (and one for the state after the last). What stands at a place is
read by itself; what cannot be read is a step of which nothing is known. Two bounds hold before anything is
counted, and each asks only for what it is about:

- the horizon: places beyond the last are dropped, by their place alone;
- the quota: of a user, her first steps are counted and all others dropped, by her own steps alone.

A transition is not said by anybody: it goes from the state at one place to the state at the next. So one
replaced step moves two transitions that have its state in common, and one visit, as
`privacy.interactions.Moves` says; one replaced user moves as many visits and transitions as her quota,
since a transition is counted where both places are hers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from privior.errors import PlanError
from privior.sequential.problems import Problem
from privior.sequential.units import InteractionUnit

#: longer names of users are no names
_LONGEST_NAME = 200
_LONGEST_NUMBER = 9


@dataclass(frozen=True)
class CountedStep:
    """One step that is counted: its row, what followed (None if nobody knows), its reward in units."""

    row: int
    cell: int | None
    units: int | None


@dataclass(frozen=True)
class EpisodeTally:
    """What is counted of an episode: private.

    Attributes:
        steps: those that count
        users: how many steps were counted of every user by now, where that is bounded
    """

    steps: tuple[CountedStep, ...]
    users: dict[str, int]


@dataclass(frozen=True)
class _Place:
    """What stands at one place; None where that cannot be read."""

    user: str | None
    state: int | None
    action: int | None
    outcome: int | None
    units: int | None


def tallied(
    problem: Problem,
    unit: InteractionUnit,
    steps: Iterable[Mapping[str, Any] | None],
    users: Mapping[str, int],
    below: Callable[[int], int],
) -> EpisodeTally:
    """Return what is counted of the steps of one episode.

    Args:
        problem: what is learned
        unit: what is protected
        steps: what was recorded, place by place; None where nothing was
        users: how many steps were counted of every user before
        below: draws a whole number below another, uniformly, to round rewards
    """
    given = list(islice(steps, problem.places))
    if not all(step is None or isinstance(step, Mapping) for step in given):
        raise PlanError("a step is a mapping, such as {'action': 0, 'outcome': 1}", where="agent")
    read = [_read(problem, step, below) for step in given]
    places = read + [_read(problem, {}, below)] * (problem.horizon + 1 - len(read))
    used, found = dict(users), []
    for place, follows in pairwise(places):
        if not _known(problem, place):
            continue
        if unit.quota is not None:
            if place.user is None or used.get(place.user, 0) >= unit.quota:
                continue
            used[place.user] = used.get(place.user, 0) + 1
        row = (place.state or 0) * problem.actions + (place.action or 0)
        cell = _cell(problem, place, follows, alone=unit.quota is not None)
        found.append(CountedStep(row, cell, place.units))
    return EpisodeTally(tuple(found), used)


def lines_that_count(
    problem: Problem, unit: InteractionUnit, steps: Iterable[Mapping[str, Any] | None]
) -> dict[str, int]:
    """Return how many places say each thing that a step needs, and how many all of them: for the curator's
    own eyes.

    Args:
        problem: what is learned
        unit: what is protected
        steps: what was recorded, place by place
    """
    places = [_read(problem, step, lambda below: 0) for step in islice(steps, problem.places)]
    asked: dict[str, Callable[[_Place], object]] = {
        "state": lambda place: place.state,
        "action": lambda place: place.action,
        "outcome": lambda place: place.outcome,
        "reward": lambda place: place.units,
    }
    named = {column: asked[column] for column in problem.columns}
    if unit.quota is not None:
        named["user"] = lambda place: place.user
    found = {f"with a known {name}": sum(ask(p) is not None for p in places) for name, ask in named.items()}
    whole = sum(all(ask(place) is not None for ask in named.values()) for place in places)
    return {"lines that are looked at": len(places), **found, "lines that count": whole}


def _known(problem: Problem, place: _Place) -> bool:
    """Whether a step is known: where it was, what was done, and what is learned of it by itself."""
    outcome = problem.states > 1 or not problem.cells or place.outcome is not None
    reward = problem.rewards is None or place.units is not None
    return place.state is not None and place.action is not None and outcome and reward


def _cell(problem: Problem, place: _Place, follows: _Place, *, alone: bool) -> int | None:
    """What followed a step: its outcome, or the state at the next place, if that is the same user's."""
    if problem.states == 1:
        return place.outcome
    if alone and follows.user != place.user:
        return None
    return follows.state


def _read(problem: Problem, step: Mapping[str, Any] | None, below: Callable[[int], int]) -> _Place:
    """Read what stands at a place; nothing of it may raise, since that would depend on the data."""
    entries = {} if step is None else step
    name = _name(entries.get("user"))
    return _Place(
        name,
        _whole(entries.get("state"), problem.states) if problem.states > 1 else 0,
        _whole(entries.get("action"), problem.actions),
        _whole(entries.get("outcome"), problem.cells),
        _units(problem, entries.get("reward"), below),
    )


def _name(user: object) -> str | None:
    """Return who a user is, as a log would say it: 1 and " 1 " are one user; None for what is no name."""
    if not isinstance(user, str):
        try:
            user = None if isinstance(user, bool) else operator.index(user)  # type: ignore[arg-type]
        except Exception:  # whatever it is, it is no name
            return None
    if user is None or (isinstance(user, int) and user.bit_length() > 4 * _LONGEST_NAME):
        return None  # of larger numbers not even digits are made
    name = str(user).strip()
    return name if 0 < len(name) <= _LONGEST_NAME else None


def _units(problem: Problem, reward: object, below: Callable[[int], int]) -> int | None:
    if problem.rewards is None or reward is None:
        return None
    try:
        return problem.rewards.coded(reward, below)
    except Exception:  # whatever it is, it is no number
        return None


def _whole(value: object, below: int) -> int | None:
    """Return a whole number from 0 to below `below`, or None."""
    if isinstance(value, str):
        digits = value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER
        number = int(value) if digits else -1
    else:
        try:
            number = operator.index(value)  # type: ignore[arg-type]
        except Exception:  # whatever it is, it is no number
            return None
    return number if 0 <= number < below else None
