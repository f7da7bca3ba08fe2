"""What `halving_part` says, as loops for a compiler."""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts import halving_part
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.halving_part import LEAST


@Compiled
def _products(low: int, size: int, a: float, tilt: float, into: Floats) -> float:
    """Write f(u) e^(−λu), its largest value 1; return the logarithm of its scale."""
    value, top, back = 1.0, 1.0, math.exp(-tilt)
    for at in range(size):
        if at > 0:
            value *= (low + at - 1 + a) / (low + at) * back
        into[at] = value
        top = max(top, value)
    for at in range(size):
        into[at] /= top
    if low == 0:
        return math.log(top)
    return math.lgamma(low + a) - math.lgamma(low + 1.0) - math.lgamma(a) - tilt * low + math.log(top)


@Compiled
def _log_height(unit: int, c: float, tilt: float) -> float:
    """Return log g(U) + λU."""
    if unit == 0:
        return 0.0
    return math.lgamma(unit + 1.0) + math.lgamma(c) - math.lgamma(unit + c) + tilt * unit


@Compiled
def _middle(message: Floats, low: int) -> float:
    total, moment = 0.0, 0.0
    for at in range(message.size):
        total += message[at]
        moment += at * message[at]
    return low + moment / total


@Compiled
def _factors(
    one: Floats,
    low: int,
    other: Floats,
    low_2: int,
    a: Floats,
    b: Floats,
    f: Floats,
    h: Floats,
    tilt: Floats,
    scale: Floats,
) -> None:
    """Write f of both halves, λ, and the logarithm of their scale, without that of g."""
    here, there = _middle(one, low), _middle(other, low_2)
    for j in range(a.size):
        tilt[j] = 0.5 * (math.log((here + a[j]) / (here + 1)) + math.log((there + b[j]) / (there + 1)))
        scale[j] = _products(low, one.size, a[j], tilt[j], f[j]) + _products(
            low_2, other.size, b[j], tilt[j], h[j]
        )


def _together(
    one: Floats, low: int, other: Floats, low_2: int, a: Floats, b: Floats, logs: Floats, far: float
) -> tuple[Floats, int, float]:
    kinds, first, full = a.size, low + low_2, one.size + other.size - 1
    f, h, tilt, scale = (
        np.empty((kinds, one.size)),
        np.empty((kinds, other.size)),
        np.empty(kinds),
        np.empty(kinds),
    )
    _factors(one, low, other, low_2, a, b, f, h, tilt, scale)
    parts, best = np.zeros((kinds, full)), -np.inf
    for j in range(kinds):
        part, beside = parts[j], h[j]
        for away in range(other.size):
            beside[away] *= other[away]
        for at in range(one.size):
            value = f[j, at] * one[at]
            if value > 1e-30:
                for away in range(other.size):
                    part[at + away] += value * beside[away]
        value, forth, top, c = 1.0, math.exp(tilt[j]), LEAST, a[j] + b[j]
        for at in range(full):
            if at > 0:
                value *= (first + at) / (first + at - 1 + c) * forth
            part[at] *= value
            top = max(top, part[at])
        scale[j] += logs[j] + _log_height(first, c, tilt[j])
        best = max(best, scale[j] + math.log(top))
    whole, highest = np.zeros(full), 0.0
    for j in range(kinds):
        share = math.exp(min(scale[j] - best, 600.0))
        for at in range(full):
            whole[at] += share * parts[j, at]
    for at in range(full):
        highest = max(highest, whole[at])
    least, begin, end = math.exp(-far) * highest, 0, full
    while whole[begin] < least:
        begin += 1
    while whole[end - 1] < least:
        end -= 1
    for at in range(begin, end):
        whole[at] /= highest
    return whole[begin:end], first + begin, best + math.log(highest)


