"""Normal vectors of known mean, with a Wishart prior of their precision matrix, its eigenvalues bounded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.checks import fill
from privior.errors import ModelError
from privior.exact import root_down, root_up
from privior.models.families.family import numeric
from privior.models.families.joint import Floats, JointFamily, JointLikelihood, Random
from privior.models.laws.bounded_wishart import NODES, eigenvalues, log_trial, log_wishart_mass
from privior.models.laws.joint import Wishart
from privior.models.laws.matrices import Vector, floats, inverse, read_vector
from privior.models.model import MODELS
from privior.privacy.pairs import BoundedRangePair, DominatingPair, SignedSteps
from privior.randomness import Bits, BoundedWishart
from privior.schema import Schema
from privior.special import gammaln, multigammaln

#: draws of which a smaller share of trials succeed, whatever the records, are refused
_LEAST_CHANCE = 1e-3
#: the log of a chance may be so far above 0, else it is not known
_ROUNDING = 1e-2
#: of so many draws the mass is needed more closely
_MANY = 20
#: rates at which that is looked at, in each direction
_RATES = 16


@final
@MODELS.register
@dataclass(frozen=True)
class MultivariateNormalPrecision(JointFamily):
    """x ~ Normal(mean, X^-1), X ~ Wishart(k, V), the eigenvalues of X in [lower, upper].

    X | x ~ Wishart(k + n, (V^-1 + T)^-1), cut likewise, T the sum of (x - mean) (x - mean)'.
    """

    vector: tuple[str, ...]
    mean: Vector
    prior: Wishart
    family: ClassVar[str] = "multivariate-normal-precision"
    parameter: ClassVar[str] = "precision matrix"

    def __init__(self, columns: object, mean: object, prior: object) -> None:
        fill(self, mean=read_vector(mean, self.family, "mean"))
        self._set(columns, prior, Wishart)
        self._check_size(len(self.mean), "mean")
        self._check_size(self.prior.size, "the prior")

    @property
    def names(self) -> tuple[str, ...]:
        """The entries of the precision matrix, then what they are as standard deviations and correlations."""
        places = self.products
        entries = tuple(f"precision of {self._pair(i, j)}" for i, j in places)
        spreads = tuple(f"stddev of {name}" for name in self.vector)
        together = tuple(f"correlation of {self._pair(i, j)}" for i, j in places if i != j)
        return entries + spreads + together

    def _pair(self, i: int, j: int) -> str:
        return self.vector[i] if i == j else f"{self.vector[j]} with {self.vector[i]}"

    @property
    def least_records(self) -> int:
        """Fewer records than columns leave some combination of these without any spread."""
        return len(self.vector)

    @property
    def products(self) -> tuple[tuple[int, ...], ...]:
        """All pairs of columns: the lower triangle, row by row."""
        return tuple((i, j) for i in range(len(self.vector)) for j in range(i + 1))

    def centre(self, schema: Schema) -> Vector:
        """The known means, which deviations are measured from instead of the middle of each range."""
        return self.mean

    def at(self, schema: Schema) -> JointLikelihood:
        """Return the likelihood in floating point."""
        return _MatrixLikelihood(self, schema)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Draws are pure: the loss of one lies in a range of known length.

        The log likelihood ratio of two records with deviations u and v is trace(X M) / 2, M = v v' - u u',
        whose eigenvalues are s >= 0 and t <= 0 with s - t = |u - v| |u + v|. As a <= X <= b it is between
        (a s + b t) / 2 and (b s + a t) / 2, so in a range of length (b - a) (s - t) / 2, at most eta. A draw
        in which records have the weight r has a loss in a range of length r eta, hence at most r eta, for any
        number of records (`BoundedRangePair`); N draws have at most N times that.
        """
        each = weight * self.oscillation(schema)
        return BoundedRangePair(each) if draws == 1 else SignedSteps(each, draws)

    def oscillation(self, schema: Schema) -> Fraction:
        """Return eta, (b - a) / 2 times the largest |u - v| |u + v|, rounded up.

        Deviations are at most g and h in the two columns, g <= h. |u_i - v_i| and |u_i + v_i| may be any two
        numbers that add up to twice that, 2 h t and 2 h (1 - t). Where neither t is at an end, the product is
        stationary for t = 1/2 in both only, and less than elsewhere; so one t is 0 or 1. With the column of g
        there, x = 2 t - 1 in the other and r = g / h, it is h^2 (1 + x) sqrt((1 - x)^2 + 4 r^2). That rises
        up to 4 g h at x = 1 if 8 r^2 >= 1; else there is a maximum before, of h^2 (1 + x) sqrt(1 - x^2) at
        x = (1 - sqrt(1 - 8 r^2)) / 2. With the column of h there it always rises.
        """
        if len(self.vector) != 2:
            raise self.no_draws()
        smaller, larger = sorted(self._sides(schema))
        ratio = smaller / larger
        most = 4 * ratio
        if 8 * ratio**2 < 1:
            x = (1 - root_down(1 - 8 * ratio**2)) / 2
            most = max(most, (1 + x) * root_up(1 - x**2))
        return (self.prior.upper - self.prior.lower) / 2 * larger**2 * most

    def _sides(self, schema: Schema) -> list[Fraction]:
        """Return the largest deviation in each column."""
        found = []
        for name, centre in zip(self.vector, self.mean, strict=True):
            lower, step, size = numeric(schema, name, self.family)
            found.append(max(abs(lower - centre), abs(lower + step * (size - 1) - centre)))
        return found

    def check_draws(self, schema: Schema, records: Fraction) -> None:
        """Refuse draws that might take long; it decides about time, nothing else."""
        chance = self._least_chance(schema, records)
        if not chance >= _LEAST_CHANCE:  # also if it is no number
            number = f"about {1 / chance:.2g}" if chance > 0 else "any number of"
            raise self.refusal(
                f"a draw might take {number} trials",
                asked=str(self.prior),
                allowed=f"{1 / _LEAST_CHANCE:.0f} on average, whatever the records",
                advice="Take less epsilon, bounds of the eigenvalues farther apart, or noisy statistics "
                "(pv.NoisyStatistics).",
            )

    def _least_chance(self, schema: Schema, records: Fraction) -> float:
        """Return the least chance that a trial of `BoundedWishart` succeeds, whatever the records; or 0.

        It is the mass of the law over that of its proposal, and depends on the eigenvalues of the rate. Each
        of these is at least the prior's own and at most that plus n R^2: they are looked at on a grid.
        """
        prior = self.prior
        low, high = float(prior.lower), float(prior.upper)
        if low == high:
            return 0.0
        more = float(records * sum(side**2 for side in self._sides(schema)))
        ends = _ends(floats(prior.scale), floats(inverse(prior.scale)))
        grids = np.meshgrid(*(np.geomspace(end, end + more, _RATES) for end in ends))
        smaller, larger = (grid[grids[0] <= grids[1]] for grid in grids)
        logs = log_trial(float(prior.degrees + records), smaller, larger, low, high)
        return math.exp(float(logs.min())) if logs.max() < _ROUNDING else 0.0

    def finest(self, schema: Schema) -> float:
        """The interval of the eigenvalues."""
        if len(self.vector) != 2:
            raise self.no_draws()
        return float(self.prior.upper - self.prior.lower)

    def drawn(
        self, schema: Schema, records: int, weight: Fraction, sums: Sequence[int], places: int, bits: Bits
    ) -> tuple[int, ...]:
        """Update the prior exactly and draw the matrix, exactly rounded: its lower triangle."""
        prior, scatter = self.prior, self.totals(schema, sums)
        known = inverse(prior.scale)
        first, beside, second = (
            known[i][j] + weight * one for (i, j), one in zip(self.products, scatter, strict=True)
        )
        degrees = prior.degrees + weight * records
        law = BoundedWishart(degrees, (first, beside, second), prior.lower, prior.upper)
        return law.rounded(places, bits)

    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """Eigenvalues are inside, but for rounding, which moves them by less than a unit."""
        for x, z, y in zip(points[::3], points[1::3], points[2::3], strict=True):
            low, high = self.prior.lower / unit - 1, self.prior.upper / unit + 1
            if not (low <= x <= high and low <= y <= high):
                return False
            if min((x - low) * (y - low), (high - x) * (high - y)) < z * z:
                return False
        return True

    def no_draws(self) -> ModelError:
        """Of three columns or more a draw from the cut law takes too long, and what it says is not known."""
        return self.refusal(
            "draws are released of precision matrices of two columns only: no privacy is proved without "
            "bounds of the eigenvalues, and with them no quick exact draw is known for more columns",
            asked=str(self.prior),
            advice="Release noisy statistics (pv.NoisyStatistics); of one column take pv.NormalPrecision.",
        )


