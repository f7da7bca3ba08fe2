"""Sums over all tables that are halved again and again, compiled; imported only where they are needed.

A node of the tree is a part of the table, of U units of records. It leaves u of them to its first half with
the probability Σ_j w_j BB(u; U, a_j), a mixture of Beta-binomials of fixed concentrations a_j, whose weights
belong to the node's group. Since BB(u; U, a) = f(u) f(U−u) g(U) with f(u) = Γ(u+a)/(u! Γ(a)) and
g(U) = U! Γ(2a)/Γ(U+2a), what the noisy counts say of U is a sum of convolutions, one for each j.

f and g are multiplied by e^(∓λu), λ chosen such that f is flat in the middle: that changes no product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers

F = TypeVar("F", bound=Callable[..., object])

#: what a row of `nodes` holds
FIRST, SECOND, GROUP, STEP, LOW, SIZE, START = range(7)


def _compiled(function: F) -> F:
    """Compile it, and keep what was compiled."""
    made: F = njit(cache=True, nogil=True)(function)
    return made


@_compiled
def leaf_messages(
    nodes: Integers, observed: Integers, rates: Floats, curvatures: Floats, messages: Floats
) -> None:
    """Write the likelihood of each cell's units, its largest value 1; releases are rows."""
    for leaf in range(observed.shape[1]):
        start, best = nodes[leaf, START], -np.inf
        for at in range(nodes[leaf, SIZE]):
            count = float((nodes[leaf, LOW] + at) * nodes[leaf, STEP])
            value = 0.0
            for release in range(observed.shape[0]):
                away = abs(observed[release, leaf] - count)
                value -= (rates[release, leaf] + curvatures[release, leaf] * away / 2) * away
            messages[start + at] = value
            best = max(best, value)
        for at in range(nodes[leaf, SIZE]):
            messages[start + at] = math.exp(messages[start + at] - best)


