"""Dirichlet draws on a public grid, as sticks; and the counts of records drawn from one (a Polya urn).

A draw Y from Dirichlet(u_1, ..., u_k) is k-1 independent sticks, X_i from Beta(u_i, u_(i+1) + ... + u_k), the
part of what is left that goes to cell i: Y_i = X_i (1 - X_1) ... (1 - X_(i-1)). Each stick is rounded exactly
to a grid (`rounding`), so the rounded sticks are a function of the ideal Y and cost what Y costs. Order,
number and grid of the sticks are public; probabilities are computed from the rounded ones.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from privior.randomness.beta import BetaLaw
from privior.randomness.entropy import Bits
from privior.randomness.rounding import rounded

#: where the draws come from, in words, for those who sign
EXACTLY_ROUNDED = "exactly rounded by interval arithmetic, from the operating system's random bits"


def dirichlet_sticks(parameters: Sequence[Fraction], places: int) -> tuple[int, ...]:
    """Draw from a Dirichlet law: for each cell but the last, its stick times 2^places, rounded exactly."""
    bits = Bits()
    sticks = []
    left = sum(_checked(parameters), Fraction(0))
    for parameter in parameters[:-1]:
        left -= parameter
        sticks.append(rounded(BetaLaw(parameter, left), places, bits))
    return tuple(sticks)


def virtual_counts(parameters: Sequence[Fraction], drawn: int) -> tuple[int, ...]:
    """Draw Y from a Dirichlet law and count `drawn` records with law Y, in whole numbers, without any Y.

    An urn holds u_i of each cell; every record drawn goes back with one more of its cell. With W = u_1 + ...
    + u_k and m records drawn before, the next is one of the urn's first content with probability W / (W + m),
    and else the same as one of those m, all alike. Multiplied by the common denominator all are integers.
    """
    unit = math.lcm(*(parameter.denominator for parameter in _checked(parameters)))
    ends = list(accumulate(int(parameter * unit) for parameter in parameters))
    whole = ends[-1]
    bits = Bits()
    records: list[int] = []
    counts = [0] * len(parameters)
    for before in range(drawn):
        place = bits.below(whole + unit * before)
        cell = bisect_right(ends, place) if place < whole else records[(place - whole) // unit]
        records.append(cell)
        counts[cell] += 1
    return tuple(counts)


def _checked(parameters: Sequence[Fraction]) -> Sequence[Fraction]:
    if len(parameters) < 2 or min(parameters) <= 0:
        raise ValueError("a Dirichlet law has two or more positive parameters")
    return parameters
