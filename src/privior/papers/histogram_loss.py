"""The expected squared Euclidean loss of a released normalised histogram, in closed form.

k cells, N records with shares p, |p|^2 = q: between 1/k (all cells alike) and 1 (one cell has all). q is
private: a forecast declares it. Replacing one record moves two counts by one each. The loss is linear in q,
so its expectation over data is its value at the expected q.
"""

from __future__ import annotations

import math
from fractions import Fraction

from privior.checks import above_zero, whole_number
from privior.errors import NumberError, shown
from privior.exact import rational
from privior.papers.published.dirichlet import read_order


def draw_loss(cells: int, prior: object, records: int, concentration: object, rate: object = 1) -> float:
    """Return E|Y - p|^2 for one draw Y from Dirichlet(r x + a), the same a in every cell.

    The mean is m = (1 - w) p + w/k with w = k a / (r N + k a), so the squared bias is w^2 (q - 1/k), and the
    variances add up to (1 - |m|^2) / (r N + k a + 1).

    >>> draw_loss(2, 1, 2, 1)  # Beta(3, 1) against a share of 1: 3/80 twice, and a bias of 1/4 twice
    0.2
    """
    k, n = whole_number(cells, "cells", 2), whole_number(records, "records")
    a, r, q = above_zero(prior, "prior"), above_zero(rate, "rate"), _concentration(concentration, k)
    total = r * n + k * a
    shrink = k * a / total
    mean = (1 - shrink) ** 2 * q + (2 - shrink) * shrink / k
    return float((1 - mean) / (total + 1) + shrink**2 * (q - Fraction(1, k)))


def gaussian_loss(cells: int, records: int, order: object, divergence: object) -> float:
    """Return E|Z|^2 for Gaussian noise on the shares with a Renyi divergence D of order l, before projecting.

    The shares move by sqrt(2)/N, so noise of variance s^2 has D = l / (N^2 s^2), and the loss is
    k l / (N^2 D), whatever the data.
    """
    k, n = whole_number(cells, "cells", 2), whole_number(records, "records")
    return float(k * read_order(order) / (n**2 * above_zero(divergence, "divergence")))


def laplace_loss(cells: int, records: int, order: object, divergence: object) -> float:
    """Return E|Z|^2 for Laplace noise on the shares with a Renyi divergence D of order l, before projecting.

    Two shares move by 1/N, so the noise of scale b/N on each has D/2, see `laplace_scale`; 2 k b^2 / N^2.
    """
    k, n = whole_number(cells, "cells", 2), whole_number(records, "records")
    return 2 * k * laplace_scale(float(above_zero(divergence, "divergence")) / 2, order) ** 2 / n**2


def laplace_scale(divergence: float, order: object) -> float:
    """Return the scale b at which Laplace noise on a number that moves by 1 has this divergence of order l.

    ln(l/(2l-1) e^((l-1)/b) + (l-1)/(2l-1) e^(-l/b)) / (l-1) (Mironov 2017, Table II) decreases in b.
    """
    at = float(read_order(order))

    def reached(scale: float) -> bool:
        first = math.log(at / (2 * at - 1)) + (at - 1) / scale
        second = math.log((at - 1) / (2 * at - 1)) - at / scale
        return first + math.log1p(math.exp(second - first)) <= (at - 1) * divergence

    low, high = 1e-9, 1e9
    if not reached(high) or reached(low):
        raise NumberError("divergence is out of range", asked=shown(divergence))
    while high / low > 1 + 1e-13:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def typical_concentration(cells: int, records: int) -> Fraction:
    """Return E|p|^2 for shares p of N records whose chances are Dirichlet(1, ..., 1): (2 (N-1)/(k+1) + 1)/N.

    >>> typical_concentration(2, 1), typical_concentration(3, 10**9) < Fraction(501, 1000)
    (Fraction(1, 1), True)
    """
    k, n = whole_number(cells, "cells", 2), whole_number(records, "records")
    return (Fraction(2 * (n - 1), k + 1) + 1) / n


def least_concentration(cells: int, records: int) -> Fraction:
    """Return |p|^2 for N records spread over k cells as evenly as whole numbers allow.

    >>> least_concentration(3, 9), least_concentration(1000, 10), least_concentration(2, 3)
    (Fraction(1, 3), Fraction(1, 10), Fraction(5, 9))
    """
    k, n = whole_number(cells, "cells", 2), whole_number(records, "records")
    low, more = divmod(n, k)
    return Fraction(more * (low + 1) ** 2 + (k - more) * low**2, n**2)


def _concentration(value: object, cells: int) -> Fraction:
    number = rational(value, "concentration")
    if not Fraction(1, cells) <= number <= 1:
        allowed = f"1/{cells} to 1"
        raise NumberError("concentration is out of range", asked=shown(value), allowed=allowed)
    return number
