"""Draws from Dirichlet posteriors: the two Beta laws of the odds of two cells, integrated."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Line, LogDensity, Number, both_ways, number, spread

import privior as pv
from privior.privacy.pairs import dirichlet_draw


def beta_line(first: Fraction, second: Fraction, rate: Fraction, *breaks: float) -> Line:
    """Beta(first + rate, second) and Beta(first, second + rate), by the log odds."""
    a, b, r = number(first), number(second), number(rate)

    def log_density(a: Number, b: Number) -> LogDensity:
        return lambda u: (
            a * u - (a + b) * mp.log1p(mp.exp(u)) if u < 0 else -b * u - (a + b) * mp.log1p(mp.exp(-u))
        )

    with mp.workdps(DIGITS):
        return Line(log_density(a + r, b), log_density(a, b + r), spread(*breaks))


def cases() -> list[Case]:
    """Under replace-one the cells with the two smallest parameters exchange a record."""
    third = pv.DirichletDraw(3, 8, 1, "0.01", records=5)
    return [
        Case(
            "prior 2, 3, 9",
            lambda: dirichlet_draw([9, 2, 3]),
            lambda: both_ways(beta_line(Fraction(2), Fraction(3), Fraction(1), -60, -10, 10, 40)),
        ),
        Case(
            "a Dirichlet draw at its rate",
            lambda: third.guarantee.worst,
            lambda: both_ways(beta_line(Fraction(8), Fraction(8), third.rate, -9, 9)),
        ),
    ]