def _apart(
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
    kinds, first, full = a.size, low + low_2, one.size + other.size - 1
    f, h, tilt, scale = (
        np.empty((kinds, one.size)),
        np.empty((kinds, other.size)),
        np.empty(kinds),
        np.empty(kinds),
    )
    _factors(one, low, other, low_2, a, b, f, h, tilt, scale)
    of_one, of_other = np.zeros((kinds, one.size)), np.zeros((kinds, other.size))
    chances, best, every = np.zeros(kinds), -np.inf, np.zeros(full)
    for j in range(kinds):
        every[:] = 0.0
        value, forth, c = 1.0, math.exp(tilt[j]), a[j] + b[j]
        for at in range(full):
            if at > 0:
                value *= (first + at) / (first + at - 1 + c) * forth
            if 0 <= first + at - begin < outside.size:
                every[at] = value * outside[first + at - begin]
        row, beside = of_one[j], of_other[j]
        for away in range(other.size):
            value = h[j, away] * other[away]
            if value > 1e-30:
                for at in range(one.size):
                    row[at] += value * every[at + away]
        for at in range(one.size):
            value = f[j, at] * one[at]
            chances[j] += value * row[at]
            if value > 1e-30:
                for away in range(other.size):
                    beside[away] += value * every[at + away]
        scale[j] += logs[j] + _log_height(first, c, tilt[j])
        best = max(best, scale[j] + math.log(max(chances[j], LEAST)))
    to_one, to_other = np.zeros(one.size), np.zeros(other.size)
    total, top, top_2 = 0.0, 0.0, 0.0
    for j in range(kinds):
        share = math.exp(min(scale[j] - best, 600.0))
        chances[j] *= share
        total += chances[j]
        for at in range(one.size):
            to_one[at] += share * of_one[j, at] * f[j, at]
        for away in range(other.size):
            to_other[away] += share * of_other[j, away] * h[j, away]
    for at in range(one.size):
        top = max(top, to_one[at])
    for away in range(other.size):
        top_2 = max(top_2, to_other[away])
    return to_one / top, to_other / top_2, chances / total


def _parted(
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
    kinds, first = a.size, low + low_2
    f, h, tilt, scale = (
        np.empty((kinds, one.size)),
        np.empty((kinds, other.size)),
        np.empty(kinds),
        np.empty(kinds),
    )
    _factors(one, low, other, low_2, a, b, f, h, tilt, scale)
    for j in range(kinds):
        for at in range(one.size):
            f[j, at] *= one[at]
        for away in range(other.size):
            h[j, away] *= other[away]
        # Backwards, so that both are read in the same direction.
        h[j] = h[j, ::-1].copy()
    full, best = one.size + other.size - 1, -np.inf
    made, spread, every = np.zeros(full, np.uint8), np.empty((full, one.size)), np.empty((full, kinds))
    for j in range(kinds):
        value, forth, top, c = 1.0, math.exp(tilt[j]), LEAST, a[j] + b[j]
        for at in range(full):
            if at > 0:
                value *= (first + at) / (first + at - 1 + c) * forth
            every[at, j] = value
            top = max(top, value)
        scale[j] += logs[j] + _log_height(first, c, tilt[j])
        best = max(best, scale[j] + math.log(top))
    for j in range(kinds):
        scale[j] = math.exp(min(scale[j] - best, 600.0))
    found, kind = np.empty(units.size, np.int64), np.zeros(units.size, np.int64)
    for draw in range(units.size):
        place = units[draw] - first
        row, shares = spread[place], every[place]
        if not made[place]:
            made[place] = 1
            row[:] = 0.0
            begin, end = max(0, place - other.size + 1), min(one.size, place + 1)
            for j in range(kinds):
                shares[j] *= scale[j]
                here, there, share = f[j, begin:end], h[j, other.size - 1 - place + begin :], shares[j]
                into = row[begin:end]
                for at in range(end - begin):
                    into[at] += share * here[at] * there[at]
            for at in range(begin + 1, one.size):
                row[at] += row[at - 1]
        rest = goals[draw] * row[-1]
        at = min(int(np.searchsorted(row, rest, side="right")), one.size - 1)
        found[draw] = low + at
        if low + at == 0 or low + at == units[draw]:
            if at > 0:
                rest -= row[at - 1]
            for j in range(kinds - 1):
                rest -= shares[j] * f[j, at] * h[j, other.size - 1 - place + at]
                if rest < 0:
                    break
                kind[draw] = j + 1
    return found, kind


together = Compiled(halving_part.together, _together)
apart = Compiled(halving_part.apart, _apart)
parted = Compiled(halving_part.parted, _parted)
