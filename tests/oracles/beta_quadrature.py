"""Divergences of many pairs of Beta laws at once, by quadrature of their densities in double precision."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from neighbouring_tables import Floats
from scipy import special

_SIDE = (1, 2, 3, 4.5, 6, 8, 11, 15, 20, 27, 36, 48, 64, 85, 113, 150, 200, 270, 360, 480)
_BREAKS = np.array([*(-side for side in _SIDE[::-1]), 0.0, *_SIDE])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _panels(breaks: Floats) -> tuple[Floats, Floats]:
    """Nodes and weights between the breaks along the last axis."""
    half = np.diff(breaks)[..., None] / 2
    nodes = breaks[..., :-1, None] + half * (1 + _NODES)
    shape = (*breaks.shape[:-1], -1)
    return nodes.reshape(shape), (half * _WEIGHTS).reshape(shape)


_U, _W = _panels(_BREAKS)
_PANEL = np.repeat(np.arange(_BREAKS.size - 1), _NODES.size)

#: the two parameters of P, then those of Q
Situation = tuple[float, float, float, float]


class BetaLaws:
    """Pairs of laws P = Beta(a, b) and Q = Beta(c, d), whose loss is monotone (a - c and d - b >= 0 or <= 0).

    By the log odds u, where the densities are smooth and fall exponentially: Gauss-Legendre quadrature with
    16 nodes between breaks, one of which is put where the loss crosses epsilon, so that max(0, p - e^eps q)
    is smooth between breaks. The crossing is found by bisection of the ratio of the densities.
    """

    def __init__(self, situations: Sequence[Situation]) -> None:
        columns = np.array(situations, dtype=float).reshape(-1, 4).T[:, :, None]
        self.a, self.b, self.c, self.d = columns
        # scipy's log-beta cancels for large parameters; the quadrature itself says by how much it is off
        self.norms = special.betaln(self.a, self.b), special.betaln(self.c, self.d)
        log_p, loss = self.logs(_U)
        totals = (np.sum(_W * np.exp(log), axis=1, keepdims=True) for log in (log_p, log_p - loss))
        off = [np.log(total) for total in totals]
        assert max(np.abs(one).max() for one in off) < 1e-9
        self.norms = self.norms[0] + off[0], self.norms[1] + off[1]

    def logs(self, u: Floats) -> tuple[Floats, Floats]:
        """Return the log density of P and the loss."""
        low, high = -np.logaddexp(0, -u), -np.logaddexp(0, u)
        loss = (self.a - self.c) * low + (self.b - self.d) * high - self.norms[0] + self.norms[1]
        return self.a * low + self.b * high - self.norms[0], loss

    def _crossing(self, epsilon: float) -> Floats:
        low = np.full((len(self.a), 1), _BREAKS[0])
        high = -low
        below = self.logs(low)[1] < epsilon
        for _ in range(60):
            middle = (low + high) / 2
            left = (self.logs(middle)[1] < epsilon) == below
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        return np.asarray((low + high) / 2)

    def delta(self, epsilon: float) -> Floats:
        crossing = self._crossing(epsilon)
        at = np.clip(np.searchsorted(_BREAKS, crossing) - 1, 0, _BREAKS.size - 2)
        fine, weights = _panels(np.concatenate([_BREAKS[at], crossing, _BREAKS[at + 1]], axis=1))
        outside = self._excess(epsilon, _U) * _W * (at != _PANEL)
        return np.asarray(outside.sum(axis=1) + (self._excess(epsilon, fine) * weights).sum(axis=1))

    def _excess(self, epsilon: float, u: Floats) -> Floats:
        """Return max(0, p - e^epsilon q)."""
        log_p, loss = self.logs(u)
        return np.asarray(np.exp(log_p) * -np.expm1(np.minimum(0.0, epsilon - loss)))

    def renyi(self, order: float) -> Floats:
        """Infinite where p^order q^(1-order) does not fall towards an end."""
        log_p, loss = self.logs(np.array([-480.0, -360.0, 360.0, 480.0]))
        far = log_p + (order - 1) * loss
        diverges = (far[:, 0] > far[:, 1] - 1e-3) | (far[:, 3] > far[:, 2] - 1e-3)
        log_p, loss = self.logs(_U)
        if order == 1:
            return np.asarray(np.sum(_W * np.exp(log_p) * loss, axis=1))
        with np.errstate(over="ignore"):
            moment = np.sum(_W * np.exp(log_p + (order - 1) * loss), axis=1)
            return np.where(diverges, math.inf, np.log(moment) / (order - 1))
