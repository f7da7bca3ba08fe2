"""What is known of a table of true counts: its noisy releases and its number of records.

A release o of a table c with k cells enters inference only through its likelihood as a function of c,

    log p(o | c) = constant − Σᵢ rateᵢ |oᵢ − cᵢ| − Σᵢ curvatureᵢ (oᵢ − cᵢ)² / 2,

where discrete Laplace and K-norm noise have a rate, discrete Gaussian noise has a curvature 1/σ², and a
cell that was not released has neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.checks import fill, whole_number
from privior.errors import InferenceError
from privior.posterior.kept import kept

#: the largest number of records that inference accepts: sums over a hundred thousand cells do not overflow
MOST_RECORDS = 2**45

#: noisy counts beyond this size are refused, so that no difference can overflow
_FARTHEST = 2**62


@dataclass(frozen=True, eq=False)
class CellEvidence:
    """One release, as a function of the latent counts.

    Attributes:
        observed: the published numbers, one for each cell: whole unless they came with decimals
        rates: how fast the log likelihood falls with the distance of a count from its noisy value
        curvatures: one over the variance of Gaussian noise
        precisions: about one over the variance of each number, that of the noise unless it is said; zero
            for a cell that was not released
    """

    observed: Integers | Floats
    rates: Floats
    curvatures: Floats
    precisions: Floats = None  # type: ignore[assignment]  # filled below

    def __post_init__(self) -> None:
        observed = np.asarray(self.observed)
        rates = np.asarray(self.rates, dtype=np.float64)
        curvatures = np.asarray(self.curvatures, dtype=np.float64)
        if observed.dtype.kind not in "iuf" or observed.ndim != 1:
            raise InferenceError("the observed counts are not a vector of numbers", where="evidence")
        if observed.dtype.kind == "f" and (observed == np.rint(observed)).all():
            observed = observed.astype(np.int64)
        if observed.size and not -_FARTHEST <= observed.min() <= observed.max() <= _FARTHEST:
            raise InferenceError(
                "an observed count is out of range", where="evidence", allowed=f"-{_FARTHEST} to {_FARTHEST}"
            )
        if rates.shape != observed.shape or curvatures.shape != observed.shape:
            raise InferenceError("observed, rates and curvatures differ in length", where="evidence")
        for name, values in (("rate", rates), ("curvature", curvatures)):
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise InferenceError(f"a {name} is negative or not finite", where="evidence")
        whole = observed if observed.dtype.kind == "f" else observed.astype(np.int64)
        fill(self, observed=whole, rates=rates, curvatures=curvatures)
        if self.precisions is None:
            fill(self, precisions=_precisions(rates, curvatures))

    @property
    def released(self) -> NDArray[np.bool_]:
        """Which cells this release says anything about."""
        return (self.rates > 0) | (self.curvatures > 0)


def _precisions(rates: Floats, curvatures: Floats) -> Floats:
    """Discrete Laplace noise of rate r has variance 2 e^-r / (1 − e^-r)² = 1 / (2 sinh²(r/2))."""
    precisions: Floats = 2 * np.sinh(np.minimum(rates, 600.0) / 2) ** 2 + curvatures
    return precisions


@kept
@dataclass(frozen=True)
class Total:
    """What is known of the number of records: exactly `most`, or no more than `most`, all alike."""

    most: int
    known: bool

    def __post_init__(self) -> None:
        name = "the number of records"
        whole_number(self.most, name, 0, MOST_RECORDS, where="total", error=InferenceError)


def checked_prior(evidence: Sequence[CellEvidence], prior: Floats) -> Floats:
    """Return the prior as floats, once it fits every release."""
    prior = np.asarray(prior, dtype=np.float64)
    if prior.ndim != 1 or not prior.size or not (np.isfinite(prior).all() and (prior > 0).all()):
        raise InferenceError("the prior is not a vector of positive numbers", where="prior")
    for release in evidence:
        if release.observed.shape != prior.shape:
            raise InferenceError(
                "a release has another number of cells than the prior",
                where="evidence",
                asked=release.observed.size,
                allowed=prior.size,
            )
    return prior


def misfit(evidence: Sequence[CellEvidence], mean: Floats, variance: Floats) -> float:
    """Return the posterior mean of ((o − c) / sd)², over all released cells; about 1 if all is well."""
    total, cells = 0.0, 0
    for release in evidence:
        known = release.released
        squares = (release.observed[known] - mean[known]) ** 2 + variance[known]
        total += float(np.sum(squares * release.precisions[known]))
        cells += int(known.sum())
    return total / cells if cells else 0.0
