"""Draws of a mean from a Normal posterior, integrated."""

from __future__ import annotations

from fractions import Fraction

from mpmath import mp
from two_laws import DIGITS, Case, Line, number, spread

from privior.privacy.pairs import GaussianPair, normal_mean_draw

F = Fraction


def normal_line(mu_squared: Fraction, reach: float, parts: int = 24) -> Line:
    with mp.workdps(DIGITS):
        mu = mp.sqrt(number(mu_squared))
        return Line(lambda y: -((y - mu) ** 2) / 2, lambda y: -(y**2) / 2, spread(-reach, reach, parts=parts))


def posteriors(
    variance: Fraction, prior_variance: Fraction, records: int, length: Fraction, rate: Fraction
) -> Line:
    """The posterior of a mean, prior N(0, ...), as it is if one record is 0 and if it is `length`."""
    with mp.workdps(DIGITS):
        precision = 1 / number(prior_variance) + number(rate) * records / number(variance)
        far = number(rate) * number(length) / number(variance) / precision
        reach = float(far) + 18 / float(mp.sqrt(precision))
        return Line(
            lambda m: -precision * (m - far) ** 2 / 2,
            lambda m: -precision * m**2 / 2,
            spread(-reach, reach, parts=24),
        )


def cases() -> list[Case]:
    """The worst record moves from one end of the range to the other."""
    return [
        Case("N(mu, 1) from N(0, 1)", lambda: GaussianPair(F(1, 3)), lambda: normal_line(F(1, 3), 18)),
        Case(
            "a mean in 0 to 10, variance 4, 50 records at half weight",
            lambda: normal_mean_draw(4, 9, 50, 10, rate="0.5"),
            lambda: posteriors(F(4), F(9), 50, F(10), F(1, 2)),
        ),
    ]
