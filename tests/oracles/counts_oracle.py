"""Pure noise on counts: K-norm noise, and signs of discrete Laplace noise, enumerated."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Number, Points, number

import privior as pv


def signs(step: Fraction, times: int) -> Points:
    with mp.workdps(DIGITS):
        up, down = (1 / (1 + mp.exp(s * number(step))) for s in (-1, 1))
        first, second = [mp.mpf(1)], [mp.mpf(1)]
        for _ in range(times):
            first = [p * c for p in first for c in (up, down)]
            second = [q * c for q in second for c in (down, up)]
        return Points(first, second)


def lattice_k_norm(levels: int, epsilon: Fraction, reach: int) -> Points:
    """Noise on all integer vectors of sum zero in a box, one record moved from the first cell to the second.

    Only the first two cells matter; the number of ways to fill the others is summed by convolution.
    """
    with mp.workdps(DIGITS):
        root = mp.exp(-number(epsilon) / 2)
        one = {z: root ** abs(z) for z in range(-reach, reach + 1)}
        rest = {0: mp.mpf(1)}
        for _ in range(levels - 2):
            wider: dict[int, Number] = {}
            for total, weight in rest.items():
                for z, w in one.items():
                    if abs(total + z) <= 2 * reach:
                        wider[total + z] = wider.get(total + z, 0) + weight * w
            rest = wider
        first, second = [], []
        for i in range(-reach, reach):
            for j in range(-reach + 1, reach + 1):
                others = rest.get(-i - j, 0)
                first.append(one[i] * one[j] * others)
                second.append(one[i + 1] * one[j - 1] * others)
        norms = mp.fsum(first), mp.fsum(second)
        return Points([p / norms[0] for p in first], [q / norms[1] for q in second])


def lattice_laplace(epsilon: Fraction, reach: int) -> Points:
    """Discrete Laplace noise on one integer that moves by one."""
    with mp.workdps(DIGITS):
        q = mp.exp(-number(epsilon))
        weights = {z: q ** abs(z) for z in range(-reach - 1, reach + 1)}
        total = (1 + q) / (1 - q)
        line = range(-reach, reach + 1)
        return Points([weights[z] / total for z in line], [weights[z - 1] / total for z in line])


def cases() -> list[Case]:
    """The noise itself, over all integers that matter."""
    return [
        Case(
            "K-norm noise on four counts",
            lambda: pv.KNorm(4, 2).guarantee.worst,
            lambda: lattice_k_norm(4, Fraction(2), 24),
            above=1e-7,
            sure=1e-9,
        ),
        Case(
            "Laplace noise on a count",
            lambda: pv.LaplaceCounts(3, 2, neighbours=pv.ADD_OR_REMOVE_ONE).guarantee.worst,
            lambda: lattice_laplace(Fraction(2), 80),
        ),
        Case(
            "Laplace noise on two counts",
            lambda: pv.LaplaceCounts(3, 2).guarantee.worst,
            lambda: signs(Fraction(1), 2),
        ),
    ]
