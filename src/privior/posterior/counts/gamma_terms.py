"""The likelihood of releases from a posterior, as a function of the counts: sums of log Gamma functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.mechanisms import CellGammas
from privior.posterior.counts.stirling import log_gamma_step
from privior.special import gammaln

Gammas = Sequence[CellGammas]


def cell_steps(gammas: Gammas, cells: NDArray[np.intp], counts: Floats) -> Floats:
    """Return what the log likelihood gains from c to c+1, slopes left out; a row of counts for each cell."""
    down = (slice(None), *[None] * (counts.ndim - 1))
    gained = np.zeros(counts.shape)
    for one in gammas:
        start = one.prior[cells][down] + one.rate * counts
        for shifts, weights in one.terms:
            if weights.any():
                gained += weights[cells][down] * log_gamma_step(start + shifts[cells][down], one.rate)
    return gained


def cell_heights(gammas: Gammas, counts: Floats) -> Floats:
    """Return the log likelihood of counts, a row for each cell, slopes left out."""
    heights = np.zeros(counts.shape)
    for one in gammas:
        start = one.prior[:, None] + one.rate * counts
        for shifts, weights in one.terms:
            heights += weights[:, None] * gammaln(start + shifts[:, None])
    return heights


def total_steps(gammas: Gammas, totals: Floats) -> Floats:
    """Return what the log likelihood gains by its terms of the total, from N to N+1."""
    gained = np.zeros(totals.shape)
    for one in gammas:
        for shift, weight in one.totals:
            start = float(one.prior.sum()) + shift + one.rate * totals
            gained += weight * log_gamma_step(start, one.rate)
    return gained


def total_heights(gammas: Gammas, totals: Floats) -> Floats:
    """Return the terms of the total."""
    heights = np.zeros(totals.shape)
    for one in gammas:
        for shift, weight in one.totals:
            heights += weight * gammaln(float(one.prior.sum()) + shift + one.rate * totals)
    return heights


def largest_terms(gammas: Gammas, most: int) -> float:
    """Bound the absolute value of what is added up for up to so many records, slopes left out."""
    largest = 0.0
    for one in gammas:
        for shift, weight in one.totals:
            largest += abs(weight) * abs(float(gammaln(float(one.prior.sum()) + shift + one.rate * most + 2)))
    return largest


def cell_of(gammas: Gammas, index: int) -> tuple[CellGammas, ...]:
    """Return the terms of one cell alone; those of the total stay."""
    only = slice(index, index + 1)
    return tuple(
        replace(
            one,
            prior=one.prior[only],
            slopes=one.slopes[only],
            terms=tuple((shifts[only], weights[only]) for shifts, weights in one.terms),
        )
        for one in gammas
    )
