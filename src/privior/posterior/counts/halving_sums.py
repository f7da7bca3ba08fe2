"""Sums over all tables that are halved again and again: up and down the tree of parts.

A part is counted in units of records. What the cells say of it comes up as messages, what is outside goes
down, and tables are drawn from the top. Messages of all parts stand behind each other in one array.
"""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.halving_loops import apart, parted, together

#: what a row of `nodes` holds: both halves, group, records in a unit, first unit, number of units, place
FIRST, SECOND, GROUP, STEP, LOW, SIZE, START = range(7)


def _coarser(source: Floats, low: int, ratio: int) -> tuple[Floats, int]:
    """Return a message in units `ratio` times as large, and its first unit: means, but none remains none."""
    if ratio == 1:
        return source, low
    half, size = ratio // 2, source.size
    first, last = (low + ratio - 1) // ratio, (low + size - 1) // ratio
    if last < first:
        return np.ones(1), (low + size // 2 + half) // ratio
    padded, there = np.zeros(size + 2 * ratio), np.zeros(size + 2 * ratio)
    padded[ratio : ratio + size] = source
    there[ratio : ratio + size] = 1.0
    total, weight = np.zeros(last - first + 1), np.zeros(last - first + 1)
    for away in range(-half, half + 1):
        share = 0.5 if abs(away) == half else 1.0
        begin = ratio + first * ratio - low + away
        total += share * padded[begin : begin + (last - first) * ratio + 1 : ratio]
        weight += share * there[begin : begin + (last - first) * ratio + 1 : ratio]
    total /= weight
    if low == 0:
        total[0] = source[0]
    return total, first


coarser = Compiled(_coarser)


def _message(nodes: Integers, node: int, step: int, messages: Floats) -> tuple[Floats, int]:
    """Return the message of a part in larger units."""
    start = nodes[node, START]
    return coarser(messages[start : start + nodes[node, SIZE]], nodes[node, LOW], step // nodes[node, STEP])


message = Compiled(_message)


def _levelled(low: int, size: int, a: Floats, b: Floats, logs: Floats, facts: Floats) -> Floats:
    """Return how much likelier a part of U units is made than one of the usual size, from U = `low` on.

    The chance that halves are as they are falls with U where it is spread wider than the noise, as
    1/sqrt(V(U) + blur): many parts together would pull their sum down as if each cell c had the weight 1/c.
    To take all of that back would be as if each had the weight 1, which draws nearly empty ones up. Half of
    it is taken back; and nothing from a part without records, where stretches are taken for empty ones.

    Args:
        low, size: the units
        a, b: the parameters of both halves, for each kind
        logs: the logarithm of each kind's weight
        facts: the variance of the noise between the halves, the size for which nothing changes, and whether
            none is such a size too
    """
    blur, usual = facts[0], facts[1]
    units = low + np.arange(size) * 1.0
    chance, here = np.zeros(size), 0.0
    for j in range(a.size):
        c = a[j] + b[j]
        spread, weight = a[j] * b[j] / (c * c * (c + 1.0) * blur), math.exp(logs[j])
        chance += weight / np.sqrt(1.0 + spread * units * (units + c))
        here += weight / math.sqrt(1.0 + spread * usual * (usual + c))
    found: Floats = np.sqrt(here / chance)
    if low == 0 and facts[2] > 0:
        found[0] = 1.0
    return found


levelled = Compiled(_levelled)


def _by_halves(one: Floats, other: Floats, whole: Floats, cut: int) -> Floats:
    """Return what a message must be multiplied by to say of the sum what both halves say by themselves.

    How unequal two well filled halves are says nothing of how many records they have together.

    Args:
        one, other: the messages of both halves
        whole: what follows from them and from the law of halves
        cut: how many units above the least of both halves it begins
    """
    said: Floats = np.convolve(one, other)[cut : cut + whole.size]
    found: Floats = said * (whole.sum() / said.sum()) / whole
    return found


by_halves = Compiled(_by_halves)


def _by_sum(whole: Floats, low: int, seen: float, spread: float) -> Floats:
    """Return what a message must be multiplied by to say what the noisy sum of a part's cells says by itself.

    Shapes that are slightly wrong in every cell, or only above 0 in each that is empty, are far off in a sum
    of many. The noise of such a sum is nearly normal.

    Args:
        whole: the message
        low: its first unit
        seen: the noisy sum, in units
        spread: the standard deviation of its noise
    """
    away = (low + np.arange(whole.size) - seen) / spread
    said = np.exp((np.abs(away).min() ** 2 - away * away) / 2)
    found: Floats = said * (whole.sum() / said.sum()) / whole
    return found


by_sum = Compiled(_by_sum)


def _upwards(
    nodes: Integers,
    leaves: int,
    messages: Floats,
    factors: Floats,
    scales: Floats,
    logs: Floats,
    first: Floats,
    second: Floats,
    noise: Floats,
    far: float,
) -> bool:
    """Fill in the messages of all parts of several cells, and the logarithms of their scales.

    Args:
        nodes: the parts; where their messages stand is filled in
        leaves: the number of cells
        messages: those of the cells, and room for the others
        factors: what messages were multiplied by, to be filled in at the same places
        scales: to be filled in
        logs: the logarithm of each kind's weight, as (group, kind)
        first, second: the parameters of both halves, as (part, kind)
        noise: of each part the variance of the noise between its halves and its usual size, in its units,
            whether stretches without records are nothing unusual, whether both halves are well filled, what
            is seen of its sum, and the standard deviation of its noise if the sum is to be taken as seen
        far: messages end at e^-far of their peak

    Returns:
        whether there was room
    """
    start = nodes[leaves - 1, START] + nodes[leaves - 1, SIZE]
    for node in range(leaves, nodes.shape[0]):
        step = nodes[node, STEP]
        one, low = message(nodes, nodes[node, FIRST], step, messages)
        other, low_2 = message(nodes, nodes[node, SECOND], step, messages)
        law = logs[nodes[node, GROUP]]
        whole, begin, scales[node] = together(one, low, other, low_2, first[node], second[node], law, far)
        if start + whole.size > messages.size:
            return False
        if noise[node, 3] > 0:
            factor = by_halves(one, other, whole, begin - low - low_2)
        else:
            factor = levelled(begin, whole.size, first[node], second[node], law, noise[node])
        whole = whole * factor
        if noise[node, 5] > 0:
            by_itself = by_sum(whole, begin, noise[node, 4], noise[node, 5])
            whole, factor = whole * by_itself, factor * by_itself
        factors[start : start + whole.size] = factor
        highest = whole.max()
        whole = whole / highest
        scales[node] += math.log(highest)
        messages[start : start + whole.size] = whole
        nodes[node, LOW], nodes[node, SIZE], nodes[node, START] = begin, whole.size, start
        start += whole.size
    return True


upwards = Compiled(_upwards)


def _finer(outside: Floats, low: int, ratio: int, begin: int, size: int) -> Floats:
    """Return what was said of units `ratio` times as large, over smaller ones from `begin` on."""
    if ratio == 1:
        return outside[begin - low : begin - low + size]
    places = (begin + np.arange(size)) / ratio
    return np.interp(places, low + np.arange(outside.size) * 1.0, outside)


finer = Compiled(_finer)


def _outwards(
    nodes: Integers,
    leaves: int,
    messages: Floats,
    factors: Floats,
    outside: Floats,
    logs: Floats,
    first: Floats,
    second: Floats,
) -> Floats:
    """Return how probable each kind of halving is in each part, as (part, kind); cells have none.

    Args:
        nodes, leaves, messages, factors, logs, first, second: as they are after going upwards
        outside: what is known of the whole table, at its message's place; the rest is filled in
    """
    chances = np.zeros(first.shape)
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        step, start = nodes[node, STEP], nodes[node, START]
        one, low = message(nodes, nodes[node, FIRST], step, messages)
        other, low_2 = message(nodes, nodes[node, SECOND], step, messages)
        law = logs[nodes[node, GROUP]]
        known = outside[start : start + nodes[node, SIZE]] * factors[start : start + nodes[node, SIZE]]
        to_one, to_other, chances[node] = apart(
            one, low, other, low_2, first[node], second[node], law, known, nodes[node, LOW]
        )
        for half, said, begin in ((nodes[node, FIRST], to_one, low), (nodes[node, SECOND], to_other, low_2)):
            if half >= leaves:
                place, size = nodes[half, START], nodes[half, SIZE]
                outside[place : place + size] = finer(
                    said, begin, step // nodes[half, STEP], nodes[half, LOW], size
                )
    return chances


outwards = Compiled(_outwards)


def _downwards(
    nodes: Integers,
    leaves: int,
    messages: Floats,
    logs: Floats,
    first: Floats,
    second: Floats,
    sums: Integers,
    rng: np.random.Generator,
) -> None:
    """Draw tables: `sums` is (part, draw), its last row the totals."""
    draws = sums.shape[1]
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        step = nodes[node, STEP]
        one, low = message(nodes, nodes[node, FIRST], step, messages)
        other, low_2 = message(nodes, nodes[node, SECOND], step, messages)
        number = sums[node]
        least = max(nodes[node, LOW], low + low_2)
        most = min(nodes[node, LOW] + nodes[node, SIZE], low + low_2 + one.size + other.size - 1) - 1
        unit = np.minimum(np.maximum((number + step // 2) // step, least), most)
        law = logs[nodes[node, GROUP]]
        part, kind = parted(
            one, low, other, low_2, first[node], second[node], law, unit, rng.random((draws,))
        )
        part = np.minimum(np.maximum(part, low), low + one.size - 1)
        if step > 1:
            a, b = first[node][kind], second[node][kind]
            part = within(number, unit, part, step, a, b, rng.random((draws,)))
        sums[nodes[node, FIRST]] = np.minimum(np.maximum(part, 0), number)
        sums[nodes[node, SECOND]] = number - sums[nodes[node, FIRST]]


def _few(most: Floats, a: Floats, goals: Floats) -> Integers:
    """Draw how many records a half has that has next to none: from 0 to `most`, c as often as Γ(c+a)/c!.

    Up to c there are Γ(c+1+a)/(c! Γ(1+a)), about ((c+s)/s)^a, s such that it is right for none.
    """
    a = np.minimum(a, 1.0)
    # Γ(1+a)^(1/a) to a thousandth.
    s = 0.5615 + 0.4619 * a - 0.0234 * a * a
    found: Floats = np.ceil(np.maximum((most + s) * goals ** (1 / a) - s, 0.0))
    return found.astype(np.int64)


def _within(
    number: Integers, unit: Integers, part: Integers, step: int, a: Floats, b: Floats, goals: Floats
) -> Integers:
    """Draw how many records the first half has, given its units.

    In proportion, and anywhere within a unit; none is as probable as the kind of halving has it.

    Args:
        number: the records of the part
        unit, part: the units of the part and of its first half
        step: the records of a unit
        a, b: the parameters of both halves, where one of them has no unit
        goals: random numbers between 0 and 1
    """
    rest = unit - part
    inside = (number - unit * step) * part / np.maximum(unit, 1)
    # On average no more and no less than in proportion, whatever is rounded down.
    found = part * step + np.floor(inside + goals * step - (step - 1) / 2).astype(np.int64)
    bare = np.flatnonzero((part <= 0) | (rest <= 0))
    if bare.size > 0:
        goal, whole = goals[bare], number[bare]
        # Where neither has a unit, each is taken for the emptier one half of the time.
        neither = (part[bare] <= 0) & (rest[bare] <= 0)
        first = np.where(neither, goal < 0.5, part[bare] <= 0)
        goal = np.where(neither, np.where(first, 2 * goal, 2 - 2 * goal), goal)
        most = np.where(neither, whole / 2, step // 2 * 1.0)
        left = _few(most, np.where(first, a[bare], b[bare]), goal)
        found[bare] = np.where(first, left, whole - left)
    return found


def _within_loops(
    number: Integers, unit: Integers, part: Integers, step: int, a: Floats, b: Floats, goals: Floats
) -> Integers:
    found = np.empty(number.size, np.int64)
    for draw in range(number.size):
        one, rest, goal = part[draw], unit[draw] - part[draw], goals[draw]
        if one > 0 and rest > 0:
            inside = (number[draw] - unit[draw] * step) * one / unit[draw]
            found[draw] = one * step + math.floor(inside + goal * step - (step - 1) / 2)
            continue
        first, most = one <= 0, step // 2 * 1.0
        if first and rest <= 0:
            first, most = goal < 0.5, number[draw] / 2
            goal = 2 * goal if first else 2 - 2 * goal
        emptier = min(a[draw] if first else b[draw], 1.0)
        s = 0.5615 + 0.4619 * emptier - 0.0234 * emptier * emptier
        left = math.ceil(max((most + s) * goal ** (1 / emptier) - s, 0.0))
        found[draw] = left if first else number[draw] - left
    return found


within = Compiled(_within, _within_loops)
downwards = Compiled(_downwards)
