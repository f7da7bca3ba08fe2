"""Gradient and curvature of a logistic regression that are expected of features with given moments.

With z = a.theta, gk = E of the k-th derivative of 1/(1 + e^-z), m and C mean and covariance of the features
and c = C w, for Normal features exactly (Stein)

    G / n = (g0, g0 m + g1 c),   H / n = (g1, g1 m + g2 c; ., g1 (C + m m') + g2 (m c' + c m') + g3 c c').

Sums of many features are about Normal, but one or two that outweigh the others decide how z is spread. These,
the leading ones, are Beta distributed over their range with their mean and variance: two levels are exactly
two, evenly spread numbers are even. Given the leading feature j, a node of its Gauss-Jacobi rule, the others
are Normal with means m + C_j / C_jj (x_j - m_j) and the covariance C - C_j C_j' / C_jj, so that all first and
second moments stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from privior.arrays import Floats

#: nodes for a leading feature
_BETA = 4
#: the range of what is left of a Beta law's two numbers, a + b: two levels, and all but one value
_LEAST, _MOST = 1e-9, 1e9
#: the least spread of z at which derivatives are taken by moments
_NARROW = 1e-3
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(25)
_SHARES = _WEIGHTS / _WEIGHTS.sum()


def beta_nodes(mean: Floats, variance: Floats, number: int = _BETA) -> tuple[Floats, Floats]:
    """Return nodes and shares of Beta laws over [-1, 1], a row each; moments up to 2 number - 1 are exact.

    Args:
        mean: strictly between -1 and 1
        variance: at most 1 - mean^2, where the law has two values
        number: of the nodes
    """
    s = np.clip((1 - mean**2) / variance - 1, _LEAST, _MOST)  # a + b
    a, b = s * (1 + mean) / 2, s * (1 - mean) / 2
    matrix = np.zeros((len(mean), number, number))
    matrix[:, 0, 0] = mean
    for k in range(1, number):  # the three-term recurrence of Jacobi's polynomials
        matrix[:, k, k] = s * mean * (s - 2) / ((2 * k + s - 2) * (2 * k + s))
        over = (2 * k + s - 2) ** 2 * (2 * k + s - 1)
        rest = (k + s - 2) / (2 * k + s - 3) if k > 1 else 1.0  # 1 at k = 1, also where both are 0
        side = np.sqrt(4 * k * (k + a - 1) * (k + b - 1) * rest / over)
        matrix[:, k, k - 1] = matrix[:, k - 1, k] = side
    nodes, vectors = np.linalg.eigh(matrix)
    return np.asarray(nodes), np.asarray(vectors[:, 0] ** 2)


@final
@dataclass(frozen=True, eq=False)
class FeatureLaw:
    """Mixtures of Normal laws of features, several at once.

    Attributes:
        counts: how many records each part has: laws, parts
        means: of the features: laws, parts, features
        scatter: the covariance of the features within every part: laws, features, features
    """

    counts: Floats
    means: Floats
    scatter: Floats

    @classmethod
    def normal(cls, n: Floats, means: Floats, scatter: Floats) -> FeatureLaw:
        """Take all features to be Normal, given numbers of records, means and covariances of laws."""
        return cls(n[:, None], means[:, None, :], scatter)

    def split(self, place: int, low: float) -> FeatureLaw:
        """Return the law in parts, by the nodes of one feature.

        Args:
            place: of the feature
            low: the low end of its range, of which 1 is the high end
        """
        many, parts, size = self.means.shape
        middle, half = (1 + low) / 2, (1 - low) / 2
        mean, variance = self.means[:, :, place], np.maximum(self.scatter[:, place, place], 1e-12)
        inside = np.clip((mean - middle) / half, -1 + 1e-9, 1 - 1e-9)
        nodes, shares = beta_nodes(inside.reshape(-1), np.repeat(variance / half**2, parts))
        along = self.scatter[:, place] / variance[:, None]
        away = middle + half * nodes.reshape(many, parts, -1) - mean[:, :, None]
        moved = self.means[:, :, None, :] + away[:, :, :, None] * along[:, None, None, :]
        return replace(
            self,
            counts=(self.counts[:, :, None] * shares.reshape(many, parts, -1)).reshape(many, -1),
            means=moved.reshape(many, -1, size),
            scatter=self.scatter - along[:, :, None] * self.scatter[:, place][:, None, :],
        )

    def led_by(self, leading: tuple[tuple[int, float], ...]) -> FeatureLaw:
        """Return the law in parts, by the nodes of features: their places and low ends."""
        found = self
        for place, low in leading:
            found = found.split(place, low)
        return found

    def gradient(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return G and H at weights, one row for each law."""
        weights = theta[:, 1:]
        turned = (self.scatter @ weights[:, :, None])[:, :, 0]
        centre = theta[:, :1] + (self.means @ weights[:, :, None])[:, :, 0]
        width = np.maximum(np.sqrt(np.maximum((weights * turned).sum(axis=1), 0.0)), _NARROW)
        z = centre[:, :, None] + width[:, None, None] * _NODES
        p = 0.5 * (1 + np.tanh(z / 2))
        q = p * (1 - p)
        # derivatives by moments of the nodes: then H is positive definite whatever the nodes
        g0, g1 = self.counts * (p @ _SHARES), self.counts * (q @ _SHARES)
        g2 = self.counts * (q @ (_SHARES * _NODES)) / width[:, None]
        g3 = (self.counts * (q @ (_SHARES * (_NODES**2 - 1)))).sum(axis=1) / width**2
        all0, all1, all2 = (one.sum(axis=1) for one in (g0, g1, g2))
        by0, by1, by2 = ((one[:, None, :] @ self.means)[:, 0] for one in (g0, g1, g2))
        gradient = np.concatenate([all0[:, None], by0 + all1[:, None] * turned], axis=1)
        side = by1 + all2[:, None] * turned
        both = by2[:, :, None] * turned[:, None, :]
        whole = np.empty((len(theta), theta.shape[1], theta.shape[1]))
        whole[:, 0, 0], whole[:, 0, 1:], whole[:, 1:, 0] = all1, side, side
        whole[:, 1:, 1:] = (
            all1[:, None, None] * self.scatter
            + (self.means * g1[:, :, None]).transpose(0, 2, 1) @ self.means
            + (both + both.transpose(0, 2, 1))
            + g3[:, None, None] * turned[:, :, None] * turned[:, None, :]
        )
        return gradient, whole


def left_by_records(n: Floats, means: Floats, scatter: Floats, theta: Floats, stddev: Floats) -> Floats:
    """Return the standard deviations of weights that records alone would leave, without privacy noise.

    Args:
        n: numbers of records
        means: of the features in [-1, 1], one row each
        scatter: likewise their covariances
        theta: weights
        stddev: of the weights, before any data
    """
    hessian = FeatureLaw.normal(n, means, scatter).gradient(theta)[1]
    own = np.linalg.inv(hessian + np.eye(theta.shape[1]) / stddev[:, None, None] ** 2)
    return np.asarray(np.sqrt(own[:, np.arange(theta.shape[1]), np.arange(theta.shape[1])].mean(axis=0)))
