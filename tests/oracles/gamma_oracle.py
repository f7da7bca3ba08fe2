"""Draws of rates, waiting times and precisions from Gamma posteriors, integrated over the logarithm."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Line, LogDensity, both_ways, number, spread

from privior.privacy.pairs import gamma_rate_draw, poisson_draw

F = Fraction


def gamma_line(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction], *breaks: float) -> Line:
    """Gamma laws of (shape, rate), by the logarithm."""

    def log_density(law: tuple[Fraction, Fraction]) -> LogDensity:
        k, rate = number(law[0]), number(law[1])
        top = k * mp.log(k / rate) - k
        return lambda u: k * u - rate * mp.exp(u) - top

    with mp.workdps(DIGITS):
        return Line(log_density(first), log_density(second), spread(*breaks))


def cases() -> list[Case]:
    """Exponential: all other records at their smallest, one at either end."""
    return [
        Case(
            "exponential waiting times in 1 to 4, ten records, two draws",
            lambda: gamma_rate_draw(2, 3, 10, 1, 4, rate="0.5", draws=2),
            lambda: both_ways(gamma_line((F(14), F(8)), (F(14), 8 + F(3, 2)), -6, 4)),
        ),
        Case(
            "one more event of a Poisson rate",
            lambda: poisson_draw(3, 1),
            lambda: both_ways(gamma_line((F(4), F(1)), (F(3), F(1)), -60, -10, 6)),
        ),
    ]
