"""The integral of a Normal density over a ball, in floating point: what draws from the ball are divided by.

    Z = integral over |y|^2 <= r2 of prod_i exp(-v_i y_i^2 / 2 + g_i y_i) dy

As a function of r2 its Laplace transform is M(s) / s, M(s) = prod_i sqrt(2 pi / (v_i + 2s)) exp(g_i^2 / 2(v_i
+ 2s)), so that Z is the integral of M(s) e^(s r2) / s ds / 2 pi i along any line to the right of 0. The path
leads through the saddle of the integrand on the positive axis and bends to the left, a parabola, along which
it falls like e^(-t^2/2): two dozen points give nine digits.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats

_NODES, _REACH = 32, 8.0
_HALVINGS = 70


def log_mass(values: Floats, squares: Floats, squared_radius: float) -> Floats:
    """Return log Z for each row of v and of g^2."""
    size = values.shape[1]
    low = np.full(len(values), -30.0 - np.log(squared_radius))
    high = np.log(4.0 + 4 * squares.sum(axis=1) + 4 * size) - np.log(squared_radius) + 30.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        s = np.exp(middle)
        wide = values + 2 * s[:, None]
        rises = squared_radius - (1 / wide + squares / wide**2).sum(axis=1) - 1 / s < 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    saddle = np.exp((low + high) / 2)
    wide = values + 2 * saddle[:, None]
    top = saddle * squared_radius - np.log(saddle) + (squares / (2 * wide) - np.log(wide) / 2).sum(axis=1)
    step = (1 / saddle**2 + (2 / wide**2 + 4 * squares / wide**3).sum(axis=1)) ** -0.5
    bend = step**2 / (4 * saddle)
    t = (np.arange(_NODES) + 0.5) * (_REACH / _NODES)
    path = saddle[:, None] - bend[:, None] * t**2 + 1j * step[:, None] * t
    along = -2 * bend[:, None] * t + 1j * step[:, None]
    curved = values[:, None, :] + 2 * path[:, :, None]
    height = path * squared_radius - np.log(path) - top[:, None]
    height = height + (squares[:, None, :] / (2 * curved) - np.log(curved) / 2).sum(axis=2)
    found = (np.exp(height) * along).imag.sum(axis=1) * (_REACH / _NODES) / np.pi
    return np.asarray(top + np.log(found) + size / 2 * np.log(2 * np.pi))
