"""Discrete Gaussian noise on counts and sums, summed over the integers."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Points, number

import privior as pv
from privior.privacy.pairs import DiscreteGaussianShift

F = Fraction


def lattice_gaussian(variance: Fraction, coordinates: int, shift: int = 1) -> Points:
    """One integer that moves by `shift`, or one that moves up by it and one that moves down."""
    with mp.workdps(DIGITS):
        reach = int(19 * float(variance) ** 0.5 + 19 * shift)
        wider = range(-reach - shift, reach + shift + 1)
        weights = {x: mp.exp(-number(Fraction(x * x) / (2 * variance))) for x in wider}
        total = mp.fsum(weights.values())
        line = range(-reach, reach + 1)
        one, up, down = ([weights[x + d] / total for x in line] for d in (0, shift, -shift))
        if coordinates == 1:
            return Points(one, down)
        return Points([p * q for p in one for q in one], [p * q for p in down for q in up])


def cases() -> list[Case]:
    """A sum of values from 0 to 10 moves by 10; counts by one, two of them if it is replaced."""
    total = pv.NoisyStatistics([(0, 10)], 2, "0.01")
    one = pv.GaussianCounts(3, 2, "0.01", neighbours=pv.ADD_OR_REMOVE_ONE)
    return [
        *(
            Case(
                f"an integer that moves by {shift}",
                lambda shift=shift: DiscreteGaussianShift(F(9, 2), 1, shift),  # type: ignore[misc]
                lambda shift=shift: lattice_gaussian(F(9, 2), 1, shift),  # type: ignore[misc]
            )
            for shift in (2, 5)
        ),
        Case("a sum", lambda: total.guarantee.worst, lambda: lattice_gaussian(total.scales[0] ** 2, 1, 10)),
        Case("a count", lambda: one.guarantee.worst, lambda: lattice_gaussian(one.stddev**2, 1)),
        Case("two counts of groups", lambda: one.replacing.worst, lambda: lattice_gaussian(one.stddev**2, 2)),
    ]
