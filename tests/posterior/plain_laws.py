"""The law of tables by their noisy counts alone, added up: for two or three cells."""

from __future__ import annotations

import math

import numpy as np

#: what is summed over: counts and their chances
Law = dict[int, float]


def plain_means(observed: list[int], variance: float, totals: range) -> np.ndarray:
    """Return the expected counts of two or three cells, of which the third is parted off first."""
    cells = range(len(observed))
    much = [cell for cell in cells if observed[cell] > 4 * math.sqrt(variance)]
    little = [cell for cell in cells if cell not in much]
    means = np.zeros(len(observed))
    for few, chance in _sum_of(observed, variance, little, much, totals).items():
        for cell, mean in _parted({few: 1.0}, observed, variance, little).items():
            means[cell] += chance * mean
        rest = (
            range(totals[0] - few, totals[-1] - few + 1) if len(totals) == 1 else range(totals[-1] - few + 1)
        )
        for many, share in _sum_of(observed, variance, much, [], rest).items():
            for cell, mean in _parted({many: 1.0}, observed, variance, much).items():
                means[cell] += chance * share * mean
    return means


def _sum_of(observed: list[int], variance: float, some: list[int], others: list[int], totals: range) -> Law:
    """Return the law of the sum of some cells; if one total is possible, the others have the rest."""
    if not some:
        return {0: 1.0}
    known = len(totals) == 1
    if known and not others:
        return {totals[0]: 1.0}

    def height(at: np.ndarray) -> np.ndarray:
        logs = -((at - sum(observed[cell] for cell in some)) ** 2) / (2 * variance * len(some))
        if known:
            rest = totals[0] - at - sum(observed[cell] for cell in others)
            logs -= rest**2 / (2 * variance * len(others))
        return np.asarray(np.exp(logs))

    return _law(height, totals[-1])


def _law(height: object, most: int) -> Law:
    """Return the law of whole numbers, each of which has what is nearer to it than to others."""
    fine = (np.arange(400) + 0.5) / 400 - 0.5
    heights = np.array([height(number + fine).mean() for number in range(most + 1)])  # type: ignore[operator]
    return dict(enumerate((heights / heights.sum()).tolist()))


def _parted(law: Law, observed: list[int], variance: float, some: list[int]) -> dict[int, float]:
    """Return the expected count of each of some cells, given the law of their sum."""
    if len(some) == 1:
        return {some[0]: sum(number * chance for number, chance in law.items())}
    if not some:
        return {}
    first, second = ([some[0], some[1]], [some[2]]) if len(some) == 3 else ([some[0]], [some[1]])
    one: Law = {}
    other: Law = {}
    for whole, chance in law.items():
        for number, share in _sum_of(observed, variance, first, second, range(whole, whole + 1)).items():
            one[number] = one.get(number, 0.0) + chance * share
            other[whole - number] = other.get(whole - number, 0.0) + chance * share
    return _parted(one, observed, variance, first) | _parted(other, observed, variance, second)
