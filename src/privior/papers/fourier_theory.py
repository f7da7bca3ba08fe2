"""Fourier coefficients of tables: Theorems 2 and 3 and Remark 1 of the paper on networks, computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, strictly_within, zero_or_above
from privior.papers.published.networks import PAPER, downward_closure
from privior.papers.published.statement import Published, Verdict

_RUNS = 4000
Families = Sequence[Sequence[int]]


def theorem_2(table: Floats, kept: Sequence[int]) -> Published:
    """Theorem 2: a margin is the sum, over subsets of its variables, of coefficients times projected vectors.

    An identity: the number is the largest difference between both sides, which is rounding.

    Args:
        table: counts of k binary variables, one axis each
        kept: the variables of the margin
    """
    k = table.ndim
    cells = np.array(list(product((0, 1), repeat=k)))
    flat = table.ravel()
    chosen = sorted(set(kept))
    found = np.zeros((2,) * len(chosen))
    for signs in product((0, 1), repeat=len(chosen)):
        subset = np.zeros(k, dtype=np.int64)
        subset[chosen] = signs
        basis = (-1.0) ** (cells @ subset) * 2 ** (-k / 2)
        projected = np.zeros_like(found)
        np.add.at(projected, tuple(cells[:, chosen].T), basis)
        found += float(basis @ flat) * projected
    margin = table.sum(axis=tuple(axis for axis in range(k) if axis not in chosen))
    value = float(np.abs(found - margin).max())
    judged = Verdict.SOUND, "an identity; what is left is rounding"
    return PAPER.states(
        "Theorem 2", "C(h) = sum of coefficients times C(f)", "difference", 0.0, judged, None, value
    )


def noise_of_cells(epsilon: object, families: Families, own: Sequence[int]) -> tuple[float, float]:
    """Return the standard deviation of a cell of one table: by noise on counts, and on coefficients.

    A cell of a table of v variables is the sum of 2^v coefficients, each times 2^(k/2 - v): what the scale
    2 |N| / (epsilon 2^(k/2)) seems to gain by its 2^(k/2) is multiplied back.
    """
    privacy = float(above_zero(epsilon, "epsilon"))
    counts = math.sqrt(2) * 2 * len(families) / privacy
    coefficients = math.sqrt(2) * 2 * len(downward_closure(families)) / privacy * 2 ** (-len(own) / 2)
    return counts, coefficients


def remark_1(epsilon: object, families: Families) -> Published:
    """Remark 1: the scale |I| 2^(2+d-|I|/2) / epsilon compares well with 2 |I| / epsilon; denser is better.

    d is the largest in-degree. |N| <= |I| 2^(1+d) holds. But scales of coefficients and of counts are not in
    one unit. The numbers are ratios of the noise of Algorithm 2 to that of Algorithm 1: as printed, and of a
    cell, on average over the tables. A denser graph has more coefficients and so more noise in each.
    """
    nodes, most = len(families), max(len(family) for family in families) - 1
    printed = 2.0 ** (1 + most - nodes / 2)
    pairs = [noise_of_cells(epsilon, families, family) for family in families]
    true = sum(two / one for one, two in pairs) / nodes
    judged = (
        (Verdict.FALSE, "in units of counts its noise is larger than that, and grows with density")
        if true > printed
        else (Verdict.LOOSE, "in units of counts its noise is smaller than that, and grows with density")
    )
    return PAPER.states(
        "Remark 1", "2^(1 + d - |I|/2), of noise on counts", "ratio", printed, judged, None, true
    )


def theorem_3(
    epsilon: object, families: Families, own: Sequence[int], t: object, failure: object
) -> Published:
    """Theorem 3: the L1 error of a table is at most 4 |N| / epsilon (2^p ln(|N| / failure) + t |N|).

    Sound; p is the number of parents. The number beside it is the quantile of that level, simulated.
    """
    privacy, shift = float(above_zero(epsilon, "epsilon")), float(zero_or_above(t, "t"))
    chance, size = float(strictly_within(failure, "failure")), len(downward_closure(families))
    printed = 4 * size / privacy * (2 ** (len(own) - 1) * math.log(size / chance) + shift * size)
    noise = 2 * size / privacy * np.random.default_rng(0).laplace(size=(_RUNS, 2 ** len(own)))
    noise[:, 0] += 4 * shift * size**2 / privacy
    signs = np.array(
        [[(-1) ** bin(a & b).count("1") for b in range(2 ** len(own))] for a in range(2 ** len(own))]
    )
    errors = np.abs(noise @ signs / 2 ** len(own)).sum(axis=1)
    true = float(np.quantile(errors, 1 - chance))
    judged = Verdict.LOOSE, "a union bound over coefficients; noises cancel in cells"
    formula = "4 |N| / epsilon (2^p ln(|N| / failure) + t |N|)"
    return PAPER.states("Theorem 3", formula, "distance", printed, judged, None, true)