@_compiled
def _coarser(source: Floats, low: int, ratio: int, into: Floats) -> tuple[int, int]:
    """Write a message in units `ratio` times as large; return its first unit and how many there are."""
    high = low + source.size - 1
    first = (low + ratio - 1) // ratio if low > 0 else 0
    last = high // ratio
    if last < first:
        first = last = (low + source.size // 2 + ratio // 2) // ratio
    half = ratio // 2
    for unit in range(first, last + 1):
        total = 0.0
        weight = 0.0
        for at in range(max(unit * ratio - half, low), min(unit * ratio + half, high) + 1):
            share = 0.5 if (at == unit * ratio - half or at == unit * ratio + half) else 1.0
            total += share * source[at - low]
            weight += share
        if unit == 0 and low == 0:
            total = source[0]
            weight = 1.0
        into[unit - first] = (
            total / weight if weight > 0 else source[min(max(unit * ratio - low, 0), source.size - 1)]
        )
    return first, last - first + 1


@_compiled
def _factors(message: Floats, low: int, a: float, tilt: float, into: Floats) -> float:
    """Write f(u) e^(−tilt u) times the message, its largest value 1; return the logarithm of the scale."""
    value, top, back = 1.0, 1.0, math.exp(-tilt)
    for at in range(message.size):
        if at > 0:
            value *= (low + at - 1 + a) / (low + at) * back
        into[at] = value
        top = max(top, value)
    for at in range(message.size):
        into[at] = into[at] / top * message[at]
    return math.lgamma(low + a) - math.lgamma(low + 1.0) - math.lgamma(a) - tilt * low + math.log(top)


@_compiled
def _height(unit: float, a: float, tilt: float) -> float:
    """Return log g(U) + tilt U, for a the sum of both parameters."""
    return math.lgamma(unit + 1.0) + math.lgamma(a) - math.lgamma(unit + a) + tilt * unit


@_compiled
def _tilt(one: float, other: float, a: float, b: float) -> float:
    """Return about the slope of log f where each half has so many units."""
    return 0.5 * (math.log((one + a) / (one + 1)) + math.log((other + b) / (other + 1)))


@_compiled
def _middle(message: Floats, low: int) -> float:
    total = 0.0
    moment = 0.0
    for at in range(message.size):
        total += message[at]
        moment += at * message[at]
    return low + moment / total


@_compiled
def children(
    nodes: Integers, node: int, messages: Floats, one: Floats, other: Floats
) -> tuple[int, int, int, int]:
    """Write the messages of both halves in the node's units: (first, size) of each."""
    left, right = nodes[node, FIRST], nodes[node, SECOND]
    begin = nodes[left, START]
    low, size = _coarser(
        messages[begin : begin + nodes[left, SIZE]],
        nodes[left, LOW],
        nodes[node, STEP] // nodes[left, STEP],
        one,
    )
    begin = nodes[right, START]
    low_2, size_2 = _coarser(
        messages[begin : begin + nodes[right, SIZE]],
        nodes[right, LOW],
        nodes[node, STEP] // nodes[right, STEP],
        other,
    )
    return low, size, low_2, size_2


@_compiled
def _few(step: int, rng: np.random.Generator) -> int:
    """Draw what may be left of less than half a unit: c with a chance of about 1/(c+1), none is not rare."""
    return int(math.exp(rng.random() * math.log(step // 2 + 1.0))) - 1


@_compiled
def upwards(
    nodes: Integers,
    begin_at: int,
    messages: Floats,
    scales: Floats,
    weights: Floats,
    first_a: Floats,
    second_a: Floats,
    far: float,
) -> bool:
    """Fill in the messages of all nodes from one on, and the logarithms of their scales.

    Return whether there was room for them.
    """
    kinds, room = weights.shape[1], 0
    one, other, f, h, whole = np.empty(0), np.empty(0), np.empty(0), np.empty(0), np.empty(0)
    parts, tops = np.empty((kinds, 0)), np.empty(kinds)
    start = nodes[begin_at - 1, START] + nodes[begin_at - 1, SIZE]
    for node in range(begin_at, nodes.shape[0]):
        needed = nodes[nodes[node, FIRST], SIZE] + nodes[nodes[node, SECOND], SIZE] + 8
        if start + needed > messages.size:
            return False
        if needed > room:
            room = 2 * needed
            one, other, f = np.empty(room), np.empty(room), np.empty(room)
            h, whole, parts = np.empty(room), np.empty(room), np.empty((kinds, room))
        low, size, low_2, size_2 = children(nodes, node, messages, one, other)
        full = size + size_2 - 1
        first = low + low_2
        middle, middle_2 = _middle(one[:size], low), _middle(other[:size_2], low_2)
        best = -np.inf
        for j in range(kinds):
            a, b = first_a[node, j], second_a[node, j]
            tilt = _tilt(middle, middle_2, a, b)
            scale = _factors(one[:size], low, a, tilt, f) + _factors(other[:size_2], low_2, b, tilt, h)
            part = parts[j]
            part[:full] = 0.0
            for at in range(size):
                value = f[at]
                if value > 1e-30:
                    for beside in range(size_2):
                        part[at + beside] += value * h[beside]
            scale += math.log(weights[nodes[node, GROUP], j]) + _height(first, a + b, tilt)
            value, forth, top = 1.0, math.exp(tilt), 0.0
            for at in range(full):
                if at > 0:
                    value *= (first + at) / (first + at - 1 + a + b) * forth
                part[at] *= value
                top = max(top, part[at])
            tops[j] = scale
            if top > 0:
                best = max(best, scale + math.log(top))
        whole[:full] = 0.0
        highest = 0.0
        for j in range(kinds):
            if tops[j] > best - 600:
                scale = math.exp(min(tops[j] - best, 600.0))
                for at in range(full):
                    whole[at] += scale * parts[j, at]
        for at in range(full):
            highest = max(highest, whole[at])
        least = math.exp(-far) * highest
        begin = 0
        while whole[begin] < least:
            begin += 1
        end = full
        while whole[end - 1] < least:
            end -= 1
        nodes[node, LOW], nodes[node, SIZE], nodes[node, START] = first + begin, end - begin, start
        for at in range(begin, end):
            messages[start + at - begin] = whole[at] / highest
        start += end - begin
        scales[node] = best + math.log(highest)
    return True


@_compiled
def downwards(
    nodes: Integers,
    leaves: int,
    messages: Floats,
    weights: Floats,
    first_a: Floats,
    second_a: Floats,
    sums: Integers,
    rng: np.random.Generator,
) -> None:
    """Draw tables: `sums` is (node, draw), its last row the totals."""
    widest = 0
    for node in range(nodes.shape[0]):
        widest = max(widest, nodes[node, SIZE])
    room = 4 * widest + 16
    kinds = weights.shape[1]
    one, other = np.empty(room), np.empty(room)
    f, h = np.empty((kinds, room)), np.empty((kinds, room))
    logs, tilts, scales = np.empty(kinds), np.empty(kinds), np.empty(kinds)
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        low, size, low_2, size_2 = children(nodes, node, messages, one, other)
        step, lowest, many = nodes[node, STEP], nodes[node, LOW], nodes[node, SIZE]
        left, right, group = nodes[node, FIRST], nodes[node, SECOND], nodes[node, GROUP]
        middle, middle_2 = _middle(one[:size], low), _middle(other[:size_2], low_2)
        for j in range(kinds):
            a, b = first_a[node, j], second_a[node, j]
            tilts[j] = _tilt(middle, middle_2, a, b)
            scales[j] = _factors(one[:size], low, a, tilts[j], f[j])
            scales[j] += _factors(other[:size_2], low_2, b, tilts[j], h[j]) + math.log(weights[group, j])
        made = np.zeros(many, np.uint8)
        spread = np.empty((many, size))
        for draw in range(sums.shape[1]):
            number = sums[node, draw]
            unit = min(max((number + step // 2) // step, lowest), lowest + many - 1)
            row = unit - lowest
            begin, end = max(0, unit - low_2 - size_2 + 1 - low), min(size, unit - low_2 - low + 1)
            if not made[row]:
                made[row] = 1
                best = -np.inf
                for j in range(kinds):
                    logs[j] = scales[j] + _height(unit, first_a[node, j] + second_a[node, j], tilts[j])
                    inside = 0.0
                    for at in range(begin, end):
                        inside += f[j, at] * h[j, unit - low_2 - low - at]
                    if inside > 0:
                        best = max(best, logs[j] + math.log(inside))
                spread[row, :] = 0.0
                for j in range(kinds):
                    if best - 600 < logs[j] < best + 600:
                        scale = math.exp(logs[j] - best)
                        for at in range(begin, end):
                            spread[row, at] += scale * f[j, at] * h[j, unit - low_2 - low - at]
                for at in range(1, size):
                    spread[row, at] += spread[row, at - 1]
            goal = rng.random() * spread[row, size - 1]
            at = begin
            if spread[row, size - 1] > 0:
                at = int(np.searchsorted(spread[row], goal, side="right"))
            at = min(max(at, begin), max(end - 1, begin))
            units = low + at
            rest = unit - units
            if step == 1:
                part = units
            elif rest <= 0 and units <= 0:
                part = int(rng.random() * (number + 1))
            elif rest <= 0:
                part = number - _few(step, rng)
            elif units <= 0:
                part = _few(step, rng)
            else:
                part = units * step + (number - unit * step) * units // unit
                part += int(rng.random() * step) - step // 2
            part = min(max(part, 0), number)
            sums[left, draw] = part
            sums[right, draw] = number - part


@_compiled
def log_split(one: float, other: float, a: float, b: float) -> float:
    """Log of the Beta-binomial law of a split."""
    return (
        math.lgamma(one + other + 1)
        - math.lgamma(one + 1)
        - math.lgamma(other + 1)
        + math.lgamma(one + a)
        + math.lgamma(other + b)
        - math.lgamma(one + other + a + b)
        + math.lgamma(a + b)
        - math.lgamma(a)
        - math.lgamma(b)
    )


@_compiled
def responsible(
    nodes: Integers, leaves: int, sums: Integers, weights: Floats, first_a: Floats, second_a: Floats
) -> Floats:
    """Return how probable each concentration is in each part, averaged over some tables, as (part, kind)."""
    kinds = weights.shape[1]
    found = np.zeros((nodes.shape[0], kinds))
    logs = np.empty(kinds)
    for node in range(leaves, nodes.shape[0]):
        for draw in range(sums.shape[1]):
            one, other = sums[nodes[node, FIRST], draw], sums[nodes[node, SECOND], draw]
            best = -np.inf
            for j in range(kinds):
                logs[j] = math.log(weights[nodes[node, GROUP], j])
                logs[j] += log_split(one, other, first_a[node, j], second_a[node, j])
                best = max(best, logs[j])
            total = 0.0
            for j in range(kinds):
                logs[j] = math.exp(logs[j] - best)
                total += logs[j]
            for j in range(kinds):
                found[node, j] += logs[j] / total / sums.shape[1]
    return found


@_compiled
def add_up(nodes: Integers, leaves: int, sums: Integers) -> None:
    """Fill in the counts of all parts from those of the cells."""
    for node in range(leaves, nodes.shape[0]):
        for draw in range(sums.shape[1]):
            sums[node, draw] = sums[nodes[node, FIRST], draw] + sums[nodes[node, SECOND], draw]


@_compiled
def log_shares(
    nodes: Integers,
    leaves: int,
    sums: Integers,
    chances: Floats,
    first_a: Floats,
    second_a: Floats,
    rng: np.random.Generator,
    logs: Floats,
) -> None:
    """Draw log probabilities of all parts given their counts: Beta shares of both halves, from the top."""
    logs[nodes.shape[0] - 1] = 0.0
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        left, right = nodes[node, FIRST], nodes[node, SECOND]
        for draw in range(sums.shape[1]):
            goal, kind = rng.random(), 0
            while kind < chances.shape[1] - 1 and goal >= chances[node, kind]:
                goal -= chances[node, kind]
                kind += 1
            a = first_a[node, kind] + sums[left, draw]
            b = second_a[node, kind] + sums[right, draw]
            one = math.log(rng.standard_gamma(a + 1)) - rng.standard_exponential() / a
            other = math.log(rng.standard_gamma(b + 1)) - rng.standard_exponential() / b
            top = max(one, other)
            both = top + math.log(math.exp(one - top) + math.exp(other - top))
            logs[left, draw] = logs[node, draw] + one - both
            logs[right, draw] = logs[node, draw] + other - both


@_compiled
def expected_shares(
    nodes: Integers,
    leaves: int,
    sums: Integers,
    chances: Floats,
    first_a: Floats,
    second_a: Floats,
    shares: Floats,
) -> None:
    """Write the expected probabilities of all parts given their counts."""
    shares[nodes.shape[0] - 1] = 1.0
    for node in range(nodes.shape[0] - 1, leaves - 1, -1):
        left, right = nodes[node, FIRST], nodes[node, SECOND]
        for draw in range(sums.shape[1]):
            share = 0.0
            for j in range(chances.shape[1]):
                a, b = first_a[node, j] + sums[left, draw], second_a[node, j] + sums[right, draw]
                share += chances[node, j] * a / (a + b)
            shares[left, draw] = shares[node, draw] * share
            shares[right, draw] = shares[node, draw] * (1 - share)
