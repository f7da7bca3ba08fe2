"""The posterior of a table whose prior is learned: a mixture over what the prior may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError
from privior.models import LearnedPrior
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.evidence import CellEvidence, Total
from privior.posterior.exact_counts import ExactCounts, evidence_ceiling, exact_counts
from privior.posterior.law import mixture

#: a prior less likely than this share of the likeliest is left out
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True, eq=False)
class MixedCounts:
    """The posterior of the true counts, mixed over priors.

    Attributes:
        parts: the posterior under each prior
        shares: the posterior probability of each prior
        prior: the whole list
    """

    parts: tuple[ExactCounts, ...]
    shares: NDArray[np.float64]
    prior: LearnedPrior

    @property
    def exact(self) -> bool:
        """Every part was summed."""
        return True

    @property
    def diagnostics(self) -> Diagnostics:
        """Those of the likeliest part."""
        return self.parts[int(self.shares.argmax())].diagnostics

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """The expected count of each cell."""
        return np.asarray(self.shares @ np.array([part.mean for part in self.parts]))

    @cached_property
    def stddev(self) -> NDArray[np.float64]:
        """The standard deviation of each count."""
        squares = np.array([part.stddev**2 + part.mean**2 for part in self.parts])
        return np.asarray(np.sqrt(np.maximum(self.shares @ squares - self.mean**2, 0)))

    def interval(self, level: float) -> NDArray[np.float64]:
        """Return for each cell the smallest counts not exceeded with probability (1 ∓ level)/2."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        ends = []
        for laws in zip(*(part.marginals for part in self.parts), strict=True):
            law = mixture(laws, self.shares)
            found = law.low + np.searchsorted(np.cumsum(law.mass), tails)
            ends.append(np.minimum(found, law.high))
        return np.array(ends, dtype=np.float64)

    def draws(self, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return independent draws of the whole table, as (size, cells)."""
        return self._drawn(size, rng)[0]

    def parameters(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return draws of the Dirichlet parameters: of a prior, and of the table given it, added."""
        tables, chosen = self._drawn(size, rng)
        return np.asarray(self.values[chosen][:, None] + tables)

    def beta_mixture(self) -> None:
        """There is no closed form."""
        return

    @property
    def values(self) -> NDArray[np.float64]:
        """The prior parameter of each part."""
        return np.array([part.prior[0] for part in self.parts])

    def learned(self) -> str:
        """Say which priors are likely, in a line."""
        order = np.argsort(-self.shares)[:3]
        listed = ", ".join(f"{self.values[i]:g} ({100 * self.shares[i]:.0f}%)" for i in order)
        return f"prior learned: {listed}"

    def _drawn(self, size: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        chosen = rng.choice(len(self.parts), size=size, p=self.shares)
        tables = np.empty((size, self.mean.size), dtype=np.int64)
        for index in np.unique(chosen):
            tables[chosen == index] = self.parts[index].draws(int(np.sum(chosen == index)), rng)
        return tables, chosen


def mixed_counts(
    evidence: Sequence[CellEvidence], cells: int, prior: LearnedPrior, total: Total
) -> MixedCounts:
    """Sum over all tables under each prior, and weigh the priors by how well they foretell the release."""
    parameters = [np.full(cells, float(parameter)) for parameter in prior.parameters]
    found = [exact_counts(evidence, each, total) for each in parameters]
    parts = [part for part in found if part is not None]
    best = max((part.log_evidence for part in parts), default=-np.inf)
    for each, part in zip(parameters, found, strict=True):
        if part is None and not evidence_ceiling(evidence, each, total) < best + math.log(_NEGLIGIBLE):
            raise InferenceError(
                "this table is too large for a prior that is learned",
                asked=f"{cells} cells, prior {each[0]:g}",
                advice="Give a number, such as prior=1.",
            )
    weights = np.exp([part.log_evidence - best for part in parts])
    kept = [i for i, weight in enumerate(weights) if weight > _NEGLIGIBLE]
    return MixedCounts(tuple(parts[i] for i in kept), weights[kept] / weights[kept].sum(), prior)
