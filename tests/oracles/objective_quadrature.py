"""Objective perturbation by its definition: the density of the minimiser, in one dimension by quadrature.

A data set is a list of signed rows v. The minimiser theta of sum log(1 + e^(-v theta)) + lam/2 theta^2 + b
theta comes from b = sum v / (1 + e^(v theta)) - lam theta, so it has the density of b times |db/dtheta|.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _chance(x: Floats) -> Floats:
    """1 / (1 + e^x), also for large x."""
    away = np.exp(-np.abs(x))
    return np.asarray(np.where(x > 0, away, 1.0) / (1 + away))


def _sides(theta: Floats, rows: Floats, times: Floats, lam: float) -> tuple[Floats, Floats]:
    """b of each minimiser, and by how much it falls there."""
    chances = _chance(np.outer(theta, rows))
    return chances @ (times * rows) - lam * theta, (chances * (1 - chances)) @ (times * rows**2) + lam


def delta(
    one: Floats,
    other: Floats,
    lam: float,
    stddev: float,
    epsilon: float,
    pull: tuple[float, float] = (0.0, 0.0),
    points: int = 1501,
) -> float:
    """The hockey-stick divergence of the law of one data set from that of another, by a sum over b.

    `pull` is a row that both have, and how often.
    """
    both = [(np.append(rows, pull[0]), np.append(np.ones(len(rows)), pull[1])) for rows in (one, other)]
    b = _noises(stddev, points)
    theta = _minimisers((stddev, points), *(tuple(part.tolist()) for part in both[0]), lam)
    (_, falls), (back, falls_back) = (_sides(theta, *rows, lam) for rows in both)
    log_ratio = (b**2 - back**2) / (2 * stddev**2) + np.log(falls_back / falls)
    weights = np.exp(-(b**2) / (2 * stddev**2)) / math.sqrt(2 * math.pi) / stddev * (b[1] - b[0])
    return float((np.maximum(0.0, 1 - np.exp(epsilon + log_ratio)) * weights).sum())


def _noises(stddev: float, points: int) -> Floats:
    return np.linspace(-9 * stddev, 9 * stddev, points)


@lru_cache(maxsize=8)
def _minimisers(
    grid: tuple[float, int], given: tuple[float, ...], often: tuple[float, ...], lam: float
) -> Floats:
    """By halving: b falls with theta. One data set is compared with several, at several epsilons."""
    b, rows, times = _noises(*grid), np.array(given), np.array(often)
    high = (np.abs(b) + times @ np.abs(rows)) / lam
    low = -high
    for _ in range(70):
        middle = (low + high) / 2
        above = _chance(np.outer(middle, rows)) @ (times * rows) - lam * middle > b
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def delta_in_two(
    one: Floats, other: Floats, lam: float, stddev: float, epsilon: float, points: int = 500
) -> float:
    """The same for rows of two numbers, by a sum over a grid of b of the first data set, one row each."""
    side = np.linspace(-7 * stddev, 7 * stddev, points)
    b = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    theta = _solved(one, lam, b)
    log_p, log_q = (_log_density_in_two(theta, rows, lam, stddev) for rows in (one, other))
    weight = np.exp(-(b**2).sum(axis=1) / (2 * stddev**2)) / (2 * np.pi * stddev**2)
    cell = (side[1] - side[0]) ** 2
    return float((np.maximum(0.0, 1 - np.exp(epsilon + log_q - log_p)) * weight).sum() * cell)


def _solved(rows: Floats, lam: float, b: Floats) -> Floats:
    """The minimisers for many b, by Newton's method with halved steps."""
    theta = np.zeros_like(b)
    for _ in range(60):
        chances = _chance(theta @ rows.T)
        gradient = lam * theta + b - chances @ rows
        weights = chances * (1 - chances)
        h11, h12, h22 = (weights @ (rows[:, i] * rows[:, j]) for i, j in ((0, 0), (0, 1), (1, 1)))
        determinant = (h11 + lam) * (h22 + lam) - h12**2
        step = np.stack(
            [
                (h22 + lam) * gradient[:, 0] - h12 * gradient[:, 1],
                (h11 + lam) * gradient[:, 1] - h12 * gradient[:, 0],
            ],
            axis=1,
        )
        step /= determinant[:, None]
        long = np.maximum(1.0, np.linalg.norm(step, axis=1) * np.linalg.norm(rows, axis=1).max(initial=1.0))
        theta = theta - step / long[:, None]
    return theta


def _log_density_in_two(theta: Floats, rows: Floats, lam: float, stddev: float) -> Floats:
    chances = _chance(theta @ rows.T)
    b = chances @ rows - lam * theta
    weights = chances * (1 - chances)
    h11, h12, h22 = (weights @ (rows[:, i] * rows[:, j]) for i, j in ((0, 0), (0, 1), (1, 1)))
    determinant = (h11 + lam) * (h22 + lam) - h12**2
    return np.asarray(
        -(b**2).sum(axis=1) / (2 * stddev**2) + np.log(determinant) - np.log(2 * np.pi * stddev**2)
    )
