"""One part of a table and its two halves: what they say of each other.

A part of U units of records leaves u of them to its first half with the probability
Σ_j w_j BB(u; U, a_j, b_j), a mixture of Beta-binomials. Since

    BB(u; U, a, b) = f(u, a) f(U−u, b) g(U, a+b),   f(u, a) = Γ(u+a)/(u! Γ(a)),   g(U, c) = U! Γ(c)/Γ(U+c),

what the halves say of their part is a sum of convolutions, one for each j. f and g are multiplied by
e^(∓λu), λ chosen such that f is flat in the middle: that changes no product. All terms are positive.

A message is an array over neighbouring units, from a first one on, its largest value about 1. This is written
over whole arrays; `halving_loops` has the same three functions as loops for a compiler, and each is a test of
the other.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from privior.arrays import Floats, Integers

#: numbers less than this share of the largest are nothing
LEAST = 1e-260


def together(
    one: Floats, low: int, other: Floats, low_2: int, a: Floats, b: Floats, logs: Floats, far: float
) -> tuple[Floats, int, float]:
    """Return what two halves say of their part: a message, its first unit, the logarithm of its scale.

    Args:
        one, low, other, low_2: the messages of both halves, and their first units
        a, b: the parameters of both halves, for each kind
        logs: the logarithm of each kind's weight
        far: the message ends at e^-far of its peak
    """
    f, h, tilt, scale = _factors(one, low, other, low_2, a, b)
    first, full = low + low_2, one.size + other.size - 1
    parts = np.array([np.convolve(*rows) for rows in zip(f * one, h * other, strict=True)])
    parts *= _heights(first, full, a + b, tilt)
    scale += logs
    tops = scale + np.log(np.maximum(parts.max(axis=1), LEAST))
    best = float(tops.max())
    whole = np.exp(np.minimum(scale - best, 600.0)) @ parts
    highest = float(whole.max())
    inside = np.flatnonzero(whole >= math.exp(-far) * highest)
    begin, end = int(inside[0]), int(inside[-1]) + 1
    return whole[begin:end] / highest, first + begin, best + math.log(highest)


def apart(
    one: Floats,
    low: int,
    other: Floats,
    low_2: int,
    a: Floats,
    b: Floats,
    logs: Floats,
    outside: Floats,
    begin: int,
) -> tuple[Floats, Floats, Floats]:
    """Return what all that is outside says of each half, and how probable each kind of halving is.

    Args:
        one, low, other, low_2, a, b, logs: as above
        outside: what is outside says of the part, over units from `begin` on
        begin: the first of them
    """
    f, h, tilt, scale = _factors(one, low, other, low_2, a, b)
    first, full = low + low_2, one.size + other.size - 1
    every = np.zeros((a.size, full))
    every[:, begin - first : begin - first + outside.size] = outside
    every *= _heights(first, full, a + b, tilt)
    of_one = np.array([np.correlate(*rows, "valid") for rows in zip(every, h * other, strict=True)]) * f
    of_other = np.array([np.correlate(*rows, "valid") for rows in zip(every, f * one, strict=True)]) * h
    chances = of_one @ one
    scale += logs
    scale -= (scale + np.log(np.maximum(chances, LEAST))).max()
    shares = np.exp(np.minimum(scale, 600.0))
    to_one, to_other = shares @ of_one, shares @ of_other
    chances *= shares
    return to_one / to_one.max(), to_other / to_other.max(), chances / chances.sum()


def parted(
    one: Floats,
    low: int,
    other: Floats,
    low_2: int,
    a: Floats,
    b: Floats,
    logs: Floats,
    units: Integers,
    goals: Floats,
) -> tuple[Integers, Integers]:
    """Draw how many of its units a part leaves to its first half, and where a half gets none, the kind.

    Args:
        one, low, other, low_2, a, b, logs: as above
        units: of the part, one number for each draw, each possible
        goals: random numbers between 0 and 1
    """
    f, h, tilt, scale = _factors(one, low, other, low_2, a, b)
    least, size = int(units.min()), int(units.max() - units.min()) + 1
    each, place = np.unique(units, return_inverse=True)
    shares = np.log(np.maximum(_heights(least, size, a + b, tilt)[:, each - least], LEAST))
    # What the first of them is scaled by is the same for all kinds but for this.
    shares += (scale + logs + _log_height(least, a + b, tilt) - _log_height(low + low_2, a + b, tilt))[
        :, None
    ]
    shares = np.exp(shares - shares.max(axis=0))
    f, h = f * one, h * other
    padded = np.zeros((a.size, 2 * one.size + other.size))
    padded[:, one.size : one.size + other.size] = h
    places = np.clip(one.size + (each - low - low_2)[:, None] - np.arange(one.size), 0, padded.shape[1] - 1)
    rows = np.zeros((each.size, one.size))
    for share, row, beside in zip(shares, f, padded, strict=True):
        rows += share[:, None] * row * beside[places]
    place = place.ravel()
    sums = np.cumsum(rows, axis=1)[place]
    rest = goals * sums[:, -1]
    found = np.minimum((sums <= rest[:, None]).sum(axis=1), one.size - 1)
    kind = np.zeros(units.size, dtype=np.int64)
    bare = np.flatnonzero((low + found == 0) | (low + found == units))
    at, place = found[bare], place[bare]
    rest = rest[bare] - np.where(at > 0, sums[bare, at - 1], 0.0)
    chances = shares[:, place] * f[:, at] * padded[:, one.size + units[bare] - low - low_2 - at]
    kind[bare] = (np.cumsum(chances, axis=0)[:-1] <= rest).sum(axis=0)
    return np.asarray(low + found), kind


def _factors(
    one: Floats, low: int, other: Floats, low_2: int, a: Floats, b: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return f of both halves as (kind, unit), the slope λ by which they are tilted, the log of the scale.

    The scale holds that of g at the first unit that both halves together can have. Parts whose halves are
    cells are looked at in many states, and say the same in all of them.
    """
    numbers = (part.tobytes() for part in (one, other, a, b))
    f, h, tilt, scale = _known_factors(*numbers, int(low), int(low_2))
    return f, h, tilt, scale.copy()


