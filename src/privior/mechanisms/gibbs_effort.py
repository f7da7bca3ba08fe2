"""How long an exact draw from a Gibbs posterior will take: a public rule, from public facts alone.

Rejection in shells ends almost surely and is never cut off, but how soon depends on the data. So whether it
is begun at all is decided before the data are opened, from (n, d, m, beta, R) and the loss: an envelope is
made for a made-up table, rows of which fill the ranges of the features evenly (by a rule, not at random) and
whose targets follow them moderately. Its mass over that of the law, about 1 in these units, is the number of
trials that one draw of that table takes. Real tables differ: correlated features take more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from privior.arrays import Floats
from privior.models import Loss
from privior.randomness import Potential, centre, in_shells

#: rows of the made-up table at most, each of which then stands for several
_ROWS = 1500
#: seconds a draw may be expected to take
MOST_SECONDS = 60.0
#: of a look at all records, per number; of a trial, per weight; of an envelope, per number
_LOOK, _TRIAL, _ENVELOPE = 2e-8, 4e-5, 1e-7
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


@dataclass(frozen=True)
class Expected:
    """What draws are expected to take.

    Attributes:
        trials: of one draw
        seconds: of all draws, on one core
        megabytes: of rows and what is made of them
    """

    trials: float
    seconds: float
    megabytes: float


@lru_cache(maxsize=256)
def expected(
    loss: Loss,
    size: int,
    records: int,
    temperature: float,
    precision: float,
    radius: float | None,
    draws: int,
) -> Expected:
    """Return what draws are expected to take, infinitely long if no shells can be made."""
    megabytes = 6 * 8 * records * size / 1e6
    count = max(1, min(records, _ROWS))
    rows, targets = _made_up(loss, size, count)
    potential = Potential(rows, targets, loss, temperature * records / count, precision, radius)
    try:
        trials = math.exp(min(600.0, in_shells(potential, centre(potential)).log_most))
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return Expected(math.inf, math.inf, megabytes)
    if radius is not None:
        trials *= 4  # what falls out of the ball, roughly
    each = trials * (_LOOK * records * size + _TRIAL * size)
    return Expected(trials, draws * each + _ENVELOPE * records * size * math.sqrt(size), megabytes)


def _made_up(loss: Loss, size: int, count: int) -> tuple[Floats, Floats]:
    """Return rows with an intercept and features in [-1, 1], and targets that follow them."""
    steps = [math.sqrt(_PRIMES[one % len(_PRIMES)]) * (1 + one // len(_PRIMES)) for one in range(size + 1)]
    even = (np.arange(1, count + 1)[:, None] * np.array(steps)) % 1
    rows = np.concatenate([np.ones((count, 1)), 2 * even[:, 1:size] - 1], axis=1)[:, :size]
    moved = rows @ np.where(np.arange(size) % 2, 0.7, -0.3)
    chance = np.clip(even[:, size], 1e-6, 1 - 1e-6)
    if loss.of_levels:
        return rows, np.where(np.log(chance / (1 - chance)) < moved, 1.0, -1.0)
    low, high = loss.targets
    middle, half = (low + high) / 2, (high - low) / 2
    return rows, np.round(middle + half * np.clip(moved / 4 + chance - 0.5, -1, 1), 6)
