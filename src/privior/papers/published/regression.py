"""Linear regression in "On the Differential Privacy of Bayesian Inference" (Section 5.2, Appendix D).

Records (x, y) with |x| <= 1, |y| <= 1; log likelihood f_w(x, y) = -(y - w.x)^2 / (2 s^2), one record
replaced; a prior Normal(0, precision^-1) on |w| <= W.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, whole_number
from privior.errors import NumberError
from privior.exact import rational, round_up
from privior.papers.published.networks import PAPER
from privior.papers.published.statement import Published, Verdict
from privior.privacy.pairs import BoundedRangePair

#: an output, as exact numbers
Weights = Sequence[object]


def gradients(x: Sequence[float], y: float, w: Sequence[float], stddev: float) -> tuple[Floats, Floats]:
    """Return the gradient of f_w by (x, y) as printed, and as it is.

    Printed: (x_j w.w - y w_j) / (2 s^2) by x_j and (y - w.x) / (2 s^2) by y. True: (y - w.x) w_j / s^2 and
    -(y - w.x) / s^2. The factor 1/2 of the square is kept where differentiating has used it up, (w.x) w_j has
    become x_j w.w, and the signs are turned.
    """
    features, weights = np.asarray(x, np.float64), np.asarray(w, np.float64)
    left = y - float(weights @ features)
    printed = np.append(features * (weights @ weights) - y * weights, left) / (2 * stddev**2)
    return printed, np.append(left * weights, -left) / stddev**2


def sound_range(radius: object, stddev: object, reach: object = 1, bound: object = 1) -> Fraction:
    """Return eta, the range of the loss of a draw: J / (2 s^2), J = 2 (Y + RW)^2 if Y <= RW, else 8YRW.

    (y - w.x)^2 lies between 0 and (Y + RW)^2 for |w| <= W; where Y > RW, y^2 is common to all w and the rest
    lies between R^2W^2 - 2YRW and R^2W^2 + 2YRW. Two such terms, one with each sign, vary by twice that
    (`mechanisms.ball_draw` has the proof for draws). Attained in two or more dimensions.
    """
    w, s = above_zero(radius, "radius"), above_zero(stddev, "stddev")
    r, y = above_zero(reach, "reach"), above_zero(bound, "bound")
    return (2 * (y + r * w) ** 2 if y <= r * w else 8 * y * r * w) / (2 * s**2)


def appendix_d(records: int, weights: Weights, radius: object, stddev: object) -> Published:
    """Appendix D: a draw w is 2 L(w)-differentially private, L(w) = n (1 + 2 |w|_1 + d |w|_2) / (2 s^2).

    Not a guarantee at all: it depends on the output, so it is known only after the draw, and an epsilon that
    outputs have is no bound that all outputs share. As a number it is false three times. The factor n adds up
    gradients of records that do not change: a replaced record changes one summand. The factor 1/2 is that of
    the square, see `gradients`: at w = 0, n = 1 the slope of f by y is 1/s^2, twice L. And |w|_1 and d |w|_2
    grow like w where the true slope, (1 + |w|) sqrt(1 + |w|^2) / s^2, grows like its square. What is sound is
    the range of the log likelihood ratio over the ball (`sound_range`), the same for all outputs.

    Args:
        records: n
        weights: w, the output
        radius: W, the bound of its norm
        stddev: s
    """
    n, w, s = (
        whole_number(records, "records"),
        [rational(one, "weight") for one in weights],
        above_zero(stddev, "stddev"),
    )
    length = math.sqrt(sum(float(one) ** 2 for one in w))
    if length > float(above_zero(radius, "radius")) * (1 + 1e-12):
        raise NumberError("the output lies outside of the ball", where="weights")
    size = 1 + 2 * float(sum(abs(one) for one in w)) + len(w) * length
    value = round_up(Fraction(n) * Fraction(size) / s**2)
    eta = sound_range(radius, stddev)
    reason = (
        "depends on the output; n counts records that do not change, and a factor 1/2 is lost: "
        + ("below" if value < eta else "above")
        + " the range of the loss"
    )
    formula = "epsilon = 2 L(w), L(w) = n (1 + 2 |w|_1 + d |w|_2) / (2 s^2)"
    return PAPER.states(
        "Appendix D",
        formula,
        "epsilon",
        value,
        (Verdict.FALSE, reason),
        BoundedRangePair(eta),
        round_up(eta),
    )


def lemma_d1(
    products: Floats, with_target: Floats, precision: Floats, stddev: float
) -> tuple[Floats, Floats]:
    """Lemma D.1: the posterior is Normal(mu_n, Sigma_n) cut to the ball. It holds; this returns mu_n and
    Sigma_n.

    Args:
        products: X'X
        with_target: X'y
        precision: of the prior
        stddev: s
    """
    inverse = np.asarray(np.linalg.inv(products + stddev**2 * precision), np.float64)
    return inverse @ with_target, stddev**2 * inverse
