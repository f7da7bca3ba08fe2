"""Tails of the Beta and Gamma laws in balls, on the side on which Arb encloses them narrowly."""

from __future__ import annotations

import math

from privior.interval_arithmetic import arb

#: above this shape the lower Gamma tail is taken from the upper one: Arb's own is wide there
_LARGE_SHAPE = 32
#: above this shape the Beta function at an argument near 1 takes Arb minutes
_ENDLESS = 1e10
#: tails above about e^-40 do not need to be taken by themselves
_NEAR = 40


def log_beta(first: arb, second: arb) -> arb:
    """Return the logarithm of the Beta function."""
    return first.lgamma() + second.lgamma() - (first + second).lgamma()


def beta_above(logit: arb, first: arb, second: arb) -> arb:
    """Return the chance that a draw y from Beta(first, second) has log(y / (1-y)) above `logit`.

    By the incomplete Beta function at y or at 1-y. Far from the mean, where one tail is tiny, of that tail:
    else it would be lost in a difference from 1. Near it, at the smaller argument, which is many times as
    quick; everywhere if a shape is so large that the other argument takes for ever, for more bits do it too.
    Both are correct everywhere; the rule, in floating point, only chooses.
    """
    gap = float((logit - (first / second).log()).mid())
    shape = min(float(first.mid()), float(second.mid()))
    near = abs(gap) < 100 and shape * (math.expm1(abs(gap)) - abs(gap)) < _NEAR
    near = near or max(float(first.mid()), float(second.mid())) > _ENDLESS
    if (float(logit.mid()) if near else gap) > 0:
        rest = 1 / (1 + logit.exp())
        return rest.beta_lower(second, first, regularized=True)
    point = 1 / (1 + (-logit).exp())
    return 1 - point.beta_lower(first, second, regularized=True)


def gamma_above(point: arb, shape: arb) -> arb:
    """Return the chance that a draw from Gamma(shape) is above the point."""
    return point.gamma_upper(shape, regularized=True)


def gamma_below(point: arb, shape: arb) -> arb:
    """Return the chance that a draw from Gamma(shape) is below the point."""
    if shape.mid() > _LARGE_SHAPE:
        return 1 - point.gamma_upper(shape, regularized=True)
    return point.gamma_lower(shape, regularized=True)
