"""How long an exact draw from a Gibbs posterior takes at most: a public rule, from public facts alone.

Rejection in shells ends almost surely and is never cut off, but how soon depends on the data. So whether it
is begun at all is decided before the data are opened, by a bound of its expected trials that holds for every
table (`randomness.trial_bounds`), times what a trial takes here. Most tables take far fewer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from privior.models import Loss
from privior.randomness import AnyTable

#: seconds a draw may be expected to take
MOST_SECONDS = 60.0
#: of a look at all records and of an envelope, per record and per number of one; of a trial, per weight
_LOOK, _ENVELOPE, _TRIAL = (2.3e-8, 6e-10), (2.2e-6, 3e-7), 1.5e-4


@dataclass(frozen=True)
class Expected:
    """What draws are expected to take at most, whatever the records are.

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
    length: float,
    temperature: float,
    precision: float,
    radius: float | None,
    draws: int,
) -> Expected:
    """Return what draws are expected to take at most; rows are not longer than `length`."""
    table = AnyTable(loss, loss.targets, size, records, length, temperature, precision, radius)
    trials = math.exp(min(600.0, table.log_trials()))
    look, shells = (records * (of_record + of_number * size) for of_record, of_number in (_LOOK, _ENVELOPE))
    seconds = draws * trials * (look + _TRIAL * size) + shells
    return Expected(trials, seconds, 6 * 8 * records * size / 1e6)
