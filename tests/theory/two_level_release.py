"""Two levels: the exact laws of LSHist and EHD as published, and how far their releases are off.

The posterior is Beta(a + j, b + N - j) if j of N records are ones; every j from 0 to N may be released.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.checks import above_zero, whole_number
from privior.errors import NumberError, shown
from privior.exact import rational
from privior.papers.published.hellinger import printed_sensitivity

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: the laws are arrays of this size
MOST_RECORDS = 10**7


@dataclass(frozen=True)
class TwoLevels:
    """What was counted: `ones` of `records`, prior Beta(first, second)."""

    ones: int
    records: int
    first: object = 1
    second: object = 1

    def __post_init__(self) -> None:
        if whole_number(self.records, "records") > MOST_RECORDS:
            raise NumberError("records is out of range", asked=self.records, allowed=f"1 to {MOST_RECORDS}")
        if whole_number(self.ones, "ones", 0) > self.records:
            raise NumberError(
                "there are more ones than records", asked=shown(self.ones), allowed=self.records
            )
        above_zero(self.first, "first")
        above_zero(self.second, "second")

    @cached_property
    def log_affinities(self) -> Floats:
        """ln(1 - H^2) for each j, H its distance to the truth; tells apart what H rounds to 1."""
        from scipy.special import betaln

        j = np.arange(self.records + 1.0)
        a, b = (
            float(rational(self.first, "first")) + j,
            float(rational(self.second, "second")) + self.records - j,
        )
        middle = betaln((a + a[self.ones]) / 2, (b + b[self.ones]) / 2)
        found = np.minimum(0.0, middle - (betaln(a, b) + betaln(a[self.ones], b[self.ones])) / 2)
        found[self.ones] = 0.0
        return np.asarray(found)

    @cached_property
    def distances(self) -> Floats:
        """The Hellinger distance of each candidate's posterior to the true one."""
        return np.asarray(np.sqrt(np.abs(np.expm1(self.log_affinities))))

    @property
    def sensitivity(self) -> float:
        """The local sensitivity: the distance to the farther neighbour."""
        return float(max(self.distances[j] for j in self._neighbours))

    @property
    def near_as_neighbours(self) -> Mask:
        """The candidates that are not farther than the farther neighbour."""
        return np.asarray(self.log_affinities >= min(self.log_affinities[j] for j in self._neighbours))

    @property
    def _neighbours(self) -> list[int]:
        return [j for j in (self.ones - 1, self.ones + 1) if 0 <= j <= self.records]

    def steps(self, distance: float) -> int:
        """The largest k such that k more ones are nearer than a distance: the k of Theorem 4.5."""
        return int(np.count_nonzero(self.distances[self.ones + 1 :] < distance))

    def lshist(self, epsilon: object) -> Floats:
        """The law of LSHist: floor(ones + Laplace noise of scale 1/epsilon), clamped to [0, N]."""
        e = float(above_zero(epsilon, "epsilon"))
        edges = np.arange(1.0, self.records + 1) - self.ones
        low, high = np.minimum(edges, 0.0), np.maximum(edges, 0.0)
        below = np.where(edges < 0, np.exp(e * low) / 2, 1 - np.exp(-e * high) / 2)
        return np.diff(below, prepend=0.0, append=1.0)

    def ehd(self, epsilon: object, sensitivity: float | None = None) -> Floats:
        """The law of EHD: weight e^(-epsilon H / (2 GS)), GS as printed or another sensitivity."""
        scale = 2 * (printed_sensitivity() if sensitivity is None else sensitivity)
        weights = np.exp(-float(above_zero(epsilon, "epsilon")) / scale * self.distances)
        return np.asarray(weights / weights.sum())

    def laplace_error(self, epsilon: object, failure: float) -> float:
        """The least t with P[H(LSHist) <= t] >= 1 - failure, the ELap of the paper."""
        if not 0 < failure < 1:
            raise NumberError("failure is out of range", asked=failure, allowed="above 0 and below 1")
        order = np.argsort(self.distances, kind="stable")
        reached = np.cumsum(self.lshist(epsilon)[order]) >= 1 - failure - 1e-12
        return float(self.distances[order][int(np.argmax(reached))]) if reached.any() else math.inf
