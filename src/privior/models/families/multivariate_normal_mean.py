"""Normal vectors of known covariance, with a Normal prior of their means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, final

import numpy as np

from privior.checks import fill
from privior.models.families.family import numeric
from privior.models.families.joint import Floats, JointFamily, JointLikelihood, Random
from privior.models.laws.joint import MultivariateNormal
from privior.models.laws.matrices import (
    Matrix,
    added,
    definite_factors,
    dot,
    floats,
    inverse,
    read_matrix,
    solved,
    times,
)
from privior.models.model import MODELS
from privior.privacy.pairs import DominatingPair, GaussianPair
from privior.randomness import Bits, NormalLaw, rounded
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class MultivariateNormalMean(JointFamily):
    """x ~ Normal(theta, S), theta ~ Normal(m, V).

    theta | x ~ Normal, of precision P = V^-1 + n S^-1 and mean P^-1 (V^-1 m + S^-1 sum x).
    """

    vector: tuple[str, ...]
    covariance: Matrix
    prior: MultivariateNormal
    family: ClassVar[str] = "multivariate-normal-mean"
    parameter: ClassVar[str] = "means"

    def __init__(self, columns: object, prior: object, covariance: object) -> None:
        fill(self, covariance=read_matrix(covariance, self.family, "covariance"))
        self._set(columns, prior, MultivariateNormal)
        self._check_size(len(self.covariance), "covariance")
        self._check_size(self.prior.size, "the prior")

    @property
    def names(self) -> tuple[str, ...]:
        """One mean for each column."""
        return tuple(f"mean of {name}" for name in self.vector)

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """The deviations of each column."""
        return tuple((place,) for place in range(len(self.vector)))

    def at(self, schema: Schema) -> JointLikelihood:
        """Return the likelihood in floating point."""
        return _MeansLikelihood(self, schema)

    def precision(self, records: int, weight: Fraction) -> Matrix:
        """Return P, which is public: records of weight r count r times."""
        return added(inverse(self.prior.covariance), inverse(self.covariance), weight * records)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Draws are Normal of a covariance that is the same for all data: mu-GDP, and exactly so.

        A record that is replaced by one v away moves the mean by P^-1 r S^-1 v, whose length in the norm of
        P is r sqrt(v' S^-1 P^-1 S^-1 v). Whitened, both laws are standard Normal, that far apart; N draws are
        as one of sqrt(N) times the distance. The square is a convex function of v, so it is largest at a
        corner of the box of differences, and two records of opposite corners are that far apart.
        """
        spans = []
        for name in self.vector:
            _, step, size = numeric(schema, name, self.family)
            spans.append(step * (size - 1))
        known, total = inverse(self.covariance), self.precision(records, weight)
        farthest = Fraction(0)
        for signs in product((1, -1), repeat=len(spans) - 1):
            corner = [spans[0], *(sign * span for sign, span in zip(signs, spans[1:], strict=True))]
            pull = times(known, corner)
            farthest = max(farthest, dot(pull, solved(total, pull)))
        return GaussianPair(draws * weight**2 * farthest)

    def finest(self, schema: Schema) -> float:
        """Of the coordinates that are drawn, by the prior."""
        _, diagonal = definite_factors(inverse(self.prior.covariance))
        return min(1 / math.sqrt(pivot) for pivot in diagonal)

    def drawn(
        self, schema: Schema, records: int, weight: Fraction, sums: Sequence[int], places: int, bits: Bits
    ) -> tuple[int, ...]:
        """Draw L' theta, whose coordinates are independent because P = L D L', each exactly rounded.

        L is public, so whoever has L' theta has theta; no square root is taken, and nothing is computed
        in floating point.
        """
        precision = self.precision(records, weight)
        known = inverse(self.covariance)
        values = [
            records * centre + total
            for centre, total in zip(self.centre(schema), self.totals(schema, sums), strict=True)
        ]
        pulls = zip(solved(self.prior.covariance, self.prior.mean), times(known, values), strict=True)
        mean = solved(precision, [prior + weight * data for prior, data in pulls])
        lower, diagonal = definite_factors(precision)
        found = []
        for place, pivot in enumerate(diagonal):
            centre = dot([row[place] for row in lower], mean)
            found.append(rounded(NormalLaw(centre, 1 / pivot), places, bits))
        return tuple(found)

    def from_points(self, schema: Schema, records: int, weight: Fraction, points: Floats) -> Floats:
        """Return theta from L' theta."""
        lower, _ = definite_factors(self.precision(records, weight))
        return np.asarray(np.linalg.solve(floats(lower).T, points.T).T, np.float64)


