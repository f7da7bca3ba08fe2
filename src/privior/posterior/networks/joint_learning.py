"""Learned parameters of a network's tables, compiled; the proof is in `joint_walk`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import inner, rise
from privior.posterior.networks.joint_state import JointState, Nodes

#: the mean and the standard deviation of log(κ / levels)
CENTRE, SPREAD = 0.7, 1.0
#: the chance that a row resembles no other, and the Dirichlet parameter of each of its entries then
ALONE, ITS_OWN = 0.5, 0.5


@inner
def new_concentration(rng: np.random.Generator, kappa: float, levels: int) -> tuple[float, float]:
    """Propose another κ; return it, and how the log of its own density changes."""
    new = kappa * math.exp((0.4 if rng.random() < 0.5 else 1.5) * rng.standard_normal())
    away, was = math.log(new / levels) - CENTRE, math.log(kappa / levels) - CENTRE
    return new, (was * was - away * away) / (2 * SPREAD * SPREAD)


@inner
def new_part(rng: np.random.Generator, part: float) -> tuple[float, float]:
    """Propose another part that a level has of what two have together, -1 if it were next to all or nothing.

    Steps are even in its log odds; with it comes the logarithm of the Hastings term for that.
    """
    logit = math.log(part / (1 - part))
    logit += (0.5 if rng.random() < 0.5 else 2.0) * rng.standard_normal()
    if abs(logit) > 30:
        return -1.0, 0.0
    other = 1 / (1 + math.exp(-logit))
    return other, math.log(other * (1 - other) / (part * (1 - part)))


@inner
def judge(
    rng: np.random.Generator, number: int, counts: Integers, kappa: float, shares: Floats, prior: Floats
) -> int:
    """Draw whether a row of so many records is by itself, 1, or like others, 0, and write down its prior.

    That is its law given the row's counts and what rows share.
    """
    log_odds = math.log(ALONE / (1 - ALONE))
    if number > 0:
        log_odds += rise(kappa, number) - rise(ITS_OWN * shares.size, number)
        for x in range(shares.size):
            if counts[x] > 0:
                log_odds += rise(ITS_OWN, counts[x]) - rise(kappa * shares[x], counts[x])
    alone = int(rng.random() * (1 + math.exp(-log_odds)) < 1)
    for x in range(shares.size):
        prior[x] = ITS_OWN if alone else kappa * shares[x]
    return alone


@inner
def weigh(nodes: Nodes, v: int, state: JointState, x: int, old: float, new: float) -> float:
    """Return how the log target changes if the parameter of a level does, in all rows that share it."""
    gain, levels = 0.0, nodes.levels[v]
    for u in range(nodes.rows[v]):
        start = nodes.table[v] + u * levels
        count = state.counts[start + x]
        if count > 0 and state.alone[start] == 0:
            gain += rise(new, count) - rise(old, count)
    return gain


@njit(cache=True, nogil=True)
def learn(rng: np.random.Generator, nodes: Nodes, state: JointState) -> None:
    """Try new parameters of each learned table."""
    for v in range(nodes.column.size):
        if nodes.learned[v] == 0:
            continue
        levels, first = nodes.levels[v], nodes.weight[v]
        kappa = state.kappa[v]
        # The concentration
        new, gain = new_concentration(rng, kappa, levels)
        for u in range(nodes.rows[v]):
            count = state.counts[nodes.row[v] + u]
            if count > 0 and state.alone[nodes.table[v] + u * levels] == 0:
                gain += rise(kappa, count) - rise(new, count)
        for x in range(levels):
            share = state.shares[first + x]
            gain += weigh(nodes, v, state, x, kappa * share, new * share)
        if gain >= 0 or rng.random() < math.exp(gain):
            kappa = new
            state.kappa[v] = kappa
        # The shares of levels, two at a time
        for _ in range(levels):
            x = int(rng.random() * levels)
            y = (x + 1 + int(rng.random() * (levels - 1))) % levels
            both = state.shares[first + x] + state.shares[first + y]
            part = state.shares[first + x] / both
            other, gain = new_part(rng, part)
            if other < 0:
                continue
            gain += weigh(nodes, v, state, x, kappa * both * part, kappa * both * other)
            gain += weigh(nodes, v, state, y, kappa * both * (1 - part), kappa * both * (1 - other))
            if gain >= 0 or rng.random() < math.exp(gain):
                state.shares[first + x], state.shares[first + y] = both * other, both * (1 - other)
        shares = state.shares[first : first + levels]
        for u in range(nodes.rows[v]):
            row, start = nodes.row[v] + u, nodes.table[v] + u * levels
            cells = slice(start, start + levels)
            alone = judge(rng, state.counts[row], state.counts[cells], kappa, shares, state.prior[cells])
            state.alone[start], state.prior[row] = alone, ITS_OWN * levels if alone else kappa
