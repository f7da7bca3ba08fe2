"""The steps of Theorem 7's proof for given laws, whose losses need not be linear: (17) to (20) by quadrature.

Each inequality is stated with its number as printed, beside what the laws have. A Lipschitz constant that is
smaller than that of the losses is noticed: the verdict is false then.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from privior.arrays import Floats
from privior.checks import above_zero
from privior.papers.gibbs_laws import GibbsLaws
from privior.papers.published.gibbs import PAPER
from privior.papers.published.statement import Published, Verdict

#: a difference quotient may exceed a slope by so much of it, by rounding
_ROUNDING = 1e-7


def equation_17_of(
    laws: GibbsLaws, function: Callable[[Floats], Floats], lipschitz: object, above: object
) -> Published:
    """Equation (17) for a function of the parameter under the first law: P[F >= E F + t] and its bound."""
    slope, t = float(above_zero(lipschitz, "lipschitz")), float(above_zero(above, "above"))
    value = math.exp(-laws.precision * t**2 / (2 * slope**2))
    mean = laws.mean(function)
    exact = laws.chance(lambda theta: function(theta) - mean - t)
    printed = "P[F >= E F + t] <= exp(-m t^2 / (2 L^2))"
    return PAPER.states("equation (17)", printed, "chance", value, _judged(exact, value), None, exact)


def equation_18(laws: GibbsLaws, lipschitz: object) -> Published:
    """Equation (18): the log density ratio is 2 beta L-Lipschitz.

    Attained by linear losses. Two labels of one record have logistic losses whose slopes are L apart, not 2L:
    half of it; in a plane two records in nearly opposite directions come close to 2L.
    """
    value = 2 * laws.temperature * float(above_zero(lipschitz, "lipschitz"))
    exact = laws.steepest
    printed = "|grad ln F| <= 2 beta L"
    return PAPER.states("equation (18)", printed, "slope", value, _judged(exact, value), None, exact)


def equation_19(laws: GibbsLaws, lipschitz: object, above: object) -> Published:
    """Equation (19): how likely the log density ratio exceeds the divergence by t, and its bound.

    That is (17) of the function that (18) is about: its mean under the first law is the divergence.
    """
    slope, t = float(above_zero(lipschitz, "lipschitz")), float(above_zero(above, "above"))
    value = math.exp(-laws.precision * t**2 / (8 * slope**2 * laws.temperature**2))
    exact = laws.tail(laws.divergence + t)
    printed = "P[ln F >= KL + t] <= exp(-m t^2 / (8 L^2 beta^2))"
    return PAPER.states("equation (19)", printed, "chance", value, _judged(exact, value), None, exact)


def equation_20(laws: GibbsLaws, lipschitz: object) -> Published:
    """Equation (20): |grad sqrt(F)|^2 <= F/4 (2 beta L)^2; the number is the root, over sqrt(F): beta L."""
    value = laws.temperature * float(above_zero(lipschitz, "lipschitz"))
    exact = laws.steepest_root
    printed = "|grad sqrt(F)|^2 <= F/4 (2 beta L)^2"
    return PAPER.states("equation (20)", printed, "slope", value, _judged(exact, value), None, exact)


def _judged(exact: float, value: float) -> tuple[Verdict, str]:
    if exact > value * (1 + _ROUNDING):
        return Verdict.FALSE, "the function is steeper than its Lipschitz constant is said to be"
    if math.isclose(exact, value, rel_tol=1e-3):
        return Verdict.SOUND, "attained where losses are straight"
    return Verdict.LOOSE, "these losses stay below it"