class _MeansLikelihood(JointLikelihood):
    """T = sum of x - centre, Normal given theta; w = C^-1 (T - n (theta - centre)) / sqrt(n), S = C C'."""

    def __init__(self, family: MultivariateNormalMean, schema: Schema) -> None:
        self.centre = np.array([float(one) for one in family.centre(schema)])
        self.units = np.array([float(one) for one in family.units(schema)])
        self.covariance = floats(family.covariance)
        self.known = floats(inverse(family.covariance))
        self.root = np.linalg.cholesky(self.covariance)
        self.mean = np.array([float(one) for one in family.prior.mean]) - self.centre
        self.prior = floats(inverse(family.prior.covariance))
        self.variances = np.diag(floats(family.prior.covariance))

    def normal(self, theta: Floats) -> tuple[Floats, Floats]:
        """The means, and the known covariance."""
        return theta, np.broadcast_to(self.covariance, (len(theta), *self.covariance.shape))

    def quantities(self, theta: Floats) -> list[Floats]:
        """Return the means, the only parameters."""
        return list(theta.T)

    def log_prior(self, theta: Floats) -> Floats:
        """Return the log of the Normal density of the means."""
        away = theta - self.centre - self.mean
        return np.asarray(-np.einsum("ri,ij,rj->r", away, self.prior, away) / 2)

    def typical(self) -> tuple[Floats, Floats]:
        """The prior mean: nothing depends on it."""
        return (self.mean + self.centre)[np.newaxis], self.variances

    def free(self, theta: Floats) -> Floats:
        """Means may be any numbers."""
        return theta

    def bound(self, free: Floats) -> Floats:
        """Return the coordinates, which are the parameters themselves."""
        return free

    def log_slope(self, free: Floats) -> Floats:
        """Return 0: coordinates and parameters are the same."""
        return np.zeros(len(free))

    def log_density(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Normal, of covariance n S."""
        size = self.units.size
        return np.asarray(
            self.log_white(records, self.whiten(records, totals, theta)) - size * np.log(records) / 2
        )

    def whiten(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """By the root of the covariance."""
        away = totals - records[:, None] * (theta - self.centre)
        return np.asarray(np.linalg.solve(self.root, away.T).T / np.sqrt(records)[:, None])

    def coloured(self, records: Floats, theta: Floats, white: Floats) -> Floats:
        """Return the sums that have these innovations: what `whiten` undoes."""
        n = records[:, None]
        return np.asarray(n * (theta - self.centre) + np.sqrt(n) * (white @ self.root.T))

    def log_white(self, records: Floats, white: Floats) -> Floats:
        """Return the log of the standard Normal density."""
        return np.asarray(-(white**2).sum(axis=1) / 2)

    def white(self, records: Floats, rng: Random) -> Floats:
        """Draw from the standard Normal law."""
        return rng.standard_normal((records.size, self.units.size))

    def _update(self, records: Floats, totals: Floats) -> tuple[Floats, Floats]:
        """Return the mean, from the centre, and the precision; records may be weighted."""
        precision = self.prior + records[:, None, None] * self.known
        pull = self.prior @ self.mean + totals @ self.known
        return np.asarray(np.linalg.solve(precision, pull[:, :, None])[:, :, 0], np.float64), precision

    def conjugate(self, records: Floats, totals: Floats, rng: Random) -> Floats:
        """Draw from the Normal posterior of the means."""
        mean, precision = self._update(records, totals)
        white = rng.standard_normal(mean.shape)
        root = np.swapaxes(np.linalg.cholesky(precision), 1, 2)
        return np.asarray(self.centre + mean + np.linalg.solve(root, white[:, :, None])[:, :, 0])

    def possible(self, records: Floats, totals: Floats) -> Floats:
        """Return the sums as they are: records can have any."""
        return totals

    def clipped(self, theta: Floats) -> Floats:
        """Return the means as they are: the prior is not cut."""
        return theta

    def log_posterior(self, theta: Floats, records: int, totals: Floats, weight: float) -> Floats:
        """Normal, of the same precision for all T."""
        mean, precision = self._update(np.full(1, weight * records), np.zeros((1, self.units.size)))
        gain = np.linalg.solve(precision[0], self.known)
        found = np.zeros(len(totals))
        for one in theta:
            away = one - self.centre - mean[0] - weight * totals @ gain.T
            found -= np.einsum("ri,ij,rj->r", away, precision[0], away) / 2
        return found
