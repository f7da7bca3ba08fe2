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


def _upwards(
    nodes: Integers,
    leaves: int,
    messages: Floats,
    scales: Floats,
    logs: Floats,
    first: Floats,
    second: Floats,
    far: float,
) -> bool:
    """Fill in the messages of all parts of several cells, and the logarithms of their scales.

    Args:
        nodes: the parts; where their messages stand is filled in
        leaves: the number of cells
        messages: those of the cells, and room for the others
        scales: to be filled in
        logs: the logarithm of each kind's weight, as (group, kind)
        first, second: the parameters of both halves, as (part, kind)
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
    outside: Floats,
    logs: Floats,
    first: Floats,
    second: Floats,
) -> Floats:
    """Return how probable each kind of halving is in each part, as (part, kind); cells have none.

    Args:
        nodes, leaves, messages, logs, first, second: as they are after going upwards
        outside: what is known of the whole table, at its message's place; the rest is filled in
    """
    chances = np.zeros(first.shape)
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        step, start = nodes[node, STEP], nodes[node, START]
        one, low = message(nodes, nodes[node, FIRST], step, messages)
        other, low_2 = message(nodes, nodes[node, SECOND], step, messages)
        known = outside[start : start + nodes[node, SIZE]]
        law = logs[nodes[node, GROUP]]
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
        part = parted(one, low, other, low_2, first[node], second[node], law, unit, rng.random((draws,)))
        part = np.minimum(np.maximum(part, low), low + one.size - 1)
        if step > 1:
            part = within(number, unit, part, step, rng.random((draws,)))
        sums[nodes[node, FIRST]] = np.minimum(np.maximum(part, 0), number)
        sums[nodes[node, SECOND]] = number - sums[nodes[node, FIRST]]


def _within(number: Integers, unit: Integers, part: Integers, step: int, goals: Floats) -> Integers:
    """Draw how many records the first half has, given its units.

    In proportion, and anywhere within a unit; of less than half a unit c are left with a chance of about
    1/(c+1), so that none is not rare.
    """
    few = np.exp(goals * math.log(step // 2 + 1.0)).astype(np.int64) - 1
    rest = unit - part
    inside = part * step + (number - unit * step) * part // np.maximum(unit, 1)
    inside = inside + (goals * step).astype(np.int64) - step // 2
    found = np.where(rest <= 0, number - few, np.where(part <= 0, few, inside))
    return np.where((rest <= 0) & (part <= 0), (goals * (number + 1)).astype(np.int64), found)


within = Compiled(_within)
downwards = Compiled(_downwards)
