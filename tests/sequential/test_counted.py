"""What an agent counts of an episode (T49): one replaced unit moves no more than its moves say, and a witness
attains them. Through the door by which people's steps come, blanks, quotas and overlong logs included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_sensitivity import covered

from privior.privacy.interactions import Moves
from privior.sequential import BoundedRewards, CategoricalBandit, Episode, FiniteChain, Problem, Step, User
from privior.sequential.tallies import CountedStep, EpisodeTally, tallied
from privior.sequential.units import InteractionUnit

#: episodes, each a list of places
History = list[list[dict[str, Any]]]
Counting = Callable[..., EpisodeTally]

CHAIN = FiniteChain(3, 2, 5, BoundedRewards(0, 1), prior=1)
CLICKS = CategoricalBandit(3, batch=5, prior=1)
USERS = ("ann", "bob", "eve", "dan")


def counts(
    problem: Problem, unit: InteractionUnit, history: History, counting: Counting = tallied
) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
    """Return the counts of cells, of visits and of rewards of a history; no reward is rounded."""
    cells: Counter[Any] = Counter()
    visits: Counter[Any] = Counter()
    sums: Counter[Any] = Counter()
    users: dict[str, int] = {}
    for steps in history:
        tally = counting(problem, unit, steps, users, lambda upper: 0)
        users = tally.users
        for one in tally.steps:
            visits[one.row] += 1
            sums[one.row] += one.units or 0
            if one.cell is not None:
                cells[one.row, one.cell] += 1
    return cells, visits, sums


def moved(one: Counter[Any], two: Counter[Any]) -> tuple[int, ...]:
    return tuple(two[c] - one[c] for c in one.keys() | two.keys() if two[c] != one[c])


def place(draw: np.random.Generator, users: tuple[str, ...]) -> dict[str, Any]:
    """One place at random; some are blank, or say what cannot be."""
    if draw.random() < 0.1:
        return {}
    return {
        "user": str(draw.choice(users)),
        "state": int(draw.integers(0, 3)) if draw.random() < 0.95 else 17,
        "action": int(draw.integers(0, 2)),
        "outcome": int(draw.integers(0, 2)),
        "reward": int(draw.integers(0, 2)),
    }


def history_of(draw: np.random.Generator) -> History:
    return [
        [place(draw, USERS) for _ in range(int(draw.integers(0, 9)))] for _ in range(int(draw.integers(1, 4)))
    ]


def replaced(draw: np.random.Generator, history: History, unit: InteractionUnit) -> History:
    """Replace one unit: a place; an episode; all of a user by somebody whom nobody knows."""
    other = [[dict(step) for step in steps] for steps in history]
    which = int(draw.integers(len(other)))
    if isinstance(unit, Step):
        if other[which]:
            other[which][int(draw.integers(len(other[which])))] = place(draw, USERS)
    elif isinstance(unit, Episode):
        other[which] = [place(draw, USERS) for _ in range(int(draw.integers(0, 9)))]
    else:
        who = str(draw.choice(USERS))
        for steps in other:
            for number, step in enumerate(steps):
                if step.get("user") == who:
                    steps[number] = place(draw, ("new",))
    return other


def within(found: tuple[int, ...], moves: Moves) -> bool:
    """Whether a move is one that was paid for."""
    if moves.patterns:
        mirrors = [tuple(-m for m in pattern) for pattern in moves.patterns]
        return any(covered(found, pattern) for pattern in (*moves.patterns, *mirrors))
    return (
        sum(map(abs, found)) <= moves.l1
        and sum(m * m for m in found) <= moves.squared
        and max(map(abs, found), default=0) <= moves.largest
    )


def exceeds(problem: Problem, unit: InteractionUnit, one: History, two: History, counting: Counting) -> bool:
    """Whether a pair moves more than was paid for."""
    before, after = (counts(problem, unit, history, counting) for history in (one, two))
    table, rows = problem.table_moves(unit), unit.rows(problem.horizon)
    pairs = zip(before, after, (table, rows, rows), strict=True)
    return not all(within(moved(a, b), moves) for a, b, moves in pairs)


@pytest.mark.parametrize("problem", [CHAIN, CLICKS], ids=["chain", "clicks"])
@pytest.mark.parametrize("unit", [Step(), Episode(), User(3)], ids=["step", "episode", "user"])
def test_no_replaced_unit_moves_more_than_was_paid_for(problem: Problem, unit: InteractionUnit) -> None:
    """6 times 1,700 random pairs, more than 10,000 in all."""
    draw = np.random.default_rng(20261118)
    for _ in range(1700):
        one = history_of(draw)
        two = replaced(draw, one, unit)
        assert not exceeds(problem, unit, one, two, tallied), (one, two)


def loop(user: str, action: int, steps: int) -> list[dict[str, Any]]:
    return [{"user": user, "state": 0, "action": action, "reward": 1} for _ in range(steps)]


def test_witnesses_attain_what_is_paid_for() -> None:
    stay = loop("ann", 1, 3)
    other = [stay[0], {"user": "ann", "state": 1, "action": 0, "reward": 0}, stay[2]]
    cells = [counts(CHAIN, Step(), [one])[0] for one in (stay, other)]
    assert sorted(moved(*cells)) == [-2, 1, 1]
    for unit, steps in ((Episode(), 6), (User(3), 40)):
        cells = [counts(CHAIN, unit, [loop("ann", action, steps)])[0] for action in (0, 1)]
        moves = CHAIN.table_moves(unit)
        found = moved(*cells)
        assert sum(m * m for m in found) == moves.squared
        assert max(map(abs, found)) == moves.largest


# ---- faults that must be seen ---------------------------------------------------------------------------


def stated_transitions(
    problem: Problem, unit: InteractionUnit, steps: Any, users: Any, below: Any
) -> EpisodeTally:
    """Each line says where it went, whatever the next one says: two lines of one step need not agree."""
    tally = tallied(problem, unit, steps, users, below)
    known = [step for step in list(steps)[: problem.horizon] if step.get("after") is not None]
    found = tuple(
        CountedStep(step["state"] * problem.actions + step["action"], step["after"], 0) for step in known
    )
    return EpisodeTally(found, tally.users)


def no_quota(problem: Problem, unit: InteractionUnit, steps: Any, users: Any, below: Any) -> EpisodeTally:
    """Counts all of a user."""
    return EpisodeTally(tallied(problem, Step(), steps, users, below).steps, {})


def no_horizon(problem: Problem, unit: InteractionUnit, steps: Any, users: Any, below: Any) -> EpisodeTally:
    """Counts all places."""
    found: list[CountedStep] = []
    for start in range(0, len(steps), problem.horizon):
        found += tallied(problem, unit, steps[start : start + problem.horizon], users, below).steps
    return EpisodeTally(tuple(found), {})


def whose_episode(
    problem: Problem, unit: InteractionUnit, steps: Any, users: Any, below: Any
) -> EpisodeTally:
    """An episode is of whoever comes first in it: a blank first place changes what others count."""
    first = next((step["user"] for step in steps if step.get("user")), None)
    mine = [step if step.get("user") == first else {} for step in steps]
    return tallied(problem, unit, mine, users, below)


def test_faults_are_seen() -> None:
    one = [{"state": 0, "action": 0, "after": 0}] * 2
    two = [{"state": 1, "action": 0, "after": 1}] * 2  # both lines that have the step replaced
    assert exceeds(CHAIN, Step(), [one], [two], stated_transitions)
    ann, eve = (loop("ann", action, 5) for action in (0, 1))
    assert exceeds(CHAIN, User(3), [ann], [[{**step, "user": "new"} for step in eve]], no_quota)
    assert exceeds(CHAIN, Episode(), [loop("ann", 0, 12)], [loop("ann", 1, 12)], no_horizon)
    others = [loop("ann", 1, 4), loop("bob", 1, 4)]
    mixed = [[*loop("eve", 0, 1), *steps] for steps in others]
    blank = [[{}, *steps] for steps in others]  # eve's two places are replaced
    assert exceeds(CHAIN, User(3), mixed, blank, whose_episode)
    assert not exceeds(CHAIN, User(3), mixed, blank, tallied)
    for unit, pair in ((User(3), (ann, eve)), (Episode(), (loop("ann", 0, 12), loop("ann", 1, 12)))):
        named = [[{**step, "user": "new"} for step in pair[1]]]
        assert not exceeds(CHAIN, unit, [pair[0]], named, tallied)