@lru_cache(maxsize=256)
def _known_factors(
    ones: bytes, others: bytes, firsts: bytes, seconds: bytes, low: int, low_2: int
) -> tuple[Floats, Floats, Floats, Floats]:
    one, other, a, b = (np.frombuffer(part, np.float64) for part in (ones, others, firsts, seconds))
    middles = [
        start + float(np.arange(half.size) @ half / half.sum())
        for half, start in ((one, low), (other, low_2))
    ]
    tilt = 0.5 * (np.log((middles[0] + a) / (middles[0] + 1)) + np.log((middles[1] + b) / (middles[1] + 1)))
    back = np.exp(-tilt)[:, None]
    f, top = _products(low, one.size, a, back)
    h, top_2 = _products(low_2, other.size, b, back)
    scale = np.log(top * top_2) - tilt * (low + low_2) + _log_height(low + low_2, a + b, tilt)
    for start, c in ((low, a), (low_2, b)):
        if start:
            scale += _log_gammas(start + c) - math.lgamma(start + 1.0) - _log_gammas(c)
    return f, h, tilt, scale


def _products(low: int, size: int, a: Floats, back: Floats) -> tuple[Floats, Floats]:
    """Return f(u) e^(−λu) over units, its largest value 1, and by how much it was divided."""
    units = np.arange(low, low + size, dtype=np.float64)
    ratios = (units + (a - 1)[:, None]) * (back / np.maximum(units, 1.0))
    ratios[:, 0] = 1.0
    values = np.multiply.accumulate(ratios, axis=1)
    top = values.max(axis=1)
    values /= top[:, None]
    return values, top


def _heights(low: int, size: int, c: Floats, tilt: Floats) -> Floats:
    """Return g(U) e^(λU) over units, the first of them 1."""
    units = np.arange(low, low + size, dtype=np.float64)
    ratios = units * np.exp(tilt)[:, None] / (units + (c - 1)[:, None])
    ratios[:, 0] = 1.0
    return np.multiply.accumulate(ratios, axis=1)


def _log_height(unit: int, c: Floats, tilt: Floats) -> Floats:
    """Return log g(U) + λU."""
    return math.lgamma(unit + 1.0) + _log_gammas(c) - _log_gammas(unit + c) + tilt * unit if unit else 0 * c


def _log_gammas(values: Floats) -> Floats:
    return np.array([math.lgamma(value) for value in values.tolist()])
