"""Births and deaths of records of a class, in all of its features at once; the proof is in `class_walk`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.class_cells import Room, Star, StarState, weigh_cells
from privior.posterior.networks.joint_numbers import fit, log_uniform, rise
from privior.posterior.networks.joint_records import ADDED, TAKEN
from privior.posterior.networks.joint_state import NetworkNoise

#: where fewer records are born or die at once, they look at the noise
LOOKING = 16
#: half of a change of the log likelihood is cut here when records choose where to go
FARTHEST = 200.0


@njit(cache=True, nogil=True)
def half(change: float) -> float:
    """Return half of a change of the log likelihood, within what can be taken to a power of e."""
    return min(max(0.5 * change, -FARTHEST), FARTHEST)


@njit(cache=True, nogil=True)
def step_row(
    rng: np.random.Generator,
    first: int,
    levels: int,
    number: int,
    steps: int,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    up: Floats,
    down: Floats,
) -> float:
    """Let records be born in a row, or die if `steps` is negative; return the log of what is left of p.

    Args:
        rng: of the ways
        first: the first cell of the row
        levels: how many cells it has
        number: of its records
        steps: how many are born
        noise: what is known of the cells
        counts: of all cells, which are changed
        prior: of all cells
        up: room for g of each level
        down: room for h of each level
    """
    born = steps > 0
    kappa, ups, downs, left = 0.0, 0.0, 0.0, 0.0
    for x in range(levels):
        p = first + x
        kappa += prior[p]
        up[x] = (counts[p] + prior[p]) * math.exp(half(fit(noise, p, counts[p], ADDED)))
        down[x] = counts[p] * math.exp(half(fit(noise, p, counts[p], TAKEN)))
        ups += up[x]
        downs += down[x]
    for _ in range(abs(steps)):
        before = ups if born else downs
        chosen, rest = -1, rng.random() * before
        for x in range(levels):
            weight = up[x] if born else down[x]
            if weight > 0:
                chosen = x
                rest -= weight
                if rest < 0:
                    break
        if chosen < 0:
            return -math.inf
        p = first + chosen
        change = fit(noise, p, counts[p], ADDED if born else TAKEN)
        left += change - 2 * half(change)
        counts[p] += 1 if born else -1
        up[chosen] = (counts[p] + prior[p]) * math.exp(half(fit(noise, p, counts[p], ADDED)))
        down[chosen] = counts[p] * math.exp(half(fit(noise, p, counts[p], TAKEN)))
        ups, downs = 0.0, 0.0
        for x in range(levels):
            ups += up[x]
            downs += down[x]
        if born:
            left += math.log((number + 1) / (number + kappa) * before / downs)
            number += 1
        else:
            number -= 1
            left -= math.log((number + 1) / (number + kappa) * ups / before)
    return left


@njit(cache=True, nogil=True)
def step_row_blindly(
    rng: np.random.Generator,
    first: int,
    levels: int,
    number: int,
    steps: int,
    noise: NetworkNoise,
    counts: Integers,
    prior: Floats,
    before: Integers,
) -> float:
    """Do as `step_row`, but without looking at the noise, which is what is left."""
    kappa, left = 0.0, 0.0
    for x in range(levels):
        kappa += prior[first + x]
    for taken in range(abs(steps)):
        p = first
        if steps > 0:
            rest = rng.random() * (number + taken + kappa)
            while p < first + levels - 1 and rest >= counts[p] + prior[p]:
                rest -= counts[p] + prior[p]
                p += 1
            counts[p] += 1
        else:
            which = int(rng.random() * (number - taken))
            while which >= counts[p]:
                which -= counts[p]
                p += 1
            counts[p] -= 1
    for p in range(first, first + levels):
        left += fit(noise, p, before[p], counts[p] - before[p])
    return left


@njit(cache=True, nogil=True)
def step_class(
    rng: np.random.Generator,
    chosen: int,
    steps: int,
    star: Star,
    noise: NetworkNoise,
    state: StarState,
    room: Room,
) -> float:
    """Let records be born in a class, or die; return the log of what is left of p but for n and A."""
    cell, counts, prior = star.root + chosen, state.counts, state.prior
    number = counts[cell]
    left = fit(noise, cell, number, steps)
    left += rise(number + prior[cell], steps) - rise(number + 1.0, steps)
    for feature in range(star.first.size):
        levels = star.levels[feature]
        first = star.first[feature] + chosen * levels
        if star.at_once < LOOKING:
            left += step_row(rng, first, levels, number, steps, noise, counts, prior, room.up, room.down)
        else:
            left += step_row_blindly(rng, first, levels, number, steps, noise, counts, prior, room.before)
        if left == -math.inf:
            break
    counts[cell] = number + steps
    return float(left)


@njit(cache=True, nogil=True)
def step(
    rng: np.random.Generator,
    star: Star,
    noise: NetworkNoise,
    state: StarState,
    most: int,
    known: bool,
    room: Room,
) -> bool:
    """Try births, deaths, or both in two classes; say whether that was accepted."""
    root, classes, counts = star.root, star.classes, state.counts
    d = log_uniform(float(star.at_once), rng.random())
    one = int(rng.random() * classes)
    two = (one + 1 + int(rng.random() * (classes - 1))) % classes
    kind = rng.random()
    births, deaths = known or kind < 0.6, known or kind >= 0.4
    n, whole = 0, 0.0
    for c in range(classes):
        n += counts[root + c]
        whole += state.prior[root + c]
    change = (d if births else 0) - (d if deaths else 0)
    if n + change > most or (births and deaths and classes == 1):
        return False
    dying = two if births else one
    if deaths and counts[root + dying] < d:
        return False
    room.before[:] = counts
    left = rise(n + 1.0, change) - rise(n + whole, change)
    if deaths:
        left += step_class(rng, dying, -d, star, noise, state, room)
    if births:
        left += step_class(rng, one, d, star, noise, state, room)
    if not (left >= 0 or rng.random() < math.exp(left)):
        counts[:] = room.before
        return False
    for feature in range(star.first.size):
        first, levels = star.first[feature], star.levels[feature]
        if births:
            weigh_cells(state, first + one * levels, first + (one + 1) * levels)
        if deaths:
            weigh_cells(state, first + dying * levels, first + (dying + 1) * levels)
    return True