def _ends(scale: Floats, rate: Floats) -> tuple[float, float]:
    """Return the least and the largest eigenvalue of a rate, the inverse of a scale.

    Rounding may hide the least of a matrix, never the largest.
    """
    return 1 / float(np.linalg.eigvalsh(scale)[-1]), float(np.linalg.eigvalsh(rate)[-1])


class _MatrixLikelihood(JointLikelihood):
    """theta and T are lower triangles, row by row. X = L L', L' T L = A A', w the entries of A.

    A A' is Wishart with n degrees of freedom whatever X is: the diagonal of A is the root of chi-squares of
    n, n - 1, ... degrees of freedom, and the rest is standard Normal (Bartlett). w has logs of the diagonal.
    """

    def __init__(self, family: MultivariateNormalPrecision, schema: Schema) -> None:
        prior = family.prior
        self.centre = np.array([float(one) for one in family.centre(schema)])
        self.units = np.array([float(one) for one in family.units(schema)])
        self.size = prior.size
        self.degrees = float(prior.degrees)
        self.scale, self.rate = floats(prior.scale), floats(inverse(prior.scale))
        self.ends = float(prior.lower), float(prior.upper)
        self.places = np.tril_indices(self.size)
        self.diagonal = np.flatnonzero(self.places[0] == self.places[1])

    def _matrix(self, entries: Floats) -> Floats:
        """Return the symmetric matrices that have these lower triangles, row by row."""
        found = self._lower(entries)
        return found + np.swapaxes(np.tril(found, -1), 1, 2)

    def _lower(self, entries: Floats) -> Floats:
        found = np.zeros((len(entries), self.size, self.size))
        found[:, self.places[0], self.places[1]] = entries
        return found

    def _entries(self, matrices: Floats) -> Floats:
        return np.asarray(matrices[:, self.places[0], self.places[1]])

    def _root(self, matrices: Floats) -> Floats:
        """Return L of M = L L'; NaN where M is not positive definite."""
        found = np.zeros_like(matrices)
        for i in range(self.size):
            for j in range(i + 1):
                rest = matrices[:, i, j] - (found[:, i, :j] * found[:, j, :j]).sum(axis=1)
                found[:, i, j] = (
                    np.sqrt(np.where(rest > 0, rest, np.nan)) if i == j else rest / found[:, j, j]
                )
        return found

    def normal(self, theta: Floats) -> tuple[Floats, Floats]:
        """The known means, and the inverse."""
        means = np.broadcast_to(self.centre, (len(theta), self.size))
        return means, np.asarray(np.linalg.inv(self._matrix(theta)), np.float64)

    def quantities(self, theta: Floats) -> list[Floats]:
        """Entries, standard deviations, correlations."""
        _, covariances = self.normal(theta)
        spreads = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        pairs = [(i, j) for i, j in zip(*self.places, strict=True) if i != j]
        together = [covariances[:, i, j] / (spreads[:, i] * spreads[:, j]) for i, j in pairs]
        return [*theta.T, *spreads.T, *together]

    def log_prior(self, theta: Floats) -> Floats:
        """The Wishart density where the eigenvalues are inside."""
        matrices = self._matrix(theta)
        fine = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
        values = np.linalg.eigvalsh(np.where(fine[:, None, None], matrices, 1.0))
        inside = fine & (values[:, 0] >= self.ends[0]) & (values[:, -1] <= self.ends[1])
        logs = np.log(np.maximum(values, 1e-300)).sum(axis=1)
        traces = np.einsum("ij,rji->r", self.rate, matrices)
        return np.where(inside, (self.degrees - self.size - 1) / 2 * logs - traces / 2, -np.inf)

    def typical(self) -> tuple[Floats, Floats]:
        """The mean, smaller and larger."""
        mean = self.degrees * self.scale
        some = np.array([self._entries((factor * mean)[np.newaxis])[0] for factor in (0.6, 1.0, 1.6)])
        product = np.outer(np.diag(self.scale), np.diag(self.scale))
        spread = self.degrees * (self.scale**2 + product)
        widest = ((self.ends[1] - self.ends[0]) / 2) ** 2
        return self.clipped(some), np.minimum(self._entries(spread[np.newaxis])[0], widest)

    def free(self, theta: Floats) -> Floats:
        """The entries of L, logs on the diagonal."""
        return self._logged(self._root(self._matrix(theta)))

    def _logged(self, lower: Floats) -> Floats:
        entries = self._entries(lower).copy()
        entries[:, self.diagonal] = np.log(entries[:, self.diagonal])
        return entries

    def _unlogged(self, entries: Floats) -> Floats:
        found = np.array(entries)
        found[:, self.diagonal] = np.exp(np.clip(found[:, self.diagonal], -300, 300))
        return self._lower(found)

    def bound(self, free: Floats) -> Floats:
        """Return L L' for the entries of L."""
        lower = self._unlogged(free)
        return self._entries(lower @ np.swapaxes(lower, 1, 2))

    def log_slope(self, free: Floats) -> Floats:
        """2^d times the product of L_ii^(d - i + 1), i from 0."""
        powers = self.size + 1 - np.arange(self.size)
        return np.asarray(self.size * math.log(2) + free[:, self.diagonal] @ powers)

    def log_density(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Wishart of scale X^-1."""
        scatter, matrices, d = self._matrix(totals), self._matrix(theta), self.size
        log_scatter, log_precision = (
            2 * np.log(np.diagonal(self._root(one), axis1=1, axis2=2)).sum(axis=1)
            for one in (scatter, matrices)
        )
        logs = (records - d - 1) / 2 * log_scatter - np.einsum("rij,rji->r", matrices, scatter) / 2
        logs = logs + records / 2 * log_precision - records * d / 2 * math.log(2)
        numbers, place = np.unique(records, return_inverse=True)
        norms = np.array([multigammaln(max(n, d) / 2, d) for n in numbers])
        return np.asarray(np.nan_to_num(logs - norms[place], nan=-np.inf))

    def whiten(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """By the root of the precision."""
        root = self._root(self._matrix(theta))
        return self._logged(self._root(np.swapaxes(root, 1, 2) @ self._matrix(totals) @ root))

    def coloured(self, records: Floats, theta: Floats, white: Floats) -> Floats:
        """Return the sums that have these innovations: what `whiten` undoes."""
        root = self._root(self._matrix(theta))
        fine = np.isfinite(root).all(axis=(1, 2))
        root[~fine] = np.eye(self.size)
        half = np.asarray(np.linalg.solve(np.swapaxes(root, 1, 2), self._unlogged(white)), np.float64)
        found = self._entries(half @ np.swapaxes(half, 1, 2))
        found[~fine] = np.nan
        return found

    def log_white(self, records: Floats, white: Floats) -> Floats:
        """Logs of roots of chi-squares, and Normals."""
        logs = white[:, self.diagonal]
        degrees = records[:, None] - np.arange(self.size)
        found = degrees * logs - np.exp(np.clip(2 * logs, -600, 600)) / 2
        found = found - (degrees / 2 - 1) * math.log(2) - gammaln(degrees / 2)
        squares = (white**2).sum(axis=1) - (logs**2).sum(axis=1)
        return np.asarray(found.sum(axis=1) - squares / 2)

    def white(self, records: Floats, rng: Random) -> Floats:
        """Draw the logs of the roots of chi-squares, and standard Normal numbers."""
        found = rng.standard_normal((records.size, self.units.size))
        degrees = np.maximum(records[:, None] - np.arange(self.size), 1e-3)
        found[:, self.diagonal] = np.log(np.maximum(2 * rng.standard_gamma(degrees / 2), 1e-300)) / 2
        return found

    def conjugate(self, records: Floats, totals: Floats, rng: Random) -> Floats:
        """Wishart: C A A' C' with C C' its scale."""
        rate = self.rate + self._matrix(totals)
        root = self._root(rate)
        lower = self._unlogged(self.white(records + self.degrees, rng))
        fine = np.isfinite(root).all(axis=(1, 2))
        root[~fine] = np.eye(self.size)
        half = np.asarray(np.linalg.solve(np.swapaxes(root, 1, 2), lower), np.float64)  # C = root'^-1
        found = self._entries(half @ np.swapaxes(half, 1, 2))
        found[~fine] = np.nan
        return found

    def log_posterior(self, theta: Floats, records: int, totals: Floats, weight: float) -> Floats:
        """The Wishart density over its mass between the bounds, for two columns."""
        rate = self._matrix(self._entries(self.rate[np.newaxis]) + weight * totals)
        first, beside, second = rate[:, 0, 0], rate[:, 1, 0], rate[:, 1, 1]
        least, most = eigenvalues(first, beside, second)
        floor, _ = _ends(self.scale, self.rate)  # less than this no sums of records have
        mass = log_wishart_mass(
            self.degrees + weight * records,
            np.maximum(least, floor),
            np.maximum(most, floor),
            *self.ends,
            nodes=NODES if len(theta) < _MANY else 2 * NODES,  # errors add up
        )
        matrices = self._matrix(theta)
        power = (self.degrees + weight * records - self.size - 1) / 2
        own = power * np.linalg.slogdet(matrices)[1].sum()
        traces = np.einsum("rij,ji->r", rate, matrices.sum(axis=0))
        return np.asarray(own - traces / 2 - len(theta) * mass)

    def possible(self, records: Floats, totals: Floats) -> Floats:
        """Positive definite ones: the least eigenvalue is what records of the largest precision have."""
        values, vectors = np.linalg.eigh(self._matrix(totals))
        least = (records / (2 * self.ends[1]))[:, None]
        return self._entries((vectors * np.maximum(values, least)[:, None, :]) @ np.swapaxes(vectors, 1, 2))

    def clipped(self, theta: Floats) -> Floats:
        """Return matrices with their eigenvalues moved inside the interval."""
        values, vectors = np.linalg.eigh(self._matrix(theta))
        room = 1e-9 * (self.ends[1] - self.ends[0])
        inside = np.clip(values, self.ends[0] + room, self.ends[1] - room)
        return self._entries((vectors * inside[:, None, :]) @ np.swapaxes(vectors, 1, 2))
