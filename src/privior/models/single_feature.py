"""How far replacing one record moves the moments of a regression on a single feature, from the ranges.

With one feature two records are never at right angles, so that `MomentWeights.replacing` is too much. In its
words, x and z being single numbers:

**Theorem.** The square of how far replacing a record moves f is at most the largest value of
F(p, g) = c p^2 (2 - p)^2 + a p^2 + (b/4) (p + 2g - 2pg)^2 + e g^2 + q g^2 (1 - g)^2 for p from 0 to the width
of the feature's range and g from 0 to that of the target's. Attained where the ranges have 1, -1 or 1/2, -1/2
as an end and the grids have the values. Proof. Let p = |x - z|, r = |x + z|, g = |u - v|, h = |u + v|. Then
2 |xu - zv| = |(x - z)(u + v) + (x + z)(u - v)| <= ph + rg, so |f - f'|^2 <= c p^2 r^2 + a p^2 + (b/4) (ph +
rg)^2 + e g^2 + q g^2 h^2, which increases in r and h; and p + r = 2 max(|x|, |z|) <= 2, g + h <= 1. []

F is bounded by its Bernstein coefficients, exactly: a polynomial lies below the largest of them, and the
corners' are its values there. Boxes are halved and left out once they lie below a value that was seen.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, comb

from privior.models.moment_weights import MomentWeights

_DEGREE = 4
#: halvings, and boxes, at most: a maximum that is no corner is known to a millionth after ten
_DEEPEST, _MANY = 10, 500
Grid = list[list[Fraction]]


def moved(weights: MomentWeights, intercept: bool, feature: Fraction, target: Fraction) -> Fraction:
    """Return a bound of the square of how far replacing a record moves all sums.

    Args:
        weights: of the moments
        intercept: whether there is one
        feature: how wide its range is, that from -1 to 1 being 2
        target: how wide its range is, that from -1/2 to 1/2 being 1
    """
    boxes = [_bernstein(_polynomial(weights, intercept), feature, target)]
    best = _at_corners(boxes[0])
    for _ in range(_DEEPEST):
        best = max(best, *map(_at_corners, boxes))
        boxes = [box for box in boxes if _above(box) > best]
        if not boxes or len(boxes) > _MANY:
            break
        boxes = [part for box in boxes for part in _quarters(box)]
    return Fraction(ceil(max([best, *map(_above, boxes)]) * 10**6), 10**6)


def _polynomial(weights: MomentWeights, intercept: bool) -> Grid:
    """Return the coefficients of F: of p^i g^j."""
    c, b, q = weights.products, weights.with_target / 4, weights.own
    a, e = (weights.features, weights.target) if intercept else (Fraction(0), Fraction(0))
    found = [[Fraction(0)] * (_DEGREE + 1) for _ in range(_DEGREE + 1)]
    terms = {(2, 0): 4 * c + a + b, (3, 0): -4 * c, (4, 0): c}
    terms |= {(0, 2): 4 * b + e + q, (0, 3): -2 * q, (0, 4): q}
    terms |= {(1, 1): 4 * b, (2, 1): -4 * b, (1, 2): -8 * b, (2, 2): 4 * b}
    for (i, j), value in terms.items():
        found[i][j] = value
    return found


def _bernstein(coefficients: Grid, feature: Fraction, target: Fraction) -> Grid:
    """Return the Bernstein coefficients over a box from (0, 0)."""
    powers = range(_DEGREE + 1)
    share = [[Fraction(comb(k, i), comb(_DEGREE, i)) for i in powers] for k in powers]
    scaled = [[coefficients[i][j] * feature**i * target**j for j in powers] for i in powers]
    first = [[sum((share[k][i] * scaled[i][j] for i in powers), Fraction(0)) for j in powers] for k in powers]
    return [[sum((share[k][j] * row[j] for j in powers), Fraction(0)) for k in powers] for row in first]


def _above(box: Grid) -> Fraction:
    return max(map(max, box))


def _at_corners(box: Grid) -> Fraction:
    return max(box[0][0], box[0][-1], box[-1][0], box[-1][-1])


def _quarters(box: Grid) -> list[Grid]:
    halves = [_turned(half) for half in _halves(box)]
    return [_turned(quarter) for half in halves for quarter in _halves(half)]


def _turned(box: Grid) -> Grid:
    return [list(row) for row in zip(*box, strict=True)]


def _halves(box: Grid) -> tuple[Grid, Grid]:
    """Halve along the first variable, by de Casteljau's averages."""
    low, high, rows = [box[0]], [box[-1]], box
    while len(rows) > 1:
        rows = [[(x + y) / 2 for x, y in zip(one, two, strict=True)] for one, two in pairwise(rows)]
        low.append(rows[0])
        high.insert(0, rows[-1])
    return low, high
